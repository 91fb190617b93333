import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPairs, writePair } from '../../../src/engine/data/pairs.ts';

describe('a pair', () => {
  test.each([
    ['1.2', 'v=1.2'],
    ['a chair', 'v="a chair"'],
    ['', 'v=""'],
    ['say "hi"', 'v="say "hi""'],
    ['say "hi" now', `v='say "hi" now'`],
    ['“quoted”', 'v="“quoted”"'],
    ['a=b', 'v=a=b'],
  ])('of the value %j is written %s, and read back', (value, written) => {
    expect(writePair({ key: 'v', value })).toBe(written);
    expect(readPairs(written)).toEqual({ pairs: [{ key: 'v', value }], problems: [] });
  });

  test('is read back beside others, whatever its value holds of one kind of quotes', () => {
    const value = fc.string({
      unit: fc.constantFrom('a', ' ', '"', '”', '=', '\n', '\u00A0', '-', '\u200B'),
    });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (values) => {
        const pairs = values.map((one, at) => ({ key: `k${at}`, value: one }));
        expect(readPairs(pairs.map(writePair).join(' '))).toEqual({ pairs, problems: [] });
      }),
    );
  });
});
