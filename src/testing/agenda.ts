/** What is going to happen in a test, in the order of its times. Time stands still until something makes it go by. */
export interface Agenda {
  /** Epoch ms. */
  readonly nowMs: number;
  /** Plans something; of what is due at the same time that comes first which drives, then what was planned first. */
  add(entry: {
    readonly atMs: number;
    /** Time goes by to get there. What does not drive happens only when time has come so far for another reason. */
    readonly drives: boolean;
    /** What it is dropped by. */
    readonly key?: string;
    readonly happen: () => void;
  }): void;
  /** Drops what has this key; nothing when there is none. */
  drop(key: string): void;
  /** Lets the next thing happen for which time goes by of itself. @returns false = there is none */
  step(): boolean;
  /** Lets the next thing happen that is due by then. @returns false = there is none */
  stepUntil(untilMs: number): boolean;
  /** Sets the clock forward; never back. */
  passTo(atMs: number): void;
}

interface Entry {
  readonly atMs: number;
  readonly drives: boolean;
  readonly nth: number;
  readonly key?: string;
  readonly happen: () => void;
}

/** Makes one. @param startMs epoch ms */
export function createAgenda(startMs: number): Agenda {
  /** Soonest first. */
  const entries: Entry[] = [];
  let nowMs = startMs;
  let planned = 0;

  function take(): void {
    const entry = entries.shift();
    if (!entry) return;
    nowMs = Math.max(nowMs, entry.atMs);
    entry.happen();
  }

  return {
    get nowMs() {
      return nowMs;
    },
    add(planning) {
      planned += 1;
      const entry = { ...planning, nth: planned };
      const at = entries.findLastIndex((other) => comesAfter(entry, other));
      entries.splice(at + 1, 0, entry);
    },
    drop(key) {
      const at = entries.findIndex((entry) => entry.key === key);
      if (at >= 0) entries.splice(at, 1);
    },
    step() {
      const isDriven = entries.some(({ drives }) => drives);
      if (isDriven) take();
      return isDriven;
    },
    stepUntil(untilMs) {
      const [first] = entries;
      const isDue = first !== undefined && first.atMs <= untilMs;
      if (isDue) take();
      return isDue;
    },
    passTo(atMs) {
      nowMs = Math.max(nowMs, atMs);
    },
  };
}

function comesAfter(entry: Entry, other: Entry): boolean {
  if (entry.atMs !== other.atMs) return entry.atMs > other.atMs;
  if (entry.drives !== other.drives) return other.drives;
  return entry.nth > other.nth;
}
