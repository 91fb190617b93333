import { evaluateExpression } from '../data/cel-evaluate.ts';
import { evaluate } from '../data/condition.ts';
import type { Plan, PlanEdge, PlanStep } from '../flow/plan.ts';
import type { Failure, Output } from '../steps/step-type.ts';
import { type Draft, isDraining, makeReady, planStep, stepState } from './draft.ts';
import { blame, stopsOnFailure } from './failures.ts';
import { own } from './record.ts';
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
  draft.happened.push({ kind: 'done', step: id, round, exit, output });
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
  draft.happened.push({ kind: 'failed', step: id, round, attempt, failure });
  // There before the edges are looked at: what holds for a `failed` edge may depend on it.
  draft.state.outputs[id] = { text: message, json: { error: message, code } };
  const absorbed = [...step.outgoing, ...step.sendBacks].some(
    (at) => verdictOn(draft, at, 'failed').kind !== 'dead',
  );
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
  for (const at of step.sendBacks) {
    const verdict = verdictOn(draft, at, exit);
    if (verdict.kind === 'live') takeSendBack(draft, at);
    else if (verdict.kind === 'undecided') refuseSendBack(draft, at, verdict.why);
  }
  for (const at of step.outgoing) {
    const verdict = verdictOn(draft, at, exit);
    // It counts as tainted; the step it leads to fails when all its edges have ended.
    if (verdict.kind === 'undecided') endEdge(draft, at, 'tainted');
    else arrive(draft, at, verdict.kind);
  }
}

/** What becomes of an edge when its source leaves by an exit; `undecided`: its expression can't be worked out. */
type Verdict = { readonly kind: 'live' | 'dead' } | { readonly kind: 'undecided'; readonly why: string };

const dead: Verdict = { kind: 'dead' };
const live: Verdict = { kind: 'live' };

function verdictOn({ plan, state }: Draft, position: number, exit: string): Verdict {
  const edge = plan.edges[position];
  return edge ? judge(plan, state, edge, exit) : dead;
}

function judge(plan: Plan, state: RunState, edge: PlanEdge, exit: string): Verdict {
  if (edge.exit !== exit) return dead;
  if (edge.chosen && !isPicked(state, edge)) return dead;
  const { when } = edge;
  if (!when) return live;
  const scope = scopeOf(plan, state);
  if ('tree' in when) {
    const decision = evaluateExpression(when, scope.lookup);
    if (!decision.ok) return { kind: 'undecided', why: undecided(edge, decision.why) };
    return decision.holds ? live : dead;
  }
  return evaluate(when, (step, path) => scope.lookup([step, ...path])).holds ? live : dead;
}

/** The pick of an agent stands in a field of its own; nothing else that it says counts. */
function isPicked(state: RunState, { from, to }: PlanEdge): boolean {
  const choice = own(state.outputs, from)?.json.choice;
  return Array.isArray(choice) && choice.includes(to);
}

function undecided({ from, exit, to }: PlanEdge, why: string): string {
  return `the condition of the edge ${from}.${exit} -> ${to} can't be worked out: ${why}.`;
}

/** Whether an edge is taken, or can't be told to be, when its source leaves by an exit. */
export function holds(plan: Plan, state: RunState, edge: PlanEdge, exit: string): boolean {
  return judge(plan, state, edge, exit).kind !== 'dead';
}

/**
 * Fails a step that an undecided edge leads to, whatever its other edges say: it might have had to be left out. Not
 * before they have ended: what may follow from its failure must not come early either.
 */
export function failUndecided(draft: Draft, id: string): boolean {
  const position = planStep(draft.plan, id).incoming.find((at) => isUndecided(draft, at));
  const edge = position === undefined ? undefined : draft.plan.edges[position];
  if (!edge) return false;
  const verdict = judge(draft.plan, draft.state, edge, edge.exit);
  const message = verdict.kind === 'undecided' ? verdict.why : undecided(edge, 'its values have changed');
  failStep(draft, id, 1, { code: 'edge-undecided', message, retry: 'never' });
  return true;
}

/** Only an undecided edge is tainted although its source has left by an exit. */
function isUndecided({ plan, state }: Draft, position: number): boolean {
  const source = state.steps[plan.edges[position]?.from ?? ''];
  const hasLeft = source?.status === 'done' || (source?.status === 'failed' && source.absorbed);
  return state.fates[position] === 'tainted' && hasLeft;
}

/**
 * A send-back that can't be decided fails the run in the name of the step it leads to: that step is done, and to go on as
 * if the work were good would be a guess.
 */
function refuseSendBack(draft: Draft, position: number, why: string): void {
  const to = draft.plan.edges[position]?.to;
  if (to === undefined) return;
  stopRun(draft, { status: 'failed', reason: `"${planStep(draft.plan, to).name}" failed: ${why}` });
}

function arrive(draft: Draft, position: number, fate: Fate): void {
  const edge = draft.plan.edges[position];
  if (!edge || draft.state.fates[position]) return;
  if (fate === 'tainted' && stopsOnFailure(planStep(draft.plan, edge.to))) {
    stopRun(draft, { status: 'failed', reason: blame(draft, edge.from) });
  }
  endEdge(draft, position, fate);
}

function endEdge(draft: Draft, position: number, fate: Fate): void {
  const edge = draft.plan.edges[position];
  if (!edge || draft.state.fates[position]) return;
  draft.state.fates[position] = fate;
  const step = planStep(draft.plan, edge.to);
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
  if (failUndecided(draft, step.id)) return;
  const { live, tainted, round } = state;
  if (runs(step, live, tainted)) {
    makeReady(draft, step.id, round, 1);
    return;
  }
  draft.state.steps[step.id] = { status: 'skipped', round, tainted: tainted > 0 };
  draft.happened.push({ kind: 'skipped', step: step.id, round, tainted: tainted > 0 });
  for (const at of step.outgoing) arrive(draft, at, tainted > 0 ? 'tainted' : 'dead');
}

function runs(step: PlanStep, live: number, tainted: number): boolean {
  // A Join that goes on after failures says itself what it makes of them.
  if (step.type === 'join') return live > 0 || tainted > 0;
  return step.runWhen === 'all' ? live === step.incoming.length : live > 0;
}
