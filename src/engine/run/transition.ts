import type { Plan, PlanStep } from '../flow/plan.ts';
import { RETRY_AFTER_MAX_MS } from '../limits.ts';
import { stepTypes } from '../steps/registry.ts';
import type { Failure, Output } from '../steps/step-type.ts';
import { takeAnswer } from './answered.ts';
import { beginReady } from './begin.ts';
import { type Draft, isDraining, makeReady, openDraft, planStep, setTimer } from './draft.ts';
import { failStep, finishStep } from './edges.ts';
import type { Effect } from './effect.ts';
import type { AttemptRef, RunEvent, RunStart } from './event.ts';
import { askChangedAnew, fireQuestionTimer, takeCheck } from './question-events.ts';
import { openUnknown } from './questions.ts';
import { redoDrained } from './send-back.ts';
import { runTimer, settle } from './settle.ts';
import { isFinal, type RunState, type StepState } from './state.ts';
import { abandonCalls, park, stopRun } from './stop.ts';

/** The next state, and what is to be done once it is durable. */
export interface Transition {
  readonly state: RunState;
  readonly effects: readonly Effect[];
}

/**
 * Begins a run: all steps pending but the roots, which start, unless it is queued.
 * @param event the journal's first event.
 */
export function begin(
  plan: Plan,
  runId: string,
  event: Extract<RunEvent, { type: 'run.started' }>,
): Transition {
  const draft = openDraft(plan, emptyRun(plan, runId, event.start, event.atMs), event.atMs);
  if (!event.queued) startRoots(draft);
  return finish(draft);
}

function startRoots(draft: Draft): void {
  draft.state.status = 'running';
  for (const root of draft.plan.roots) makeReady(draft, root, 1, 1);
}

/**
 * Moves a run: what happened goes in, the next state and the effects come out. Pure: the same plan, state and
 * event always give the same result, so that the journal alone can rebuild the run. An event that does not fit
 * the state any more (a late result, a second answer) changes nothing and gives back the very same state.
 */
export function transition(plan: Plan, state: RunState, event: RunEvent): Transition {
  if (isFinal(state.status)) return { state, effects: [] };
  const draft = openDraft(plan, state, event.atMs);
  return apply(draft, event) ? finish(draft) : { state, effects: [] };
}

/** Rebuilds a run from its journal. */
export function fold(plan: Plan, runId: string, journal: readonly RunEvent[]): RunState {
  const [first, ...rest] = journal;
  if (first?.type !== 'run.started') throw new Error(`The journal of run ${runId} has no beginning.`);
  let { state } = begin(plan, runId, first);
  for (const event of rest) ({ state } = transition(plan, state, event));
  return state;
}

function emptyRun(plan: Plan, id: string, start: RunStart, atMs: number): RunState {
  const steps: Record<string, StepState> = {};
  for (const step of plan.steps.keys()) {
    steps[step] = { status: 'pending', round: 1, live: 0, dead: 0, tainted: 0 };
  }
  return {
    id,
    status: 'queued',
    start,
    startedAtMs: atMs,
    steps,
    fates: {},
    outputs: {},
    feedback: {},
    sentBack: {},
    draining: [],
    questions: {},
    httpRequests: 0,
    spentMs: 0,
  };
}

/** Applies what happened; false = it does not fit any more. */
function apply(draft: Draft, event: RunEvent): boolean {
  switch (event.type) {
    case 'run.started':
      return false;
    case 'run.admitted':
      if (draft.state.status !== 'queued') return false;
      startRoots(draft);
      return true;
    case 'step.done':
      if (!isUnderWay(draft, event)) return false;
      finishStep(draft, event.step, exitOf(planStep(draft.plan, event.step), event.output), event.output);
      return true;
    case 'step.failed':
      if (!isUnderWay(draft, event)) return false;
      failAttempt(draft, event, event.failure);
      return true;
    case 'step.unknown':
      if (!isUnderWay(draft, event)) return false;
      loseTrack(draft, event, event.message);
      return true;
    case 'timer.fired':
      return fireTimer(draft, event.timer);
    case 'question.answered':
      return takeAnswer(draft, event);
    case 'question.checked':
      return takeCheck(draft, event);
    case 'run.cancelled':
      abandonCalls(draft);
      stopRun(draft, { status: 'cancelled', reason: `Cancelled by ${event.by.name}.` });
      return true;
  }
}

/** The exit by which a step leaves whose call is done. */
function exitOf({ type, config }: PlanStep, output: Output): string {
  return stepTypes.get(type)?.exitOf?.(config, output) ?? 'done';
}

function isUnderWay(draft: Draft, at: AttemptRef): boolean {
  const step = draft.state.steps[at.step];
  return step?.status === 'running' && step.round === at.round && step.attempt === at.attempt;
}

function failAttempt(draft: Draft, at: AttemptRef, failure: Failure): void {
  const step = planStep(draft.plan, at.step);
  const mayRetry = failure.retry === 'allowed' && at.attempt < step.attempts;
  if (!mayRetry || draft.state.stopping || isDraining(draft, at.step)) {
    failStep(draft, at.step, at.attempt, failure);
    return;
  }
  const timer = `${at.step}/${at.round}/${at.attempt}/retry`;
  const dueMs = draft.atMs + retryAfterMs(step.firstRetryAfterMs, at.attempt);
  const { round, attempt } = at;
  draft.state.steps[at.step] = { status: 'retrying', round, attempt, timer, dueMs, failure };
  setTimer(draft, timer, dueMs);
}

/** Wait after the given attempt: the first wait, doubled each time, up to a minute. */
export function retryAfterMs(firstMs: number, attempt: number): number {
  return Math.min(RETRY_AFTER_MAX_MS, firstMs * 2 ** (attempt - 1));
}

function loseTrack(draft: Draft, at: AttemptRef, message: string): void {
  if (isDraining(draft, at.step)) {
    park(draft, at.step);
  } else if (draft.state.stopping) {
    failStep(draft, at.step, at.attempt, { code: 'unknown-outcome', message, retry: 'never' });
  } else {
    openUnknown(draft, at, message);
  }
}

function fireTimer(draft: Draft, timer: string): boolean {
  const { activeSinceMs } = draft.state;
  if (activeSinceMs !== undefined && timer === runTimer(activeSinceMs)) {
    abandonCalls(draft);
    stopRun(draft, { status: 'failed', reason: 'The run took longer than its time limit.' });
    return true;
  }
  for (const [id, step] of Object.entries(draft.state.steps)) {
    if (step.status === 'retrying' && step.timer === timer) {
      makeReady(draft, id, step.round, step.attempt + 1);
      return true;
    }
    if (step.status === 'sleeping' && step.timer === timer) {
      const until = new Date(step.untilMs).toISOString();
      finishStep(draft, id, 'done', { text: until, json: { until } });
      return true;
    }
  }
  return fireQuestionTimer(draft, timer);
}

/** Lets everything happen that follows at once, then settles where the run is. */
function finish(draft: Draft): Transition {
  do beginReady(draft);
  while (redoDrained(draft));
  askChangedAnew(draft);
  settle(draft);
  return { state: draft.state, effects: draft.effects };
}
