import type { Clock } from '../../ports/clock.ts';

/** Resolves at a time, or as soon as the signal is aborted. @param atMs epoch ms @returns whether the time has come */
export function waitUntil(clock: Clock, atMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    if (clock.now() >= atMs) return resolve(true);
    const onAbort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.alarm(atMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve(true);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
