/** Most requests in any time of that length. */
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
}

/**
 * When the next request may be sent, epoch ms: now, or when the oldest of the last ones is long enough ago.
 * @param sentMs when requests were sent, oldest first
 */
export function nextFreeMs({ requests, perMs }: RateLimit, sentMs: readonly number[], nowMs: number): number {
  const oldest = sentMs.at(-requests);
  return oldest === undefined ? nowMs : Math.max(nowMs, oldest + perMs);
}

/** Those of the requests that still matter, and one more. */
export function withSent(
  { requests }: RateLimit,
  sentMs: readonly number[],
  nowMs: number,
): readonly number[] {
  return [...sentMs, nowMs].slice(-requests);
}
