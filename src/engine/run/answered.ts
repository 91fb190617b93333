import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { personAddress } from '../people.ts';
import { exitOfAction, needsEdge } from '../steps/approval-exits.ts';
import type { Output } from '../steps/step-type.ts';
import { raiseBudget, stopBudget } from './budget.ts';
import { type Draft, makeReady, planStep } from './draft.ts';
import { failStep, finishStep } from './edges.ts';
import type { RunEvent } from './event.ts';
import { goOnNextDay, goOnParked } from './parked.ts';
import { closeQuestion, keepQuestion } from './questions.ts';
import { decided, isStale, withAnswer } from './quorum.ts';
import { own } from './record.ts';
import type { Question, QuestionAnswer } from './state.ts';
import { stopRun } from './stop.ts';

type Answered = Extract<RunEvent, { type: 'question.answered' }>;

/** Takes an answer that `judgeAnswer` let through, which may decide the question; false = it is not open any more. */
export function takeAnswer(draft: Draft, event: Answered): boolean {
  const before = own(draft.state.questions, event.question);
  const step = before && draft.state.steps[before.step];
  if (before?.state.status !== 'open' || !step) return false;
  if (before.kind !== 'budget' && step.status !== 'asking') return false;
  const answer = answerOf(event);
  if (isStale(before.answers, answer)) return false;
  const question = { ...before, answers: withAnswer(before.answers, answer) };
  keepQuestion(draft, question);
  const action = decided(question);
  if (action === undefined) return true;
  const { feedback, by, atMs } = event;
  closeQuestion(draft, question.id, { status: 'answered', action, feedback, by, atMs });
  switch (question.kind) {
    case 'approval':
      leaveApproval(draft, question, action);
      break;
    case 'unknown':
      leaveUnknown(draft, question, event, 'attempt' in step ? step.attempt : 1);
      break;
    case 'budget':
      if (action === 'more') raiseBudget(draft);
      else stopBudget(draft);
      break;
    case 'day':
    case 'tool':
    case 'changes':
      if (step.status === 'asking') goOnParked(draft, question, step, event);
      break;
  }
  return true;
}

/** Ends a question that nobody has decided in time; the step leaves by the exit that is meant for it. */
export function expire(draft: Draft, question: Question): void {
  const { expiry } = question;
  if (!expiry) return;
  closeQuestion(draft, question.id, { status: 'expired', atMs: expiry.atMs });
  const step = draft.state.steps[question.step];
  if (question.kind === 'day') {
    if (step?.status === 'asking') goOnNextDay(draft, question, step);
    return;
  }
  draft.state.feedback[question.step] = '';
  finishStep(draft, question.step, expiry.exit, {
    text: expiry.exit,
    json: { ...noDecision(question, expiry.exit), values: expiry.values },
  });
  stopUnlessWired(draft, question, expiry.exit, 'was not decided in time.');
}

function answerOf({ action, feedback, by, atMs, as = [], also, values, files }: Answered): QuestionAnswer {
  return {
    action,
    feedback,
    by,
    atMs,
    as,
    ...(also && { also }),
    ...(values && { values }),
    ...(files && { files }),
  };
}

function leaveApproval(draft: Draft, question: Question, action: string): void {
  const exit = exitOfAction(action);
  const agreeing = question.answers.filter((answer) => answer.action === action);
  const feedback = feedbackOf(agreeing);
  const last = agreeing.at(-1);
  draft.state.feedback[question.step] = feedback;
  finishStep(draft, question.step, exit, {
    text: feedback === '' ? exit : `${exit}: ${feedback}`,
    json: {
      ...noDecision(question, exit),
      feedback,
      by: agreeing.map(({ by }) => by.name).join(', '),
      values: last?.values ?? {},
      files: agreeing.flatMap(({ files = [] }) => files.map((file): JsonObject => ({ ...file }))),
    },
  });
  const said = feedback === '' ? '.' : `: ${feedback}`;
  stopUnlessWired(draft, question, exit, `was rejected by ${last?.by.name}${said}`);
}

/** What an approval leaves behind, without what a decision brings. */
function noDecision({ answers, covers }: Question, decision: string): JsonObject {
  return {
    decision,
    feedback: '',
    by: '',
    values: {},
    files: [],
    answers: answers.map(({ action, feedback, by, atMs, values = {} }) => ({
      action,
      feedback,
      by: by.name,
      id: personAddress(by),
      at: new Date(atMs).toISOString(),
      values,
    })),
    covers,
  };
}

function feedbackOf(answers: readonly QuestionAnswer[]): string {
  const comments = answers.filter(({ feedback }) => feedback !== '');
  if (comments.length <= 1) return comments[0]?.feedback ?? '';
  return comments.map(({ by, feedback }) => `${by.name}: ${feedback}`).join('\n\n');
}

/** What nobody has provided for ends the run: it must not go on as if it had been approved. */
function stopUnlessWired(draft: Draft, question: Question, exit: string, what: string): void {
  if (!needsEdge(exit)) return;
  const step = planStep(draft.plan, question.step);
  const isWired = [...step.outgoing, ...step.sendBacks].some((at) => draft.plan.edges[at]?.exit === exit);
  if (!isWired) stopRun(draft, { status: 'rejected', reason: `"${step.name}" ${what}` });
}

function leaveUnknown(draft: Draft, question: Question, event: Answered, attempt: number): void {
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
