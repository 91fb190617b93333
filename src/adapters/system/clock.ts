import type { Clock } from '../../ports/clock.ts';

/** Longest single sleep: far below the 24.8 days at which Node's timers overflow, short enough to notice clock steps. */
const HOP_MS = 60_000;

/** The machine's clock. Long waits are made of short hops, so that no distance fires early. */
export const systemClock: Clock = {
  now: () => Date.now(),
  alarm(atMs, wake) {
    // Never goes back, and stands still while the machine sleeps.
    const endsAtMs = performance.now() + atMs - Date.now();
    const leftMs = () => Math.min(atMs - Date.now(), endsAtMs - performance.now());
    const hop = (): void => {
      if (leftMs() <= 0) wake();
      else wait();
    };
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      timer = setTimeout(hop, Math.max(0, Math.min(leftMs(), HOP_MS)));
    };
    wait();
    return () => clearTimeout(timer);
  },
};
