import { z } from 'zod';
import { type Answered, answerQuestion, findQuestion, type GivenAnswer } from '../../commands/answering.ts';
import type { Bot, Caller } from '../../commands/bot.ts';
import { isAnyTheirs, type VisibleQuestion } from '../../commands/open-questions.ts';
import { personAddress } from '../../engine/people.ts';
import { askedOf } from '../../engine/run/answer.ts';
import type { Question, RunState } from '../../engine/run/state.ts';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { RunRow, StoredRun } from '../../ports/store.ts';
import { proseText } from '../../render/markdown/index.ts';
import { done, failed, type Result } from '../problem.ts';
import { type Asked, type Operation, operation } from './operation.ts';
import { object, questionResource, runResource } from './resources.ts';
import { look, readRun } from './runs.ts';
import { questionView, type RunView } from './views.ts';

const questionParams = z.object({ question: z.string().describe('Id of the question.') });

type Context = Pick<Asked<unknown, unknown, unknown>, 'bot' | 'sight'>;

const listQuestions = operation({
  id: 'listQuestions',
  method: 'GET',
  path: '/v1/questions',
  summary: 'Lists open questions, the oldest first',
  access: 'viewer',
  query: z.object({
    mine: z.enum(['true', 'false']).optional().describe('Only those that name you.'),
    run: z.string().optional().describe('Only those of this run.'),
  }),
  answer: {
    schema: z.strictObject({ questions: z.array(questionResource) }),
    what: 'The open questions that you may see.',
  },
  async run({ bot, sight, query }) {
    const rows = (await sight.questions())
      .filter(({ isTheirs }) => isTheirs || query.mine !== 'true')
      .filter(({ run }) => query.run === undefined || run === query.run);
    const open = await stillOpen(bot, rows);
    return done({
      questions: open.map(({ stored, question, isTheirs }) => questionView(stored.row, question, isTheirs)),
    });
  },
});

/** An open question with its run. */
export interface OpenQuestion {
  readonly stored: StoredRun;
  readonly question: Question;
  /** It names whoever looks. */
  readonly isTheirs: boolean;
}

/** Those of a list that have not been answered meanwhile, in the same order. */
export async function stillOpen(
  { store }: Pick<Bot, 'store'>,
  rows: readonly VisibleQuestion[],
): Promise<readonly OpenQuestion[]> {
  const found = await Promise.all(
    rows.map(async ({ id, run, isTheirs }) => {
      const stored = await store.run(run);
      const question = stored?.state.questions[id];
      return stored && question?.state.status === 'open' ? [{ stored, question, isTheirs }] : [];
    }),
  );
  return found.flat();
}

const getQuestion = operation({
  id: 'getQuestion',
  method: 'GET',
  path: '/v1/questions/{question}',
  summary: 'Shows a question, open or not',
  access: 'viewer',
  params: questionParams,
  answer: { schema: questionResource, what: 'The question.' },
  problems: ['not-found'],
  async run(asked) {
    const found = await seenQuestion(asked, asked.params.question);
    if (!found.ok) return found;
    const { row, question, isTheirs } = found.value;
    return done(questionView(row, question, isTheirs));
  },
});

const answerBody = z.strictObject({
  action: z.string().max(100).describe('Id of one of its actions: approve, reject and so on.'),
  comment: z.string().max(20_000).default('').describe('What you say with it.'),
  covers: z.string().max(64).optional().describe('The fingerprint of what you have seen.'),
  values: object.optional().describe('What the question’s form asks for.'),
});

const answerOperation = operation({
  id: 'answerQuestion',
  method: 'POST',
  path: '/v1/questions/{question}/answers',
  summary: 'Answers a question',
  description:
    'By the same rule as every button in a chat: who may answer, whether it is still open, and whether it fits. Send `covers` as you have read it, so that nothing is answered that you have not seen.',
  access: 'approver',
  params: questionParams,
  body: answerBody,
  answer: { schema: runResource, what: 'The run as it is then.' },
  problems: ['not-found', 'not-allowed', 'conflict', 'does-not-fit', 'unavailable'],
  run: (asked) => answer(asked, asked.params.question, asked.body),
});

