import type { JsonObject } from '../json.ts';
import { TITLE_MAX_CHARS } from '../limits.ts';
import type { Named } from '../named.ts';
import { beginningOf, literal, type Prose } from '../prose.ts';
import type { Ask, Failure } from '../steps/step-type.ts';
import { FRESH_BUDGET } from './budget.ts';
import { type Draft, isDraining, makeReady, planStep } from './draft.ts';
import { failStep } from './edges.ts';
import type { AttemptRef, RunEvent } from './event.ts';
import { closeQuestion, openStepQuestion } from './questions.ts';
import type { Question, QuestionAction, StepState } from './state.ts';
import { park } from './stop.ts';

/** Why an attempt has stopped in the middle, to go on later where it was. Nothing of it is under way meanwhile. */
export type Parked =
  /** People must allow a call of a tool. `use`: the id of the call in the conversation. */
  | {
      readonly kind: 'tool';
      readonly agent: string;
      readonly use: string;
      readonly server: string;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  /** People must say whether files that were changed stay so. */
  | { readonly kind: 'changes'; readonly agent: string; readonly summary: string; readonly diff: string }
  /** The budget of the run, or of a run above it, is used up. */
  | { readonly kind: 'budget' }
  /** The budget of a day is used up. `why`: which, in sentences; `untilMs`: when the next day begins. */
  | {
      readonly kind: 'day';
      /** Of what budget and day: `flow/release/2026-11-30`. */
      readonly budget: string;
      readonly why: string;
      readonly untilMs: number;
      /** Who may let it go on; absent = who may start the flow. */
      readonly approvers?: Named;
    };

/** How an attempt goes on that was parked. */
export interface GoesOn {
  /** How often it was parked: from 1. */
  readonly times: number;
  /** What people said, where they were asked about a call of a tool or about files. */
  readonly answer?: {
    /** Of a tool: the id of the call. */
    readonly use?: string;
    readonly allowed: boolean;
    readonly by: string;
    readonly comment: string;
  };
}

const DENY: QuestionAction = {
  id: 'deny',
  label: 'Deny',
  outcome: '⛔ Denied',
  style: 'danger',
  comment: 'optional',
};

const TOOL_ACTIONS: readonly QuestionAction[] = [
  { id: 'allow', label: 'Allow once', outcome: '✅ Allowed once', style: 'primary', comment: 'none' },
  DENY,
];

const CHANGES_ACTIONS: readonly QuestionAction[] = [
  { id: 'keep', label: 'Keep the changes', outcome: '✅ Kept', style: 'primary', comment: 'none' },
  {
    id: 'discard',
    label: 'Discard them',
    outcome: '🗑️ Discarded',
    style: 'danger',
    comment: 'optional',
  },
];

const DAY_ACTIONS: readonly QuestionAction[] = [
  { id: 'more', label: 'Let this run go on', outcome: '💰 May go on', style: 'primary', comment: 'none' },
  { id: 'stop', label: 'Stop here', outcome: '⛔ Stopped', style: 'danger', comment: 'none' },
];

/** An attempt stops in the middle: it asks people, or waits like one that has not begun. */
export function parkAttempt(draft: Draft, at: AttemptRef, why: Parked): void {
  const before = draft.state.steps[at.step];
  const { times: earlier = 0, answer } = (before?.status === 'running' ? before.goesOn : undefined) ?? {};
  const times = earlier + 1;
  // What people have said may not have been heard yet; once heard, the conversation no longer asks about it.
  const said = answer && { answer };
  if (isDraining(draft, at.step) || draft.state.stopping) {
    park(draft, at.step);
  } else if (why.kind === 'budget' || (why.kind === 'day' && mayGoOn(draft, why.budget))) {
    makeReady(draft, at.step, at.round, at.attempt, { times, ...said });
  } else {
    openStepQuestion(draft, at, why.kind, askAbout(draft, at, why), {
      times,
      ...(why.kind === 'tool' && { use: why.use }),
      ...(why.kind === 'day' && { day: why.budget, ...said }),
    });
  }
}

type Asking = Extract<StepState, { status: 'asking' }>;

/** People have answered what a parked attempt asked about, and its question is closed. */
export function goOnParked(
  draft: Draft,
  { kind, step }: Question,
  { round, attempt, parked = { times: 1 } }: Asking,
  { action, feedback, by }: Extract<RunEvent, { type: 'question.answered' }>,
): void {
  const { times, use, day = '' } = parked;
  if (kind === 'day') {
    if (action === 'more') letGoOn(draft, step, day);
    else failStep(draft, step, attempt, DAY_REFUSED);
    return;
  }
  const allowed = action === 'allow' || action === 'keep';
  makeReady(draft, step, round, attempt, {
    times,
    answer: { ...(use !== undefined && { use }), allowed, by: by.name, comment: feedback },
  });
}

/** The day whose budget was used up is over. */
export function goOnNextDay(draft: Draft, { step }: Question, asking: Asking): void {
  makeReady(draft, step, asking.round, asking.attempt, heldBack(asking));
}

/** How an attempt goes on that had to wait for the budget of a day. */
function heldBack({ parked: { times, answer } = { times: 1 } }: Asking): GoesOn {
  return { times, ...(answer && { answer }) };
}

/** Whether people have let the run go on over the budget of a day. */
function mayGoOn({ state }: Pick<Draft, 'state'>, budget: string): boolean {
  return state.budget?.days?.includes(budget) === true;
}

/** What the budget of a day says when people have refused more. */
const DAY_REFUSED: Failure = {
  code: 'budget',
  message: 'the budget of the day is used up, and more was refused.',
  retry: 'never',
};

/** All steps that wait for the same budget go on together. */
function letGoOn(draft: Draft, answered: string, budget: string): void {
  const { state } = draft;
  const before = state.budget ?? FRESH_BUDGET;
  state.budget = { ...before, days: [...(before.days ?? []), budget] };
  for (const [id, step] of Object.entries(state.steps)) {
    if (step.status !== 'asking' || step.parked?.day !== budget) continue;
    if (id !== answered) {
      closeQuestion(draft, step.question, { status: 'superseded', why: 'The run may go on.' });
    }
    makeReady(draft, id, step.round, step.attempt, heldBack(step));
  }
}

function askAbout(draft: Draft, at: AttemptRef, why: Exclude<Parked, { kind: 'budget' }>): Ask {
  const { name } = planStep(draft.plan, at.step);
  const may = { quorum: 1, allowRequester: true, ...(draft.plan.allow && { approvers: draft.plan.allow }) };
  switch (why.kind) {
    case 'tool':
      return {
        ...may,
        title: beginningOf(`May ${why.agent} call ${why.tool} of ${why.server}?`, TITLE_MAX_CHARS),
        notes: said(`For the step “${name}”. It is allowed for this call only.`),
        show: [{ name: 'Arguments', text: JSON.stringify(why.arguments, undefined, 2) }],
        actions: TOOL_ACTIONS,
      };
    case 'changes':
      return {
        ...may,
        title: beginningOf(`Keep what ${why.agent} has changed?`, TITLE_MAX_CHARS),
        notes: said(`For the step “${name}”. ${why.summary}`),
        show: [{ name: 'Changes', text: why.diff }],
        actions: CHANGES_ACTIONS,
      };
    case 'day':
      return {
        ...may,
        ...(why.approvers && { approvers: why.approvers }),
        title: 'The budget of the day is used up: may this run go on?',
        notes: said(`${why.why} The step “${name}” waits. The next day it goes on by itself.`),
        show: [],
        actions: DAY_ACTIONS,
        expiry: { afterMs: Math.max(0, why.untilMs - draft.atMs), exit: 'more', values: {} },
      };
  }
}

function said(text: string): Prose {
  return [literal(text)];
}
