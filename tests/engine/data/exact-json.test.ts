import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExact } from '../../../src/engine/data/exact-json.ts';

describe('numbers that a number cannot hold become text', () => {
  test.each([
    ['1234567890123456789', '1234567890123456789'],
    ['-1234567890123456789', '-1234567890123456789'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992],
    ['10000000000000000', 1e16],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1e400', '1e400'],
    ['-1E+400', '-1E+400'],
    ['1e-400', 0],
    ['1.7e308', 1.7e308],
    ['[1234567890123456789,1,[1234567890123456788]]', ['1234567890123456789', 1, ['1234567890123456788']]],
    ['{"1234567890123456789": 1234567890123456789 }', { '1234567890123456789': '1234567890123456789' }],
    ['"1234567890123456789 \\" 1234567890123456789"', '1234567890123456789 " 1234567890123456789'],
    ['["\\\\", 1234567890123456789]', ['\\', '1234567890123456789']],
  ])('%s', (text, data) => {
    expect(parseExact(text)).toEqual(data);
  });

  test('and all other JSON stays as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: 10n ** 16n, max: 10n ** 30n }), (value, large) => {
        fc.pre(!/(?<![\d.])\d{16}/.test(JSON.stringify(value)));
        const text = JSON.stringify([value]).replace(/\]$/, `,${large}]`);
        const exact = BigInt(Number(large)) === large ? Number(large) : String(large);
        expect(parseExact(text)).toEqual([...JSON.parse(JSON.stringify([value])), exact]);
      }),
    );
  });
});
