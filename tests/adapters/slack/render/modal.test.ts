import type { types } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FormView, renderErrors, renderForm } from '../../../../src/adapters/slack/modal.ts';
import { readPlace, readValues } from '../../../../src/adapters/slack/values.ts';
import type { FieldType, Form, FormField } from '../../../../src/engine/post.ts';
import { hostile } from './hostile.ts';
import { expectView } from './slack-rules.ts';

const place = { conversation: 'C0GENERAL', thread: '1700000000.000100' };

function field(type: FieldType, more: Partial<FormField> = {}): FormField {
  return { id: 'x', label: 'X', type, required: false, ...more };
}

function form(fields: readonly FormField[], more: Partial<Form> = {}): Form {
  return { id: 'fill:1', title: 'Release', submitLabel: 'Start', fields, ...more };
}

function render(fields: readonly FormField[], more: Partial<Form> = {}): FormView {
  const view = renderForm(form(fields, more), place);
  expectView(view);
  return view;
}

function elementOf(one: FormField): types.InputBlockElement {
  const [block] = render([one]).blocks;
  if (block?.type !== 'input') throw new Error('No input.');
  return block.element;
}

/** What Slack sends when a form is submitted. */
function submitted(view: FormView, states: Readonly<Record<string, unknown>>) {
  const values = Object.fromEntries(
    view.blocks.flatMap((block) =>
      block.type === 'input' && block.block_id !== undefined
        ? [[block.block_id, { value: states[block.block_id] }]]
        : [],
    ),
  );
  return { ...view, id: 'V1', hash: '1', state: { values } };
}

test('a form is a modal that carries where it belongs', () => {
  const view = render([
    field('text', { id: 'version', label: 'Version', hint: 'Such as 1.2', required: true }),
  ]);
  expect(view).toEqual({
    type: 'modal',
    callback_id: 'fill:1',
    title: { type: 'plain_text', text: 'Release', emoji: false },
    submit: { type: 'plain_text', text: 'Start', emoji: false },
    close: { type: 'plain_text', text: 'Cancel', emoji: false },
    private_metadata: '{"c":"C0GENERAL","t":"1700000000.000100"}',
    blocks: [
      {
        type: 'input',
        block_id: 'version',
        label: { type: 'plain_text', text: 'Version', emoji: false },
        hint: { type: 'plain_text', text: 'Such as 1.2', emoji: false },
        optional: false,
        element: { type: 'plain_text_input', action_id: 'value', multiline: false, max_length: 3000 },
      },
    ],
  });
  expect(readPlace(view.private_metadata)).toEqual(place);
});

const yes = { text: { type: 'plain_text', text: 'Yes', emoji: false }, value: 'true' };
const option = (text: string, value = text) => ({ text: { type: 'plain_text', text, emoji: false }, value });

describe('each kind of field has its element, begun as it should be', () => {
  test.each<[what: string, field: FormField, element: object]>([
    [
      'text',
      field('text', { initial: 'a', minLength: 1, maxLength: 9 }),
      { type: 'plain_text_input', multiline: false, initial_value: 'a', min_length: 1, max_length: 9 },
    ],
    [
      'longer text',
      field('multiline', { maxLength: 4_000 }),
      { type: 'plain_text_input', multiline: true, max_length: 3000 },
    ],
    [
      'number',
      field('number', { min: -0.5, max: 2, initial: '1.5' }),
      {
        type: 'number_input',
        is_decimal_allowed: true,
        min_value: '-0.5',
        max_value: '2',
        initial_value: '1.5',
      },
    ],
    [
      'whole number',
      field('integer', { min: 0.5, max: 1e30, initial: '3' }),
      { type: 'number_input', is_decimal_allowed: false, min_value: '1', initial_value: '3' },
    ],
    ['yes or no', field('boolean', { initial: 'true' }), { type: 'radio_buttons', initial_option: yes }],
    [
      'one of several',
      field('select', { options: ['a', 'b', 'a'], initial: 'b' }),
      { type: 'static_select', options: [option('a'), option('b')], initial_option: option('b') },
    ],
    [
      'some of several',
      field('multiselect', { options: ['a', 'b', 'c'], initial: '["c","a","z"]' }),
      {
        type: 'multi_static_select',
        options: [option('a'), option('b'), option('c')],
        initial_options: [option('a'), option('c')],
      },
    ],
    ['date', field('date', { initial: '2026-11-30' }), { type: 'datepicker', initial_date: '2026-11-30' }],
    ['time', field('time', { initial: '09:30' }), { type: 'timepicker', initial_time: '09:30' }],
    [
      'date and time',
      field('datetime', { initial: '2026-11-30T09:30:00Z' }),
      { type: 'datetimepicker', initial_date_time: 1796031000 },
    ],
    ['person', field('user', { initial: 'U0ANA' }), { type: 'users_select', initial_user: 'U0ANA' }],
    [
      'channel',
      field('channel', { initial: 'C0A1' }),
      { type: 'conversations_select', initial_conversation: 'C0A1' },
    ],
    ['files', field('files'), { type: 'file_input', max_files: 10 }],
  ])('%s', (_, one, element) => {
    expect(elementOf(one)).toMatchObject({ action_id: 'value', ...element });
    expect(Object.keys(elementOf(one)).filter((key) => key.startsWith('initial'))).toEqual(
      Object.keys(element).filter((key) => key.startsWith('initial')),
    );
  });

  test.each<[FieldType, string]>([
    ['number', 'many'],
    ['number', '1e3'],
    ['integer', '1.5'],
    ['boolean', 'yes'],
    ['select', 'z'],
    ['multiselect', 'a'],
    ['multiselect', '{"a":1}'],
    ['date', '2026-02-30'],
    ['time', '25:00'],
    ['datetime', 'tomorrow'],
    ['datetime', '1970-01-01T00:00:00Z'],
    ['user', '@ana'],
    ['channel', '#general'],
  ])('a %s cannot begin as %j', (type, initial) => {
    const keys = Object.keys(elementOf(field(type, { initial, options: ['a', 'b'] })));
    expect(keys.filter((key) => key.startsWith('initial'))).toEqual([]);
  });

  test('nor can a number begin beyond its limits', () =>
    expect(elementOf(field('number', { initial: '5', max: 4 }))).not.toHaveProperty('initial_value'));
});

