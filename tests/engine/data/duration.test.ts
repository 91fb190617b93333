import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { durationSchema, formatDuration, parseDuration } from '../../../src/engine/data/duration.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('a length of time', () => {
  test.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['10m', 600_000],
    ['12h', 12 * hour],
    ['2d', 2 * day],
    ['1w', 7 * day],
    ['1h30m', 1.5 * hour],
    ['1d12h', 1.5 * day],
    ['1m500ms', 60_500],
    [' 30s ', 30_000],
    ['12:00:00', 12 * hour],
    ['0:01:30', 90_000],
    ['400d', 400 * day],
  ])('reads %j as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    '',
    '30',
    '0s',
    '0:00:00',
    '1.5h',
    '30 s',
    '-5s',
    '30m1h',
    '1h1h',
    '12:60:00',
    '12:00',
    '1y',
    '9999999999d',
    '1'.repeat(99),
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test.each([
    [30, '30 has no unit.\nWrite 30s for seconds, or 30m for minutes.'],
    ['30', '"30" is not a length of time.\nWrite 30s for seconds, or 30m for minutes.'],
    [
      'soon',
      '"soon" is not a length of time.\nWrite a number with its unit, such as 30s, 10m, 12h, 2d, 1w or 1h30m. The longest is 3650d.',
    ],
  ])('says how to mend %j', (value, message) => {
    expect(durationSchema.safeParse(value).error?.issues[0]?.message).toBe(message);
  });

  it('arrives as milliseconds', () => {
    expect(durationSchema.parse('12h')).toBe(12 * hour);
  });
});

describe('a length of time in words', () => {
  test.each([
    [500, '500 milliseconds'],
    [1000, '1 second'],
    [90_000, '1 minute 30 seconds'],
    [12 * hour, '12 hours'],
    [1.5 * hour, '1 hour 30 minutes'],
    [day, '1 day'],
    [2 * day + 3 * hour + 59_000, '2 days 3 hours'],
    [day + 60_000, '1 day'],
  ])('%d ms reads %j', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('never says nothing', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 4e11 }), (ms) => formatDuration(ms).length > 0));
  });
});
