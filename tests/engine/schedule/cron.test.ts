import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Cron, cronTimes, parseCron } from '../../../src/engine/schedule/cron.ts';
import { type Zone, zoneNamed } from '../../../src/engine/schedule/zone.ts';
import { bruteClock, bruteElapsing, changesIn } from './brute.ts';

const DAY_MS = 86_400_000;

afterEach(() => vi.unstubAllEnvs());

function cronOf(text: string): Cron {
  const cron = parseCron(text);
  if ('faults' in cron) throw new Error(text);
  return cron;
}

function zoneOf(name: string): Zone {
  const zone = zoneNamed(name);
  if (!zone) throw new Error(`no zone ${name}`);
  return zone;
}

/** The first times after an instant, as people write them. */
function times(text: string, zone: string, after: string, count: number): readonly string[] {
  const found: string[] = [];
  for (const dueMs of cronTimes(cronOf(text), zoneOf(zone), Date.parse(after))) {
    found.push(new Date(dueMs).toISOString().replace(/(?::00)?\.000Z$/, 'Z'));
    if (found.length === count) break;
  }
  return found;
}

function between(cron: Cron, zone: string, fromMs: number, toMs: number): readonly number[] {
  const found: number[] = [];
  for (const dueMs of cronTimes(cron, zoneOf(zone), fromMs)) {
    if (dueMs > toMs) break;
    found.push(dueMs);
  }
  return found;
}

describe('days', () => {
  test.each([
    ['0 9 * * 1-5', ['2026-11-30T09:00Z', '2026-12-01T09:00Z', '2026-12-02T09:00Z']],
    ['30 18 L * *', ['2026-11-30T18:30Z', '2026-12-31T18:30Z', '2027-01-31T18:30Z']],
    ['0 9 L-2 * *', ['2026-12-29T09:00Z', '2027-01-29T09:00Z', '2027-02-26T09:00Z']],
    ['0 9 LW * *', ['2026-11-30T09:00Z', '2026-12-31T09:00Z', '2027-01-29T09:00Z']],
    // 1 August 2026 is a Saturday, 15 August too.
    ['0 9 1W 8 *', ['2027-08-02T09:00Z', '2028-08-01T09:00Z']],
    ['0 9 15W 8 *', ['2027-08-16T09:00Z', '2028-08-15T09:00Z']],
    ['0 9 * * 1#1', ['2026-12-07T09:00Z', '2027-01-04T09:00Z']],
    ['0 9 * * 5L', ['2026-12-25T09:00Z', '2027-01-29T09:00Z']],
    ['0 0 29 2 *', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['0 0 29 2 MON', ['2027-02-01T00:00Z', '2027-02-08T00:00Z']],
    ['@weekly', ['2026-12-06T00:00Z', '2026-12-13T00:00Z']],
    ['15 10-12/2 1 1,7 ?', ['2027-01-01T10:15Z', '2027-01-01T12:15Z', '2027-07-01T10:15Z']],
    [
      '*/20 0 9 1 12 *',
      ['2026-12-01T09:00Z', '2026-12-01T09:00:20Z', '2026-12-01T09:00:40Z', '2027-12-01T09:00Z'],
    ],
  ])('%s', (text, expected) => {
    expect(times(text, 'UTC', '2026-11-30T08:00Z', expected.length)).toEqual(expected);
  });

  test('with both kinds of days restricted, either is enough; with one written *, both must fit', () => {
    expect(times('0 0 13 * 5', 'UTC', '2026-11-01T00:00Z', 4)).toEqual([
      '2026-11-06T00:00Z',
      '2026-11-13T00:00Z',
      '2026-11-20T00:00Z',
      '2026-11-27T00:00Z',
    ]);
    expect(times('0 0 */2 * 1', 'UTC', '2026-11-01T00:00Z', 3)).toEqual([
      '2026-11-09T00:00Z',
      '2026-11-23T00:00Z',
      '2026-12-07T00:00Z',
    ]);
  });

  test('29 February on a Saturday is found across the year without one', () => {
    expect(times('0 0 29 2 *', 'UTC', '2096-03-01T00:00Z', 1)).toEqual(['2104-02-29T00:00Z']);
  });

  test('C35: the first of the month, computed on the 2nd of a month of 31 days', () => {
    expect(times('0 4 1 * *', 'Europe/Berlin', '2026-12-02T00:00Z', 2)).toEqual([
      '2027-01-01T03:00Z',
      '2027-02-01T03:00Z',
    ]);
  });
});

describe('clock changes', () => {
  test('C37: half-hourly goes on through the doubled hour', () => {
    expect(times('*/30 * * * *', 'Australia/Melbourne', '2026-04-04T14:59Z', 7)).toEqual([
      '2026-04-04T15:00Z',
      '2026-04-04T15:30Z',
      '2026-04-04T16:00Z',
      '2026-04-04T16:30Z',
      '2026-04-04T17:00Z',
      '2026-04-04T17:30Z',
      '2026-04-04T18:00Z',
    ]);
  });

  test.each([
    ['Europe/London', 0, -60],
    ['America/New_York', 300, 240],
    ['UTC', 0, 0],
    ['Asia/Tokyo', -540, -540],
  ])('C38: Tokyo is not disturbed where the machine stands in %s', (zone, winter, summer) => {
    vi.stubEnv('TZ', zone);
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(winter);
    expect(new Date(2026, 6, 1).getTimezoneOffset()).toBe(summer);
    expect(times('30 1 * * *', 'Asia/Tokyo', '2026-03-28T00:00Z', 2)).toEqual([
      '2026-03-28T16:30Z',
      '2026-03-29T16:30Z',
    ]);
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
  });

  test('C38: Tokyo is not disturbed by London', () => {
    expect(times('30 1 * * *', 'Asia/Tokyo', '2026-03-28T00:00Z', 2)).toEqual([
      '2026-03-28T16:30Z',
      '2026-03-29T16:30Z',
    ]);
  });

  test.each([
    [
      'a time that is skipped comes at the next minute there is',
      '30 2 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    [
      'several skipped times come once',
      '0,15,30 2,3 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-29T01:15Z', '2026-03-29T01:30Z', '2026-03-30T00:00Z'],
    ],
    [
      'a time that comes twice counts once',
      '30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'stepped times do not come when their hour does not',
      '*/30 2 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-30T00:00Z', '2026-03-30T00:30Z'],
    ],
    [
      'stepped times come in both hours',
      '*/30 2 * * *',
      '2026-10-24T12:00Z',
      [
        '2026-10-25T00:00Z',
        '2026-10-25T00:30Z',
        '2026-10-25T01:00Z',
        '2026-10-25T01:30Z',
        '2026-10-26T01:00Z',
      ],
    ],
  ])('Berlin: %s', (_, text, after, expected) => {
    expect(times(text, 'Europe/Berlin', after, expected.length)).toEqual(expected);
  });

  test('a day that a zone never had is made up for once', () => {
    expect(times('0 9,10 * * *', 'Pacific/Apia', '2011-12-29T00:00Z', 5)).toEqual([
      '2011-12-29T19:00Z',
      '2011-12-29T20:00Z',
      '2011-12-30T10:00Z',
      '2011-12-30T19:00Z',
      '2011-12-30T20:00Z',
    ]);
  });
});

