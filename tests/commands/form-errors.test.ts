import { expect, test } from 'vitest';
import { fieldErrors } from '../../src/commands/form-errors.ts';

const values = { constructor: 'x', field_amount: 'x' };

test.each([
  ['at the field', [{ field: 'amount.0', message: 'one' }], 'field_', { field_amount: 'one' }],
  [
    'all of it',
    [
      { field: 'amount', message: 'one' },
      { field: 'amount', message: 'two' },
    ],
    'field_',
    { field_amount: 'one; two' },
  ],
  [
    'at a field that is called like what every object has',
    [{ field: 'constructor', message: 'one' }],
    '',
    { constructor: 'one' },
  ],
] as const)('what is wrong is said %s', (_, problems, prefix, errors) => {
  expect(fieldErrors(problems, values, prefix)).toEqual({ kind: 'errors', errors });
});

test.each(['toString', 'amount', ''])(
  'what is wrong with “%s”, which was not shown, is said elsewhere',
  (field) => {
    expect(fieldErrors([{ field, message: 'one' }], values)).toBeUndefined();
  },
);
