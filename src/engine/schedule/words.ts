import type { ScheduleTrigger } from '../flow/plan.ts';
import type { Cron } from './cron.ts';

/** A moment as people of a zone write it: `Tue 1 Dec 2026, 09:00`. */
export function momentIn(timezone: string, ms: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
    .format(ms)
    .replace(',', '');
}

/** How long until something: `in 3 days`, `in 2 hours`, `in 5 minutes`, `now`. Rounded. */
export function untilInWords(ms: number): string {
  for (const [unit, unitMs] of units) {
    const count = Math.round(ms / unitMs);
    if (unit !== 'week' && count > 1) return `in ${count} ${unit}s`;
  }
  return ms < 1_000 ? 'now' : 'in a second';
}

/** When a schedule is due: `weekdays at 09:00 (Europe/Berlin)`. */
export function scheduleInWords({ times: { rule }, when, timezone }: ScheduleTrigger): string {
  switch (rule.kind) {
    case 'cron':
      return `${cronInWords(rule.cron) ?? `cron ${when.slice('cron '.length, -timezone.length - 1)}`} (${timezone})`;
    case 'every':
      return `every ${lengthInWords(rule.everyMs).replace(/^1 /, '')}`;
    case 'at':
      return `once, ${momentIn(timezone, rule.atMs)} (${timezone})`;
  }
}

/** Most times of day that are worth naming one by one. */
const TIMES_MAX = 4;

/** Undefined = the expression says it better. */
function cronInWords({ timesOfDay, months, daysOfMonth, daysOfWeek, either }: Cron): string | undefined {
  const { hours, minutes, seconds } = timesOfDay;
  if (months.length < 12 || either || seconds.length !== 1 || seconds[0] !== 0) return undefined;
  const days = daysInWords(daysOfMonth, daysOfWeek);
  if (days === undefined) return undefined;
  if (hours.length * minutes.length <= TIMES_MAX) {
    const times = hours.flatMap((hour) => minutes.map((minute) => `${pad(hour)}:${pad(minute)}`));
    return `${days} at ${list(times)}`;
  }
  if (hours.length < 24) return undefined;
  const [minute = 0] = minutes;
  if (minutes.length === 1)
    return `${days}, every hour ${minute === 0 ? 'on the hour' : `at ${minute} past`}`;
  const step = (minutes[1] ?? 0) - minute;
  const isEven = minute === 0 && 60 % step === 0 && minutes.length === 60 / step;
  return isEven ? `${days}, every ${step === 1 ? 'minute' : `${step} minutes`}` : undefined;
}

const weekdays = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays'];

function daysInWords(
  ofMonth: readonly (number | string)[],
  ofWeek: readonly (number | string)[],
): string | undefined {
  if (ofMonth.length === 31) {
    const key = ofWeek.toSorted().join('');
    if (key === '0123456') return 'every day';
    if (key === '12345') return 'weekdays';
    if (key === '06') return 'weekends';
    const named = ofWeek.map((day) => (typeof day === 'number' ? weekdays[day] : undefined));
    return named.every((day) => day !== undefined) ? list(named) : undefined;
  }
  if (ofWeek.length < 7) return undefined;
  if (ofMonth.length > TIMES_MAX) return undefined;
  const named = ofMonth.map((day) =>
    day === 'L' ? 'the last day' : typeof day === 'number' ? ordinal(day) : undefined,
  );
  return named.every((day) => day !== undefined) ? `on ${list(named)} of the month` : undefined;
}

function ordinal(day: number): string {
  const tens = Math.floor(day / 10);
  const ending = tens === 1 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `the ${day}${ending}`;
}

const units = [
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A length of time in the largest unit that fits it: `6 hours`, `90 minutes`, `1 day`. */
export function lengthInWords(ms: number): string {
  for (const [unit, unitMs] of units) {
    if (ms % unitMs === 0) return `${ms / unitMs} ${unit}${ms === unitMs ? '' : 's'}`;
  }
  return `${ms / 1_000} seconds`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

function list(words: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(words);
}
