import type { Usage } from '../agents/usage.ts';
import type { CallOutcome } from '../steps/step-type.ts';
import type { AttemptRef, RunEvent } from './event.ts';

/** What the call of an attempt came to. */
export type AttemptResult = CallOutcome & {
  /** It is a result that was kept. */
  readonly cached?: true;
  /** What it has used up of the budget; absent = nothing. */
  readonly usage?: Usage;
};

/** What the run hears of it. @param atMs when, epoch ms */
export function resultEvent(
  { step, round, attempt }: AttemptRef,
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
    case 'unknown':
      return { type: 'step.unknown', ...at, message: result.message, ...spent };
  }
}
