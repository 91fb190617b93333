import { resolveData } from '../data/data-template.ts';
import { failureNotice, runCard } from './cards.ts';
import { abandon, type Draft, setTimer, showCard } from './draft.ts';
import { firstFailure } from './failures.ts';
import { scopeOf } from './scope.ts';
import { isFinal, type RunState, type RunStatus, type StepState } from './state.ts';

type Ended = Extract<RunStatus, 'succeeded' | 'failed' | 'rejected' | 'cancelled'>;

/** Works out where the run is now, ends it when nothing is left to do, and keeps its time and its card. */
export function settle(draft: Draft): void {
  const { state, plan } = draft;
  const steps = Object.values(state.steps);
  const status = currentStatus(state, steps);
  if (status === undefined) endRun(draft);
  else state.status = status;
  keepTime(draft, steps.some(isActive));
  if (!state.start.home || isQuiet(state)) return;
  showCard(draft, runPost(state.id), runCard(plan, state));
  if (state.status === 'failed' || state.status === 'rejected') {
    showCard(draft, noticePost(state.id), failureNotice(plan, state));
  }
}

/** Nobody began it, and it wants nothing of anybody: its card would stand beside each digest. */
function isQuiet({ start, questions, status }: Draft['state']): boolean {
  const wentWrong = isFinal(status) && status !== 'succeeded';
  return (
    (start.schedule !== undefined || start.request !== undefined) &&
    start.person === undefined &&
    !wentWrong &&
    Object.keys(questions).length === 0
  );
}

/** Undefined: everything has ended. */
function currentStatus(state: RunState, steps: readonly StepState[]): RunStatus | undefined {
  if (state.status === 'queued' && !state.stopping) return 'queued';
  const asks = steps.filter((step) => step.status === 'asking');
  if (asks.some((step) => state.questions[step.question]?.kind === 'unknown')) return 'attention';
  if (steps.some((step) => isActive(step) && step.status !== 'sleeping')) return 'running';
  return asks.length > 0 || steps.some(isActive) ? 'waiting' : undefined;
}

/** Whether a step moves on without people. */
function isActive({ status }: StepState): boolean {
  return status === 'ready' || status === 'running' || status === 'retrying' || status === 'sleeping';
}

function endRun(draft: Draft): void {
  const { state, plan } = draft;
  if (state.stopping?.status === 'cancelled' || state.stopping?.status === 'failed') {
    end(draft, state.stopping.status, state.stopping.reason);
    return;
  }
  const failure = firstFailure(draft);
  if (failure !== undefined) {
    end(draft, 'failed', failure);
  } else if (state.stopping) {
    end(draft, 'rejected', state.stopping.reason);
  } else {
    const output = plan.output && resolveData(plan.output, scopeOf(plan, state));
    if (output?.ok) state.output = output.value;
    if (output?.ok === false) end(draft, 'failed', `The flow's output failed: ${output.failure.message}`);
    else end(draft, 'succeeded');
  }
}

function end(draft: Draft, status: Ended, reason?: string): void {
  draft.state.status = status;
  draft.state.endedAtMs = draft.atMs;
  if (reason !== undefined) draft.state.reason = reason;
}

/** The run's time limit counts as long as something else than people can move the run on. */
function keepTime(draft: Draft, isActive: boolean): void {
  const { state, plan, atMs } = draft;
  const sinceMs = state.activeSinceMs;
  if (isActive === (sinceMs !== undefined)) return;
  if (sinceMs === undefined) {
    state.activeSinceMs = atMs;
    if (plan.timeoutMs === undefined) return;
    setTimer(draft, runTimer(atMs), atMs + Math.max(0, plan.timeoutMs - state.spentMs));
  } else {
    if (plan.timeoutMs !== undefined) abandon(draft, runTimer(sinceMs));
    state.spentMs += Math.max(0, atMs - sinceMs);
    delete state.activeSinceMs;
  }
}

/** Key of the timer of a run's own time limit: a new one each time the time begins to count. */
export function runTimer(activeSinceMs: number): string {
  return `run/timeout/${activeSinceMs}`;
}

/** Key of the post that tells whoever started a run that it did not succeed. */
export function noticePost(run: RunState['id']): string {
  return `end/${run}`;
}

/** Key of the post that is a run's card. */
export function runPost(run: RunState['id']): string {
  return `run/${run}`;
}
