import { evaluate } from '../data/condition.ts';
import type { Plan, PlanEdge, PlanStep } from '../flow/plan.ts';
import type { Failure, Output } from '../steps/step-type.ts';
import { type Draft, isDraining, makeReady, planStep, stepState } from './draft.ts';
import { blame, stopsOnFailure } from './failures.ts';
import { scopeOf } from './scope.ts';
import { takeSendBack } from './send-back.ts';
import type { Fate, RunState } from './state.ts';
import { park, stopRun } from './stop.ts';

/** A step has left by an exit: its output is there and its edges end. */
export function finishStep(draft: Draft, id: string, exit: string, output: Output): void {
  const { round } = stepState(draft, id);
  if (isDraining(draft, id)) {
    // Its stretch is about to run again: the result stays in the journal only.
    park(draft, id);
    return;
  }
  draft.state.steps[id] = { status: 'done', round, exit };
  draft.state.outputs[id] = output;
  leave(draft, planStep(draft.plan, id), exit);
}

/** A step has failed for good: a `failed` edge takes it up, otherwise its edges are tainted. */
export function failStep(draft: Draft, id: string, attempt: number, failure: Failure): void {
  const { round } = stepState(draft, id);
  if (isDraining(draft, id)) {
    park(draft, id);
    return;
  }
  const step = planStep(draft.plan, id);
  const { message, code } = failure;
  // There before the edges are looked at: what holds for a `failed` edge may depend on it.
  draft.state.outputs[id] = { text: message, json: { error: message, code } };
  const absorbed = [...step.outgoing, ...step.sendBacks].some((at) => isTaken(draft, at, 'failed'));
  draft.state.steps[id] = { status: 'failed', round, attempt, failure, absorbed };
  if (absorbed) {
    leave(draft, step, 'failed');
    return;
  }
  delete draft.state.outputs[id];
  for (const at of step.outgoing) arrive(draft, at, 'tainted');
}

function leave(draft: Draft, step: PlanStep, exit: string): void {
  // First: what is about to run again must not be moved on, or stop the run, by the other edges.
  for (const at of step.sendBacks) if (isTaken(draft, at, exit)) takeSendBack(draft, at);
  for (const at of step.outgoing) arrive(draft, at, isTaken(draft, at, exit) ? 'live' : 'dead');
}

function isTaken({ plan, state }: Draft, position: number, exit: string): boolean {
  const edge = plan.edges[position];
  return edge !== undefined && holds(plan, state, edge, exit);
}

/** Whether an edge is taken when its source leaves by an exit. */
export function holds(plan: Plan, state: RunState, edge: PlanEdge, exit: string): boolean {
  if (edge.exit !== exit) return false;
  if (!edge.when) return true;
  const scope = scopeOf(plan, state);
  return evaluate(edge.when, (step, path) => scope.lookup([step, ...path])).holds;
}

function arrive(draft: Draft, position: number, fate: Fate): void {
  const edge = draft.plan.edges[position];
  if (!edge || draft.state.fates[position]) return;
  draft.state.fates[position] = fate;
  const step = planStep(draft.plan, edge.to);
  if (fate === 'tainted' && stopsOnFailure(step)) {
    stopRun(draft, { status: 'failed', reason: blame(draft, edge.from) });
  }
  const target = stepState(draft, step.id);
  // In a stretch about to run again the counts are made anew from the fates.
  if (target.status !== 'pending' || isDraining(draft, step.id)) return;
  const counted = { ...target, [fate]: target[fate] + 1 };
  draft.state.steps[step.id] = counted;
  if (counted.live + counted.dead + counted.tainted === step.incoming.length) decide(draft, step);
}

function decide(draft: Draft, step: PlanStep): void {
  const state = stepState(draft, step.id);
  if (state.status !== 'pending' || draft.state.stopping) return;
  const { live, tainted, round } = state;
  if (runs(step, live, tainted)) {
    makeReady(draft, step.id, round, 1);
    return;
  }
  draft.state.steps[step.id] = { status: 'skipped', round, tainted: tainted > 0 };
  for (const at of step.outgoing) arrive(draft, at, tainted > 0 ? 'tainted' : 'dead');
}

function runs(step: PlanStep, live: number, tainted: number): boolean {
  // A Join that goes on after failures says itself what it makes of them.
  if (step.type === 'join') return live > 0 || tainted > 0;
  return step.runWhen === 'all' ? live === step.incoming.length : live > 0;
}
