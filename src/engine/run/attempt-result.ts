import type { Usage } from '../agents/usage.ts';
import type { CallOutcome } from '../steps/step-type.ts';
import type { AttemptRef, RunEvent } from './event.ts';
import type { Parked } from './parked.ts';

/** What the call of an attempt came to. `parked`: it has stopped in the middle, to go on later. */
export type AttemptResult = (CallOutcome | { readonly kind: 'parked'; readonly why: Parked }) & {
  /** It is a result that was kept. */
  readonly cached?: true;
  /** What it has used up of the budget; absent = nothing. */
  readonly usage?: Usage;
};

/** What the run hears of it. @param atMs when, epoch ms */
export function resultEvent(
  { step, round, attempt, key }: AttemptRef & { readonly key: string },
  result: AttemptResult,
  atMs: number,
): RunEvent {
  const at = { atMs, step, round, attempt };
  const spent = result.usage ? { usage: result.usage } : {};
  switch (result.kind) {
    case 'done': {
      const { output, cached } = result;
      return { type: 'step.done', ...at, output, ...(cached && { cached }), ...spent };
    }
    case 'failed':
      return { type: 'step.failed', ...at, failure: result.failure, ...spent };
    case 'parked':
      return { type: 'step.parked', ...at, call: key, why: result.why, ...spent };
    case 'unknown':
      return { type: 'step.unknown', ...at, message: result.message, ...spent };
  }
}
