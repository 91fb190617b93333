import { checkInput } from '../data/input.ts';
import { following, reach, sortSteps } from '../flow/graph.ts';
import type { Plan, PlanStep } from '../flow/plan.ts';
import { needsEdge } from '../steps/approval-exits.ts';
import { holds } from './edges.ts';
import type { Inheritance } from './event.ts';
import { editsItsPost, messagePost } from './message-post.ts';
import { own } from './record.ts';
import { isFinal, type RunState } from './state.ts';

/** What a retry of a run would do. */
export interface RetryPlan {
  /** Names of steps whose results are kept. */
  readonly kept: readonly string[];
  /** Names of steps that run again, or for the first time. */
  readonly again: readonly string[];
  readonly inherits: Omit<Inheritance, 'posts' | 'lanes'>;
  /** Ids of steps that had finished and run again all the same: nothing that they made goes on. */
  readonly anew: readonly string[];
  /** Message steps whose post goes on, if it has begun: unfinished ones, and those that edit it in a later round. */
  readonly posts: readonly { readonly step: string; readonly post: string }[];
}

type Finished = Inheritance['done'][string];

/**
 * Why a run can't be retried, or what a retry would do. Finished results are kept; a finished run never changes.
 * @param from id of a step that runs again with all that follows it, whether it had finished or not
 */
export function planRetry(
  plan: Plan,
  run: RunState,
  from?: string,
): RetryPlan | { readonly refused: string } {
  if (!isFinal(run.status)) return { refused: 'This run has not ended yet.' };
  if (from !== undefined && !plan.steps.has(from)) {
    return {
      refused: `This run has no step ${from.slice(0, 60)}: it has ${[...plan.steps.keys()].join(', ')}.`,
    };
  }
  if (run.status === 'succeeded' && from === undefined)
    return { refused: 'This run has succeeded: there is nothing to retry.' };
  const forward = plan.edges.filter((edge) => !edge.sendBack);
  const wanted = from === undefined ? [] : [...reach([from], following(plan.steps.keys(), forward))];
  const { kept, again } = sortOut(plan, run, new Set(wanted));
  if (again.size === 0)
    return { refused: 'Every step of this run has finished: a retry would change nothing.' };
  const steps = [...plan.steps.values()];
  const rerun = steps.filter((step) => again.has(step.id));
  const anew = wanted.filter((id) => again.has(id) && run.steps[id]?.status === 'done');
  return {
    kept: steps.filter((step) => kept.has(step.id)).map((step) => step.name),
    again: rerun.map((step) => step.name),
    inherits: { run: run.id, done: Object.fromEntries(kept) },
    anew,
    posts: steps
      .filter((step) => step.type === 'message' && (again.has(step.id) || editsItsPost(step)))
      .filter((step) => !anew.includes(step.id) || editsItsPost(step))
      .map((step) => ({ step: step.id, post: messagePost(run, step, run.steps[step.id]?.round ?? 1) })),
  };
}

/**
 * The same on the version of the flow that is in force now. Refused where what has finished does not fit it: a result is
 * taken over only by the same step, behind the same steps.
 */
export function planRetryOn(
  current: Plan,
  plan: Plan,
  run: RunState,
  from?: string,
): RetryPlan | { readonly refused: string } {
  const retry = planRetry(plan, run, from);
  if ('refused' in retry) return retry;
  const done = stillCovered(current, retry.inherits.done);
  for (const id of Object.keys(done)) {
    const why = misfit(current, plan, id, done);
    if (why !== undefined) return { refused: why };
  }
  const input = current.input && checkInput(current.input, run.start.input);
  if (input && !input.ok) {
    const [first] = input.problems;
    return { refused: `the input does not fit it: ${first?.message ?? 'it is another one'}.` };
  }
  const steps = [...current.steps.values()];
  return {
    ...retry,
    inherits: { ...retry.inherits, done },
    kept: steps.filter(({ id }) => Object.hasOwn(done, id)).map(({ name }) => name),
    again: steps.filter(({ id }) => !Object.hasOwn(done, id)).map(({ name }) => name),
    posts: retry.posts.filter(({ step }) => current.steps.get(step)?.type === 'message'),
  };
}