describe('what was filled in comes back as text', () => {
  const options = ['a', 'b'];
  test.each<[what: string, field: FormField, state: object, value: string]>([
    ['text', field('text'), { type: 'plain_text_input', value: ' <a> ' }, ' <a> '],
    ['no text', field('text'), { type: 'plain_text_input', value: null }, ''],
    ['a number', field('number'), { type: 'number_input', value: '1.50' }, '1.50'],
    ['yes', field('boolean'), { type: 'radio_buttons', selected_option: { value: 'true' } }, 'true'],
    ['neither yes nor no', field('boolean'), { type: 'radio_buttons', selected_option: null }, ''],
    [
      'a choice',
      field('select', { options }),
      { type: 'static_select', selected_option: { value: 'b' } },
      'b',
    ],
    [
      'choices',
      field('multiselect', { options }),
      { type: 'multi_static_select', selected_options: [{ value: 'a' }, { value: 'b' }] },
      '["a","b"]',
    ],
    [
      'no choices',
      field('multiselect', { options }),
      { type: 'multi_static_select', selected_options: [] },
      '',
    ],
    ['a date', field('date'), { type: 'datepicker', selected_date: '2026-11-30' }, '2026-11-30'],
    ['a time', field('time'), { type: 'timepicker', selected_time: '09:30' }, '09:30'],
    [
      'a date and time',
      field('datetime'),
      { type: 'datetimepicker', selected_date_time: 1796031000 },
      '2026-11-30T09:30:00Z',
    ],
    ['a person', field('user'), { type: 'users_select', selected_user: 'U0ANA' }, 'U0ANA'],
    ['a channel', field('channel'), { type: 'conversations_select', selected_conversation: 'C0A1' }, 'C0A1'],
    [
      'files',
      field('files'),
      {
        type: 'file_input',
        files: [
          {
            id: 'F1',
            name: 'a.pdf',
            mimetype: 'application/pdf',
            size: 3,
            permalink: 'https://x.slack.com/f',
            url_private_download: 'https://files.slack.com/f',
          },
          'no file',
        ],
      },
      '[{"id":"F1","name":"a.pdf","type":"application/pdf","sizeBytes":3,"url":"https://files.slack.com/f"}]',
    ],
    ['no files', field('files'), { type: 'file_input', files: [] }, ''],
    ['no channel', field('channel'), { type: 'conversations_select' }, ''],
  ])('%s', (_, one, state, value) =>
    expect(readValues(submitted(render([one]), { x: state }))).toEqual({ x: value }),
  );

  test('every field has an entry, also one of which nothing came', () => {
    const view = submitted(render([field('text', { id: 'a' }), field('date', { id: 'b' })]), {});
    expect(readValues(view)).toEqual({ a: '', b: '' });
    expect(readValues({ ...view, state: { values: {} } })).toEqual({ a: '', b: '' });
  });

  test('options longer than Slack takes, or blank, come back whole', () => {
    const long = ['x'.repeat(100), `${'x'.repeat(100)}y`, '', 'short'];
    const view = render([
      field('select', { id: 'one', options: long, initial: `${'x'.repeat(100)}y` }),
      field('multiselect', { id: 'some', options: long }),
    ]);
    const texts = view.blocks.flatMap((block) => JSON.stringify(block).match(/"text":"\d\. x/g) ?? []);
    expect(texts.length).toBeGreaterThanOrEqual(4);
    const states = {
      one: { type: 'static_select', selected_option: { value: '1' } },
      some: { type: 'multi_static_select', selected_options: [{ value: '0' }, { value: '2' }] },
    };
    expect(readValues(submitted(view, states))).toEqual({
      one: long[1],
      some: JSON.stringify([long[0], '']),
    });
  });

  test('when there is no room for them they are typed', () => {
    const options = Array.from({ length: 50 }, (_, index) => `${index}${'x'.repeat(100)}`);
    const [block] = render([field('select', { options })]).blocks;
    expect(block).toMatchObject({ element: { type: 'plain_text_input' } });
    expect(JSON.stringify(block)).toContain('Write one of these');
  });

  test('more than 100 options are in groups', () => {
    const options = Array.from({ length: 250 }, (_, index) => `o${index}`);
    const element = elementOf(field('select', { options, initial: 'o249' }));
    expect(element).toMatchObject({ initial_option: option('o249') });
    const groups = 'option_groups' in element ? element.option_groups : [];
    expect(groups?.map(({ label, options }) => [label.text, options.length])).toEqual([
      ['1–100', 100],
      ['101–200', 100],
      ['201–250', 50],
    ]);
  });

  test('nothing that is sent as a form makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.json()), (view) => {
        expect(() => [
          readValues(view),
          readPlace(view),
          readValues({ state: { values: view } }),
        ]).not.toThrow();
      }),
    );
    expect(readValues(null)).toEqual({});
    expect(readPlace('{"c":""}')).toBeUndefined();
    expect(readPlace('{')).toBeUndefined();
  });

  test('a value of another shape is left empty', () =>
    expect(
      readValues({
        state: {
          values: {
            a: { value: { type: 'plain_text_input', value: 5 } },
            b: { value: { type: 'datetimepicker', selected_date_time: 1e300 } },
            c: { other: { type: 'plain_text_input', value: 'x' } },
          },
        },
      }),
    ).toEqual({ a: '', b: '', c: '' }));
});

