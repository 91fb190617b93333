import fc from 'fast-check';
import type { FieldType, FormField } from '../../../src/engine/post.ts';

/** A field called `x` that may be left empty. */
export function field(type: FieldType, more: Partial<FormField> = {}): FormField {
  return { id: 'x', label: 'X', type, required: false, ...more };
}

const hostile = [
  '@everyone',
  '<@900000000000000002>',
  '<@&900000000000000003>',
  '</flow run:900000000000000004>',
  '```\n',
  '[x](https://x.y)',
  '\u200b',
  '\u202e',
  '\ud800',
  '\0',
];

/** Text that a flow file or a person might hold. */
export const anyText = fc.oneof(
  fc.constantFrom(...hostile, '', ' ', 'x'.repeat(4_001), '👩‍👩‍👧‍👦'.repeat(400)),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const types: readonly FieldType[] = [
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
  'role',
  'files',
];

const id = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,63}$/);

/** Any field that a schema could lead to, and more. */
export const anyField: fc.Arbitrary<FormField> = fc.record(
  {
    id,
    label: anyText,
    type: fc.constantFrom(...types),
    required: fc.boolean(),
    hint: anyText,
    initial: fc.oneof(anyText, fc.constantFrom('1', 'true', '2026-01-01', '900000000000000001')),
    options: fc.array(anyText, { maxLength: 60 }),
    minLength: fc.nat(9_000),
    maxLength: fc.nat(9_000),
    min: fc.double({ noNaN: true }),
    max: fc.double({ noNaN: true }),
  },
  { requiredKeys: ['id', 'label', 'type', 'required'] },
);
