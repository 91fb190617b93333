import { resolveData } from '../data/data-template.ts';
import { isJsonObject } from '../json.ts';
import { asText } from '../prose.ts';
import type { Output } from '../steps/step-type.ts';
import { isHeld } from './budget.ts';
import { dropTimeMarks, setTimeMarks } from './budget-time.ts';
import { failureNotice, runCard } from './cards.ts';
import { abandon, type Draft, planStep, setTimer, showCard } from './draft.ts';
import { firstFailure } from './failures.ts';
import { own } from './record.ts';
import { scopeOf } from './scope.ts';
import { isFinal, type RunState, type RunStatus, type StepState } from './state.ts';

type Ended = Extract<RunStatus, 'succeeded' | 'failed' | 'rejected' | 'cancelled'>;

/** Works out where the run is now, ends it when nothing is left to do, and keeps its time and its card. */
export function settle(draft: Draft): void {
  const { state, plan } = draft;
  const active = activeSteps(draft);
  const status = currentStatus(state, active);
  if (status === undefined) endRun(draft);
  else state.status = status;
  keepTime(draft, active.length > 0);
  if (!state.start.home || isQuiet(draft)) return;
  showCard(draft, runPost(state.id), runCard(plan, state));
  if (state.status === 'failed' || state.status === 'rejected') {
    showCard(draft, noticePost(state.id), failureNotice(plan, state));
  }
}

/** Nobody began it, and it wants nothing of anybody: its card would stand beside each digest. */
function isQuiet({ plan, state: { start, questions, status } }: Draft): boolean {
  // The card of the run whose step started it says where it is.
  if (start.parent) return true;
  const wentWrong = isFinal(status) && status !== 'succeeded';
  return (
    (start.schedule !== undefined || start.request !== undefined) &&
    start.person === undefined &&
    !wentWrong &&
    Object.keys(questions).length === 0 &&
    // What runs of its lanes ask stands under its card.
    ![...plan.steps.values()].some(({ stepType, config }) => stepType.uses?.(config) !== undefined)
  );
}

/** Steps that move on without people. */
function activeSteps(draft: Draft): readonly StepState[] {
  const isHeldUp = draft.state.budget?.question !== undefined;
  return Object.entries(draft.state.steps)
    .filter(
      ([id, step]) =>
        !(
          isHeldUp &&
          (step.status === 'ready' || step.status === 'nested') &&
          isHeld(draft, planStep(draft.plan, id))
        ),
    )
    .map(([, step]) => step)
    .filter(isActive);
}

/** Undefined: everything has ended. */
function currentStatus(state: RunState, active: readonly StepState[]): RunStatus | undefined {
  if (state.status === 'queued' && !state.stopping) return 'queued';
  const steps = Object.values(state.steps);
  const asks = steps.filter((step) => step.status === 'asking');
  const lanes = steps.flatMap((step) => (step.status === 'nested' ? Object.values(step.open) : []));
  if (asks.some((step) => state.questions[step.question]?.kind === 'unknown')) return 'attention';
  if (lanes.some(({ status }) => status === 'attention')) return 'attention';
  if (active.some((step) => step.status !== 'sleeping')) return 'running';
  const waits = asks.length + lanes.length + active.length > 0 || state.budget?.question !== undefined;
  return waits ? 'waiting' : undefined;
}

function isActive(step: StepState): boolean {
  switch (step.status) {
    case 'ready':
    case 'running':
    case 'retrying':
    case 'sleeping':
      return true;
    case 'nested':
      // With none open the next one is to begin.
      return (
        Object.keys(step.open).length === 0 ||
        Object.values(step.open).some(({ status }) => status === 'running' || status === 'queued')
      );
    case 'pending':
    case 'asking':
    case 'done':
    case 'failed':
    case 'skipped':
      return false;
  }
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
    if (state.start.parent) state.result = resultOf(draft);
    if (output?.ok === false) end(draft, 'failed', `The flow's output failed: ${output.failure.message}`);
    else end(draft, 'succeeded');
  }
}

/**
 * What a run of a lane gives back: what the flow's `output` makes, or else what its last step left, where there is just
 * one behind which nothing follows.
 */
function resultOf({ plan, state }: Draft): Output {
  if (plan.output) {
    const value = state.output ?? null;
    return { text: asText(value), json: isJsonObject(value) ? value : { value } };
  }
  const left = [...plan.steps.values()].filter(
    ({ id, outgoing }) => outgoing.length === 0 && state.steps[id]?.status === 'done',
  );
  const [only, ...others] = left;
  return (only && others.length === 0 ? own(state.outputs, only.id) : undefined) ?? { text: '', json: {} };
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
    setTimeMarks(draft, atMs);
    if (plan.timeoutMs === undefined) return;
    setTimer(draft, runTimer(atMs), atMs + Math.max(0, plan.timeoutMs - state.spentMs));
  } else {
    if (plan.timeoutMs !== undefined) abandon(draft, runTimer(sinceMs));
    dropTimeMarks(draft, sinceMs);
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
