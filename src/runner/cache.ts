import type { Output } from '../engine/steps/step-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { CACHED_MAX_CHARS, CACHED_USE_MS, type Store } from '../ports/store.ts';

/** Most outputs in memory. */
const entriesMax = 500;
/** Most characters of all outputs in memory together, as JSON. */
const charsMax = 50_000_000;

/** Outputs of calls, kept to be used again where the same call comes up. A store that fails only makes it forgetful. */
export interface Cache {
  /** What was kept under a key; undefined = nothing. It is shared: not to be changed. Never rejects. @param run that asks */
  get(key: string, run: string): Promise<Output | undefined>;
  /** Keeps an output, unless it is longer than `CACHED_MAX_CHARS` as JSON. Never rejects. */
  keep(key: string, output: Output, run: string): Promise<void>;
}

/** An output in memory. */
interface Held {
  readonly output: Output;
  readonly chars: number;
  /** When the store last heard of its use (epoch ms). */
  readonly notedMs: number;
}

/** Makes the cache: the outputs used last in memory, in front of those in the store. */
export function createCache({
  store,
  clock,
  log,
}: {
  readonly store: Pick<Store, 'cached' | 'keepCached'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}): Cache {
  /** Those used longest ago first. */
  const entries = new Map<string, Held>();
  let chars = 0;

  return {
    async get(key, run) {
      const held = entries.get(key);
      const nowMs = clock.now();
      if (held && nowMs < held.notedMs + CACHED_USE_MS) {
        hold(key, held);
        return held.output;
      }
      // The store has to hear now and then that an output is used, or it would let go of it.
      const stored = await look(key, nowMs, run);
      const output = stored ?? held?.output;
      if (output !== undefined) hold(key, { output, chars: charsOf(output), notedMs: nowMs });
      return output;
    },
    async keep(key, output, run) {
      try {
        const length = charsOf(output);
        if (length > CACHED_MAX_CHARS) return;
        const nowMs = clock.now();
        hold(key, { output, chars: length, notedMs: nowMs });
        await store.keepCached(key, output, nowMs);
      } catch (error) {
        log.error('An output could not be kept to be used again.', error, { run });
      }
    },
  };

  async function look(key: string, nowMs: number, run: string): Promise<Output | undefined> {
    try {
      return await store.cached(key, nowMs);
    } catch (error) {
      log.error('It could not be looked up whether an output was kept.', error, { run });
      return undefined;
    }
  }

  function hold(key: string, held: Held): void {
    drop(key);
    entries.set(key, held);
    chars += held.chars;
    for (const oldest of entries.keys()) {
      if (entries.size <= entriesMax && chars <= charsMax) break;
      drop(oldest);
    }
  }

  function drop(key: string): void {
    chars -= entries.get(key)?.chars ?? 0;
    entries.delete(key);
  }
}

function charsOf(output: Output): number {
  return JSON.stringify(output).length;
}
