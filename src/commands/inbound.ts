import { looksLikeAnswer } from '../engine/answer-words.ts';
import type { Place } from '../engine/people.ts';
import { literal, md } from '../engine/prose.ts';
import {
  type Answer,
  type ChatClick,
  type ChatEvent,
  type ChatMessage,
  type ChatSubmit,
  ChatUnavailable,
  type Inbound,
  type Taken,
} from '../ports/chat.ts';
import type { StoredDelivery } from '../ports/store.ts';
import { contentWithNames } from '../runner/names.ts';
import { eventKey, parseActionId } from './action-ids.ts';
import { onAnswerClick, onAnswerSubmit } from './answer-clicks.ts';
import { type Bot, type Caller, deliveryOf, privately, say } from './bot.ts';
import type { Reply } from './command.ts';
import {
  commandOf,
  flowOf,
  homeOf,
  isDirect,
  isForBot,
  runConversationCommand,
  type VisibleAnswer,
} from './conversation.ts';
import { createDeletedCards } from './deleted-card.ts';
import { createDrafts, type Drafts } from './drafts.ts';
import { formFor, startFromForm, startFromPage, startPicked, whyNoForm } from './forms.ts';
import { homePage } from './home.ts';
import { followMenu } from './menu.ts';
import { cancelRun, offerAgain, rerun, retryRun } from './run-actions.ts';
import { seemsToAnswer, tellToPress } from './said-answer.ts';
import { runSlashCommand } from './slash.ts';
import { completeCommand, lookingCommand, runChatCommand } from './table.ts';
import { createTurns } from './turns.ts';
import { welcome } from './welcome.ts';

/** The bot as adapters see it: takes what people do, keeps it, does it once, and answers. */
export interface BotInbound extends Inbound {
  /**
   * Does in the background what the last process kept but did not finish.
   * @param kept the store's undelivered events, read before the chats are started: later ones are handled as they come
   */
  resume(kept: readonly StoredDelivery[]): void;
  /** Begins nothing more of what is kept: the next start does it. Complete when what was begun has ended. */
  stop(): Promise<void>;
}

/** Events handled at the same time, at most; fewer while new ones come in, because taking those comes before. */
const HANDLED_AT_ONCE = { quiet: 16, busy: 2 };
/** New ones come in bursts: so long after the last one more are expected, in milliseconds. */
const BURST_MS = 50;

/** Wait before an event that needs a chat which gives no answer is handled again, doubled each time, in milliseconds. */
const AGAIN_AFTER_MS = { first: 5_000, longest: 60_000 };

/** Makes the bot's side of every chat adapter. */
export function createInbound(bot: Bot): BotInbound {
  const drafts = createDrafts();
  const deletedCards = createDeletedCards(bot);
  let receiving = 0;
  let receivedAtMs = Number.NEGATIVE_INFINITY;
  const isBusy = () => receiving > 0 || Math.abs(bot.clock.now() - receivedAtMs) < BURST_MS;
  const turns = createTurns(() => (isBusy() ? HANDLED_AT_ONCE.busy : HANDLED_AT_ONCE.quiet));

  /** Cancel the waits of events that are handled again later. */
  const waits = new Set<() => void>();

  /** What fails stays kept, and whatever was done already is not done twice. */
  async function handle(delivery: StoredDelivery, tries = 0): Promise<Answer> {
    const { id, event } = delivery;
    try {
      const answer = await namedIn(bot, event, await answerTo(bot, drafts, delivery));
      await bot.store.commit({ delivered: [id] });
      return answer;
    } catch (error) {
      if (error instanceof ChatUnavailable) {
        handleLater(delivery, tries, error);
        return privately(
          say(
            md("A chat that this needs can't be reached at the moment."),
            md(' This is kept, and done as soon as it can.'),
          ),
        );
      }
      bot.log.error('An event of a chat could not be handled.', error, { delivery: id });
      return privately(
        say(md('Something went wrong on my side. This is kept, and done when I am started again.')),
      );
    }
  }

  /** Nobody waits for the answer any more: who asked has been told. */
  function handleLater(delivery: StoredDelivery, tries: number, { message }: ChatUnavailable): void {
    if (tries === 0) bot.log.warn('An event waits for a chat.', { delivery: delivery.id, why: message });
    const afterMs = Math.min(AGAIN_AFTER_MS.longest, AGAIN_AFTER_MS.first * 2 ** tries);
    const cancel = bot.clock.alarm(bot.clock.now() + afterMs, () => {
      waits.delete(cancel);
      void turns.take(() => handle(delivery, tries + 1), false);
    });
    waits.add(cancel);
  }

  return {
    formFor: (click) => formFor(bot, drafts, click),

    async receive(event, calm) {
      // What people tell each other is not kept.
      if (event.type === 'message' && !isForBot(bot, event) && !(await seemsToAnswer(bot, event))) {
        return nothing;
      }
      const id = `${event.person.platform}:${await eventKey(event.id)}`;
      const delivery = { id, event, receivedAtMs: bot.clock.now() };
      receiving += 1;
      receivedAtMs = delivery.receivedAtMs;
      const isNew = await bot.store.receive(delivery).finally(() => {
        receiving -= 1;
      });
      if (!isNew) return nothing;
      const work = async (): Promise<Answer> => {
        await calm?.();
        return handle(delivery);
      };
      const handled = turns.take(work, event.type !== 'message');
      return { answer: handled.then((answer) => answer ?? { kind: 'none' }) };
    },

    deleted: deletedCards.take,

    concerns: (message) => isForBot(bot, message) || looksLikeAnswer(message.text),

    note: (platform, name) => bot.store.note(noteKey(platform, name)),

    keepNote: (platform, name, value) => bot.store.setNote(noteKey(platform, name), value),

    async complete(typed, person, place) {
      return completeCommand(bot, { person, place, event: '', atMs: bot.clock.now() }, typed);
    },

    followMenu: (platform, take) => followMenu(bot, platform, take),

    home: (person, place) => homePage(bot, { person, place, event: '', atMs: bot.clock.now() }),

    resume(kept) {
      void (async () => {
        for (const delivery of kept) await turns.take(() => handle(delivery), false);
      })();
    },

    async stop() {
      await Promise.all([turns.close(), deletedCards.stop()]);
      for (const cancel of waits) cancel();
    },
  };
}