describe('whatever a form says, Slack takes it', () => {
  const text = fc.oneof(
    fc.constantFrom(...hostile, '', ' ', 'x'.repeat(4_000), '👩‍👩‍👧‍👦'.repeat(400)),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  const kinds: readonly FieldType[] = [
    'text',
    'multiline',
    'number',
    'integer',
    'boolean',
    'select',
    'multiselect',
    'date',
    'time',
    'datetime',
    'user',
    'channel',
  ];
  const fields = fc.array(
    fc.record(
      {
        label: text,
        type: fc.constantFrom(...kinds),
        required: fc.boolean(),
        hint: text,
        initial: fc.oneof(text, fc.constantFrom('1', 'true', '2026-01-01', '10:00')),
        options: fc.array(text, { maxLength: 130 }),
        minLength: fc.nat(5_000),
        maxLength: fc.nat(5_000),
        min: fc.double({ noNaN: true }),
        max: fc.double({ noNaN: true }),
      },
      { requiredKeys: ['label', 'type', 'required'] },
    ),
    { minLength: 1, maxLength: 8 },
  );

  test('in all its words', () => {
    fc.assert(
      fc.property(fields, text, text, (all, title, submitLabel) => {
        const view = render(
          all.map((one, index) => ({ ...one, id: `f${index}` })),
          { title, submitLabel },
        );
        expect(Object.keys(readValues(submitted(view, {})))).toHaveLength(all.length);
      }),
      { numRuns: 200 },
    );
  });

  test('with 100 fields, and with more it says why it cannot', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => field('text', { id: `f${index}` }));
    expect(render(many(100)).blocks).toHaveLength(100);
    const tooMany = render(many(101));
    expect(tooMany.submit).toBeUndefined();
    expect(JSON.stringify(tooMany.blocks)).toContain('101 fields');
  });

  test('the title is shortened between visible characters', () =>
    expect(render([field('text')], { title: '👩‍👩‍👧‍👦'.repeat(5) }).title.text).toBe(
      `${'👩‍👩‍👧‍👦'.repeat(2)}…`,
    ));
});

test('sentences at fields are never blank', () =>
  expect(renderErrors({ version: 'Version must be a number', other: ' ' })).toEqual({
    version: 'Version must be a number',
    other: 'This value is not right.',
  }));
