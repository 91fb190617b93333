import type { Plan, PlanStep } from '../flow/plan.ts';
import type { Place } from '../people.ts';
import type { PostContent } from '../post.ts';
import type { CallEffect, Effect } from './effect.ts';
import type { Happened } from './happened.ts';
import type { GoesOn } from './parked.ts';
import { own } from './record.ts';
import type { Question, RunState, StepState } from './state.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The next state while a transition works it out: a private copy, one level deep, that it may write to. */
export type DraftState = Mutable<Omit<RunState, DraftRecord>> & {
  [K in DraftRecord]: Mutable<RunState[K]>;
};

type DraftRecord = 'steps' | 'fates' | 'outputs' | 'feedback' | 'sentBack' | 'questions' | 'review';

/** A transition in progress. */
export interface Draft {
  readonly plan: Plan;
  /** When the event happened. */
  readonly atMs: number;
  /** Where the run was before. */
  readonly before: RunState;
  readonly state: DraftState;
  readonly effects: Effect[];
  /** What became of steps, in order. */
  readonly happened: Happened[];
  /** Ids of steps whose turn has come, in the order it came. Those that are not ready any more are passed over. */
  readonly ready: string[];
}

/** Opens a draft on a state. The state itself stays as it is. */
export function openDraft(plan: Plan, state: RunState, atMs: number): Draft {
  return {
    plan,
    atMs,
    before: state,
    state: {
      ...state,
      steps: { ...state.steps },
      fates: { ...state.fates },
      outputs: { ...state.outputs },
      feedback: { ...state.feedback },
      sentBack: { ...state.sentBack },
      questions: { ...state.questions },
      review: { ...state.review },
    },
    effects: [],
    happened: [],
    ready: [...plan.steps.keys()].filter((id) => state.steps[id]?.status === 'ready'),
  };
}

/** A step of the plan; a plan is sound, so a missing one is our bug. */
export function planStep(plan: Plan, id: string): PlanStep {
  const step = plan.steps.get(id);
  if (!step) throw new Error(`Plan ${plan.id} has no step ${id}.`);
  return step;
}

/** Where a step of the run is. */
export function stepState(draft: Draft, id: string): StepState {
  const state = draft.state.steps[id];
  if (!state) throw new Error(`Run ${draft.state.id} has no step ${id}.`);
  return state;
}

/** Whether a step belongs to a stretch that is about to run again: then nothing in it starts or moves on. */
export function isDraining(draft: Draft, id: string): boolean {
  return draft.state.draining.some((edge) => stretchOf(draft.plan, edge).includes(id));
}

/** What a send-back edge runs again. */
export function stretchOf(plan: Plan, edge: number): readonly string[] {
  return plan.edges[edge]?.sendBack?.stretch ?? [];
}

/** Marks a step ready for its next attempt, or to go on with one that was parked. */
export function makeReady(draft: Draft, id: string, round: number, attempt: number, goesOn?: GoesOn): void {
  draft.state.steps[id] = { status: 'ready', round, attempt, ...(goesOn && { goesOn }) };
  draft.ready.push(id);
}

/** Plans a call and gives the step its slot. @param deadline key of the timer of its time limit */
export function startCall(draft: Draft, call: CallEffect, deadline?: string): void {
  const { step, round, attempt, key } = call;
  const before = draft.state.steps[step];
  const goesOn = before?.status === 'ready' ? before.goesOn : undefined;
  draft.state.steps[step] = {
    status: 'running',
    round,
    attempt,
    call: key,
    ...(deadline !== undefined && { deadline }),
    ...(goesOn && { goesOn }),
  };
  draft.effects.push(call);
}

/** Plans a timer. */
export function setTimer(draft: Draft, key: string, dueMs: number): void {
  draft.effects.push({ kind: 'timer', key, dueMs });
}

/** Sets the timers of time limits that have begun, and lets go of those of attempts that have ended. */
export function keepDeadlines(draft: Draft): void {
  for (const { id, timeoutMs = 0 } of draft.plan.steps.values()) {
    const before = own(draft.before.steps, id);
    const [was, is] = [before && deadlineOf(before), deadlineOf(stepState(draft, id))];
    if (was === is) continue;
    if (was !== undefined) abandon(draft, was);
    if (is !== undefined) setTimer(draft, is, draft.atMs + timeoutMs);
  }
}

function deadlineOf(step: StepState): string | undefined {
  return 'deadline' in step ? step.deadline : undefined;
}

/** Lets go of a call or timer. What this very transition has planned is simply not done. */
export function abandon(draft: Draft, key: string): void {
  const planned = draft.effects.findIndex(
    (effect) => effect.kind !== 'abandon' && 'key' in effect && effect.key === key,
  );
  if (planned >= 0) draft.effects.splice(planned, 1);
  else draft.effects.push({ kind: 'abandon', key });
}

/** Makes a card say something; what this transition wanted it to say before is forgotten. @param place absent = the run's home */
export function showCard(draft: Draft, post: string, content: PostContent, place?: Place): void {
  const planned = draft.effects.findIndex((effect) => effect.kind === 'card' && effect.post === post);
  if (planned >= 0) draft.effects.splice(planned, 1);
  draft.effects.push({ kind: 'card', post, content, ...(place && { place }) });
}

/** Makes a card about a question say something where it is asked; nothing before that place has been found. */
export function showAbout(draft: Draft, { to, place }: Question, post: string, content: PostContent): void {
  if (to === undefined || place) showCard(draft, post, content, place);
}

/** Calls under way. */
export function callsUnderWay(draft: Draft): number {
  return Object.values(draft.state.steps).filter((step) => step.status === 'running').length;
}