function noteKey(platform: string, name: string): string {
  return `${platform}/${name}`;
}

const nothing: Taken = { answer: Promise.resolve({ kind: 'none' }) };

/** An answer that names people as their platform knows them. */
async function namedIn({ chats }: Bot, { person }: ChatEvent, answer: Answer): Promise<Answer> {
  const chat = chats.get(person.platform);
  if (answer.kind !== 'private' || !chat) return answer;
  return privately(await contentWithNames(chat, answer.content));
}

async function answerTo(bot: Bot, drafts: Drafts, { event, receivedAtMs }: StoredDelivery): Promise<Answer> {
  const key = await eventKey(event.id);
  // One clock decides what came in time: that of this machine.
  const caller = (place: Place): Caller => ({ person: event.person, place, event: key, atMs: receivedAtMs });
  switch (event.type) {
    case 'message':
      return onMessage(bot, drafts, caller(event.message), event);
    case 'command': {
      const { mentions } = event;
      const who = { ...caller(event.place), ...(mentions && { mentions }) };
      return answerOf(drafts, await runChatCommand(bot, who, event.text));
    }
    case 'slash':
      return answerOf(drafts, await runSlashCommand(bot, caller(event.place), event));
    case 'click':
      return onClick(bot, caller(event.message), event);
    case 'submit':
      return onSubmit(bot, caller(event.place), event);
    case 'shortcut':
      // Kept for the form that it opened: `formFor` is all it asks for.
      return { kind: 'none' };
    case 'invited':
      await welcome(bot, caller(event.place));
      return { kind: 'none' };
  }
}

function answerOf(drafts: Drafts, { content, form, draft }: Reply): Answer {
  if (draft) drafts.keep(draft);
  return form ? { kind: 'form', form } : privately(content);
}

/** Messages can't be answered privately everywhere, so the answer goes into their thread, once. */
async function onMessage(bot: Bot, drafts: Drafts, caller: Caller, message: ChatMessage): Promise<Answer> {
  // Also what is said to the bot, as all is in a direct conversation; but a flow may go by such a word.
  if (!(await isCommand(bot, message)) && (await tellToPress(bot, message))) return { kind: 'none' };
  if (!isForBot(bot, message)) return { kind: 'none' };
  const answer =
    (await shownTo(bot, caller, message)) ?? (await runConversationCommand(bot, caller, message));
  if (!answer) return { kind: 'none' };
  if (answer.form) drafts.keep(answer.form);
  const key = `answer/${deliveryOf(caller)}`;
  await bot.store.commit({ posts: [{ key, target: homeOf(message), content: answer.content }] });
  bot.outbox.wake(key);
  return { kind: 'none' };
}

/** Whether a message begins with the command of a flow. */
async function isCommand(bot: Bot, message: ChatMessage): Promise<boolean> {
  const typed = commandOf(bot.settings.prefix, message);
  return typed !== undefined && (await flowOf(bot, typed.word, message.message)) !== undefined;
}

/** What somebody asked the bot to show, by a mention or in their direct conversation. The mention alone asks for help. */
async function shownTo(bot: Bot, caller: Caller, message: ChatMessage): Promise<VisibleAnswer | undefined> {
  const typed = message.toBot ? commandOf(bot.settings.prefix, message) : undefined;
  const command = typed && lookingCommand(typed.word === '' ? 'help' : typed.word);
  if (!command) return undefined;
  const isAlone = await isDirect(bot, message.message);
  const reply = await command.run(bot, isAlone ? caller : { ...caller, isOverheard: true }, typed.rest);
  return { content: reply.content };
}

async function onClick(bot: Bot, caller: Caller, click: ChatClick): Promise<Answer> {
  const id = parseActionId(click.button);
  switch (id?.kind) {
    case 'answer':
      return onAnswerClick(bot, caller, id);
    case 'cancel':
      return privately((await cancelRun(bot, caller, id.run)).content);
    case 'again':
      return privately((await offerAgain(bot, caller, id.run)).content);
    case 'retry':
      return privately((await retryRun(bot, caller, id.run, 'same')).content);
    case 'renew':
      return privately((await retryRun(bot, caller, id.run, 'current')).content);
    case 'rerun':
      return privately((await rerun(bot, caller, id.run, id.offer)).content);
    case 'fill':
      return privately(say(literal(await whyNoForm(bot, caller, id.flow))));
    case 'start':
      return startFromPage(bot, caller, id.flow);
    case 'pick':
    case undefined:
      return privately(say(md('This button is not in use any more.')));
  }
}

async function onSubmit(bot: Bot, caller: Caller, submit: ChatSubmit): Promise<Answer> {
  const id = parseActionId(submit.form);
  switch (id?.kind) {
    case 'answer':
      return onAnswerSubmit(bot, caller, id, submit);
    case 'fill':
      return startFromForm(bot, caller, id, submit);
    case 'start':
      return startFromPage(bot, caller, id.flow, submit);
    case 'pick':
      return startPicked(bot, caller, id.event, submit);
    default:
      return privately(say(md('This form is not in use any more.')));
  }
}
