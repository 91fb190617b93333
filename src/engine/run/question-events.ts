import { expire } from './answered.ts';
import { beginStep } from './begin.ts';
import { type Draft, planStep } from './draft.ts';
import { failStep } from './edges.ts';
import type { RunEvent } from './event.ts';
import { fingerprintOf } from './fingerprint.ts';
import { alertAdmins, isShort, lookAtApprovers } from './question-check.ts';
import {
  beginReminding,
  escalate,
  isOverdue,
  remindOf,
  showEscalation,
  timersOf,
} from './question-timers.ts';
import { closeQuestion, keepQuestion, openApproval } from './questions.ts';
import { own } from './record.ts';
import type { Question } from './state.ts';

/** A timer of an open question has come; false = it is none. */
export function fireQuestionTimer(draft: Draft, timer: string): boolean {
  for (const { question, attempt } of openQuestions(draft)) {
    const fired = timersOf(question).find(({ key }) => key === timer);
    if (!fired) continue;
    if (fired.what === 'expire' || isOverdue(question, draft.atMs)) {
      expire(draft, question);
    } else {
      const next = fired.what === 'remind' ? remindOf(draft, question) : escalate(draft, question);
      keepQuestion(draft, lookAtApprovers(draft, next, attempt));
    }
    return true;
  }
  return false;
}

/** Takes in what somebody found who looked at those asked; false = nobody waits for it any more. */
export function takeCheck(draft: Draft, event: Extract<RunEvent, { type: 'question.checked' }>): boolean {
  const open = openQuestions(draft).find(({ question }) => question.id === event.question);
  const look = open?.question.look;
  if (!open || look?.key !== event.check) return false;
  const { question: before, attempt } = open;
  const place = before.place ?? event.place;
  if (typeof place === 'string') {
    closeQuestion(draft, before.id, { status: 'superseded', why: 'It could not be asked.' });
    failStep(draft, before.step, attempt, {
      code: 'unknown-conversation',
      message: place,
      retry: 'never',
    });
    return true;
  }
  // When a conversation that was found once is not found any more, nobody has looked at the people either.
  const missing = typeof event.place === 'string' ? look.missing : event.missing;
  const short = isShort(draft.state.start, before, missing);
  const question: Question = {
    ...before,
    ...(place && { place }),
    look: { times: look.times, missing, short },
  };
  const isNews = missing.some((address) => !look.missing.includes(address)) || (short && !look.short);
  if (isNews) alertAdmins(draft, question, event.check);
  const next = short ? escalate(draft, question) : question;
  keepQuestion(draft, next);
  // It may have come to others before it was known where to tell them.
  if (!before.place && place) {
    beginReminding(draft, next);
    showEscalation(draft, next);
  }
  return true;
}

/** Asks anew where what an open approval shows has changed: answers cover what people saw, and nothing else. */
export function askChangedAnew(draft: Draft): void {
  for (const { question, attempt } of openQuestions(draft)) {
    if (question.kind !== 'approval' || !readsChanged(draft, question)) continue;
    const start = beginStep(draft, planStep(draft.plan, question.step));
    if (start.kind !== 'ask' || fingerprintOf(start.ask) === question.covers) continue;
    closeQuestion(draft, question.id, { status: 'void' });
    openApproval(draft, { step: question.step, round: question.round, attempt }, start.ask);
  }
}

function readsChanged({ plan, state, before }: Draft, question: Question): boolean {
  const { stepType, config } = planStep(plan, question.step);
  // One that opened in this very transition has read what there is now.
  if (own(before.questions, question.id) === undefined) return false;
  const read = stepType.references(config);
  return read.some(
    ({ lookup: [id = ''] }) =>
      own(state.outputs, id) !== own(before.outputs, id) ||
      own(state.feedback, id) !== own(before.feedback, id),
  );
}

/** Questions that are open, and the attempt that waits for each. */
function openQuestions({
  state,
}: Draft): readonly { readonly question: Question; readonly attempt: number }[] {
  const asking = Object.values(state.steps).flatMap((step) =>
    step.status === 'asking' ? [{ id: step.question, attempt: step.attempt }] : [],
  );
  const budget = state.budget?.question === undefined ? [] : [{ id: state.budget.question, attempt: 1 }];
  return [...asking, ...budget].flatMap(({ id, attempt }) => {
    const question = own(state.questions, id);
    return question?.state.status === 'open' ? [{ question, attempt }] : [];
  });
}
