import type { Plan, PlanStep } from '../engine/flow/plan.ts';
import { planRetry } from '../engine/run/retry.ts';
import type { RunState } from '../engine/run/state.ts';

/** What a retry would do, for people: names of steps, and what may happen a second time, in sentences. */
export interface RetryTold {
  readonly keeps: string[];
  readonly runs: string[];
  readonly effects: string[];
}

/** Tells it, or why a run can't be retried. @param from id of the step from which it runs again */
export function retryTold(
  plan: Plan,
  state: RunState,
  from?: string,
): RetryTold | { readonly refused: string } {
  const retry = planRetry(plan, state, from);
  if ('refused' in retry) return retry;
  const begun = [...plan.steps.values()].filter(
    (step) => retry.again.includes(step.name) && hasBegun(state, step),
  );
  return {
    keeps: [...retry.kept],
    runs: [...retry.again],
    effects: begun.flatMap((step) => effectOf(step, retry.anew.includes(step.id))),
  };
}

function hasBegun({ steps }: RunState, { id }: PlanStep): boolean {
  const status = steps[id]?.status;
  return status !== undefined && status !== 'pending' && status !== 'ready' && status !== 'skipped';
}

/** What a step does to the world around it, by type; others do nothing to it. */
const EFFECTS: Readonly<Record<string, string>> = {
  agent: 'asks its agent again',
  llm: 'asks its model again',
  decision: 'asks its model again',
  http: 'sends its request again',
  approval: 'asks people again',
  script: 'runs its program again',
  tool: 'calls its tool again',
};

function effectOf({ type, name }: PlanStep, isAnew: boolean): readonly string[] {
  if (type === 'message') return isAnew ? [`“${name}” posts again.`] : [];
  if (type === 'flow' || type === 'map') {
    return [isAnew ? `“${name}” starts its runs again.` : `“${name}” goes on with the runs that it started.`];
  }
  const effect = EFFECTS[type];
  return effect === undefined ? [] : [`“${name}” ${effect}.`];
}
