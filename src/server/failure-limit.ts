/** Counts failures by key, and closes a key that had too many. In memory: a restart forgets. */
export interface FailureLimit {
  /** How long the key stays closed, in milliseconds; 0 = it is open. */
  closedForMs(key: string): number;
  /** Whether the key is closed by this one. */
  failed(key: string): boolean;
}

/** Most failures of a key in a minute. */
const failuresMax = 60;
const minuteMs = 60_000;
/** Most keys that are remembered: the oldest is forgotten first. */
const keysMax = 10_000;

interface Count {
  readonly sinceMs: number;
  readonly failures: number;
}

/** Makes the limit: after 60 failures within a minute a key is closed for a minute. @param now epoch ms */
export function createFailureLimit(now: () => number): FailureLimit {
  const counts = new Map<string, Count>();
  const closedUntil = new Map<string, number>();

  function set<T>(map: Map<string, T>, key: string, value: T): void {
    map.delete(key);
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > keysMax && oldest !== undefined) map.delete(oldest);
  }

  return {
    closedForMs(key) {
      const leftMs = (closedUntil.get(key) ?? 0) - now();
      // A clock that was set back closes nothing for longer.
      if (leftMs > 0 && leftMs <= minuteMs) return leftMs;
      closedUntil.delete(key);
      return 0;
    },
    failed(key) {
      const nowMs = now();
      const count = counts.get(key);
      const isSame = count !== undefined && nowMs >= count.sinceMs && nowMs - count.sinceMs < minuteMs;
      const failures = (isSame ? count.failures : 0) + 1;
      if (failures < failuresMax) {
        set(counts, key, { sinceMs: isSame ? count.sinceMs : nowMs, failures });
        return false;
      }
      counts.delete(key);
      set(closedUntil, key, nowMs + minuteMs);
      return true;
    },
  };
}
