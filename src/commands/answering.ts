import type { AttachmentLimits } from '../engine/attachments.ts';
import type { InputProblem } from '../engine/data/input.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Form } from '../engine/post.ts';
import { literal, md, type Prose, textOf } from '../engine/prose.ts';
import {
  type Answerer,
  type Attempted,
  judgeAnswer,
  mayNotAnswer,
  type Verdict,
} from '../engine/run/answer.ts';
import type { Question, RunState } from '../engine/run/state.ts';
import { answerForm } from './answer-form.ts';
import { answererOf, leftOf, standingFor } from './answerer.ts';
import { keepAttached } from './attached.ts';
import { type Bot, type Caller, deliveryOf, mayLook, say } from './bot.ts';
import { type Reply, refuse } from './command.ts';
import { whatIsWrong } from './conversation.ts';
import { askedBelow, laneName, wasAskedBelow } from './lanes.ts';
import { isAnyTheirs } from './open-questions.ts';
import { rememberRefusedAnswer } from './remember.ts';
import { shown } from './typed.ts';

/** What somebody answers, by whichever way. */
export interface GivenAnswer {
  readonly question: string;
  readonly action: string;
  readonly feedback: string;
  /** The content they have seen; absent = they named the question. */
  readonly covers?: string;
  /** What they filled in. */
  readonly values?: JsonObject;
  /** What of it could not be read. */
  readonly unread?: readonly InputProblem[];
  /** The text of a `files` field. */
  readonly files?: string;
}

/** What became of an answer. */
export type Answered =
  | { readonly kind: 'counts'; readonly run: string }
  | { readonly kind: 'refused'; readonly why: Prose }
  /** It does not fit the question's form, which may not have been shown. */
  | { readonly kind: 'unfit'; readonly problems: readonly InputProblem[]; readonly question: Question };

/** A question with its run. */
export interface FoundQuestion {
  readonly run: RunState;
  readonly question: Question;
}

/** A question, open or not. */
export async function findQuestion(bot: Bot, id: string): Promise<FoundQuestion | undefined> {
  const owner = await bot.store.questionRun(id);
  const run = owner === undefined ? undefined : (await bot.store.run(owner))?.state;
  const question = run?.questions[id];
  return run && question && { run, question };
}

/**
 * Answers a question if this person may; the run's rule decides, at this moment and on its newest state. Refusals are
 * remembered in the audit. Rejects with `ChatUnavailable` when nobody can tell now whether they may.
 */
export async function answerQuestion(bot: Bot, caller: Caller, answer: GivenAnswer): Promise<Answered> {
  const found = await findQuestion(bot, answer.question);
  if (!found) return { kind: 'refused', why: [md('There is no such question.')] };
  const verdict = await judge(bot, caller, found, answer);
  switch (verdict.kind) {
    case 'counts':
      return { kind: 'counts', run: found.run.id };
    case 'unfit':
      return { ...verdict, question: found.question };
    case 'refused': {
      const { question, action } = answer;
      const why = textOf(verdict.why);
      await rememberRefusedAnswer(bot, caller, { run: found.run.id, question, action }, why);
      return verdict;
    }
  }
}

async function judge(
  bot: Bot,
  caller: Caller,
  { run, question }: FoundQuestion,
  { files, unread = [], ...answer }: GivenAnswer,
): Promise<Verdict> {
  const attempted: Attempted = { ...answer, ...(await answererOf(bot, caller, run, question)) };
  // Nobody asks what an account is, or fetches files, for an answer that does not count anyway.
  const early = judgeAnswer(run, attempted);
  if (early.kind === 'refused') return early;
  const problems = withoutRepeats([...unread, ...(early.kind === 'unfit' ? early.problems : [])]);
  if (problems.length > 0) return { kind: 'unfit', problems };
  const known: Attempted = {
    ...attempted,
    standing: await standingFor(bot, caller, run, question),
    left: await leftOf(bot, caller, run, question),
  };
  const still = judgeAnswer(run, known);
  if (still.kind !== 'counts') return still;
  const limits = limitsOf(question, answer.action);
  const kept = await keepAttached(bot, caller, run.id, files ?? '', limits);
  if (kept.kind === 'refused') return { kind: 'refused', why: [literal(kept.why)] };
  const verdict = await bot.runs.dispatch(run.id, (state) => {
    const result = judgeAnswer(state, { ...known, files: kept.files });
    // In one commit, so that no answer is judged again after a crash.
    return {
      ...(result.kind === 'counts' && { event: result.event, delivered: deliveryOf(caller) }),
      result,
    };
  });
  return verdict ?? early;
}

/** What could not be read is not complained about twice. */
function withoutRepeats(problems: readonly InputProblem[]): readonly InputProblem[] {
  return problems.filter(({ field }, index) => problems.findIndex((one) => one.field === field) === index);
}

