import { MessageType, Routes } from 'discord.js';
import type { PastMessage } from '../../engine/digest.ts';
import { ChatUnavailable, type HistoryOutcome, type HistoryWindow } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import { createPace } from '../chat/pace.ts';
import { isNewer, linkTo, madeAtMs, messageRef } from './addresses.ts';
import type { Called, Calls } from './calls.ts';
import type { Channel, Directory } from './directory.ts';
import {
  createNewest,
  filesOf,
  isOfPerson,
  type Listed,
  type Newest,
  repliedTo,
  type Written,
  wordsOf,
  writtenMessage,
  writtenPage,
} from './past-message.ts';
import { type Reader, type Thread, threadsSince } from './past-threads.ts';
import type { People } from './people.ts';
import { sentenceFor } from './refusals.ts';
import type { Wording } from './wording.ts';

/** What people wrote. */
export interface Past {
  /**
   * What people wrote in a conversation within a window: a request for each hundred messages, for each thread, and where
   * needed for the message that was answered. What is forwarded, a poll or a sticker has its words as text. A message that
   * shows the one it replies to answers that one; of private threads nothing is told.
   */
  read(conversation: string, window: HistoryWindow): Promise<HistoryOutcome>;
}

/** Discord takes fifty requests a second from a bot, and posts must not wait for what is read. */
const readRate = { burst: 10, perMinute: 1_500, reserve: 0 };
const pageSize = 100;
/** Most pages of a channel, and of one thread. */
const pagesMax = { channel: 200, thread: 50 } as const;
/** Wait after Discord gave no answer, in milliseconds. */
const askAgainMs = 10_000;
/** The same for what is known as soon as Discord is connected. */
const connectingMs = 500;

/** What was read. */
interface Reading {
  readonly at: Channel;
  readonly newest: Newest;
  /** All that was seen, by id, also of bots; null = it was deleted. */
  readonly seen: Map<string, Written | null>;
  /** The threads that were read, by id. */
  readonly threads: Map<string, ReadThread>;
}

interface ReadThread extends Thread {
  /** Its first message, as far as it was read back. */
  readonly first: Listed | undefined;
  /** Id of the message that the others in it answer. */
  answered: string;
}

