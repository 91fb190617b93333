import type { PostContent } from '../engine/post.ts';
import { literal, md } from '../engine/prose.ts';
import type { Answer, ChatSubmit } from '../ports/chat.ts';
import type { ActionId } from './action-ids.ts';
import { answerErrors, readFilledIn, typedInto } from './answer-form.ts';
import { answererOf } from './answerer.ts';
import { type Answered, answerQuestion, findQuestion, formOfAnswer, type GivenAnswer } from './answering.ts';
import { type Bot, type Caller, privately, say } from './bot.ts';
import { whatIsWrong } from './conversation.ts';

type AnswerId = Extract<ActionId, { kind: 'answer' }>;

/** Somebody pressed a button of a question. Where something has to be filled in first, that form comes. */
export async function onAnswerClick(bot: Bot, caller: Caller, id: AnswerId): Promise<Answer> {
  // For somebody of whom more had to be found out than platforms wait for.
  const form = id.form === 'none' ? undefined : await formOfAnswer(bot, caller, id, answererOf);
  if (form) return { kind: 'form', form };
  const answered = await answerQuestion(bot, caller, { ...givenBy(id), feedback: '' });
  return answered.kind === 'unfit' ? unfit(answered, {}) : told(answered, '');
}

/** Somebody sent the form of an answer. */
export async function onAnswerSubmit(
  bot: Bot,
  caller: Caller,
  id: AnswerId,
  { values }: ChatSubmit,
): Promise<Answer> {
  const found = await findQuestion(bot, id.question);
  const filled = readFilledIn(found?.question ?? {}, values);
  const answered = await answerQuestion(bot, caller, { ...givenBy(id), ...filled });
  return answered.kind === 'unfit' ? unfit(answered, values) : told(answered, typedInto(values));
}

function givenBy({
  question,
  action,
  covers,
}: AnswerId): Pick<GivenAnswer, 'question' | 'action' | 'covers'> {
  return { question, action, ...(covers !== undefined && { covers }) };
}

function told(answered: Exclude<Answered, { kind: 'unfit' }>, typed: string): Answer {
  return answered.kind === 'counts' ? { kind: 'none' } : privately(withTyped(say(...answered.why), typed));
}

function unfit({ problems }: Extract<Answered, { kind: 'unfit' }>, values: ChatSubmit['values']): Answer {
  return (
    answerErrors(problems, values) ??
    privately(withTyped(say(literal(whatIsWrong([], problems))), typedInto(values)))
  );
}

/** What somebody typed is not lost with the refusal. */
function withTyped(content: PostContent, typed: string): PostContent {
  if (typed.trim() === '') return content;
  return { ...content, prose: [...content.prose, md('\n\nWhat you wrote:\n\n> '), literal(typed)] };
}
