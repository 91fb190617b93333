import { addUsage, NO_USAGE, type Usage } from '../agents/usage.ts';
import { formatDuration } from '../data/duration.ts';
import type { Plan } from '../flow/plan.ts';
import type { Failure } from '../steps/step-type.ts';
import { takeAnswer } from './answered.ts';
import { failAttempt, finishAttempt } from './attempts.ts';
import { beginReady, beginStep } from './begin.ts';
import { hasBudgetNews, watchBudget } from './budget.ts';
import { isTimeMark } from './budget-time.ts';
import { type Draft, isDraining, keepDeadlines, makeReady, openDraft, planStep } from './draft.ts';
import { failStep, finishStep } from './edges.ts';
import type { Effect } from './effect.ts';
import type { AttemptRef, RunEvent, RunStart } from './event.ts';
import type { Happened } from './happened.ts';
import { dropLanes, endLane, goOn, moveLane, nestedStep } from './lanes.ts';
import { parkAttempt } from './parked.ts';
import { askChangedAnew, fireQuestionTimer, takeCheck } from './question-events.ts';
import { openUnknown } from './questions.ts';
import { own } from './record.ts';
import { redoDrained } from './send-back.ts';
import { runTimer, settle } from './settle.ts';
import { isFinal, type RunState, type StepState } from './state.ts';
import { abandonCall, abandonCalls, park, stopRun } from './stop.ts';

/** The next state, and what is to be done once it is durable. */
export interface Transition {
  readonly state: RunState;
  readonly effects: readonly Effect[];
  /** What became of steps. */
  readonly happened: readonly Happened[];
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
  if (isFinal(state.status)) return { state, effects: [], happened: [] };
  const draft = openDraft(plan, state, event.atMs);
  return apply(draft, event) ? finish(draft) : { state, effects: [], happened: [] };
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
    review: {},
    httpRequests: 0,
    agentSteps: 0,
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
      spend(draft, event, event.usage);
      finishAttempt(draft, event, event.output);
      return true;
    case 'step.failed':
      if (!isUnderWay(draft, event)) return false;
      spend(draft, event, event.usage);
      failAttempt(draft, event, event.failure);
      return true;
    case 'step.unknown':
      if (!isUnderWay(draft, event)) return false;
      spend(draft, event, event.usage);
      loseTrack(draft, event, event.message);
      return true;
    case 'agent.turned':
      if (!isUnderWay(draft, event)) return false;
      spend(draft, event, event.usage);
      return true;
    case 'step.parked':
      if (!isUnderWay(draft, event) || !isCallOf(draft, event)) return false;
      spend(draft, event, event.usage);
      parkAttempt(draft, event, event.why);
      return true;
    case 'lane.moved':
      return moveLane(draft, event);
    case 'lane.ended':
      return takeLaneEnd(draft, event);
    case 'timer.fired':
      return fireTimer(draft, event.timer);
    case 'question.answered':
      if (!takeAnswer(draft, event)) return false;
      if (draft.before.budget?.question === event.question) goOnWithLanes(draft);
      return true;
    case 'question.checked':
      return takeCheck(draft, event);
    case 'run.cancelled':
      abandonCalls(draft);
      stopRun(draft, { status: 'cancelled', reason: `Cancelled by ${event.by.name}.` });
      return true;
  }
}

/** What an attempt has used up counts whatever became of it. */
function spend({ state }: Draft, { step }: AttemptRef, usage: Usage | undefined): void {
  if (!usage) return;
  const before = own(state.usageOfSteps ?? {}, step) ?? NO_USAGE;
  state.usage = addUsage(state.usage ?? NO_USAGE, usage);
  state.usageOfSteps = { ...state.usageOfSteps, [step]: addUsage(before, usage) };
}

function takeLaneEnd(draft: Draft, event: Extract<RunEvent, { type: 'lane.ended' }>): boolean {
  if (!nestedStep(draft, event)) return false;
  const start = beginStep(draft, planStep(draft.plan, event.step));
  if (start.kind === 'lanes') endLane(draft, event, start);
  else failLanes(draft, event, { code: 'changed', message: 'its list is not what it was.', retry: 'never' });
  return true;
}

/** Runs of lanes that were held back begin, or never will. */
function goOnWithLanes(draft: Draft): void {
  for (const [id, state] of Object.entries(draft.state.steps)) {
    if (state.status !== 'nested' || state.begun === state.total) continue;
    const start = beginStep(draft, planStep(draft.plan, id));
    const { round, attempt } = state;
    if (start.kind === 'lanes') goOn(draft, { step: id, round, attempt }, start);
  }
}

function failLanes(draft: Draft, at: AttemptRef, failure: Failure): void {
  dropLanes(draft, at.step);
  failStep(draft, at.step, at.attempt, failure);
}

function isUnderWay(draft: Draft, at: AttemptRef): boolean {
  const step = draft.state.steps[at.step];
  return step?.status === 'running' && step.round === at.round && step.attempt === at.attempt;
}

/** The same attempt can be parked several times, and goes on with another call each time. */
function isCallOf(draft: Draft, { step, call }: Extract<RunEvent, { type: 'step.parked' }>): boolean {
  const state = draft.state.steps[step];
  return state?.status === 'running' && state.call === call;
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

/** Fails an attempt that has taken longer than its step allows. */
function overrun(draft: Draft, id: string, round: number, attempt: number): void {
  const { timeoutMs = 0 } = planStep(draft.plan, id);
  dropLanes(draft, id);
  abandonCall(draft, id);
  const message = `it took longer than its time limit of ${formatDuration(timeoutMs)}.`;
  failAttempt(draft, { step: id, round, attempt }, { code: 'timeout', message, retry: 'allowed' });
}

function fireTimer(draft: Draft, timer: string): boolean {
  // What follows from it is seen when the budget is looked at.
  if (isTimeMark(draft, timer)) return hasBudgetNews(draft);
  const { activeSinceMs } = draft.state;
  if (activeSinceMs !== undefined && timer === runTimer(activeSinceMs)) {
    abandonCalls(draft);
    stopRun(draft, { status: 'failed', reason: 'The run took longer than its time limit.' });
    return true;
  }
  for (const [id, step] of Object.entries(draft.state.steps)) {
    if ((step.status === 'nested' || step.status === 'running') && step.deadline === timer) {
      overrun(draft, id, step.round, step.attempt);
      return true;
    }
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
  watchBudget(draft);
  keepDeadlines(draft);
  settle(draft);
  return { state: draft.state, effects: draft.effects, happened: draft.happened };
}
