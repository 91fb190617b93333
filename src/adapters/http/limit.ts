import { Stop } from './failure.ts';

/** The one limit over everything a request does. */
export interface Limit {
  /** Aborts, with a `Stop` as its reason, when the time is up or the caller gives up. */
  readonly signal: AbortSignal;
  /** The same promise, but rejected at once when the limit is reached: for work that can't be aborted. */
  until<T>(work: Promise<T>): Promise<T>;
  /** Stops the timer. Call always. */
  end(): void;
}

/** A longer delay would make the timer of Node fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Starts the limit of a request to `host`. */
export function startLimit(host: string, timeoutMs: number, callers: readonly AbortSignal[]): Limit {
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch(() => {}); // nobody may be waiting for it

  const stop = (why: Stop) => {
    if (controller.signal.aborted) return;
    controller.abort(why);
    reject(why);
  };
  const onAbort = () => stop(new Stop('aborted', `The request to ${host} was cancelled.`));
  const onTime = () =>
    stop(
      new Stop(
        'timeout',
        `${host} did not answer within ${timeoutMs / 1000} s; raise the timeout if it must.`,
      ),
    );

  const timer = setTimeout(onTime, Math.min(timeoutMs, LONGEST_TIMER_MS));
  for (const caller of callers) {
    if (caller.aborted) onAbort();
    caller.addEventListener('abort', onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    until: (work) => Promise.race([stopped, work]),
    end() {
      clearTimeout(timer);
      for (const caller of callers) caller.removeEventListener('abort', onAbort);
    },
  };
}
