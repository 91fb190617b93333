import type { APIComponentInLabel } from 'discord.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Modal, renderModal } from '../../../src/adapters/discord/modal.ts';
import type { FieldType, FormField } from '../../../src/engine/post.ts';
import { checkBody } from '../../fakes/discord/check.ts';
import { anyField, anyText, field } from './fields.ts';

function render(fields: readonly FormField[], title = 'Release', part?: string): Modal {
  const data = renderModal({ customId: 'fill:1', title, fields, ...(part !== undefined && { part }) });
  expect(checkBody('interaction callback', { type: 9, data })).toEqual([]);
  expectWithinLimits(data);
  return data;
}

/** Said once more by hand: what a schema does not say. */
function expectWithinLimits({ title, components }: Modal): void {
  expect(title.trim().length).toBeGreaterThan(0);
  expect(title.length).toBeLessThanOrEqual(45);
  expect(components.length).toBeGreaterThanOrEqual(1);
  expect(components.length).toBeLessThanOrEqual(5);
  for (const one of components) {
    if (!('component' in one)) continue;
    expect(one.label.trim().length).toBeGreaterThan(0);
    expect(one.label.length).toBeLessThanOrEqual(45);
    expect((one.description ?? 'x').length).toBeLessThanOrEqual(100);
    const { component } = one;
    if ('max_length' in component && 'min_length' in component) {
      expect(component.min_length).toBeLessThanOrEqual(component.max_length ?? 0);
    }
    if ('value' in component) expect(String(component.value).length).toBeLessThanOrEqual(4_000);
    if ('min_values' in component && component.min_values === 0) expect(component.required).toBe(false);
    if ('options' in component) {
      const values = component.options.map(({ value }) => value);
      expect(new Set(values).size).toBe(values.length);
      expect(values.every((value) => value.length <= 100 && value.trim() !== '')).toBe(true);
    }
  }
}

function labelOf(one: FormField) {
  const [label] = render([one]).components;
  if (label === undefined || !('component' in label)) throw new Error('No label.');
  return label;
}

function componentOf(one: FormField): APIComponentInLabel {
  return labelOf(one).component;
}

test('a form is a modal that comes back under its id', () =>
  expect(
    render([field('text', { id: 'version', label: 'Version', hint: 'Such as 1.2', required: true })]),
  ).toEqual({
    custom_id: 'fill:1',
    title: 'Release',
    components: [
      {
        type: 18,
        label: 'Version',
        description: 'Such as 1.2',
        component: { type: 4, custom_id: 'version', style: 1, required: true, max_length: 4000 },
      },
    ],
  }));

const option = (label: string, value = label) => ({ label, value });
const many = Array.from({ length: 26 }, (_, index) => `o${index}`);

