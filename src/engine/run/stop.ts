import { closeBudgetQuestion } from './budget.ts';
import { abandon, type Draft } from './draft.ts';
import { dropLanes } from './lanes.ts';
import { closeQuestion } from './questions.ts';
import type { RunState } from './state.ts';

/** Ends what a step waits for (question, timer, slot), but not a call under way. True if it had anything. */
export function supersede(draft: Draft, id: string, why: string): boolean {
  const step = draft.state.steps[id];
  switch (step?.status) {
    case 'asking':
      closeQuestion(draft, step.question, { status: 'superseded', why });
      return true;
    case 'retrying':
    case 'sleeping':
      abandon(draft, step.timer);
      return true;
    case 'nested':
      dropLanes(draft, id);
      return true;
    case 'ready':
      return true;
    default:
      return false;
  }
}

/** A step that is not done, not under way and waits for nothing. */
export function park(draft: Draft, id: string): void {
  const round = draft.state.steps[id]?.round ?? 1;
  draft.state.steps[id] = { status: 'pending', round, live: 0, dead: 0, tainted: 0 };
}

type Stopping = NonNullable<RunState['stopping']>;

/** What outranks what, when a run has several reasons to stop. */
const RANKS: Readonly<Record<Stopping['status'], number>> = { rejected: 0, failed: 1, cancelled: 2 };

/** Lets nothing new start: questions and timers end now, calls under way finish and are recorded. */
export function stopRun(draft: Draft, stopping: Stopping): void {
  const before = draft.state.stopping;
  // Of two that rank the same the first reason stands.
  if (before && RANKS[before.status] >= RANKS[stopping.status]) return;
  draft.state.stopping = stopping;
  draft.state.draining = [];
  closeBudgetQuestion(draft, stopping.reason);
  for (const id of draft.plan.steps.keys()) {
    if (supersede(draft, id, stopping.reason)) park(draft, id);
  }
}

/** Lets go of calls under way: whatever they answer does not count any more. */
export function abandonCalls(draft: Draft): void {
  for (const [id, step] of Object.entries(draft.state.steps)) {
    if (step.status !== 'running') continue;
    abandonCall(draft, id);
    park(draft, id);
  }
}

/** Lets go of the call that a step has under way, if it has one. */
export function abandonCall(draft: Draft, id: string): void {
  const step = draft.state.steps[id];
  if (step?.status === 'running') abandon(draft, step.call);
}
