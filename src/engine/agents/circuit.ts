/** Failures in a row that open it. */
const FAILURES_MAX = 5;
const FIRST_PAUSE_MS = 30_000;
const LAST_PAUSE_MS = 300_000;

/**
 * Whether a provider is asked at all: closed while it answers, open for a while after it has failed several times in a row,
 * then one turn looks whether it is back. https://martinfowler.com/bliki/CircuitBreaker.html
 */
export interface Circuit {
  /** In a row. */
  readonly failures: number;
  /** Open until then, epoch ms; absent = closed. */
  readonly openUntilMs?: number;
  /** How often it was open in a row. */
  readonly pauses: number;
  /** A turn looks whether the provider is back. */
  readonly isProbing: boolean;
}

/** Of a provider that nothing is known of. */
export const CLOSED: Circuit = { failures: 0, pauses: 0, isProbing: false };

/** Whether a turn may be sent now; after a pause only one at a time. */
export function maySend({ openUntilMs, isProbing }: Circuit, nowMs: number): boolean {
  return openUntilMs === undefined || (nowMs >= openUntilMs && !isProbing);
}

/** A turn is sent. */
export function sending(circuit: Circuit): Circuit {
  return circuit.openUntilMs === undefined ? circuit : { ...circuit, isProbing: true };
}

/** A turn has ended, and tells nothing about the provider: it was called off. */
export function calledOff(circuit: Circuit): Circuit {
  return { ...circuit, isProbing: false };
}

/** It could not answer. */
export function failedOnce({ failures, pauses, openUntilMs }: Circuit, nowMs: number): Circuit {
  const isOpen = openUntilMs !== undefined;
  if (!isOpen && failures + 1 < FAILURES_MAX) return { failures: failures + 1, pauses, isProbing: false };
  const pauseMs = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pauses);
  return { failures: failures + 1, pauses: pauses + 1, openUntilMs: nowMs + pauseMs, isProbing: false };
}
