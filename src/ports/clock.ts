/** Time. The only way to know or wait for it outside the engine, where time arrives inside events. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `wake` once, at `atMs` or soon after (any distance is allowed); the result cancels it. */
  alarm(atMs: number, wake: () => void): () => void;
}
