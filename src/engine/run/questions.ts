import { literal } from '../prose.ts';
import type { Ask } from '../steps/step-type.ts';
import { abandon, type Draft, planStep, showAbout, stepState } from './draft.ts';
import type { AttemptRef } from './event.ts';
import { fingerprintOf } from './fingerprint.ts';
import { questionCard } from './question-card.ts';
import { lookAtApprovers, stopLooking } from './question-check.ts';
import { wholeCard } from './question-content.ts';
import { settleReminders, timersOf, timing } from './question-timers.ts';
import { own } from './record.ts';
import type { Question, QuestionAction, StepState } from './state.ts';

/** Answers when nobody knows whether a call had its effect. */
const UNKNOWN_ACTIONS: readonly QuestionAction[] = [
  { id: 'again', label: 'Run again', outcome: '🔁 Run again', style: 'plain', comment: 'none' },
  {
    id: 'output',
    label: 'Done, with this output',
    outcome: '✅ Taken as done',
    style: 'primary',
    comment: 'optional',
  },
  { id: 'fail', label: 'Fail the step', outcome: '❌ Taken as failed', style: 'danger', comment: 'none' },
];

/** Opens an approval: the step waits until people answer. */
export function openApproval(draft: Draft, at: AttemptRef, ask: Ask): void {
  open(draft, at, 'approval', ask);
}

/** Asks what became of a call whose outcome is not known. It is never repeated without an answer. */
export function openUnknown(draft: Draft, at: AttemptRef, message: string): void {
  open(draft, at, 'unknown', {
    title: `“${planStep(draft.plan, at.step).name}” may or may not have happened`,
    notes: [literal(message)],
    show: [],
    actions: UNKNOWN_ACTIONS,
    quorum: 1,
    allowRequester: true,
    ...(draft.plan.allow && { approvers: draft.plan.allow }),
  });
}

/** Answers at a ceiling of the budget. */
const BUDGET_ACTIONS: readonly QuestionAction[] = [
  { id: 'more', label: 'Allow as much again', outcome: '💰 More allowed', style: 'primary', comment: 'none' },
  { id: 'stop', label: 'Stop here', outcome: '⛔ Stopped', style: 'danger', comment: 'none' },
];

/** Asks whether a run may use up more than its budget; no step waits for the answer by itself. @returns its id */
export function openBudgetQuestion(draft: Draft, step: string, why: string): string {
  const { round } = stepState(draft, step);
  const question = newQuestion(draft, { step, round, attempt: 1 }, 'budget', {
    title: 'The budget of this run is used up: may it go on?',
    notes: [literal(why)],
    show: [],
    actions: BUDGET_ACTIONS,
    quorum: 1,
    allowRequester: true,
    ...(draft.plan.allow && { approvers: draft.plan.allow }),
  });
  keepQuestion(draft, lookAtApprovers(draft, question, 1));
  return question.id;
}

/** Opens a question for which a step waits in the middle of an attempt. */
export function openStepQuestion(
  draft: Draft,
  at: AttemptRef,
  kind: Question['kind'],
  ask: Ask,
  parked: Extract<StepState, { status: 'asking' }>['parked'],
): void {
  open(draft, at, kind, ask, parked);
}

function open(
  draft: Draft,
  at: AttemptRef,
  kind: Question['kind'],
  ask: Ask,
  parked?: Extract<StepState, { status: 'asking' }>['parked'],
): void {
  const question = newQuestion(draft, at, kind, ask);
  const { step, round, attempt } = at;
  draft.state.steps[step] = {
    status: 'asking',
    round,
    attempt,
    question: question.id,
    ...(parked && { parked }),
  };
  keepQuestion(draft, lookAtApprovers(draft, question, attempt));
}

function newQuestion(draft: Draft, at: AttemptRef, kind: Question['kind'], ask: Ask): Question {
  // Questions are never forgotten, so that their number is new in every round.
  const id = `${draft.state.id}.${Object.keys(draft.state.questions).length + 1}`;
  const { title, actions, approvers, allowRequester, allowGuests, quorum, form, attach, to } = ask;
  return {
    id,
    kind,
    step: at.step,
    round: at.round,
    openedAtMs: draft.atMs,
    title,
    actions,
    ...(approvers && { approvers }),
    allowRequester,
    ...(allowGuests && { allowGuests }),
    quorum,
    ...(form && { form }),
    ...(attach && { attach }),
    covers: fingerprintOf(ask),
    ...(to !== undefined && { to }),
    ...timing(draft, id, ask),
    answers: [],
    ask,
    state: { status: 'open' },
  };
}

/** Keeps a question as it is now, and makes its card say so. */
export function keepQuestion(draft: Draft, question: Question): void {
  const { id, step, ask } = question;
  draft.state.questions[id] = question;
  showAbout(draft, question, questionPost(id), questionCard(draft.plan, draft.state, question));
  const before = own(draft.before.questions, id);
  const isShown = before !== undefined && (before.to === undefined || before.place !== undefined);
  const whole = ask && !isShown ? wholeCard(step, ask) : undefined;
  if (whole) showAbout(draft, question, `${questionPost(id)}/whole`, whole);
}

/** Closes a question and makes its card say so. What it showed is dropped from the state. */
export function closeQuestion(
  draft: Draft,
  id: string,
  outcome: Exclude<Question['state'], { status: 'open' }>,
): void {
  const question = own(draft.state.questions, id);
  if (question?.state.status !== 'open') return;
  for (const { key } of timersOf(question)) abandon(draft, key);
  const closed: Question = { ...stopLooking(draft, question), state: outcome };
  keepQuestion(draft, closed);
  settleReminders(draft, closed);
  const { ask: _, ...kept } = closed;
  draft.state.questions[id] = kept;
}

/** Key of the post that is a question's card. */
export function questionPost(question: string): string {
  return `question/${question}`;
}