/** What another version takes over: without the approvals of what it may make anew, also by steps that were skipped before. */
function stillCovered(current: Plan, done: Inheritance['done']): Inheritance['done'] {
  const kept = new Map(Object.entries(done));
  const ids = [...current.steps.keys()];
  const again = new Set(ids.filter((id) => !kept.has(id)));
  const forward = current.edges.filter((edge) => !edge.sendBack);
  // What comes before an approval is sorted out before it.
  for (const id of sortSteps(ids, forward).order) {
    const step = current.steps.get(id);
    if (!step || !kept.has(id) || !asksAnew(step, again)) continue;
    kept.delete(id);
    again.add(id);
  }
  return Object.fromEntries(kept);
}

/** Why the result of a step can't be taken over by another version. */
function misfit(current: Plan, plan: Plan, id: string, done: Inheritance['done']): string | undefined {
  const before = plan.steps.get(id);
  const now = current.steps.get(id);
  const name = before?.name ?? id;
  if (!before || !now) return `“${name}” has finished, and there is no such step any more.`;
  if (now.type !== before.type || JSON.stringify(now.config) !== JSON.stringify(before.config))
    return `“${name}” has finished, and does something else now.`;
  const sources = (of: Plan, step: PlanStep) => step.incoming.flatMap((at) => of.edges[at]?.from ?? []);
  const known = sources(plan, before);
  const newcomer = sources(current, now).find((from) => !known.includes(from) && !Object.hasOwn(done, from));
  if (newcomer === undefined) return undefined;
  return `“${name}” has finished, and “${current.steps.get(newcomer)?.name ?? newcomer}” comes before it now.`;
}

/** Which steps keep their result and which run again. Those that would only be skipped again are neither. */
function sortOut(
  plan: Plan,
  run: RunState,
  wanted: ReadonlySet<string>,
): { readonly kept: ReadonlyMap<string, Finished>; readonly again: ReadonlySet<string> } {
  const kept = new Map<string, Finished>();
  const again = new Set<string>();
  const forward = plan.edges.filter((edge) => !edge.sendBack);
  // What comes before a step is sorted out before it.
  for (const id of sortSteps([...plan.steps.keys()], forward).order) {
    const step = plan.steps.get(id);
    const state = run.steps[id];
    if (!step || !state) continue;
    const result = finished(plan, run, step);
    const isNew = step.incoming.some((at) => again.has(plan.edges[at]?.from ?? ''));
    if (result && !wanted.has(id) && !asksAnew(step, again)) kept.set(id, result);
    else if (isNew || state.status !== 'skipped') again.add(id);
  }
  return { kept, again };
}

function finished(plan: Plan, run: RunState, step: PlanStep): Finished | undefined {
  const state = run.steps[step.id];
  switch (state?.status) {
    case 'done': {
      const { exit } = state;
      const output = own(run.outputs, step.id);
      // What led to the end of the run is what a retry is about.
      const isWanted = !needsEdge(exit) && !sendsBack(plan, run, step, exit);
      return output && isWanted ? { exit, output } : undefined;
    }
    case 'pending':
    case 'skipped':
      // Its turn did not come again, so it still has what the run before this one had made of it.
      return state.round === 1 ? own(run.start.retryOf?.done ?? {}, step.id) : undefined;
    default:
      return undefined;
  }
}

function sendsBack(plan: Plan, run: RunState, step: PlanStep, exit: string): boolean {
  return step.sendBacks.some((at) => {
    const edge = plan.edges[at];
    return edge !== undefined && holds(plan, run, edge, exit);
  });
}

/** What people have approved counts only as long as what they saw stays the same. */
function asksAnew(step: PlanStep, again: ReadonlySet<string>): boolean {
  if (step.type !== 'approval') return false;
  const read = step.stepType.references(step.config);
  return read.some(({ lookup }) => again.has(lookup[0] ?? ''));
}