describe('each kind of field has its component, begun as it should be', () => {
  test.each<[what: string, field: FormField, component: object]>([
    [
      'text',
      field('text', { initial: 'a', minLength: 1, maxLength: 9, required: true }),
      { type: 4, style: 1, required: true, min_length: 1, max_length: 9, value: 'a' },
    ],
    [
      'text that may be left empty has no least length',
      field('text', { initial: 'a', minLength: 2 }),
      { type: 4, style: 1, required: false, max_length: 4000, value: 'a' },
    ],
    [
      'text that begins with lines keeps them',
      field('text', { initial: 'a\nb' }),
      { type: 4, style: 2, required: false, max_length: 4000, value: 'a\nb' },
    ],
    [
      'longer text',
      field('multiline', { maxLength: 9_000 }),
      { type: 4, style: 2, required: false, max_length: 4000 },
    ],
    [
      'number',
      field('number', { min: -0.5, max: 2, initial: '1.5' }),
      {
        type: 4,
        style: 1,
        required: false,
        max_length: 4000,
        placeholder: 'A number from -0.5 to 2',
        value: '1.5',
      },
    ],
    [
      'whole number',
      field('integer', { min: 0.5 }),
      { type: 4, style: 1, required: false, max_length: 4000, placeholder: 'A whole number, 1 or more' },
    ],
    [
      'date',
      field('date', { initial: '2026-12-01' }),
      {
        type: 4,
        style: 1,
        required: false,
        max_length: 4000,
        placeholder: '2026-11-30',
        value: '2026-12-01',
      },
    ],
    ['time', field('time'), { type: 4, style: 1, required: false, max_length: 4000, placeholder: '09:30' }],
    [
      'date and time',
      field('datetime'),
      { type: 4, style: 1, required: false, max_length: 4000, placeholder: '2026-11-30T09:30:00Z' },
    ],
    [
      'yes or no',
      field('boolean', { initial: 'true' }),
      {
        type: 21,
        required: false,
        options: [{ ...option('Yes', 'true'), default: true }, option('No', 'false')],
      },
    ],
    [
      'one of several',
      field('select', { options: ['a', 'b', 'a'], initial: 'b', required: true }),
      {
        type: 3,
        required: true,
        min_values: 1,
        max_values: 1,
        options: [option('a'), { ...option('b'), default: true }],
      },
    ],
    [
      'some of several',
      field('multiselect', { options: ['a', 'b', 'c'], initial: '["c","a","z"]' }),
      {
        type: 3,
        custom_id: 'x[]',
        required: false,
        min_values: 0,
        max_values: 3,
        options: [{ ...option('a'), default: true }, option('b'), { ...option('c'), default: true }],
      },
    ],
    [
      'one of more than Discord lists',
      field('select', { options: many, initial: 'o9' }),
      { type: 4, style: 1, required: false, max_length: 4000, value: 'o9' },
    ],
    [
      'some of more than Discord lists',
      field('multiselect', { options: many }),
      {
        type: 4,
        custom_id: 'x[]',
        style: 2,
        required: false,
        max_length: 4000,
        placeholder: 'Separated by commas',
      },
    ],
    [
      'person',
      field('user', { initial: '900000000000000002' }),
      {
        type: 5,
        required: false,
        min_values: 0,
        max_values: 1,
        default_values: [{ id: '900000000000000002', type: 'user' }],
      },
    ],
    [
      'channel',
      field('channel', { initial: '900000000000000001', required: true }),
      {
        type: 8,
        required: true,
        min_values: 1,
        max_values: 1,
        default_values: [{ id: '900000000000000001', type: 'channel' }],
      },
    ],
    ['files', field('files'), { type: 19, required: false, min_values: 0, max_values: 10 }],
  ])('%s', (_, one, component) => expect(componentOf(one)).toEqual({ custom_id: 'x', ...component }));

  test.each<[FieldType, string]>([
    ['boolean', 'yes'],
    ['select', 'z'],
    ['multiselect', 'a'],
    ['multiselect', '{"a":1}'],
    ['user', '@ana'],
    ['channel', '#general'],
  ])('a %s cannot begin as %j', (type, initial) =>
    expect(JSON.stringify(componentOf(field(type, { initial, options: ['a', 'b'] })))).not.toContain(
      '"default',
    ),
  );

  test('what cannot be listed is named under the label, before the hint', () => {
    expect(labelOf(field('select', { options: many, hint: 'Where it goes' })).description).toBe(
      'One of 26: o0, o1, o2, …. Where it goes',
    );
    expect(labelOf(field('multiselect', { options: many })).description).toBe('Some of 26: o0, o1, o2, …');
  });

  test('files, which a form can’t begin with, are asked for again', () => {
    const files = field('files', { initial: '[{"id":"1"}]', hint: 'The plan' });
    expect(labelOf(files).description).toBe('Add the files again. The plan');
    expect(labelOf(field('files', { initial: '' })).description).toBeUndefined();
  });
});

test('options that Discord cannot carry are told by their places, and apart from each other', () => {
  const options = ['x'.repeat(101), `${'x'.repeat(101)}y`, '', ' a', '#1', '#general'];
  expect(componentOf(field('select', { options }))).toMatchObject({
    options: [
      option(`1. ${'x'.repeat(96)}…`, '#0'),
      option(`2. ${'x'.repeat(96)}…`, '#1'),
      option('3. (empty)', '#2'),
      option('4. a', '#3'),
      option('5. #1', '#4'),
      option('6. #general', '#general'),
    ],
  });
});

test('a form without fields says so', () =>
  expect(render([]).components).toEqual([
    { type: 10, content: 'There is nothing to fill in: press Submit.' },
  ]));

test('the title is shortened between visible characters and keeps which part it is', () => {
  expect(render([field('text')], '👩‍👩‍👧‍👦'.repeat(9)).title).toBe(`${'👩‍👩‍👧‍👦'.repeat(4)}…`);
  expect(render([field('text')], 'x'.repeat(50), '2/3').title).toBe(`${'x'.repeat(38)}… (2/3)`);
});

test('whatever a form says, Discord takes it', () => {
  fc.assert(
    fc.property(fc.array(anyField, { maxLength: 5 }), anyText, (fields, title) => {
      render(
        fields.map((one, index) => ({ ...one, id: `f${index}` })),
        title,
      );
    }),
    { numRuns: 300 },
  );
});