/** Makes the reader. @param options `readsMessages`: whether Discord shows the bot what people write to each other */
export function createPast(options: {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly directory: Directory;
  readonly people: People;
  readonly wording: Wording;
  readonly readsMessages: () => Promise<Called<boolean>>;
}): Past {
  const { directory, people, wording, readsMessages } = options;
  const calls = createSlowReader(options);

  async function read(conversation: string, window: HistoryWindow): Promise<HistoryOutcome> {
    try {
      const at = await directory.channel(conversation);
      if (!at) return refused((await directory.isHidden(conversation)) ? hidden : nowhere(conversation));
      const closed = await whyClosed(at);
      if (closed) return closed;
      const reading: Reading = { at, newest: createNewest(window), seen: new Map(), threads: new Map() };
      const failed = (await readAll(reading, window.sinceMs)) ?? (await findAnswered(reading));
      if (failed) return outcomeOf(failed);
      // What was closed meanwhile looked empty.
      const isOpen = (await directory.channel(at.id)) && directory.mayRead(at.id) !== false;
      return isOpen ? told(reading) : refused(unreadable);
    } catch (error) {
      if (error instanceof ChatUnavailable) return { kind: 'later', afterMs: askAgainMs };
      throw error;
    }
  }

  /** Discord shows an empty history, or empty texts, to who may not read. */
  async function whyClosed({ id, kind }: Channel): Promise<HistoryOutcome | undefined> {
    const mayRead = directory.mayRead(id);
    if (mayRead === undefined) return { kind: 'later', afterMs: connectingMs };
    if (!mayRead) return refused(unreadable);
    if (kind === 'direct') return undefined;
    const reads = await readsMessages();
    if (reads.kind !== 'ok') return outcomeOf(reads);
    return reads.data ? undefined : refused(contentIsOff);
  }

  /** The channel itself first, then its threads, those that were written in last first. */
  async function readAll(reading: Reading, sinceMs: number): Promise<Failed | undefined> {
    const { at, newest, threads } = reading;
    if (at.kind !== 'forum') {
      const itself = await visit(reading, at.id, pagesMax.channel);
      if (itself.kind !== 'ok') return itself;
    }
    if (at.kind === 'direct' || at.kind === 'thread') return undefined;
    const listed = await threadsSince(calls, at, sinceMs);
    if (listed.kind !== 'ok') return listed;
    for (const thread of listed.data) {
      if (!newest.reaches(thread.latest)) break;
      if (!isNewer(newest.until, thread.id)) continue;
      const visited = await visit(reading, thread.id, pagesMax.thread);
      if (visited.kind === 'ok') {
        threads.set(thread.id, { ...thread, first: visited.data, answered: thread.id });
      } else if (!isGone(visited)) return visited;
    }
    return undefined;
  }

  /** Reads back from the end of the window, as far as anything is wanted; gives the first message of all if it came to it. */
  async function visit(
    { newest, seen }: Pick<Reading, 'newest' | 'seen'>,
    channel: string,
    most: number,
  ): Promise<Called<Listed | undefined>> {
    let before = newest.until;
    let oldest: Listed | undefined;
    for (let count = 0; count < most; count += 1) {
      const page = await pageOf(channel, { before, limit: `${pageSize}` });
      if (page.kind !== 'ok') return page;
      for (const message of page.data.messages) {
        keep(seen, message);
        newest.take(message);
      }
      oldest = page.data.messages.at(-1) ?? oldest;
      if (page.data.length < pageSize) return { kind: 'ok', data: oldest };
      if (!oldest || !newest.reaches(oldest.id)) return { kind: 'ok', data: undefined };
      before = oldest.id;
    }
    newest.leaveOut();
    return { kind: 'ok', data: undefined };
  }

  function pageOf(channel: string, query: Readonly<Record<string, string>>) {
    return calls.read({ method: 'GET', route: Routes.channelMessages(channel), query }, writtenPage);
  }

  /** Finds out what is answered, and reads it where that has not happened yet. */
  async function findAnswered(reading: Reading): Promise<Failed | undefined> {
    const { at, newest, seen, threads } = reading;
    for (const { channel_id } of newest.messages.values()) {
      const thread = threads.get(channel_id);
      if (!thread || at.kind === 'forum' || seen.has(thread.id)) continue;
      const first = thread.first ? found(thread.first) : await firstOf(thread.id);
      if (first.kind === 'ok' && first.data) {
        keep(seen, first.data);
        // A thread that was not opened from a message is about its own first one.
        if (first.data.type !== MessageType.ThreadStarterMessage) thread.answered = first.data.id;
      } else if (first.kind !== 'ok' && !isGone(first)) return first;
    }
    for (const message of newest.messages.values()) {
      const id = answeredBy(reading, message);
      if (id === undefined || seen.has(id)) continue;
      // The message that a thread was opened from has its id, and stands in the channel.
      const channel = at.kind === 'channel' && id === message.channel_id ? at.id : message.channel_id;
      const asked = await calls.read(
        { method: 'GET', route: Routes.channelMessage(channel, id) },
        writtenMessage,
      );
      if (asked.kind === 'ok') seen.set(id, asked.data);
      else if (isGone(asked)) seen.set(id, null);
      else return asked;
    }
    return undefined;
  }

  async function firstOf(thread: string): Promise<Called<Listed | undefined>> {
    const page = await pageOf(thread, { after: '0', limit: '1' });
    return page.kind === 'ok' ? found(page.data.messages[0]) : page;
  }

  function told(reading: Reading): HistoryOutcome {
    const { newest, seen } = reading;
    const recent = [...newest.messages.values()];
    const answered = new Set(recent.map((one) => answeredBy(reading, one))).difference(newest.messages);
    const older = [...answered].flatMap((id) => seen.get(id ?? '') ?? []).filter(isOfPerson);
    return {
      kind: 'read',
      messages: [
        ...inOrder(older).map((one): PastMessage => ({ ...pastMessage(reading, one), isOlder: true })),
        ...inOrder(recent).map((one) => pastMessage(reading, one)),
      ],
      isCut: newest.isCut,
    };
  }

  function pastMessage(reading: Reading, written: Written): PastMessage {
    const { id, channel_id: channel, author, reactions } = written;
    const { at, threads } = reading;
    const thread = answeredBy(reading, written);
    const text = wordsOf(written, ({ content, mentions }) =>
      wording.plain({ text: content, names: new Map(mentions.map((user) => [user.id, nameOf(user)])) }),
    );
    // The first message of a post is read with its title.
    const title = at.kind === 'forum' && id === channel ? threads.get(id)?.name : undefined;
    return {
      id,
      atMs: madeAtMs(id),
      author: { id: author.id, name: nameOf(author) },
      text: title === undefined || text.startsWith(title) ? text : `${title}\n\n${text}`,
      reactions: reactions.reduce((sum, { count }) => sum + count, 0),
      files: filesOf(written),
      url: linkTo(at.guild, messageRef(at.id, id, channel)),
      ...(thread !== undefined && { thread }),
    };
  }

  /** As others see them there: histories do not say it. */
  function nameOf({ id, global_name, username }: Written['author']): string {
    return people.knownName(id) ?? global_name ?? username;
  }

  return { read };
}

