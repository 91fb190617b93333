/** Time. The only way to know or wait for it outside the engine, where time arrives inside events. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `wake` once, at `atMs` or soon after (any distance is allowed); the result cancels it. Where the clock is set
   * back meanwhile, it wakes before `atMs`: as much time has passed as was left. Who waits looks at `now` again.
   */
  alarm(atMs: number, wake: () => void): () => void;
}
