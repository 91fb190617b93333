import type { PlanEdge } from '../flow/plan.ts';
import { type Draft, isDraining, makeReady, planStep, stepState, stretchOf } from './draft.ts';
import { failUndecided } from './edges.ts';
import { own } from './record.ts';
import { park, stopRun, supersede } from './stop.ts';

/**
 * Takes a send-back edge: what waits in its stretch is superseded at once, calls under way there finish first,
 * then the target and everything after it run again as a new round. One time too many fails the run.
 */
export function takeSendBack(draft: Draft, position: number): void {
  const edge = draft.plan.edges[position];
  if (!edge?.sendBack || draft.state.stopping) return;
  const { stretch, maxRounds } = edge.sendBack;
  const before = draft.state.sentBack[position]?.times ?? 0;
  if (before >= maxRounds) {
    stopRun(draft, { status: 'failed', reason: exhausted(draft, edge, before) });
    return;
  }
  draft.state.sentBack[position] = { times: before + 1, feedback: feedbackOf(draft, edge) };
  // A larger send-back that was taken with it runs all of this again.
  if (isDraining(draft, edge.to)) return;
  for (const id of stretch) {
    if (supersede(draft, id, 'The work was sent back.')) park(draft, id);
  }
  const others = draft.state.draining.filter((other) => !stretch.includes(draft.plan.edges[other]?.to ?? ''));
  draft.state.draining = [...others, position];
}

function exhausted(draft: Draft, { from, exit, to }: PlanEdge, times: number): string {
  const { name } = planStep(draft.plan, from);
  const often = times === 1 ? 'once' : `${times} times`;
  return `"${name}" failed: the edge ${from}.${exit} -> ${to} has sent work back ${often}, which is its limit.`;
}

function feedbackOf(draft: Draft, { from, sendBack }: PlanEdge): string {
  if (planStep(draft.plan, from).type === 'approval') return own(draft.state.feedback, from) ?? '';
  return sendBack?.feedback ? (own(draft.state.outputs, from)?.text ?? '') : '';
}

/** Starts the new round of every send-back whose stretch has come to rest; false = there is none. */
export function redoDrained(draft: Draft): boolean {
  const rested = draft.state.draining.filter((position) =>
    stretchOf(draft.plan, position).every((id) => draft.state.steps[id]?.status !== 'running'),
  );
  draft.state.draining = draft.state.draining.filter((position) => !rested.includes(position));
  for (const position of rested) redo(draft, position);
  return rested.length > 0;
}

function redo(draft: Draft, position: number): void {
  const stretch = stretchOf(draft.plan, position);
  for (const id of stretch) {
    delete draft.state.outputs[id];
    for (const out of planStep(draft.plan, id).outgoing) delete draft.state.fates[out];
  }
  for (const id of stretch) {
    const counts = { live: 0, dead: 0, tainted: 0 };
    // Outputs from outside the stretch count as arrived.
    for (const edge of planStep(draft.plan, id).incoming) {
      const fate = draft.state.fates[edge];
      if (fate) counts[fate] += 1;
    }
    draft.state.steps[id] = { status: 'pending', round: stepState(draft, id).round + 1, ...counts };
    delete draft.state.review[id];
  }
  const target = draft.plan.edges[position]?.to;
  if (target === undefined) return;
  hearReview(draft, target, stretch, draft.state.sentBack[position]?.feedback ?? '');
  const { status, round } = stepState(draft, target);
  if (status !== 'pending' || draft.state.stopping || isDraining(draft, target)) return;
  if (!failUndecided(draft, target)) makeReady(draft, target, round, 1);
}

/** The first agent step on each path of a stretch hears what the reviewer asked to change. */
function hearReview(draft: Draft, target: string, stretch: readonly string[], review: string): void {
  if (review === '') return;
  const inside = new Set(stretch);
  const open = [target];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (!inside.delete(id)) continue;
    const { type, outgoing } = planStep(draft.plan, id);
    if (type === 'agent') draft.state.review[id] = review;
    else open.push(...outgoing.flatMap((at) => draft.plan.edges[at]?.to ?? []));
  }
}
