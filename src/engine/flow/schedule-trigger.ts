import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';
import { checkInput } from '../data/input.ts';
import { withFix } from '../data/issue.ts';
import type { JsonObject } from '../json.ts';
import { parseCron } from '../schedule/cron.ts';
import { type LocalTime, readLocalTime } from '../schedule/local-time.ts';
import type { Rule } from '../schedule/times.ts';
import type { Schedule } from '../schedule/turn.ts';
import { instantOf, type Zone, zoneNamed } from '../schedule/zone.ts';
import { nearest } from './nearest.ts';
import type { ScheduleTrigger } from './plan.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longest time for which a missed time may be made up for. */
const GRACE_MAX_MS = 31 * DAY_MS;

const fieldNames: Readonly<Record<string, string>> = {
  second: 'second',
  minute: 'minute',
  hour: 'hour',
  dayOfMonth: 'day of the month',
  month: 'month',
  dayOfWeek: 'day of the week',
};

const cronSchema = z
  .string()
  .max(200)
  .transform((text, context) => {
    const cron = parseCron(text);
    if (!('faults' in cron)) return { text: text.trim().replace(/\s+/g, ' '), cron };
    for (const { field, value } of cron.faults) {
      const name = fieldNames[field];
      const message = name
        ? withFix(`${JSON.stringify(value)} can't be the ${name} of a cron expression.`, cronFix)
        : withFix(`${JSON.stringify(text)} is no cron expression.`, cronFix);
      context.addIssue({ code: 'custom', message });
    }
    return z.NEVER;
  });

const cronFix =
  'Write minute, hour, day of the month, month and day of the week: "0 9 * * 1-5" is every weekday at nine.';

const zoneSchema = z
  .string()
  .max(60)
  .transform((name, context) => {
    const zone = zoneNamed(name);
    if (zone) return zone;
    const near = nearest(name, Intl.supportedValuesOf('timeZone'));
    const message = withFix(
      `There is no time zone ${JSON.stringify(name)}.`,
      near === undefined
        ? 'Write the name of one, such as Europe/Berlin, or UTC.'
        : `Did you mean ${JSON.stringify(near)}?`,
    );
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const atSchema = z.string().transform((text, context) => {
  const time = readLocalTime(text);
  if (time) return time;
  const fix = 'Write 2026-12-24T18:00, or with an offset 2026-12-24T18:00+01:00.';
  context.addIssue({
    code: 'custom',
    message: withFix(`${JSON.stringify(text.slice(0, 60))} is no date with a time.`, fix),
  });
  return z.NEVER;
});

/** At least a second: what is shorter is a loop. */
const everySchema = durationSchema.refine((ms) => ms >= SECOND_MS, {
  error: withFix('It is too short.', 'Write at least 1s.'),
});

const graceSchema = durationSchema.refine((ms) => ms <= GRACE_MAX_MS, {
  error: withFix('It is too long.', 'Write at most 31d.'),
});

/** A time comes. */
export const scheduleSchema = z
  .strictObject({
    type: z.literal('schedule'),
    cron: cronSchema
      .optional()
      .describe('When to start, as a cron expression of five fields, or six with seconds in front.'),
    every: everySchema
      .optional()
      .describe('Start at multiples of this length of time, counted from a Monday, 0:00: 15m, 6h.'),
    at: atSchema.optional().describe('Start once, at this date and time (ISO 8601): 2026-12-24T18:00.'),
    timezone: zoneSchema.optional().describe('IANA time zone, such as Europe/Berlin: UTC.'),
    input: z.record(z.string(), z.json()).default({}).describe('The input of the runs it starts.'),
    catchUp: z
      .enum(['latest', 'none', 'all'])
      .default('latest')
      .describe('Which times are made up for that came while Flowbot was down.'),
    catchUpMax: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe('With catchUp: all, how many of them at most; the latest are kept.'),
    grace: graceSchema.default(HOUR_MS).describe('How late a missed time may still be made up for: 1h.'),
    overlap: z
      .enum(['skip', 'queue', 'allow'])
      .default('skip')
      .describe('What to do while the last run it started has not ended.'),
    jitter: durationSchema
      .refine((ms) => ms <= DAY_MS, { error: withFix('It is too long.', 'Write at most 1d.') })
      .optional()
      .describe('Start up to this much later, always by the same: spreads schedules that are due together.'),
    pauseAfterFailures: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('Pause after so many failed runs in a row.'),
  })
  .superRefine((schedule, context) => {
    const times = [schedule.cron, schedule.every, schedule.at].filter((time) => time !== undefined);
    if (times.length === 1) return;
    const message = withFix(
      'A schedule needs exactly one of cron, every and at.',
      'For example cron: "0 9 * * 1-5".',
    );
    context.addIssue({ code: 'custom', message });
  });

/** A schedule as written, its texts read. */
export type ScheduleDefinition = z.output<typeof scheduleSchema>;

/**
 * What a schedule of a plan is.
 * @param id its own: the flow's, with a number behind it for all but the first
 * @param schema of the flow's input, which the schedule's fits
 */
export function planSchedule(
  schedule: ScheduleDefinition,
  id: string,
  schema: JsonObject | undefined,
): ScheduleTrigger {
  const zone = schedule.timezone ?? utc();
  const { rule, when } = ruleOf(schedule, zone);
  const { jitter, pauseAfterFailures, catchUp, catchUpMax, overlap } = schedule;
  const checked = schema ? checkInput(schema, schedule.input) : undefined;
  const times: Schedule = {
    rule,
    shiftMs: jitter === undefined ? 0 : shiftOf(id, jitter),
    catchUp,
    catchUpMax,
    graceMs: schedule.grace,
  };
  return {
    type: 'schedule',
    id,
    when,
    timezone: zone.name,
    times,
    input: checked?.ok ? checked.input : schedule.input,
    overlap,
    ...(pauseAfterFailures !== undefined && { pauseAfterFailures }),
  };
}

function ruleOf(
  { cron, every, at }: ScheduleDefinition,
  zone: Zone,
): { readonly rule: Rule; readonly when: string } {
  if (cron) return { rule: { kind: 'cron', cron: cron.cron, zone }, when: `cron ${cron.text} ${zone.name}` };
  if (every !== undefined)
    return { rule: { kind: 'every', everyMs: every, zone }, when: `every ${every} ${zone.name}` };
  if (!at) throw new Error('A schedule without a time has passed its schema.');
  const atMs = instantIn(at, zone);
  return { rule: { kind: 'at', atMs }, when: `at ${atMs}` };
}

function instantIn({ wallMs, offsetMs }: LocalTime, zone: Zone): number {
  return offsetMs === undefined ? instantOf(zone, wallMs) : wallMs - offsetMs;
}

function utc(): Zone {
  const zone = zoneNamed('UTC');
  if (!zone) throw new Error('This Node.js knows no time zones.');
  return zone;
}

/** Always the same for the same id, in whole seconds. FNV-1a spreads ids well. */
function shiftOf(id: string, jitterMs: number): number {
  let hash = 0x811c9dc5;
  for (const unit of id) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return (hash % (Math.floor(jitterMs / SECOND_MS) + 1)) * SECOND_MS;
}
