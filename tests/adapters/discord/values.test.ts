import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachmentsOf } from '../../../src/adapters/discord/attachments.ts';
import { renderModal } from '../../../src/adapters/discord/modal.ts';
import { readValues } from '../../../src/adapters/discord/values.ts';
import type { FormField } from '../../../src/engine/post.ts';
import { anyField, anyText, field } from './fields.ts';

/** What Discord sends for a modal of this field, which shows only what it is told to. */
function sent(one: FormField, state: object): unknown {
  const { components } = renderModal({ customId: 'fill:1', title: 'Release', fields: [one] });
  return components.map((label, index) => {
    if (!('component' in label)) throw new Error('No label.');
    const { type, custom_id } = label.component;
    return { type: 18, id: index, component: { type, id: index + 1, custom_id, ...state } };
  });
}

const file = {
  id: '900000000000000009',
  filename: 'a.txt',
  content_type: 'text/plain; charset=utf-8',
  size: 3,
  url: 'https://cdn.discordapp.com/ephemeral-attachments/1/2/a.txt?ex=1',
};
const resolved = { attachments: { [file.id]: file } };
const known = {
  id: file.id,
  name: 'a.txt',
  type: 'text/plain',
  sizeBytes: 3,
  url: file.url,
};

const options = ['a', 'b'];
const many = Array.from({ length: 30 }, (_, index) => `o${index}`);

describe('what was filled in comes back as text', () => {
  test.each<[what: string, field: FormField, state: object, value: string]>([
    ['text', field('text'), { value: ' <a> ' }, ' <a> '],
    ['no text', field('text'), { value: '' }, ''],
    ['a number', field('number'), { value: '1.50' }, '1.50'],
    ['a date', field('date'), { value: '2026-11-30' }, '2026-11-30'],
    ['yes', field('boolean'), { value: 'true' }, 'true'],
    ['neither yes nor no', field('boolean'), { value: null }, ''],
    ['a choice', field('select', { options }), { values: ['b'] }, 'b'],
    ['no choice', field('select', { options }), { values: [] }, ''],
    ['choices', field('multiselect', { options }), { values: ['a', 'b'] }, '["a","b"]'],
    ['one choice of several', field('multiselect', { options }), { values: ['a'] }, '["a"]'],
    ['no choices', field('multiselect', { options }), { values: [] }, ''],
    ['a typed choice', field('select', { options: many }), { value: 'o7' }, 'o7'],
    ['typed choices', field('multiselect', { options: many }), { value: 'o7, o8,' }, '["o7","o8"]'],
    ['a typed list', field('multiselect', { options: many }), { value: '["o7"]' }, '["o7"]'],
    ['no typed choices', field('multiselect', { options: many }), { value: ' ' }, ''],
    ['a person', field('user'), { values: ['900000000000000002'] }, '900000000000000002'],
    ['a channel', field('channel'), { values: ['900000000000000001'] }, '900000000000000001'],
    ['a role', field('role'), { values: ['900000000000000003'] }, '900000000000000003'],
    ['no channel', field('channel'), { values: [] }, ''],
    ['files', field('files'), { values: [file.id] }, JSON.stringify([known])],
    ['a file of which nothing came', field('files'), { values: ['1'] }, ''],
    ['no files', field('files'), { values: [] }, ''],
    ['a value of another shape', field('text'), { value: 5 }, ''],
    ['values of another shape', field('user'), { values: [5] }, ''],
  ])('%s', (_, one, state, value) =>
    // No fields are given: the bot may have been started again since the form was opened.
    expect(readValues(sent(one, state), resolved)).toEqual({ x: value }),
  );

  test('options that Discord cannot carry come back whole when the field is known', () => {
    const long = ['x'.repeat(200), '', '#0', 'short'];
    const one = field('select', { options: long });
    const some = field('multiselect', { options: long });
    expect(readValues(sent(one, { values: ['#0'] }), {}, [one])).toEqual({ x: long[0] });
    expect(readValues(sent(one, { values: ['short'] }), {}, [one])).toEqual({ x: 'short' });
    expect(readValues(sent(some, { values: ['#1', '#2'] }), {}, [some])).toEqual({ x: '["","#0"]' });
    expect(readValues(sent(one, { values: ['#9'] }), {}, [one])).toEqual({ x: '#9' });
  });

  test('every option that can be chosen comes back as it was written', () => {
    const options = fc.uniqueArray(anyText, { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(options, (options) => {
        const one = field('select', { options });
        const [label] = renderModal({ customId: 'fill:1', title: 'Release', fields: [one] }).components;
        const select = label !== undefined && 'component' in label ? label.component : undefined;
        const values = select && 'options' in select ? select.options.map(({ value }) => value) : [];
        expect(values.map((value) => readValues(sent(one, { values: [value] }), {}, [one]).x)).toEqual(
          options,
        );
      }),
    );
  });

  test('modals of the older kind are read too', () =>
    expect(
      readValues([{ type: 1, components: [{ type: 4, custom_id: 'feedback', value: 'good' }] }], undefined),
    ).toEqual({ feedback: 'good' }));

  test('at most ten files are taken', () => {
    const ids = Array.from({ length: 12 }, (_, index) => `${index}`);
    const attachments = Object.fromEntries(ids.map((id) => [id, { ...file, id }]));
    const read = readValues(sent(field('files'), { values: ids }), { attachments });
    expect(JSON.parse(read.x ?? '')).toHaveLength(10);
  });
});

test('every field that is shown has an entry', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyField, { maxLength: 5, selector: ({ id }) => id }),
      anyText,
      (fields, text) => {
        const components = fields.flatMap((one) => sent(one, { value: text, values: [text] }));
        const read = readValues(components, resolved, fields);
        expect(Object.keys(read).toSorted()).toEqual(fields.map(({ id }) => id).toSorted());
      },
    ),
    { numRuns: 100 },
  );
});

test('nothing that is sent as a form makes it throw', () => {
  const inputs = fc.array(
    fc.record({
      type: fc.constantFrom(1, 10, 18),
      component: fc.oneof(
        fc.anything(),
        fc.record({
          type: fc.constantFrom(3, 4, 5, 8, 19, 21, 22),
          custom_id: fc.oneof(fc.constantFrom('__proto__', 'constructor', '[]', ''), fc.string()),
          value: fc.anything(),
          values: fc.oneof(fc.anything(), fc.array(fc.constantFrom('__proto__', 'constructor', file.id))),
        }),
      ),
      components: fc.anything(),
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), inputs), fc.anything(), (components, resolved) => {
      for (const value of Object.values(readValues(components, resolved)))
        expect(typeof value).toBe('string');
      readValues(components, { attachments: resolved });
    }),
  );
  expect(readValues(undefined, undefined)).toEqual({});
});

describe('files, as flows get to know them', () => {
  test('have a name, a type, a size and an address', () => expect(attachmentsOf([file])).toEqual([known]));

  test('say what is not known of them', () =>
    expect(attachmentsOf([{ id: '1' }])).toEqual([
      { id: '1', name: '1', type: 'application/octet-stream', sizeBytes: null, url: null },
    ]));

  test.each(['file:///etc/passwd', 'javascript:x', 'x', ''])('have no address like %s', (url) =>
    expect(attachmentsOf([{ ...file, url }])).toEqual([{ ...known, url: null }]),
  );

  test('are left out when they are none', () => {
    expect(attachmentsOf([null, 'x', {}, { id: 5 }])).toEqual([]);
    expect(attachmentsOf('x')).toEqual([]);
  });
});
