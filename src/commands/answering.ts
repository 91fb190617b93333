import { isNamed, type Named } from '../engine/named.ts';
import { literal, md } from '../engine/prose.ts';
import { judgeAnswer } from '../engine/run/answer.ts';
import type { Question, QuestionAction } from '../engine/run/state.ts';
import type { Completion, MenuOption } from '../ports/chat.ts';
import type { QuestionRow } from '../ports/store.ts';
import { type Bot, type Caller, mayLook, say } from './bot.ts';
import { type Reply, refuse } from './command.ts';
import { after, matching, wholeWord } from './completing.ts';
import { findRoles } from './roles.ts';
import { shown } from './typed.ts';

/** Most open questions looked through for lists. */
const openMax = 10_000;

/** Answers a question if this person may; the run's rule decides, at this moment and on its newest state. */
export async function answerQuestion(
  bot: Bot,
  caller: Caller,
  answer: { readonly question: string; readonly action: string; readonly feedback: string },
): Promise<Reply> {
  const run = await bot.store.questionRun(answer.question);
  if (run === undefined) return refuse('There is no such question.');
  // Those who may answer are fixed when the question is asked.
  const asked = (await bot.store.run(run))?.state.questions[answer.question];
  const roles = await findRoles(bot, caller, [asked?.approvers]);
  const why = await bot.runs.dispatch(run, (state) => {
    const judged = judgeAnswer(state, {
      ...answer,
      by: caller.person,
      roles,
      atMs: caller.atMs,
      ...(caller.place && { place: caller.place }),
    });
    return judged.kind === 'counts' ? { event: judged.event, result: undefined } : { result: judged.why };
  });
  if (why !== undefined) return refuse(why);
  return {
    ok: true,
    content: say(md('Recorded: '), literal(answer.action), md('.')),
    data: { question: answer.question, run, action: answer.action },
  };
}

/** Answers a question by its name, or that of its run: a run stands for its only open question. */
export async function answerByName(
  bot: Bot,
  caller: Caller,
  answer: { readonly name: string; readonly action: string; readonly feedback: string },
): Promise<Reply> {
  const { name, action, feedback } = answer;
  if (name === '') return refuse(`Say which run, for example: ${action} k3x9p2m4tz`);
  const stored = await bot.store.run(name);
  if (!stored) {
    return (await bot.store.questionRun(name)) === undefined
      ? refuse(`There is no run or question ${shown(name)}.`)
      : answerQuestion(bot, caller, { question: name, action, feedback });
  }
  const questions = Object.values(stored.state.questions);
  const open = questions.filter((question) => question.state.status === 'open');
  if (open.length > 1 && (mayLook(bot, caller, stored.row) || (await isAnyTheirs(bot, caller, open)))) {
    const names = open.map((question) => `${question.id} (${question.title})`);
    return refuse(`Run ${name} has several open questions: ${names.join(', ')}. Name one of them.`);
  }
  // Also one that is closed: whoever was too late hears who answered it, and when.
  const question = open[0] ?? questions.toSorted(byAnswer).at(-1);
  if (!question) return refuse(`Run ${name} has no open question.`);
  return answerQuestion(bot, caller, { question: question.id, action, feedback });
}

/** Questions that were answered come last, the latest at the end. */
function byAnswer(one: Question, other: Question): number {
  const answeredAt = ({ state }: Question): number => (state.status === 'answered' ? state.atMs : 0);
  return answeredAt(one) - answeredAt(other);
}

/** An open question as somebody sees it. */
export interface VisibleQuestion extends QuestionRow {
  /** It names them, in person or by a role. */
  readonly isTheirs: boolean;
}

/** Open questions that this caller can see, oldest first. */
export async function visibleQuestions(bot: Bot, caller: Caller): Promise<readonly VisibleQuestion[]> {
  const all = await withTheirs(bot, caller, await bot.store.openQuestions(openMax));
  const { place } = caller;
  if (!place) return all;
  return all.filter(
    ({ isTheirs, home }) =>
      (isTheirs && !caller.isOverheard) ||
      (home?.platform === place.platform && home.conversation === place.conversation),
  );
}

function actionCompletion({ id, label }: QuestionAction): Completion {
  return { typed: id, shown: `${label} (${id})` };
}

async function isAnyTheirs(bot: Bot, caller: Caller, questions: readonly Question[]): Promise<boolean> {
  return (await withTheirs(bot, caller, questions)).some(({ isTheirs }) => isTheirs);
}

async function withTheirs<Q extends { readonly approvers?: Named }>(
  bot: Bot,
  caller: Caller,
  questions: readonly Q[],
): Promise<readonly (Q & { readonly isTheirs: boolean })[]> {
  const lists = questions.map(({ approvers }) => approvers);
  const roles = await findRoles(bot, caller, lists);
  return questions.map((question) => ({
    ...question,
    isTheirs: question.approvers !== undefined && isNamed(question.approvers, caller.person, roles),
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
