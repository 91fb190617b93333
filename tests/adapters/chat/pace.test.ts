import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPace } from '../../../src/adapters/chat/pace.ts';

const rate = { burst: 10, perMinute: 40, reserve: 4 };

describe('the pace of edits', () => {
  test('C25: progress leaves room for what matters', () => {
    const pace = createPace(rate);
    const passed = Array.from({ length: 50 }, () => pace.take('', 0, false)).filter((wait) => wait === 0);
    expect(passed).toHaveLength(6);
    expect(Array.from({ length: 4 }, () => pace.take('', 0, true))).toEqual([0, 0, 0, 0]);
    expect(pace.take('', 0, true)).toBe(1_500);
  });

  test('who comes again after the wait it was told goes through', () => {
    const pace = createPace(rate);
    for (let n = 0; n < 10; n += 1) pace.take('', 0, true);
    const wait = pace.take('', 0, true);
    expect(pace.take('', wait, true)).toBe(0);
  });

  test('those who wait are told different times, and what shows progress comes back soon', () => {
    const pace = createPace(rate);
    for (let n = 0; n < 10; n += 1) pace.take('', 0, true);
    expect([pace.take('', 0, true), pace.take('', 0, true), pace.take('', 0, true)]).toEqual([
      1_500, 3_000, 4_500,
    ]);
    for (let n = 0; n < 100; n += 1) expect(pace.take('', 0, false)).toBeLessThanOrEqual(5_000);
  });

  test('keys have nothing to do with each other, and a hold counts for its own', () => {
    const pace = createPace(rate);
    pace.hold('a', 0, 30_000);
    expect(pace.take('a', 10_000, true)).toBe(20_000);
    expect(pace.take('b', 10_000, true)).toBe(0);
    expect(pace.take('a', 30_000, true)).toBe(0);
  });

  test('no minute has more than the rate and the burst, at whatever times it is asked', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 300 }), (gaps) => {
        const pace = createPace(rate);
        const taken: number[] = [];
        let nowMs = 0;
        for (const gap of gaps) {
          nowMs += gap;
          if (pace.take('', nowMs, true) === 0) taken.push(nowMs);
        }
        for (const from of taken) {
          const inMinute = taken.filter((at) => at >= from && at < from + 60_000);
          expect(inMinute.length).toBeLessThanOrEqual(rate.burst + rate.perMinute);
        }
      }),
    );
  });

  test('a clock that is set back takes nothing away', () => {
    const pace = createPace(rate);
    pace.take('', 100_000, true);
    expect(pace.take('', 0, true)).toBe(0);
  });
});
