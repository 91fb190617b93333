import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCron } from '../../../src/engine/schedule/cron.ts';
import type { Rule } from '../../../src/engine/schedule/times.ts';
import { type Schedule, SKIPPED_MAX, turnAt } from '../../../src/engine/schedule/turn.ts';
import { zoneNamed } from '../../../src/engine/schedule/zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const zone = zoneNamed('UTC');
if (!zone) throw new Error('no UTC');

function cron(text: string): Rule {
  const parsed = parseCron(text);
  if ('faults' in parsed || !zone) throw new Error(text);
  return { kind: 'cron', cron: parsed, zone };
}

function every(everyMs: number): Rule {
  if (!zone) throw new Error('no UTC');
  return { kind: 'every', everyMs, zone };
}

const usual = { shiftMs: 0, catchUp: 'latest', graceMs: HOUR_MS, catchUpMax: 10 } as const;

/** `12:01` of the day on which all of this happens. */
const at = (time: string, day = 30) =>
  Date.parse(`2026-11-${day}T${time.length === 5 ? `${time}:00` : time}Z`);
const clock = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(11, 16);

function turn(schedule: Partial<Schedule> & Pick<Schedule, 'rule'>, done: number, now: number) {
  const { fire, skipped, nextMs, doneMs } = turnAt({ ...usual, ...schedule }, done, now);
  return {
    fire: fire.map(clock),
    skipped: skipped && `${skipped.count}: ${clock(skipped.firstMs)}–${clock(skipped.lastMs)}`,
    next: clock(nextMs),
    doneMs,
  };
}

describe('C41: down from 12:01 to 13:02, due every five minutes', () => {
  const rule = cron('*/5 * * * *');
  test.each([
    ['none', {}, [], '12: 12:05–13:00'],
    ['latest', {}, ['13:00'], '11: 12:05–12:55'],
    ['all', { catchUpMax: 3 }, ['12:50', '12:55', '13:00'], '9: 12:05–12:45'],
    [
      'all',
      { catchUpMax: 100, graceMs: 30 * MINUTE_MS },
      ['12:35', '12:40', '12:45', '12:50', '12:55', '13:00'],
      '6: 12:05–12:30',
    ],
  ] as const)('catchUp: %s %j', (catchUp, more, fire, skipped) => {
    expect(turn({ rule, catchUp, ...more }, at('12:01'), at('13:02'))).toMatchObject({
      fire,
      skipped,
      next: '13:05',
    });
  });
});

describe('C43: late and displaced clocks', () => {
  const rule = cron('0 3 * * 0');
  const sunday = 29;
  test.each(['none', 'latest', 'all'] as const)(
    '45 s late it still runs, once, with catchUp: %s',
    (catchUp) => {
      const late = turn({ rule, catchUp }, at('02:59', sunday), at('03:00:45', sunday));
      expect(late).toMatchObject({ fire: ['03:00'], skipped: undefined });
      expect(turn({ rule, catchUp }, late.doneMs, at('03:01', sunday)).fire).toEqual([]);
    },
  );

  test('a clock set back lets the same time come again, under the same id', () => {
    const first = turnAt({ ...usual, rule }, at('02:59', sunday), at('03:00', sunday));
    const back = turnAt({ ...usual, rule }, first.doneMs, at('02:50', sunday));
    expect(back).toEqual({ fire: [], doneMs: at('02:50', sunday), nextMs: at('03:00', sunday) });
    expect(turnAt({ ...usual, rule }, back.doneMs, at('03:00', sunday)).fire).toEqual(first.fire);
  });

  test('a clock set two hours forward has missed it, and says so', () => {
    expect(turn({ rule }, at('02:59', sunday), at('05:00', sunday))).toMatchObject({
      fire: [],
      skipped: '1: 03:00–03:00',
    });
  });
});

describe('C40: another rule, and slots that were missed', () => {
  test('every three hours instead of hourly goes on at the next multiple', () => {
    expect(turn({ rule: every(3 * HOUR_MS) }, at('16:20'), at('16:20'))).toMatchObject({
      fire: [],
      next: '18:00',
    });
  });

  test('every two days comes two days after a slot that was missed', () => {
    const rule = every(2 * DAY_MS);
    const slot = turnAt({ ...usual, rule }, at('12:00', 26), at('12:00', 26)).nextMs ?? 0;
    expect(turnAt({ ...usual, rule }, slot - HOUR_MS, slot + 30 * MINUTE_MS)).toMatchObject({
      fire: [slot],
      nextMs: slot + 2 * DAY_MS,
    });
    expect(turnAt({ ...usual, rule }, slot - HOUR_MS, slot + 5 * HOUR_MS)).toMatchObject({
      fire: [],
      skipped: { count: 1, firstMs: slot, lastMs: slot },
      nextMs: slot + 2 * DAY_MS,
    });
  });
});

