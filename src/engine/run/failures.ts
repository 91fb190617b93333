import type { PlanStep } from '../flow/plan.ts';
import type { Failure } from '../steps/step-type.ts';
import { type Draft, planStep } from './draft.ts';

/** Whether a step is a Join that fails the run as soon as one of its branches has failed. */
export function stopsOnFailure(step: PlanStep): boolean {
  return step.type === 'join' && !goesOn(step);
}

function goesOn({ config }: PlanStep): boolean {
  return (
    typeof config === 'object' && config !== null && 'onFailure' in config && config.onFailure === 'continue'
  );
}

/** How a failure reads to people. */
function failureText(step: PlanStep, failure: Failure): string {
  return `"${step.name}" failed: ${failure.message}`;
}

/** The sentence about the failure behind a step that failed, or was skipped because of a failure. */
export function blame(draft: Draft, id: string): string {
  const step = planStep(draft.plan, id);
  const state = draft.state.steps[id];
  if (state?.status === 'failed') return failureText(step, state.failure);
  const at = step.incoming.find((position) => draft.state.fates[position] === 'tainted');
  const from = at === undefined ? undefined : draft.plan.edges[at]?.from;
  if (from === undefined)
    throw new Error(`Step ${id} of run ${draft.state.id} is tainted without a failure.`);
  return blame(draft, from);
}

/** The sentence about the first failure, in the order of the flow, that nothing absorbed. */
export function firstFailure(draft: Draft): string | undefined {
  for (const [id, step] of draft.plan.steps) {
    const state = draft.state.steps[id];
    if (state?.status === 'failed' && !state.absorbed && !isSurvived(draft, step, new Set())) {
      return failureText(step, state.failure);
    }
  }
  return undefined;
}

/** Whether everything that a failed (or for that skipped) step taints ends at a Join that goes on without it. */
function isSurvived(draft: Draft, step: PlanStep, seen: Set<string>): boolean {
  if (seen.has(step.id)) return true;
  seen.add(step.id);
  if (step.outgoing.length === 0) return false;
  return step.outgoing.every((at) => {
    const edge = draft.plan.edges[at];
    if (!edge) return false;
    const target = planStep(draft.plan, edge.to);
    // Without a survivor it fails itself, and names every branch.
    if (target.type === 'join' && goesOn(target)) return true;
    const state = draft.state.steps[edge.to];
    return state?.status === 'skipped' && state.tainted && isSurvived(draft, target, seen);
  });
}
