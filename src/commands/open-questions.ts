import type { Named } from '../engine/named.ts';
import { isSameConversation } from '../engine/people.ts';
import type { Question, QuestionAction } from '../engine/run/state.ts';
import type { Completion, MenuOption } from '../ports/chat.ts';
import type { QuestionRow } from '../ports/store.ts';
import type { Bot, Caller } from './bot.ts';
import { after, matching, wholeWord } from './completing.ts';
import { findRoles, isListed } from './roles.ts';

/** Most open questions looked through for lists. */
export const openMax = 10_000;

/** An open question as somebody sees it. */
export interface VisibleQuestion extends QuestionRow {
  /** It names them, in person or by a role. */
  readonly isTheirs: boolean;
}

/** Every open question, oldest first: for those who may see all. */
export async function everyQuestion(bot: Bot, caller: Caller): Promise<readonly VisibleQuestion[]> {
  return withTheirs(bot, caller, await bot.store.openQuestions(openMax));
}

/** Open questions that this caller can see, oldest first. */
export async function visibleQuestions(bot: Bot, caller: Caller): Promise<readonly VisibleQuestion[]> {
  const all = await everyQuestion(bot, caller);
  const { place } = caller;
  if (!place) return all;
  return all.filter(
    ({ isTheirs, home }) => (isTheirs && !caller.isOverheard) || isSameConversation(home, place),
  );
}

/** Whether any of these questions names somebody. */
export async function isAnyTheirs(
  bot: Bot,
  caller: Caller,
  questions: readonly Pick<Question, 'approvers'>[],
): Promise<boolean> {
  return (await withTheirs(bot, caller, questions)).some(({ isTheirs }) => isTheirs);
}

/** The same questions, each with whether it names somebody. */
export async function withTheirs<Q extends { readonly approvers?: Named }>(
  bot: Bot,
  caller: Caller,
  questions: readonly Q[],
): Promise<readonly (Q & { readonly isTheirs: boolean })[]> {
  const lists = questions.map(({ approvers }) => approvers);
  const roles = await findRoles(bot, caller, lists);
  return questions.map((question) => ({
    ...question,
    isTheirs: question.approvers !== undefined && isListed(bot, question.approvers, caller.person, roles),
  }));
}

/** The question that a command answers: the run stands for its only one. */
export const QUESTION: MenuOption = {
  name: 'run',
  summary: 'The run whose question you answer, or the question itself.',
  required: true,
  completes: true,
};

/** What somebody says with an answer. */
export const COMMENT: MenuOption = {
  name: 'comment',
  summary: 'What you want to say with it.',
  required: false,
  completes: false,
};

/** Completion for commands that take an open question: the run, or the question where a run has several. */
export async function completeQuestion(
  bot: Bot,
  caller: Caller,
  typed: string,
): Promise<readonly Completion[]> {
  const questions = await visibleQuestions(bot, caller);
  const perRun = Map.groupBy(questions, ({ run }) => run);
  const candidates = questions.map(({ id, run, title, flow }): Completion => {
    const name = perRun.get(run)?.length === 1 ? run : id;
    return { typed: name, shown: `${name} · ${title} (${bot.catalog.flow(flow)?.plan.name ?? flow})` };
  });
  return matching(typed, candidates);
}

/** The same, and once a question is named what it can be answered with. */
export async function completeAnswer(
  bot: Bot,
  caller: Caller,
  typed: string,
): Promise<readonly Completion[]> {
  const named = wholeWord(typed);
  const questions = named ? await visibleQuestions(bot, caller) : [];
  const question = questions.find(({ id, run }) => named && [id, run].includes(named.word));
  if (!named || !question) return completeQuestion(bot, caller, typed);
  const asked = (await bot.store.run(question.run))?.state.questions[question.id];
  return after(named.before, matching(named.rest, (asked?.actions ?? []).map(actionCompletion)));
}

function actionCompletion({ id, label }: QuestionAction): Completion {
  return { typed: id, shown: `${label} (${id})` };
}