test.each([
  ['61 * * * *', ['minute', '61']],
  ['* * * *', ['expression', '* * * *']],
  ['0 0 31 2 *', ['dayOfMonth', '31']],
])('%s can’t be read', (text, [field, value]) => {
  expect(parseCron(text)).toEqual({ faults: [{ field, value }] });
});

const zones = Intl.supportedValuesOf('timeZone');

/** A moment of the years 2000–2030, more often near a change of the clock than not. */
const moments = fc
  .tuple(
    fc.constantFrom(...zones),
    fc.integer({ min: 2000, max: 2029 }),
    fc.nat(),
    fc.integer({ min: -DAY_MS, max: DAY_MS }),
  )
  .map(([zone, year, pick, nearMs]) => {
    const changes = changesIn(zone, year);
    const near = changes[pick % (changes.length + 1)] ?? Date.UTC(year, 0, 1 + (pick % 365));
    return { zone, fromMs: near + nearMs };
  });
const some = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 4 });

describe('as somebody who looks at a clock every minute', () => {
  test('times of the day', () => {
    fc.assert(
      fc.property(moments, some(59), some(23), ({ zone, fromMs }, minutes, hours) => {
        const fits = (wall: Date) =>
          minutes.includes(wall.getUTCMinutes()) && hours.includes(wall.getUTCHours());
        const toMs = fromMs + 2 * DAY_MS;
        const cron = cronOf(`${minutes.join(',')} ${hours.join(',')} * * *`);
        expect(between(cron, zone, fromMs, toMs)).toEqual(bruteClock(zone, fromMs, toMs, fits));
      }),
      { numRuns: 150 },
    );
  });

  test('steps and wildcards', () => {
    fc.assert(
      fc.property(
        moments,
        fc.integer({ min: 1, max: 59 }),
        some(23),
        some(6),
        ({ zone, fromMs }, step, hours, weekdays) => {
          const fits = (wall: Date) =>
            wall.getUTCMinutes() % step === 0 &&
            hours.includes(wall.getUTCHours()) &&
            weekdays.includes(wall.getUTCDay());
          const toMs = fromMs + 2 * DAY_MS;
          const cron = cronOf(`*/${step} ${hours.join(',')} * * ${weekdays.join(',')}`);
          expect(between(cron, zone, fromMs, toMs)).toEqual(bruteElapsing(zone, fromMs, toMs, fits));
        },
      ),
      { numRuns: 150 },
    );
  });
});
