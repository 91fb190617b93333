import { looksLikeAnswer } from '../engine/answer-words.ts';
import { isSameConversation } from '../engine/people.ts';
import { literal, md } from '../engine/prose.ts';
import { questionPost } from '../engine/run/questions.ts';
import type { ChatMessage } from '../ports/chat.ts';
import type { QuestionRow } from '../ports/store.ts';
import { type Bot, say } from './bot.ts';
import { homeOf, isDirect } from './conversation.ts';
import { openMax } from './open-questions.ts';

/** Whether somebody seems to answer an open question by a message, which never counts. */
export async function seemsToAnswer(bot: Bot, message: ChatMessage): Promise<boolean> {
  return looksLikeAnswer(message.text) && (await askedWhere(bot, message)) !== undefined;
}

/** Tells whoever seems to answer, once for each question, that only its buttons count; false = nobody seems to. */
export async function tellToPress(bot: Bot, message: ChatMessage): Promise<boolean> {
  const question = looksLikeAnswer(message.text) ? await askedWhere(bot, message) : undefined;
  if (!question) return false;
  const content = say(
    md('A message does not count as an answer: press a button on the card of **'),
    literal(question.title),
    md('**.'),
  );
  const key = `press/${question.id}`;
  await bot.store.commit({ posts: [{ key, target: homeOf(message), content }] });
  bot.outbox.wake(key);
  return true;
}

/** Most questions of a conversation whose cards are looked at: the newest. */
const LOOKED_AT_MAX = 200;

/** The open question that people talk about there: the newest one in the same thread, or direct conversation. */
async function askedWhere(bot: Bot, { message }: ChatMessage): Promise<QuestionRow | undefined> {
  const { thread } = message;
  // Elsewhere such words mean anything.
  if (thread === undefined && !(await isDirect(bot, message))) return undefined;
  const questions = await bot.store.openQuestions(openMax);
  const near = questions.filter(({ home }) => isSameConversation(home, message));
  for (const question of near.slice(-LOOKED_AT_MAX).toReversed()) {
    if (thread === undefined || (await threadOf(bot, question)) === thread) return question;
  }
  return undefined;
}

/** The thread in which people see a question's card, or under its card. */
async function threadOf(bot: Bot, { id, home }: QuestionRow): Promise<string | undefined> {
  const card = (await bot.store.post(questionPost(id)))?.parts[0]?.message;
  return card?.thread ?? home?.thread ?? card?.id;
}
