import type { Clock } from '../../src/ports/clock.ts';

/** A clock that stands still until it is turned. */
export interface HandClock extends Clock {
  /** Lets time pass. Alarms ring in the order they are due, each at its own time. */
  pass(ms: number): void;
  /** Sets it, back too: then as much time is left for alarms as before. Those that are due ring. */
  set(nowMs: number): void;
  /** When the next alarm is due; undefined = none is set. */
  nextMs(): number | undefined;
}

/** Makes the clock. @param startMs default: a fixed morning. */
export function createHandClock(startMs = Date.UTC(2026, 0, 5, 9)): HandClock {
  let nowMs = startMs;
  const alarms = new Set<{ atMs: number; readonly wake: () => void }>();
  const next = () => [...alarms].toSorted((one, other) => one.atMs - other.atMs)[0];
  return {
    now: () => nowMs,
    alarm(atMs, wake) {
      const alarm = { atMs, wake };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
    pass(ms) {
      const untilMs = nowMs + ms;
      for (let alarm = next(); alarm && alarm.atMs <= untilMs; alarm = next()) {
        nowMs = Math.max(nowMs, alarm.atMs);
        alarms.delete(alarm);
        alarm.wake();
      }
      nowMs = untilMs;
    },
    set(ms) {
      for (const alarm of alarms) alarm.atMs -= Math.max(0, nowMs - ms);
      nowMs = ms;
      for (let alarm = next(); alarm && alarm.atMs <= nowMs; alarm = next()) {
        alarms.delete(alarm);
        alarm.wake();
      }
    },
    nextMs: () => next()?.atMs,
  };
}
