import type { Clock } from '../../src/ports/clock.ts';

/** So much faster than real time waits of adapters are over. */
const SPEED = 50;

/**
 * The clock of an adapter beside a clock that is turned by hand: its waits end by themselves after a part of their real
 * time, and only for it the time has passed then.
 */
export function createAdapterClock(hand: Pick<Clock, 'now'>): Clock {
  let aheadMs = 0;
  const now = () => hand.now() + aheadMs;
  return {
    now,
    alarm(atMs, wake) {
      const ring = () => {
        aheadMs += Math.max(0, atMs - now());
        wake();
      };
      const timer = setTimeout(ring, Math.min(Math.max(0, atMs - now()) / SPEED, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
  };
}
