import { z } from 'zod';
import { type Answered, answerQuestion, findQuestion } from '../../commands/answering.ts';
import type { Caller } from '../../commands/bot.ts';
import { isAnyTheirs } from '../../commands/open-questions.ts';
import { personAddress } from '../../engine/people.ts';
import type { Question } from '../../engine/run/state.ts';
import { ChatUnavailable } from '../../ports/chat.ts';
import { proseText } from '../../render/markdown/index.ts';
import { done, failed, type Result } from '../problem.ts';
import { type Asked, type Operation, operation } from './operation.ts';
import { object, questionResource, runResource } from './resources.ts';
import { look, readRun } from './runs.ts';
import { type QuestionView, questionView, type RunView } from './views.ts';

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
    const found = await Promise.all(
      rows.map(async ({ id, isTheirs }) => {
        const one = await findQuestion(bot, id);
        // It may have been answered meanwhile.
        return one?.question.state.status === 'open' ? [viewOf(one.run, one.question, rows, isTheirs)] : [];
      }),
    );
    return done({ questions: found.flat() });
  },
});

function viewOf(
  run: { readonly id: string },
  question: Question,
  rows: readonly { readonly id: string; readonly flow: string }[],
  isTheirs: boolean,
): QuestionView {
  const flow = rows.find(({ id }) => id === question.id)?.flow ?? '';
  return questionView({ id: run.id, flow }, question, isTheirs);
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
    const found = await seen(asked, asked.params.question);
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
  const found = await seen(context, id);
  if (!found.ok) return found;
  const { row, question, caller } = found.value;
  const given = {
    question: question.id,
    action,
    feedback: comment,
    ...(covers !== undefined && { covers }),
    ...(values && { values }),
  };
  try {
    const answered = await answerQuestion(context.bot, caller, given);
    const isRefused = answered.kind !== 'counts' && !isRepeat(answered, question, caller, given);
    return isRefused ? problemOf(answered) : readRun(context, row.id);
  } catch (error) {
    if (!(error instanceof ChatUnavailable)) throw error;
    const detail = 'Whether you may answer can’t be found out now: the chat can’t be reached.';
    return failed('unavailable', detail, { retryAfterS: 10 });
  }
}

/** The answer that a death has kept from being told: it counts once. */
function isRepeat(
  answered: Answered,
  { answers }: Question,
  { person }: Caller,
  given: { readonly action: string; readonly feedback: string },
): boolean {
  if (answered.kind !== 'refused') return false;
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

/** A question that a visitor may see: one of a run that they may see, or one that names them. */
async function seen(context: Context, id: string) {
  const { bot, sight } = context;
  const found = await findQuestion(bot, id);
  const stored = found && (await bot.store.run(found.run.id));
  if (!found || !stored) return noQuestion(id);
  const { row } = stored;
  const caller = await sight.callerAt(found.question.place ?? row.home);
  const isTheirs = await isAnyTheirs(bot, caller, [found.question]);
  if (!isTheirs && !(await look(context, row.id)).ok) return noQuestion(id);
  return done({ row, caller, question: found.question, isTheirs });
}

function noQuestion(id: string): Result<never> {
  return failed('not-found', `There is no question ${id.slice(0, 60)} here.`);
}

export const questionOperations: readonly Operation[] = [listQuestions, getQuestion, answerOperation];
