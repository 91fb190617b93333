import type { Clock } from '../ports/clock.ts';

/** Flowbot stops while something waits for its next try: the next start goes on with it. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

const firstWaitMs = 1_000;
const lastWaitMs = 60_000;

/** How long to wait after so many failed tries (from 0), in milliseconds: 1 s, doubled each time up to a minute. */
export function backOffMs(tries: number): number {
  return Math.min(lastWaitMs, firstWaitMs * 2 ** tries);
}

/** Waits so long. Rejects with `Stopped` when the signal is aborted. */
export function pause(clock: Clock, forMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Stopped());
    const cancel = clock.alarm(clock.now() + forMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      reject(new Stopped());
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