/** Answers a question for a visitor; the run as it is then. */
export async function answer(
  context: Context,
  id: string,
  { action, comment, covers, values }: z.output<typeof answerBody>,
): Promise<Result<RunView>> {
  const found = await seenQuestion(context, id);
  if (!found.ok) return found;
  const taken = await takeAnswer(context, found.value, {
    action,
    feedback: comment,
    ...(covers !== undefined && { covers }),
    ...(values && { values }),
  });
  if (!taken.ok) return taken;
  return taken.value.kind === 'counts' ? readRun(context, found.value.row.id) : problemOf(taken.value);
}

/**
 * Answers a question for a visitor by the rule that decides every answer. The same answer again counts, as once. A
 * problem: nobody can tell now whether they may.
 */
export async function takeAnswer(
  { bot }: Pick<Context, 'bot'>,
  { caller, question }: Pick<SeenQuestion, 'caller' | 'question'>,
  given: Omit<GivenAnswer, 'question'>,
): Promise<Result<Answered>> {
  try {
    const answered = await answerQuestion(bot, caller, { ...given, question: question.id });
    if (answered.kind !== 'refused') return done(answered);
    const now = await findQuestion(bot, question.id);
    return done(
      now && isRepeat(now.question, caller, given) ? { kind: 'counts', run: now.run.id } : answered,
    );
  } catch (error) {
    if (!(error instanceof ChatUnavailable)) throw error;
    const detail = 'Whether you may answer can’t be found out now: the chat can’t be reached.';
    return failed('unavailable', detail, { retryAfterS: 10 });
  }
}

/** The answer that a death, or its other copy, has kept from being told: it counts once. */
function isRepeat(
  { answers }: Question,
  { person }: Caller,
  given: Pick<GivenAnswer, 'action' | 'feedback'>,
): boolean {
  return answers.some(
    ({ by, action, feedback }) =>
      personAddress(by) === personAddress(person) &&
      action === given.action &&
      feedback === given.feedback.trim(),
  );
}

function problemOf(answered: Exclude<Answered, { kind: 'counts' }>): Result<never> {
  switch (answered.kind) {
    case 'refused':
      return failed('conflict', proseText(answered.why));
    case 'unfit': {
      const errors = answered.problems.map(({ field, message }) => ({
        pointer: field === '' ? '/values' : `/values/${field.replaceAll('.', '/')}`,
        detail: `${message}.`,
      }));
      const detail = `What was filled in does not fit: ${errors.map((one) => one.detail).join(' ')}`;
      return failed('does-not-fit', detail, { errors });
    }
  }
}

/** A question that a visitor may see, with its run. */
export interface SeenQuestion {
  readonly row: RunRow;
  readonly run: RunState;
  readonly question: Question;
  /** The visitor, as if they stood where it is asked. */
  readonly caller: Caller;
  /** It names them. */
  readonly isTheirs: boolean;
}

/** A question, open or not, that a visitor may see: one of a run that they may see, or one that names them. */
export async function seenQuestion(context: Context, id: string): Promise<Result<SeenQuestion>> {
  const { bot, sight } = context;
  const found = await findQuestion(bot, id);
  const stored = found && (await bot.store.run(found.run.id));
  if (!found || !stored) return noQuestion(id);
  const { row } = stored;
  const { run, question } = found;
  const home = question.place ?? row.home;
  const caller = await sight.callerAt(home);
  // As lists see it: roles are those of the account, and those it was escalated to are named, too.
  const isAtHome = home !== undefined && home.platform === caller.person.platform;
  const isTheirs = await isAnyTheirs(bot, isAtHome ? { ...caller, place: home } : caller, [
    question.approvers ? { approvers: askedOf(question) } : {},
  ]);
  if (!isTheirs && !(await look(context, row.id)).ok) return noQuestion(id);
  return done({ row, run, question, caller, isTheirs });
}

function noQuestion(id: string): Result<never> {
  return failed('not-found', `There is no question ${id.slice(0, 60)} here.`);
}

export const questionOperations: readonly Operation[] = [listQuestions, getQuestion, answerOperation];
