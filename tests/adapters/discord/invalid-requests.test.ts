import { expect, test } from 'vitest';
import { createInvalidRequests } from '../../../src/adapters/discord/invalid-requests.ts';
import { createHandClock } from '../../fakes/clock.ts';
import { createKeptLog } from '../../fakes/log.ts';

function counter() {
  const clock = createHandClock();
  const log = createKeptLog();
  const invalid = createInvalidRequests({ clock, log });
  const refuse = (times: number, status = 403, scope: string | null = null) => {
    for (let time = 0; time < times; time += 1) invalid.count(status, scope);
  };
  return { clock, log, invalid, refuse };
}

test.each([
  [401, null],
  [403, null],
  [429, null],
  [429, 'user'],
  [429, 'global'],
] as const)(
  '%i counts (limit of: %s): after half of what Discord allows nothing is sent for a while',
  (status, scope) => {
    const { clock, invalid, refuse } = counter();
    refuse(4_999, status, scope);
    expect(invalid.restMs).toBe(0);
    clock.pass(60_000);
    refuse(1, status, scope);
    expect(invalid.restMs).toBe(540_000);
    clock.pass(540_000);
    expect(invalid.restMs).toBe(0);
    refuse(1, status, scope);
    expect(invalid.restMs).toBe(0);
  },
);

test.each([
  [200, null],
  [400, null],
  [404, null],
  [500, null],
  [429, 'shared'],
] as const)('%i does not count (limit of: %s)', (status, scope) => {
  const { invalid, refuse } = counter();
  refuse(20_000, status, scope);
  expect(invalid.restMs).toBe(0);
});

test('within any ten minutes there are never 10,000', () => {
  const { clock, invalid } = counter();
  const sent: number[] = [];
  for (let second = 0; second < 3_600; second += 1) {
    let count = 0;
    for (; count < 50 && invalid.restMs === 0; count += 1) invalid.count(403, null);
    sent.push(count);
    clock.pass(1_000);
  }
  let within = 0;
  const sums = sent.map((count, second) => {
    within += count - (sent[second - 600] ?? 0);
    return within;
  });
  expect(Math.max(...sums)).toBeLessThan(10_000);
  expect(sent.reduce((all, count) => all + count)).toBeGreaterThan(20_000);
});

test('the log warns long before', () => {
  const { log, refuse } = counter();
  refuse(999);
  expect(log.lines).toEqual([]);
  refuse(1);
  expect(log.lines).toEqual([
    expect.objectContaining({ level: 'warn', message: expect.stringMatching(/refuses many requests/) }),
  ]);
});

test('a clock that is set back holds nothing up', () => {
  const { clock, invalid, refuse } = counter();
  refuse(5_000);
  clock.pass(-3_600_000);
  expect(invalid.restMs).toBe(0);
  refuse(1);
  expect(invalid.restMs).toBe(0);
});
