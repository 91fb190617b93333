import type { InputProblem } from '../engine/data/input.ts';
import { parseAddress } from '../engine/flow/address.ts';
import { nearest } from '../engine/flow/nearest.ts';
import { reservedWords } from '../engine/flow/triggers.ts';
import type { Place } from '../engine/people.ts';
import type { Form, PostContent } from '../engine/post.ts';
import { literal, md } from '../engine/prose.ts';
import type { ChatMessage } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { fillIn, writeActionId } from './action-ids.ts';
import { type Bot, type Caller, say } from './bot.ts';
import { inputForm, startFlow, type Wish } from './start-flow.ts';
import { firstWord, shown, type Typed } from './typed.ts';

/** The command of a message, if it begins with one: a word after the prefix, or after a mention of the bot. */
export function commandOf(prefix: string, message: Pick<ChatMessage, 'text' | 'toBot'>): Typed | undefined {
  const typed = firstWord(message.text);
  const sign = firstWord(prefix).word;
  const isSigned = typed.word.startsWith(sign);
  const word = isSigned ? typed.word.slice(sign.length) : typed.word;
  if (message.toBot) return { word, rest: typed.rest };
  return isSigned && /^[\p{L}\p{N}]/u.test(word) ? { word, rest: typed.rest } : undefined;
}

/** Whether the bot has anything to say to a message: said to it, or one of its commands, or nearly one. */
export function isForBot(bot: Bot, message: Pick<ChatMessage, 'text' | 'toBot'>): boolean {
  const typed = commandOf(bot.settings.prefix, message);
  return typed !== undefined && (message.toBot || nearest(typed.word, knownWords(bot)) !== undefined);
}

/** The visible answer to a conversation command. */
export interface VisibleAnswer {
  readonly content: PostContent;
  /** What its button opens, filled with what was understood. */
  readonly form?: Form;
}

/** Does what a conversation command asks. Undefined: it started a run, whose card is the visible answer. */
export async function runConversationCommand(
  bot: Bot,
  caller: Caller,
  message: ChatMessage,
): Promise<VisibleAnswer | undefined> {
  const typed = commandOf(bot.settings.prefix, message);
  if (!typed) return undefined;
  const flow = await flowOf(bot, typed.word, message.message);
  if (!flow) return unknownCommand(bot, message, typed);
  const result = await startFlow(bot, { flow, caller, ...wishOfMessage(message, typed, flow) });
  switch (result.kind) {
    case 'started':
      // Its card says that it has begun.
      return result.queued === undefined
        ? undefined
        : { content: say(literal(`${flow.plan.name} is queued. ${result.queued}`)) };
    case 'refused':
      return { content: say(literal(result.why)) };
    case 'incomplete': {
      const { name } = flow.plan;
      const id = writeActionId({ kind: 'fill', flow: flow.id, event: caller.event });
      const why = whatIsWrong(result.missing, result.problems);
      return {
        content: {
          prose: [md('**'), literal(name), md('** needs more to start: '), literal(why)],
          buttons: [fillIn(id)],
          notify: [],
        },
        form: inputForm(flow, id, result.fields),
      };
    }
  }
}

/** What a message asks a flow to do. One message starts one run of it at most, typed whole or filled in by a form. */
export function wishOfMessage(message: ChatMessage, typed: Typed, flow: LoadedFlow): Wish {
  const { platform, conversation, id } = message.message;
  return {
    trigger: 'command',
    text: message.text,
    prompt: typed.rest,
    home: homeOf(message),
    files: message.files,
    ...(message.mentions && { mentions: message.mentions }),
    startKey: `message:${platform}:${conversation}:${id}:${flow.id}`,
  };
}

/** Whether a place is somebody's direct conversation with the bot: nobody else reads what is said there. */
export async function isDirect(bot: Bot, { platform, conversation }: Place): Promise<boolean> {
  return (await bot.chats.get(platform)?.conversation(conversation))?.name.startsWith('@') === true;
}

/** Runs that a message starts live in its thread. */
export function homeOf(message: Pick<ChatMessage, 'message'>): Place {
  const { platform, conversation, thread, id } = message.message;
  return { platform, conversation, thread: thread ?? id };
}

/** Most problems told at once to somebody who typed. */
const PROBLEMS_SHOWN = 5;

/** What a person has to mend in an input, in sentences: what could not be read comes before what is missing. */
export function whatIsWrong(missing: readonly InputProblem[], problems: readonly InputProblem[]): string {
  const all = [...problems, ...missing].map(({ message }) => message);
  const parts =
    all.length <= PROBLEMS_SHOWN
      ? all
      : [...all.slice(0, PROBLEMS_SHOWN), `… and ${all.length - PROBLEMS_SHOWN} more`];
  return parts.map((part) => (/[.?!]$/.test(part) ? part : `${part}.`)).join(' ');
}

/** The flow that a command word starts in this conversation. */
export async function flowOf(bot: Bot, word: string, place: Place): Promise<LoadedFlow | undefined> {
  for (const flow of bot.catalog.flows) {
    for (const trigger of flow.plan.triggers) {
      if (trigger.type !== 'command' || trigger.command !== word) continue;
      if (await worksIn(bot, trigger.in, place)) return flow;
    }
  }
  return undefined;
}

/** The words that start a flow in this conversation. */
export async function wordsFor(bot: Bot, { plan }: LoadedFlow, place: Place): Promise<readonly string[]> {
  const words: string[] = [];
  for (const trigger of plan.triggers) {
    if (trigger.type === 'command' && (await worksIn(bot, trigger.in, place))) words.push(trigger.command);
  }
  return words;
}

/** Whether a trigger works in a place. @param addresses its conversations; absent = all. */
export async function worksIn(
  bot: Bot,
  addresses: readonly string[] | undefined,
  place: Place,
): Promise<boolean> {
  if (!addresses) return true;
  for (const address of addresses) {
    const parsed = parseAddress(address);
    if (!parsed || (parsed.platform !== undefined && parsed.platform !== place.platform)) continue;
    const conversation = await bot.chats.get(place.platform)?.conversation(parsed.rest);
    if (conversation?.id === place.conversation) return true;
  }
  return false;
}

function knownWords(bot: Bot): readonly string[] {
  return bot.catalog.flows.flatMap((flow) =>
    flow.plan.triggers.flatMap((trigger) => (trigger.type === 'command' ? [trigger.command] : [])),
  );
}

function unknownCommand(bot: Bot, message: ChatMessage, { word }: Typed): VisibleAnswer | undefined {
  const { prefix, command } = bot.settings;
  const near = nearest(word, knownWords(bot));
  if (!message.toBot && near === undefined) return undefined;
  if (reservedWords.has(word)) {
    return { content: say(literal(`“${word}” is a word of the chat command: type ${command} ${word}.`)) };
  }
  if (near === undefined) {
    return { content: say(literal(`I don't know “${shown(word)}”. Say help to see what I can do.`)) };
  }
  const hint = near === word ? `${command} list shows what there is.` : `Did you mean ${prefix}${near}?`;
  return { content: say(literal(`There is no command ${prefix}${shown(word)} here. ${hint}`)) };
}