test('once: before, at and long after its instant', () => {
  const rule: Rule = { kind: 'at', atMs: at('12:00') };
  expect(turn({ rule }, at('11:00'), at('11:00'))).toMatchObject({ fire: [], next: '12:00' });
  expect(turn({ rule }, at('11:00'), at('12:30'))).toMatchObject({ fire: ['12:00'], next: undefined });
  expect(turn({ rule }, at('11:00'), at('14:00'))).toMatchObject({ fire: [], skipped: '1: 12:00–12:00' });
  expect(turn({ rule }, at('12:30'), at('14:00'))).toMatchObject({
    fire: [],
    skipped: undefined,
    next: undefined,
  });
});

test('a shift moves the start, not the time that a run is for', () => {
  const schedule = { rule: cron('0 9 * * *'), shiftMs: 7 * MINUTE_MS };
  expect(turn(schedule, at('08:00'), at('09:06')).fire).toEqual([]);
  expect(turn(schedule, at('08:00'), at('09:06')).next).toBe('09:07');
  expect(turn(schedule, at('08:00'), at('09:07')).fire).toEqual(['09:00']);
});

test('more is not counted than anybody wants to know', () => {
  const { skipped } = turnAt({ ...usual, rule: cron('* * * * * *') }, at('00:00', 10), at('12:00'));
  expect(skipped?.count).toBe(SKIPPED_MAX);
});

const rules = fc.oneof(
  fc.constantFrom('*/5 * * * *', '0 * * * *', '7,31 */2 * * *', '0 9 * * *', '30 6 * * 1').map(cron),
  fc.integer({ min: 1, max: 2_000 }).map((minutes) => every(minutes * MINUTE_MS)),
);

test('looked at often enough, every time starts once and none is missed', () => {
  fc.assert(
    fc.property(
      rules,
      fc.nat(20 * MINUTE_MS),
      fc.array(fc.integer({ min: 1, max: MINUTE_MS }), { maxLength: 400 }),
      (rule, shiftMs, steps) => {
        const schedule: Schedule = { ...usual, rule, shiftMs, catchUp: 'all', catchUpMax: 100 };
        let now = at('00:00');
        let doneMs = now - shiftMs;
        const fired: number[] = [];
        for (const step of steps) {
          now += step;
          const looked = turnAt(schedule, doneMs, now);
          expect(looked.skipped).toBeUndefined();
          fired.push(...looked.fire);
          ({ doneMs } = looked);
        }
        const whole = turnAt(
          { ...schedule, graceMs: 30 * DAY_MS, catchUpMax: 10_000 },
          at('00:00') - shiftMs,
          now,
        );
        expect(fired).toEqual(whole.fire);
      },
    ),
    { numRuns: 200 },
  );
});

test('whatever the clock does, a time starts only when it has come, and jumps are caught up with within their grace', () => {
  const jump = fc.oneof(
    fc.integer({ min: -3 * HOUR_MS, max: 3 * HOUR_MS }),
    fc.integer({ min: 1, max: MINUTE_MS }),
  );
  fc.assert(
    fc.property(
      rules,
      fc.constantFrom('latest', 'none', 'all'),
      fc.array(jump, { maxLength: 60 }),
      (rule, catchUp, steps) => {
        const schedule: Schedule = { ...usual, rule, catchUp };
        let now = at('00:00');
        let doneMs = now;
        for (const step of steps) {
          now += step;
          const looked = turnAt(schedule, doneMs, now);
          for (const dueMs of looked.fire) {
            expect(dueMs).toBeLessThanOrEqual(now);
            expect(now - dueMs).toBeLessThanOrEqual(usual.graceMs);
            expect(dueMs).toBeGreaterThan(Math.min(doneMs, now));
          }
          expect(looked.nextMs).toBeGreaterThan(now);
          ({ doneMs } = looked);
        }
      },
    ),
    { numRuns: 300 },
  );
});
