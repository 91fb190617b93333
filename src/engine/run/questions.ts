import { literal } from '../prose.ts';
import type { Ask } from '../steps/step-type.ts';
import { questionCard } from './cards.ts';
import { type Draft, planStep, showCard } from './draft.ts';
import type { AttemptRef } from './event.ts';
import { own } from './record.ts';
import type { Question, QuestionAction } from './state.ts';

/** Answers of an approval. */
const APPROVAL_ACTIONS: readonly QuestionAction[] = [
  { id: 'approve', label: 'Approve', outcome: '✅ Approved', style: 'primary', comment: 'none' },
  { id: 'reject', label: 'Reject', outcome: '❌ Rejected', style: 'danger', comment: 'optional' },
];

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
  open(draft, at, {
    kind: 'approval',
    title: ask.title,
    actions: APPROVAL_ACTIONS,
    allowRequester: ask.allowRequester,
    ask,
    ...(ask.approvers && { approvers: ask.approvers }),
  });
}

/** Asks what became of a call whose outcome is not known. It is never repeated without an answer. */
export function openUnknown(draft: Draft, at: AttemptRef, message: string): void {
  const title = `“${planStep(draft.plan, at.step).name}” may or may not have happened`;
  const who = { allowRequester: true, ...(draft.plan.allow && { approvers: draft.plan.allow }) };
  open(draft, at, {
    kind: 'unknown',
    title,
    actions: UNKNOWN_ACTIONS,
    ask: { title, notes: [literal(message)], show: [], ...who },
    ...who,
  });
}

function open(
  draft: Draft,
  at: AttemptRef,
  what: Pick<Question, 'kind' | 'title' | 'actions' | 'approvers' | 'allowRequester' | 'ask'>,
): void {
  // Questions are never forgotten, so that their number is new in every round.
  const id = `${draft.state.id}.${Object.keys(draft.state.questions).length + 1}`;
  const question: Question = {
    id,
    step: at.step,
    round: at.round,
    openedAtMs: draft.atMs,
    state: { status: 'open' },
    ...what,
  };
  draft.state.steps[at.step] = {
    status: 'asking',
    round: at.round,
    attempt: at.attempt,
    question: id,
  };
  draft.state.questions[id] = question;
  showQuestion(draft, question);
}

/** Closes a question and makes its card say so. What it showed is dropped from the state. */
export function closeQuestion(
  draft: Draft,
  id: string,
  outcome: Exclude<Question['state'], { status: 'open' }>,
): void {
  const question = own(draft.state.questions, id);
  if (question?.state.status !== 'open') return;
  const closed: Question = { ...question, state: outcome };
  showQuestion(draft, closed);
  const { ask: _, ...kept } = closed;
  draft.state.questions[id] = kept;
}

function showQuestion(draft: Draft, question: Question): void {
  showCard(draft, questionPost(question.id), questionCard(draft.plan, draft.state, question));
}

/** Key of the post that is a question's card. */
function questionPost(question: string): string {
  return `question/${question}`;
}
