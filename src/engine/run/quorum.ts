import { personAddress } from '../people.ts';
import type { Question, QuestionAnswer } from './state.ts';

/** The answer that decides alone, whatever the quorum. */
const REJECT = 'reject';

type Asked = Pick<Question, 'actions' | 'approvers' | 'quorum' | 'escalation' | 'answers'>;

/** The action that has enough answers; undefined = none has yet. */
export function decided(question: Asked): string | undefined {
  if (question.answers.some(({ action }) => action === REJECT)) return REJECT;
  return question.actions.find(({ id }) => isMet(question, id))?.id;
}

function isMet(question: Asked, action: string): boolean {
  const given = question.answers.filter((answer) => answer.action === action);
  if (given.length === 0) return false;
  if (question.quorum !== 'each') return given.length >= question.quorum;
  return unmet(question, given).length === 0;
}

/** Entries of the approvers that the best supported action still needs. Only for a quorum of each. */
export function stillMissing(question: Asked): readonly string[] {
  const open = question.actions.map(({ id }) =>
    unmet(
      question,
      question.answers.filter(({ action }) => action === id),
    ),
  );
  return open.reduce((best, one) => (one.length < best.length ? one : best), question.approvers ?? []);
}

/** One answer stands for every entry it holds; those it was escalated to stand in for whoever is missing, one each. */
function unmet({ approvers = [] }: Asked, given: readonly QuestionAnswer[]): readonly string[] {
  const open = approvers.filter((entry) => !given.some(({ as }) => as.includes(entry)));
  const standIns = given.filter(({ as }) => !as.some((entry) => approvers.includes(entry)));
  return open.slice(standIns.length);
}

/** Adds somebody's answer, in the place of an earlier one of theirs. */
export function withAnswer(
  answers: readonly QuestionAnswer[],
  answer: QuestionAnswer,
): readonly QuestionAnswer[] {
  return [...answers.filter((earlier) => !isBySame(earlier, answer)), answer];
}

/** Whether somebody has answered since, or in the same moment: the answer of theirs that was received last counts. */
export function isStale(
  answers: readonly QuestionAnswer[],
  answer: Pick<QuestionAnswer, 'by' | 'also' | 'atMs'>,
): boolean {
  return answers.some((given) => isBySame(given, answer) && given.atMs >= answer.atMs);
}

/** Whether two answers come from one person. */
export function isBySame(
  one: Pick<QuestionAnswer, 'by' | 'also'>,
  other: Pick<QuestionAnswer, 'by' | 'also'>,
): boolean {
  return addressesOf(one).some((address) => addressesOf(other).includes(address));
}

/** All addresses of the person behind an answer. */
export function addressesOf({ by, also = [] }: Pick<QuestionAnswer, 'by' | 'also'>): readonly string[] {
  return [personAddress(by), ...also];
}
