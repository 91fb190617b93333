/** How fast something may be done. */
export interface Rate {
  /** Done at once after a rest, at most. */
  readonly burst: number;
  /** In the long run. */
  readonly perMinute: number;
  /** Kept for what matters: what only shows progress leaves so much of the burst alone. */
  readonly reserve: number;
}

/** Decides whether something may be done now. Nothing waits in it: who is told to wait comes again with what is newest then. */
export interface Pace {
  /** 0 = now, and it counts as done; else how long to wait, in milliseconds. */
  take(key: string, nowMs: number, matters: boolean): number;
  /** The platform asks to leave this alone for so long. */
  hold(key: string, nowMs: number, forMs: number): void;
}

interface Bucket {
  left: number;
  atMs: number;
  /** Left alone from then on, for so long. */
  held: { readonly fromMs: number; readonly forMs: number };
  /** The last time that somebody was told to come again, so that not all come at once; of those that matter apart. */
  readonly promisedMs: { matters: number; progress: number };
}

/** Longest wait that is told, in milliseconds: what shows progress may be overtaken by what matters meanwhile. */
const longestMs = { matters: 60_000, progress: 5_000 };

/** A bucket for each key that fills up again as time passes. */
export function createPace({ burst, perMinute, reserve }: Rate): Pace {
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, Bucket>();

  function bucketOf(key: string, nowMs: number): Bucket {
    const known = buckets.get(key);
    if (!known) {
      forgetFull(nowMs);
      const made = {
        left: burst,
        atMs: nowMs,
        held: { fromMs: 0, forMs: 0 },
        promisedMs: { matters: 0, progress: 0 },
      };
      buckets.set(key, made);
      return made;
    }
    // A clock that was set back must not take anything away.
    known.left = Math.min(burst, known.left + Math.max(0, nowMs - known.atMs) * perMs);
    known.atMs = nowMs;
    return known;
  }

  function forgetFull(nowMs: number): void {
    for (const [key, { left, atMs, held }] of buckets) {
      if (restOf(held, nowMs) === 0 && left + (nowMs - atMs) * perMs >= burst) buckets.delete(key);
    }
  }

  return {
    take(key, nowMs, matters) {
      const bucket = bucketOf(key, nowMs);
      const heldMs = restOf(bucket.held, nowMs);
      if (heldMs > 0) return heldMs;
      const wanted = matters ? 1 : 1 + reserve;
      if (bucket.left < wanted) {
        const line = matters ? 'matters' : 'progress';
        const soonest = nowMs + (wanted - bucket.left) / perMs;
        const turn = Math.max(soonest, bucket.promisedMs[line] + 1 / perMs);
        bucket.promisedMs[line] = Math.min(turn, nowMs + longestMs[line]);
        return Math.ceil(bucket.promisedMs[line] - nowMs);
      }
      bucket.left -= 1;
      return 0;
    },
    hold(key, nowMs, forMs) {
      bucketOf(key, nowMs).held = { fromMs: nowMs, forMs };
    },
  };
}

/** How long a hold still lasts; when the clock was set back it is over. */
function restOf({ fromMs, forMs }: Bucket['held'], nowMs: number): number {
  return nowMs < fromMs ? 0 : Math.max(0, fromMs + forMs - nowMs);
}
