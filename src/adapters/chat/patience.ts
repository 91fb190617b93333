import type { Clock } from '../../ports/clock.ts';

/** Nothing was done; the same may be asked again after this time. */
interface Later {
  readonly kind: 'later';
  readonly afterMs: number;
}

/** What became of a call, as far as trying again goes. */
type Outcome = { readonly kind: 'ok' | 'refused' | 'unknown' } | Later;

/** Waits for a platform, until it is closed. */
export interface Patience {
  /** Repeats what is harmless to repeat: waits out rate limits and broken connections, for a while. */
  read<C extends Outcome>(call: () => Promise<C>): Promise<C | Later>;
  /** Waits so long, or until it is closed. */
  pause(forMs: number): Promise<void>;
  /** Ends all waiting: what waited is `later`. Calls can still be made. */
  close(): void;
  readonly isClosed: boolean;
}

/** Wait where a platform does not say for how long, in milliseconds. */
export const waitMs = 30_000;
/** Waits of a reading call, in milliseconds; after the last it is given up. */
const readWaitsMs = [500, 2_000, 5_000];
/** Longest rate limit that a reading call waits out. */
const readPatienceMs = 60_000;

/** Makes it. */
export function createPatience(clock: Clock): Patience {
  const closed = Promise.withResolvers<void>();
  let isClosed = false;

  async function pause(forMs: number): Promise<void> {
    const { promise: due, resolve } = Promise.withResolvers<void>();
    const cancel = clock.alarm(clock.now() + forMs, resolve);
    await Promise.race([due, closed.promise]);
    cancel();
  }

  return {
    pause,
    async read(call) {
      for (const pauseMs of readWaitsMs) {
        const called = await call();
        if (called.kind === 'ok' || called.kind === 'refused') return called;
        if (called.kind === 'later' && called.afterMs > readPatienceMs) return called;
        await pause(called.kind === 'later' ? called.afterMs : pauseMs);
        if (isClosed) return { kind: 'later', afterMs: waitMs };
      }
      return call();
    },
    close() {
      isClosed = true;
      closed.resolve();
    },
    get isClosed() {
      return isClosed;
    },
  };
}
