import type { Json, JsonObject } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { FEEDBACK_MAX_CHARS } from '../limits.ts';
import { keptOut, type Roles } from '../named.ts';
import { type Person, type Place, personAddress } from '../people.ts';
import type { Output } from '../steps/step-type.ts';
import { type Draft, makeReady, planStep } from './draft.ts';
import { failStep, finishStep } from './edges.ts';
import type { RunEvent } from './event.ts';
import { closeQuestion } from './questions.ts';
import { own } from './record.ts';
import { isFinal, type Question, type RunState } from './state.ts';
import { stopRun } from './stop.ts';

type Answered = Extract<RunEvent, { type: 'question.answered' }>;

/** What somebody wants to answer, and where from. */
export interface Attempted {
  readonly question: string;
  readonly action: string;
  readonly feedback: string;
  readonly by: Person;
  /** Where they answer; absent = from outside chat (the command line of the host). */
  readonly place?: Place;
  /** Which of the roles among the question's approvers they have, as found out just before. */
  readonly roles: Roles;
  readonly atMs: number;
}

/** Whether an answer counts. A refusal's sentence is for that person only. */
export type Verdict =
  | { readonly kind: 'counts'; readonly event: Answered }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * The one rule about answers, for every way in: buttons, forms, `/flow`, command line. Nothing else may decide it.
 * Approvers are checked by platform and id, never by name, or by a role; what can't be found out is refused.
 */
export function judgeAnswer(run: RunState, attempted: Attempted): Verdict {
  const question = own(run.questions, attempted.question);
  if (!question) return refused('There is no such question.');
  // Before anything is told about the question: outsiders learn only who may answer.
  const outsider = isOutsider(run, question, attempted);
  if (outsider !== undefined) return refused(outsider);
  switch (question.state.status) {
    case 'answered': {
      const { by, action, atMs } = question.state;
      return refused(
        `${by.name} has already answered “${actionLabel(question, action)}” at ${clockTime(atMs)}.`,
      );
    }
    case 'superseded':
      return refused(`This question is closed. ${question.state.why}`);
    case 'open':
  }
  if (isFinal(run.status)) return refused('This run has ended.');
  const action = question.actions.find((candidate) => candidate.id === attempted.action);
  if (!action) {
    const known = question.actions.map(({ id }) => id).join(', ');
    return refused(`“${attempted.action.slice(0, 60)}” is not an answer here: ${known}.`);
  }
  if (isRequester(run, attempted) && !question.allowRequester) {
    return refused('You started this run, so somebody else has to answer.');
  }
  const feedback = attempted.feedback.trim();
  if (feedback.length > FEEDBACK_MAX_CHARS) {
    return refused(`The comment has ${feedback.length} characters; ${FEEDBACK_MAX_CHARS} are allowed.`);
  }
  if (action.comment === 'required' && feedback === '') {
    return refused(`“${action.label}” needs a comment.`);
  }
  return {
    kind: 'counts',
    event: {
      type: 'question.answered',
      atMs: attempted.atMs,
      question: question.id,
      action: action.id,
      feedback,
      by: attempted.by,
    },
  };
}

function isRequester(run: RunState, attempted: Attempted): boolean {
  return run.start.person !== undefined && personAddress(run.start.person) === personAddress(attempted.by);
}

/** Why this person has no say in the question at all. */
function isOutsider(run: RunState, question: Question, attempted: Attempted): string | undefined {
  if (question.approvers) return keptOut(question.approvers, attempted.by, attempted.roles, 'answer this');
  const { place } = attempted;
  if (!place) return undefined;
  const { home } = run.start;
  // A run without a conversation has no people either: only the host can answer.
  return place.platform === home?.platform && place.conversation === home.conversation
    ? undefined
    : 'Only people of the conversation where the run lives may answer this.';
}

function refused(why: string): Verdict {
  return { kind: 'refused', why };
}

function actionLabel(question: Question, action: string): string {
  return question.actions.find((candidate) => candidate.id === action)?.label ?? action;
}

function clockTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Applies an answer that `judgeAnswer` let through; false = the question is not open any more. */
export function answerQuestion(draft: Draft, event: Answered): boolean {
  const question = own(draft.state.questions, event.question);
  const step = question && draft.state.steps[question.step];
  if (question?.state.status !== 'open' || step?.status !== 'asking') return false;
  const { action, feedback, by, atMs } = event;
  closeQuestion(draft, question.id, { status: 'answered', action, feedback, by, atMs });
  switch (question.kind) {
    case 'approval':
      answerApproval(draft, question, event);
      break;
    case 'unknown':
      answerUnknown(draft, question, event, step.attempt);
      break;
  }
  return true;
}

function answerApproval(draft: Draft, question: Question, { action, feedback, by }: Answered): void {
  const exit = action === 'approve' ? 'approved' : 'rejected';
  draft.state.feedback[question.step] = feedback;
  const step = planStep(draft.plan, question.step);
  const isWired = [...step.outgoing, ...step.sendBacks].some((at) => draft.plan.edges[at]?.exit === exit);
  finishStep(draft, question.step, exit, {
    text: feedback === '' ? exit : `${exit}: ${feedback}`,
    json: { decision: exit, feedback, by: by.name },
  });
  if (exit === 'rejected' && !isWired) {
    const said = feedback === '' ? '.' : `: ${feedback}`;
    stopRun(draft, { status: 'rejected', reason: `"${step.name}" was rejected by ${by.name}${said}` });
  }
}

function answerUnknown(draft: Draft, question: Question, event: Answered, attempt: number): void {
  switch (event.action) {
    case 'again':
      makeReady(draft, question.step, question.round, attempt + 1);
      break;
    case 'output':
      finishStep(draft, question.step, 'done', givenOutput(event.feedback));
      break;
    default:
      failStep(draft, question.step, attempt, {
        code: 'unknown-outcome',
        message: `nobody knows whether it happened, and ${event.by.name} decided that it failed.`,
        retry: 'never',
      });
  }
}

/** What a person gave as the output of a step: JSON objects count as data, anything else is text. */
function givenOutput(text: string): Output {
  let json: JsonObject = {};
  try {
    const parsed: Json = JSON.parse(text);
    if (isJsonObject(parsed)) json = parsed;
  } catch {
    // Not JSON: it is text.
  }
  return { text, json };
}
