import { schemaProblems } from '../data/schema-problems.ts';
import type { PlanStep } from '../flow/plan.ts';
import { RETRY_AFTER_MAX_MS } from '../limits.ts';
import type { Failure, Output } from '../steps/step-type.ts';
import { type Draft, isDraining, planStep, setTimer } from './draft.ts';
import { failStep, finishStep } from './edges.ts';
import type { AttemptRef } from './event.ts';

/** An attempt has ended well; an output that does not match the schema it must match fails it all the same. */
export function finishAttempt(draft: Draft, at: AttemptRef, output: Output): void {
  const step = planStep(draft.plan, at.step);
  const mismatch = mismatchOf(draft, step, output);
  if (mismatch) failAttempt(draft, at, mismatch);
  else finishStep(draft, at.step, step.stepType.exitOf?.(step.config, output) ?? 'done', output);
}

function mismatchOf(
  { plan }: Draft,
  { stepType, config, choose }: PlanStep,
  output: Output,
): Failure | undefined {
  const name = stepType.writes?.(config);
  const schema = name === undefined ? undefined : plan.schemas.get(name);
  if (!schema) return undefined;
  const chooses = choose !== undefined;
  const problems = schemaProblems(schema, stepType.written?.({ output, config, chooses }) ?? output.json);
  if (problems.length === 0) return undefined;
  const message = `The output does not match the schema ${name}: ${problems.join('; ')}.`;
  return { code: 'schema-mismatch', message, retry: 'allowed', reply: output.text };
}

/** An attempt has failed: another one follows when that may help and is left. */
export function failAttempt(draft: Draft, at: AttemptRef, failure: Failure): void {
  const step = planStep(draft.plan, at.step);
  const mayRetry = failure.retry === 'allowed' && at.attempt < step.attempts;
  if (!mayRetry || draft.state.stopping || isDraining(draft, at.step)) {
    failStep(draft, at.step, at.attempt, failure);
    return;
  }
  const timer = `${at.step}/${at.round}/${at.attempt}/retry`;
  const dueMs = draft.atMs + retryAfterMs(step.firstRetryAfterMs, at.attempt);
  const { round, attempt } = at;
  // What was kept for people to look into stands in the journal.
  const { reply: _, ...told } = failure;
  draft.state.steps[at.step] = { status: 'retrying', round, attempt, timer, dueMs, failure: told };
  draft.happened.push(
    { kind: 'failed', step: at.step, round, attempt, failure },
    { kind: 'retries', step: at.step, round, attempt: attempt + 1, dueMs },
  );
  setTimer(draft, timer, dueMs);
}

/** Wait after the given attempt: the first wait, doubled each time, up to a minute. */
export function retryAfterMs(firstMs: number, attempt: number): number {
  return Math.min(RETRY_AFTER_MAX_MS, firstMs * 2 ** (attempt - 1));
}