/** Reads at the rate that is meant for it, and no more when everything ends. */
function createSlowReader({ calls, clock }: { readonly calls: Calls; readonly clock: Clock }): Reader {
  const pace = createPace(readRate);
  return {
    async read(call, shape) {
      for (;;) {
        if (calls.isClosed) return { kind: 'later', afterMs: askAgainMs };
        const waitMs = pace.take('', clock.now(), true);
        if (waitMs === 0) return calls.read(call, shape);
        await calls.pause(waitMs);
      }
    },
  };
}

type Failed = Exclude<Called<never>, { kind: 'ok' }>;

function keep(seen: Reading['seen'], { referenced_message: answered, ...message }: Listed): void {
  seen.set(message.id, message);
  const id = message.message_reference?.message_id;
  if (id !== undefined && answered !== undefined && !seen.has(id)) seen.set(id, answered);
}

/** Id of the message that it answers, in its thread or with a reply. */
function answeredBy({ threads }: Reading, written: Written): string | undefined {
  const answered = threads.get(written.channel_id)?.answered;
  return answered === undefined || answered === written.id ? repliedTo(written) : answered;
}

function inOrder(messages: readonly Written[]): readonly Written[] {
  return messages.toSorted((one, other) => (isNewer(one.id, other.id) ? 1 : -1));
}

function found<T>(data: T): Called<T> {
  return { kind: 'ok', data };
}

/** It was deleted meanwhile, or the bot may not see it any more. */
function isGone(failed: Failed): boolean {
  return failed.kind === 'refused' && ['gone', 'nowhere', 'outside'].includes(failed.refusal);
}

function outcomeOf(failed: Failed): HistoryOutcome {
  switch (failed.kind) {
    case 'later':
      return failed;
    case 'unknown':
      return { kind: 'later', afterMs: askAgainMs };
    case 'refused':
      return refused(failed.message);
  }
}

function refused(message: string): HistoryOutcome {
  return { kind: 'refused', message };
}

const hidden = sentenceFor(50001, '');
const unreadable =
  'The bot may not read this channel back: give its role View Channel and Read Message History there, and Connect in a voice channel.';
const contentIsOff =
  'Discord shows the bot no texts of people, because the Message Content Intent is off: switch it on in the Developer Portal (Bot).';

function nowhere(conversation: string): string {
  return `Discord has no conversation “${conversation}” that the bot can see.`;
}
