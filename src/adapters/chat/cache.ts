import type { Clock } from '../../ports/clock.ts';

/** What was looked up, kept for a while. Look-ups of the same key at the same time are one. */
export interface Cache<T> {
  /**
   * The value, looked up when it is not known; undefined = it is not there. When the look-up fails it is what was known
   * before, however old, unless that does not count; rejects when nothing was.
   */
  get(key: string, lookUp: () => Promise<T | undefined>): Promise<T | undefined>;
  /** The value, if it is known and fresh. */
  known(key: string): T | undefined;
  forget(key: string): void;
  clear(): void;
}

/** Most keys kept; the oldest go first. */
const keysMax = 20_000;

interface Entry<T> {
  readonly value: Promise<T | undefined>;
  settled?: T | undefined;
  /** From when until when it is fresh: a clock that is set back makes nothing younger. */
  readonly fromMs: number;
  untilMs: number;
}

/**
 * Makes a cache.
 * @param ttlMs how long a value is believed.
 * @param absentMs how long the absence of one is.
 * @param isOldGood whether what was known before counts when a look-up fails: not for what lets people do something.
 */
export function createCache<T>(clock: Clock, ttlMs: number, absentMs: number, isOldGood = true): Cache<T> {
  const entries = new Map<string, Entry<T>>();

  function fresh(key: string): Entry<T> | undefined {
    const entry = entries.get(key);
    const nowMs = clock.now();
    return entry && entry.fromMs <= nowMs && nowMs < entry.untilMs ? entry : undefined;
  }

  return {
    get(key, lookUp) {
      const known = fresh(key);
      if (known) return known.value;
      const before = isOldGood ? entries.get(key)?.settled : undefined;
      const made: Entry<T> = {
        value: lookUp().then(
          (value) => settle(value, value === undefined ? absentMs : ttlMs),
          (error: unknown) => {
            if (before !== undefined) return settle(before, absentMs);
            if (entries.get(key) === made) entries.delete(key);
            throw error;
          },
        ),
        fromMs: clock.now(),
        untilMs: Number.POSITIVE_INFINITY,
      };
      const settle = (value: T | undefined, forMs: number): T | undefined => {
        made.settled = value;
        made.untilMs = clock.now() + forMs;
        return value;
      };
      entries.delete(key);
      entries.set(key, made);
      const [oldest] = entries.keys();
      if (entries.size > keysMax && oldest !== undefined) entries.delete(oldest);
      return made.value;
    },
    known: (key) => fresh(key)?.settled,
    forget: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}
