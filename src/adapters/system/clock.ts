import type { Clock } from '../../ports/clock.ts';

/** Longest single sleep: far below the 24.8 days at which Node's timers overflow, short enough to notice clock steps. */
const HOP_MS = 60_000;

/** The machine's clock. Long waits are made of short hops, so that no distance fires early. */
export const systemClock: Clock = {
  now: () => Date.now(),
  alarm(atMs, wake) {
    let timer: NodeJS.Timeout | undefined;
    const hop = (): void => {
      const leftMs = atMs - Date.now();
      if (leftMs <= 0) wake();
      else timer = setTimeout(hop, Math.min(leftMs, HOP_MS));
    };
    timer = setTimeout(hop, Math.max(0, Math.min(atMs - Date.now(), HOP_MS)));
    return () => clearTimeout(timer);
  },
};
