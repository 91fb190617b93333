import type { AttemptResult } from '../engine/run/attempt-result.ts';
import type { CallEffect } from '../engine/run/effect.ts';
import type { RunEvent } from '../engine/run/event.ts';

/** What a call came to. */
export type CallResult =
  | AttemptResult
  /** A look at those asked by a question has ended. */
  | ({ readonly kind: 'checked' } & Pick<Checked, 'missing' | 'place'>);

type Checked = Extract<RunEvent, { type: 'question.checked' }>;

/** What is carried out here; runs of lanes are not. */
export type PerformedEffect = Exclude<CallEffect, { kind: 'lane' }>;

/**
 * Carries out one kind of call. One file each under `effects/`.
 * @param leaving to be waited for before anything leaves that must not happen twice: when the process ends from then on, the
 * outcome of the call is not known
 */
export type CallHandler<E extends PerformedEffect> = (
  run: string,
  effect: E,
  signal: AbortSignal,
  leaving: () => Promise<void>,
) => Promise<CallResult>;

/** One handler for every kind of call: a new kind does not compile without one. */
export type CallHandlers = {
  readonly [K in PerformedEffect['kind']]: CallHandler<Extract<PerformedEffect, { kind: K }>>;
};
