import { nextTime, type Rule, timesAfter } from './times.ts';

/** A schedule, as far as its times go. */
export interface Schedule {
  readonly rule: Rule;
  /** How long after each of its times it starts, in milliseconds: spreads schedules that are due together. */
  readonly shiftMs: number;
  readonly catchUp: 'latest' | 'none' | 'all';
  /** How late a time may be made up for. */
  readonly graceMs: number;
  /** With `all`: how many times at most. */
  readonly catchUpMax: number;
}

/** What a look at the clock comes to. */
export interface Turn {
  /** Times of the rule (epoch ms) whose runs start now, ascending. */
  readonly fire: readonly number[];
  /** Times that passed and are not made up for. */
  readonly skipped?: Skipped;
  /** Everything up to here is done: the next look begins behind it. */
  readonly doneMs: number;
  /** When to look again; undefined = never. */
  readonly nextMs?: number;
}

/** Times that passed. `count` is at most `SKIPPED_MAX`, which then means as many or more. */
export interface Skipped {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** As many passed times are counted, and no more. */
export const SKIPPED_MAX = 1_000;

/** Later than this a time was missed; up to here the machine was only busy. In milliseconds. */
const BUSY_MS = 60_000;

/**
 * What is to be done at an instant. A clock that was set back makes times come again: their runs have ids made of
 * them, so that none starts twice. @param doneMs of the look before (epoch ms)
 */
export function turnAt(schedule: Schedule, doneMs: number, nowMs: number): Turn {
  const { rule, shiftMs, catchUp, graceMs, catchUpMax } = schedule;
  const now = nowMs - shiftMs;
  const from = Math.min(doneMs, now);
  const most = catchUp === 'all' ? catchUpMax : 1;
  const late = catchUp === 'none' ? Math.min(BUSY_MS, graceMs) : graceMs;
  const fire = lastTimes(rule, Math.max(from, now - late - 1), now, most);
  const skipped = skippedOf(rule, from, Math.min(fire[0] ?? now + 1, now - BUSY_MS));
  const next = nextTime(rule, now);
  return {
    fire,
    ...(skipped && { skipped }),
    doneMs: now,
    ...(next !== undefined && { nextMs: next + shiftMs }),
  };
}

/** The last of the times behind one instant up to another, at most so many. */
function lastTimes(rule: Rule, afterMs: number, lastMs: number, most: number): readonly number[] {
  const times: number[] = [];
  for (const dueMs of timesAfter(rule, afterMs)) {
    if (dueMs > lastMs) break;
    times.push(dueMs);
    if (times.length > most) times.shift();
  }
  return times;
}

/** The times that were missed. @param beforeMs the first one that was not */
function skippedOf(rule: Rule, afterMs: number, beforeMs: number): Skipped | undefined {
  let skipped: Skipped | undefined;
  for (const dueMs of timesAfter(rule, afterMs)) {
    if (dueMs >= beforeMs) break;
    skipped = { count: (skipped?.count ?? 0) + 1, firstMs: skipped?.firstMs ?? dueMs, lastMs: dueMs };
    if (skipped.count === SKIPPED_MAX) break;
  }
  return skipped;
}
