import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNewer, madeAtMs, snowflakeAt, snowflakePattern } from '../../../src/adapters/discord/addresses.ts';

const id = fc.bigInt({ min: 10n ** 16n, max: 2n ** 63n - 1n }).map(String);
const time = fc.integer({ min: Date.UTC(2017, 0, 1), max: Date.UTC(2100, 0, 1) });

test('the newer id is the greater number', () => {
  fc.assert(fc.property(id, id, (one, other) => isNewer(one, other) === BigInt(one) > BigInt(other)));
});

test.each([null, undefined, ''])('%j was never made', (none) => {
  expect(isNewer(none, '1')).toBe(false);
});

test('an id says when it was made, and the least one of a time is one of that time', () => {
  fc.assert(
    fc.property(time, (ms) => {
      const least = snowflakeAt(ms);
      expect(least).toMatch(snowflakePattern);
      expect(madeAtMs(least)).toBe(ms);
      expect(isNewer(least, String(BigInt(least) - 1n))).toBe(true);
      expect(madeAtMs(String(BigInt(least) - 1n))).toBe(ms - 1);
    }),
  );
});

test.each([0, -5, 1.5, Date.UTC(2015, 0, 1)])('there is an id for any time: %j', (ms) => {
  expect(() => BigInt(snowflakeAt(ms))).not.toThrow();
});
