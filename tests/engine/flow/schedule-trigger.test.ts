import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { ask, faultsOf, get } from './faults.ts';

const CRON_FIX =
  'Write minute, hour, day of the month, month and day of the week: "0 9 * * 1-5" is every weekday at nine.';
const daily: JsonObject = { cron: '0 9 * * *' };
const input: JsonObject = {
  type: 'object',
  properties: { stage: { type: 'string' }, count: { type: 'integer', minimum: 2, default: 2 } },
};

const faultsIn = (schedule: JsonObject, more: JsonObject = {}) =>
  faultsOf({ triggers: [{ type: 'schedule', ...schedule }], steps: { a: get }, ...more });

describe('what is wrong with a schedule is said with its place and the way out', () => {
  test.each<[JsonObject, string]>([
    [
      { cron: '0 25 * * *' },
      `value at triggers.0.cron: triggers[0].cron: "25" can't be the hour of a cron expression. ${CRON_FIX}`,
    ],
    [
      { cron: 'every day' },
      `value at triggers.0.cron: triggers[0].cron: "every day" is no cron expression. ${CRON_FIX}`,
    ],
    [
      { ...daily, timezone: 'Europe/Berln' },
      'value at triggers.0.timezone: triggers[0].timezone: There is no time zone "Europe/Berln". Did you mean "Europe/Berlin"?',
    ],
    [
      { ...daily, timezone: '+02:00' },
      'value at triggers.0.timezone: triggers[0].timezone: There is no time zone "+02:00". Write the name of one, such as Europe/Berlin, or UTC.',
    ],
    [
      { ...daily, timzone: 'UTC' },
      'unknown-key at triggers.0.timzone: triggers[0] has no key "timzone". Did you mean "timezone"?',
    ],
    [
      { ...daily, every: '1h' },
      'value at triggers.0: triggers[0]: A schedule needs exactly one of cron, every and at. For example cron: "0 9 * * 1-5".',
    ],
    [{ every: '10ms' }, 'value at triggers.0.every: triggers[0].every: It is too short. Write at least 1s.'],
    [
      { at: 'tomorrow' },
      'value at triggers.0.at: triggers[0].at: "tomorrow" is no date with a time. Write 2026-12-24T18:00, or with an offset 2026-12-24T18:00+01:00.',
    ],
    [
      { ...daily, grace: '60d' },
      'value at triggers.0.grace: triggers[0].grace: It is too long. Write at most 31d.',
    ],
  ])('%j', (schedule, fault) => {
    expect(faultsIn(schedule)).toEqual([fault]);
  });

  test('input that does not fit, or that the flow does not have', () => {
    expect(faultsIn({ ...daily, input: { sage: 'beta', count: 1 } }, { input })).toEqual([
      'unknown-input at triggers.0.input.sage: The input of this flow has no "sage". Did you mean "stage"?',
      "schedule-input at triggers.0: The runs of this schedule can't start: count must be at least 2. Write it under input: of the schedule, or give it a default.",
    ]);
    expect(faultsIn({ ...daily, input: { stage: 'beta' } }, { input })).toEqual([]);
  });

  test('no conversation where one is needed', () => {
    expect(faultsIn(daily, { steps: { ask } })).toEqual([
      'conversation at triggers.0: A run that a schedule starts has no conversation, and ask needs one. Write conversation: at the top of the flow, such as slack:#releases.',
    ]);
  });
});
