import { parse, validateDetailed } from 'node-cron';
import { clockInstant, DAY_MS, modulo, type WallMs, type Zone } from './zone.ts';

/** A cron expression. Lists are ascending. */
export interface Cron {
  /** Seconds after midnight at which it is due, of every day that fits. */
  readonly timesOfDay: {
    readonly hours: readonly number[];
    readonly minutes: readonly number[];
    readonly seconds: readonly number[];
  };
  /** 1–12. */
  readonly months: readonly number[];
  /** 1–31, or `L`, `L-3`, `15W`, `LW`. */
  readonly daysOfMonth: readonly (number | string)[];
  /** 0–6 from Sunday, or `5#2`, `5L`. */
  readonly daysOfWeek: readonly (number | string)[];
  /** Both kinds of days are restricted: then a day fits when either does, as in crontab(5). */
  readonly either: boolean;
  /**
   * Hours or minutes are written with `*`, `?` or a step: it follows the time that elapses, through doubled hours too.
   * Otherwise it names times of the day, each of which comes once a day, whatever clocks do.
   */
  readonly elapsing: boolean;
}

/** A part of an expression that can't be read. `field`: `minute`, `dayOfMonth` …, or `expression` for the whole. */
export interface CronFault {
  readonly field: string;
  readonly value: string;
}

/** Reads an expression of five or six fields, or `@daily` and the like. Gives what is wrong with it otherwise. */
export function parseCron(text: string): Cron | { readonly faults: readonly CronFault[] } {
  const { valid, errors } = validateDetailed(text);
  if (!valid) return { faults: errors.map(({ field, value }) => ({ field, value: value ?? text })) };
  const fields = parse(text);
  const written = text.trim().split(/\s+/);
  // Nicknames: @hourly is due every hour, the others at a time of day.
  const [, minute = '0', hour = fields.hour.length === 24 ? '*' : '0', dayOfMonth = '*', , dayOfWeek = '*'] =
    written.length === 1 ? ['0'] : written.length === 5 ? ['0', ...written] : written;
  return {
    timesOfDay: {
      hours: ascending(fields.hour),
      minutes: ascending(fields.minute),
      seconds: ascending(fields.second),
    },
    months: ascending(fields.month),
    daysOfMonth: fields.dayOfMonth,
    daysOfWeek: fields.dayOfWeek,
    either: !isAny(dayOfMonth) && !isAny(dayOfWeek),
    elapsing: [minute, hour].some((field) => isAny(field) || field.includes('/')),
  };
}

/** How far ahead is looked for a day that fits: 29 February falls on each weekday within 40 years. */
const DAYS_AHEAD = 40 * 366;

/** When it is due after an instant (epoch ms), ascending; it ends when there is no such time within forty years. */
export function* cronTimes(cron: Cron, zone: Zone, afterMs: number): Generator<number> {
  const first = dayOf(zone.wallAt(afterMs)) - DAY_MS;
  let lastMs = afterMs;
  for (let day = 0, barren = 0; barren < DAYS_AHEAD; day += 1, barren += 1) {
    const wallDay = first + day * DAY_MS;
    if (!fitsDay(cron, wallDay)) continue;
    for (const dueMs of timesOn(cron, zone, wallDay, lastMs)) {
      if (dueMs <= lastMs) continue;
      yield dueMs;
      lastMs = dueMs;
      barren = 0;
    }
  }
}

/** The instants of one day that come after another instant, and perhaps a few before, ascending. */
function* timesOn(cron: Cron, zone: Zone, wallDay: WallMs, afterMs: number): Generator<number> {
  const offsets = zone.around(wallDay);
  const { before, after, changeMs } = offsets;
  if (before === after) {
    for (const wall of walls(cron, wallDay, afterMs + before)) yield wall - before;
  } else if (!cron.elapsing) {
    for (const wall of walls(cron, wallDay, afterMs + Math.min(before, after)))
      yield clockInstant(offsets, wall);
  } else {
    for (const wall of walls(cron, wallDay, afterMs + before))
      if (wall - before < changeMs) yield wall - before;
    for (const wall of walls(cron, wallDay, afterMs + after))
      if (wall - after >= changeMs) yield wall - after;
  }
}

/** The local times of a day from another one on. */
function* walls({ timesOfDay }: Cron, wallDay: WallMs, fromWall: WallMs): Generator<WallMs> {
  for (const hour of timesOfDay.hours) {
    const wallHour = wallDay + hour * 3_600_000;
    if (wallHour + 3_600_000 <= fromWall) continue;
    for (const minute of timesOfDay.minutes) {
      const wallMinute = wallHour + minute * 60_000;
      if (wallMinute + 60_000 <= fromWall) continue;
      for (const second of timesOfDay.seconds) yield wallMinute + second * 1_000;
    }
  }
}

function fitsDay({ months, daysOfMonth, daysOfWeek, either }: Cron, wallDay: WallMs): boolean {
  const date = new Date(wallDay);
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const ofMonth = daysOfMonth.some((day) => fitsDayOfMonth(day, date));
  const ofWeek = daysOfWeek.some((day) => fitsDayOfWeek(day, date));
  return either ? ofMonth || ofWeek : ofMonth && ofWeek;
}

function fitsDayOfMonth(day: number | string, date: Date): boolean {
  const today = date.getUTCDate();
  if (typeof day === 'number') return today === day;
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  if (day === 'LW') return today === nearestWeekday(date, length, length);
  const [, number = '0'] = /(\d+)/.exec(day) ?? [];
  if (day.startsWith('L')) return today === length - Number(number);
  return Number(number) <= length && today === nearestWeekday(date, Number(number), length);
}

/** The weekday nearest to a day, in the same month. */
function nearestWeekday(date: Date, day: number, length: number): number {
  const weekday = modulo(date.getUTCDay() + day - date.getUTCDate(), 7);
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function fitsDayOfWeek(day: number | string, date: Date): boolean {
  if (typeof day === 'number') return date.getUTCDay() === day;
  const [weekday, nth] = day.split('#');
  if (Number.parseInt(weekday ?? '', 10) !== date.getUTCDay()) return false;
  if (nth !== undefined) return Math.ceil(date.getUTCDate() / 7) === Number(nth);
  return new Date(date.getTime() + 7 * DAY_MS).getUTCMonth() !== date.getUTCMonth();
}

function isAny(field: string): boolean {
  return field.startsWith('*') || field === '?';
}

function ascending(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((one, other) => one - other);
}

function dayOf(wall: WallMs): WallMs {
  return wall - modulo(wall, DAY_MS);
}
