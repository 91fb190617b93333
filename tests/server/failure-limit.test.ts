import { expect, test } from 'vitest';
import { createFailureLimit } from '../../src/server/failure-limit.ts';

/** A limit whose clock stands at a time that can be set, and that has seen this many failures. */
function limitAt(failures: number) {
  const clock = { ms: 1_000_000 };
  const limit = createFailureLimit(() => clock.ms);
  const fail = (times: number, key = 'a') => Array.from({ length: times }, () => limit.failed(key)).at(-1);
  fail(failures);
  return { clock, limit, fail };
}

test('the sixtieth failure within a minute closes the key, and no other, for a minute', () => {
  const { clock, limit, fail } = limitAt(59);
  expect(limit.closedForMs('a')).toBe(0);
  clock.ms += 59_999;
  expect(fail(1)).toBe(true);
  expect([limit.closedForMs('a'), limit.closedForMs('b')]).toEqual([60_000, 0]);
  clock.ms += 59_999;
  expect(limit.closedForMs('a')).toBe(1);
  clock.ms += 1;
  expect(limit.closedForMs('a')).toBe(0);
});

test('after that it counts anew, as it does after a minute', () => {
  const { clock, limit, fail } = limitAt(60);
  clock.ms += 60_000;
  expect(fail(59)).toBe(false);
  clock.ms += 60_000;
  expect(fail(59)).toBe(false);
  expect(limit.closedForMs('a')).toBe(0);
});

test('a clock that is set back closes nothing for longer than a minute', () => {
  const { clock, limit } = limitAt(60);
  clock.ms -= 3_600_000;
  expect(limit.closedForMs('a')).toBe(0);
});

test('made-up keys take no room without end: the oldest is forgotten', () => {
  const { limit, fail } = limitAt(59);
  for (let key = 0; key < 10_000; key += 1) limit.failed(`made up ${key}`);
  expect(fail(1)).toBe(false);
});
