import { systemClock } from '../../src/adapters/system/clock.ts';
import type { Clock } from '../../src/ports/clock.ts';

/** The clock of this machine, that can be sent ahead. */
export interface SwiftClock extends Clock {
  /** So much time has passed at once; alarms that are due ring. */
  pass(ms: number): void;
}

/** Makes the clock. */
export function createSwiftClock(): SwiftClock {
  const alarms = new Set<{ readonly atMs: number; readonly wake: () => void; cancel: () => void }>();
  let aheadMs = 0;
  const set = (alarm: { readonly atMs: number; readonly wake: () => void }) =>
    systemClock.alarm(alarm.atMs - aheadMs, alarm.wake);
  return {
    now: () => systemClock.now() + aheadMs,
    alarm(atMs, wake) {
      const alarm = { atMs, wake: () => ring(), cancel: () => {} };
      const ring = () => {
        alarms.delete(alarm);
        wake();
      };
      alarm.cancel = set(alarm);
      alarms.add(alarm);
      return () => {
        alarms.delete(alarm);
        alarm.cancel();
      };
    },
    pass(ms) {
      aheadMs += ms;
      for (const alarm of alarms) {
        alarm.cancel();
        alarm.cancel = set(alarm);
      }
    },
  };
}
