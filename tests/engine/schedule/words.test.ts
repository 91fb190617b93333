import { expect, test } from 'vitest';
import { planSchedule, scheduleSchema } from '../../../src/engine/flow/schedule-trigger.ts';
import { momentIn, scheduleInWords } from '../../../src/engine/schedule/words.ts';

const wordsOf = (written: object) =>
  scheduleInWords(planSchedule(scheduleSchema.parse({ type: 'schedule', ...written }), 'x', undefined));

test.each([
  [{ cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' }, 'weekdays at 09:00 (Europe/Berlin)'],
  [{ cron: '0 9,17 * * *' }, 'every day at 09:00 and 17:00 (UTC)'],
  [{ cron: '30 8 * * sat,sun' }, 'weekends at 08:30 (UTC)'],
  [{ cron: '30 8 * * mon,thu' }, 'Mondays and Thursdays at 08:30 (UTC)'],
  [{ cron: '0 4 1,15 * *' }, 'on the 1st and the 15th of the month at 04:00 (UTC)'],
  [{ cron: '0 4 L * *' }, 'on the last day of the month at 04:00 (UTC)'],
  [{ cron: '*/15 * * * *' }, 'every day, every 15 minutes (UTC)'],
  [{ cron: '5 * * * 1-5' }, 'weekdays, every hour at 5 past (UTC)'],
  [{ cron: '@hourly' }, 'every day, every hour on the hour (UTC)'],
  [{ cron: '0  9 * * 1#2' }, 'cron 0 9 * * 1#2 (UTC)'],
  [{ cron: '*/7 10-12 * 3 *' }, 'cron */7 10-12 * 3 * (UTC)'],
  [{ cron: '*/7 * * * *' }, 'cron */7 * * * * (UTC)'],
  [{ cron: '0 0 13 * 5' }, 'cron 0 0 13 * 5 (UTC)'],
  [{ every: '1d' }, 'every day'],
  [{ every: '90m' }, 'every 90 minutes'],
  [{ every: '1500ms' }, 'every 1.5 seconds'],
  [
    { at: '2026-12-24T18:00', timezone: 'America/New_York' },
    'once, Thu 24 Dec 2026, 18:00 (America/New_York)',
  ],
])('%j: %s', (written, words) => {
  expect(wordsOf(written)).toBe(words);
});

test('moments are those of the zone', () => {
  expect(momentIn('Asia/Tokyo', Date.UTC(2026, 11, 31, 15, 30))).toBe('Fri 1 Jan 2027, 00:30');
});