function limitsOf({ attach, actions }: Question, action: string): AttachmentLimits | undefined {
  return actions.some(({ id, bare }) => id === action && !bare) ? attach : undefined;
}

/**
 * The form that somebody who wants to give an answer has to fill in first; undefined = none, or they may not.
 * @param seenAs what is found out about them: `knownAnswerer` asks nobody
 */
export async function formOfAnswer(
  bot: Bot,
  caller: Caller,
  wanted: Pick<GivenAnswer, 'question' | 'action'>,
  seenAs: (...args: Parameters<typeof answererOf>) => Answerer | Promise<Answerer>,
): Promise<Form | undefined> {
  // A slow store must not cost the form.
  const found = bot.runs.asked(wanted.question) ?? (await findQuestion(bot, wanted.question));
  if (!found) return undefined;
  const { run, question } = found;
  if (mayNotAnswer(run, question, await seenAs(bot, caller, run, question))) return undefined;
  const action = question.actions.find(({ id }) => id === wanted.action);
  return action && answerForm(question, action, caller.person.platform);
}

/** Answers a question by its name, or that of its run: a run stands for its only open question. */
export async function answerByName(
  bot: Bot,
  caller: Caller,
  { name, ...answer }: { readonly name: string } & Pick<GivenAnswer, 'action' | 'feedback' | 'values'>,
): Promise<Reply> {
  const { action } = answer;
  if (name === '') return refuse(`Say which run, for example: ${action} k3x9p2m4tz`);
  const stored = await bot.store.run(name);
  if (!stored) {
    return (await bot.store.questionRun(name)) === undefined
      ? refuse(`There is no run or question ${shown(name)}.`)
      : answeredReply(bot, caller, { ...answer, question: name });
  }
  const own = Object.values(stored.state.questions);
  const open = [
    ...own.filter((question) => question.state.status === 'open'),
    ...(await askedBelow(bot, stored.row)),
  ];
  if (open.length > 1 && (mayLook(bot, caller, stored.row) || (await isAnyTheirs(bot, caller, open)))) {
    const names = await Promise.all(open.slice(0, NAMED_MAX).map((question) => nameOf(bot, question)));
    const left = open.length - names.length;
    const more = left > 0 ? `, and ${left} more` : '';
    return refuse(`Run ${name} has several open questions: ${names.join(', ')}${more}. Name one of them.`);
  }
  // Also one that is closed: whoever was too late hears who answered it, and when.
  const question = open[0] ?? [...own, ...(await wasAskedBelow(bot, stored.row))].toSorted(byAnswer).at(-1);
  if (!question) return refuse(`Run ${name} has no open question.`);
  return answeredReply(bot, caller, { ...answer, question: question.id });
}

/** Most questions of a run that are named to whoever has to choose. */
const NAMED_MAX = 10;

/** A question as people name it, with what it is about; of a lane, also which one. */
async function nameOf(bot: Bot, { id, title }: Pick<Question, 'id' | 'title'>): Promise<string> {
  const parent = (await findQuestion(bot, id))?.run.start.parent;
  return `${id} (${title}${parent ? `, ${await laneName(bot, parent)}` : ''})`;
}

/** What somebody is told who answered by a command. Where something has to be filled in, the form comes, if there are any. */
async function answeredReply(bot: Bot, caller: Caller, typed: GivenAnswer): Promise<Reply> {
  const answer = { ...typed, action: await meantAction(bot, typed) };
  const answered = await answerQuestion(bot, caller, answer);
  switch (answered.kind) {
    case 'counts': {
      const { question, action } = answer;
      return {
        ok: true,
        content: say(md('Recorded: '), literal(action), md('.')),
        data: { question, run: answered.run, action },
      };
    }
    case 'refused':
      return { ok: false, content: say(...answered.why) };
    case 'unfit': {
      const refused = refuse(`Something has to be filled in: ${whatIsWrong([], answered.problems)}`);
      const action = answered.question.actions.find(({ id }) => id === answer.action);
      const form = action && answerForm(answered.question, action, caller.person.platform);
      return caller.place && form ? { ...refused, form } : refused;
    }
  }
}

/** Commands are typed in any case. */
async function meantAction(bot: Bot, { question, action }: GivenAnswer): Promise<string> {
  const actions = (await findQuestion(bot, question))?.question.actions ?? [];
  const typed = action.toLowerCase();
  return actions.find(({ id }) => id.toLowerCase() === typed)?.id ?? action;
}

/** Questions that were answered come last, the latest at the end. */
function byAnswer(one: Question, other: Question): number {
  const answeredAt = ({ state }: Question): number => (state.status === 'answered' ? state.atMs : 0);
  return answeredAt(one) - answeredAt(other);
}
