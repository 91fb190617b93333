import type { PastMessage } from '../../engine/digest.ts';
import type { HistoryOutcome, HistoryWindow } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import { createPace, type Pace } from '../chat/pace.ts';
import { messageLink, messageRef, readConversationId } from './addresses.ts';
import type { Called, Calls } from './calls.ts';
import type { Account, Directory } from './directory.ts';
import type { Identity } from './identity.ts';
import {
  answeredBy,
  between,
  isOfPerson,
  microsOf,
  type PersonWritten,
  type Written,
  writtenPage,
} from './past-message.ts';
import { mentionedUsers } from './typed.ts';
import { createWording } from './wording.ts';

/** What people wrote in one workspace. */
export interface Past {
  /** What people wrote in a conversation within a window. Takes minutes where many threads were answered. */
  read(conversation: string, window: HistoryWindow): Promise<HistoryOutcome>;
}

/**
 * Reading is tier 3, 50 a minute for each method, and look-ups of our own posts need some of it. Names are tier 4, 100 a
 * minute. @see https://docs.slack.dev/apis/web-api/rate-limits
 */
const readRate = { burst: 10, perMinute: 40, reserve: 0 };
const nameRate = { burst: 20, perMinute: 60, reserve: 0 };
/** How much older than the window messages may be whose answers in it are found, in milliseconds. */
const threadAgeMaxMs = 7 * 24 * 3_600_000;
/** Most pages of 200 of the window, of what is older, and of one thread. */
const pagesMax = { window: 100, older: 25, thread: 25 } as const;
/** Most people who did not write themselves whose names are looked up. */
const mentionedMax = 100;
/** Wait after Slack gave no answer, in milliseconds. */
const askAgainMs = 10_000;

/** What belongs to a window, each oldest first. */
interface Chosen {
  readonly recent: readonly PersonWritten[];
  readonly older: readonly PersonWritten[];
  readonly isCut: boolean;
}

/** Makes the reader of one workspace. */
export function createPast(options: {
  readonly calls: Calls;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly whoAmI: () => Promise<Identity>;
}): Past {
  const { calls, directory, clock, whoAmI } = options;
  const readPace = createPace(readRate);
  const namePace = createPace(nameRate);

  async function read(conversation: string, window: HistoryWindow): Promise<HistoryOutcome> {
    const at = readConversationId(conversation);
    const me = await whoAmI();
    if (at?.team !== me.team) {
      return { kind: 'refused', message: `${conversation} is not a conversation of this Slack workspace.` };
    }
    const channel = directory.currentId(at.channel);
    const found = await choose(channel, window, me);
    switch (found.kind) {
      case 'later':
        return found;
      case 'unknown':
        return { kind: 'later', afterMs: askAgainMs };
      case 'refused':
        if (found.refusal === 'moved' || found.refusal === 'outside') directory.forget(channel);
        return { kind: 'refused', message: found.message };
      case 'ok':
    }
    const { recent, older, isCut } = found.data;
    const accounts = await meet([...recent, ...older]);
    const { known } = createWording(me.team, directory);
    const tell = (written: PersonWritten): PastMessage => {
      const { ts, user, text, reactions, files } = written;
      const thread = answeredBy(written);
      return {
        id: ts,
        atMs: Math.floor(microsOf(ts) / 1_000),
        author: { id: user, name: accounts.get(user)?.name ?? user },
        text: known(text),
        reactions: reactions.reduce((sum, { count }) => sum + count, 0),
        files: files.length,
        url: messageLink(me.url, channel, messageRef({ ...at, channel }, ts, thread)),
        ...(thread !== undefined && { thread }),
      };
    };
    const byPeople = (all: readonly PersonWritten[]) =>
      all.filter(({ user }) => !accounts.get(user)?.isBot).map(tell);
    return {
      kind: 'read',
      messages: [
        ...byPeople(older).map((one): PastMessage => ({ ...one, isOlder: true })),
        ...byPeople(recent),
      ],
      isCut,
    };
  }

  /**
   * The conversation itself is read first, newest first, until there is more than enough; then the threads in what was
   * read, those that were answered last first, as long as there may be something among the newest in them.
   */
  async function choose(
    channel: string,
    { sinceMs, untilMs, max }: HistoryWindow,
    me: Identity,
  ): Promise<Called<Chosen>> {
    // By `ts`: what is shown in the conversation and in its thread is one message.
    const written = new Map<string, PersonWritten>();
    const answered = new Map<string, Written>();
    const from = sinceMs * 1_000;
    const take = (messages: readonly Written[]): void => {
      for (const one of messages) {
        const micros = microsOf(one.ts);
        const isWithin = micros >= from && micros < untilMs * 1_000;
        if (isWithin && isOfPerson(one, me)) written.set(one.ts, one);
        if (one.latest_reply !== undefined && microsOf(one.latest_reply) >= from) answered.set(one.ts, one);
      }
    };
    const isFull = () => written.size > max;

    const window = { channel, ...between(sinceMs, untilMs) };
    const itself = await visit('conversations.history', window, pagesMax.window, take, isFull);
    if (itself.kind !== 'ok') return itself;
    let isWhole = itself.data;
    if (!isFull()) {
      const before = { channel, ...between(sinceMs - threadAgeMaxMs, sinceMs) };
      const older = await visit('conversations.history', before, pagesMax.older, take);
      if (older.kind !== 'ok') return older;
    }
    const threads = [...answered.values()].toSorted(
      (one, other) => microsOf(other.latest_reply ?? '') - microsOf(one.latest_reply ?? ''),
    );
    for (const { ts, latest_reply: latest = ts } of threads) {
      // Nothing in it, nor in those that follow, is among the newest.
      if (isFull() && microsOf(latest) < microsOf(newest(written, max).at(0)?.ts ?? ts)) break;
      const thread = await visit('conversations.replies', { ...window, ts }, pagesMax.thread, take);
      if (thread.kind === 'ok') isWhole &&= thread.data;
      // It was deleted meanwhile.
      else if (thread.kind !== 'refused' || thread.refusal !== 'gone') return thread;
    }
    const recent = newest(written, max);
    return {
      kind: 'ok',
      data: { recent, older: olderOf(recent, answered, me), isCut: isFull() || !isWhole },
    };
  }

  /** Reads page by page, until it is enough; gives whether all was read. */
  async function visit(
    method: string,
    args: Readonly<Record<string, string>>,
    most: number,
    take: (messages: readonly Written[]) => void,
    isEnough = () => false,
  ): Promise<Called<boolean>> {
    const pages = calls.pages(method, args, writtenPage, most);
    for (;;) {
      await turn(readPace, method);
      if (calls.isClosed) return { kind: 'later', afterMs: askAgainMs };
      const { value: page } = await pages.next();
      if (!page) return { kind: 'ok', data: false };
      if (page.kind !== 'ok') return page;
      take(page.data.messages);
      const isLast = page.data.response_metadata.next_cursor === '';
      if (isLast || isEnough()) return { kind: 'ok', data: isLast };
    }
  }

  /** Looks up who wrote and who is mentioned, each once: their names are known then. */
  async function meet(messages: readonly PersonWritten[]): Promise<ReadonlyMap<string, Account>> {
    const authors = new Set(messages.map(({ user }) => user));
    const mentioned = new Set(messages.flatMap(({ text }) => mentionedUsers(text))).difference(authors);
    const met = new Map<string, Account>();
    for (const id of [...authors, ...[...mentioned].slice(0, mentionedMax)]) {
      if (directory.knownName(id) === undefined) await turn(namePace, '');
      if (calls.isClosed) break;
      try {
        const account = await directory.account(id);
        if (account) met.set(id, account);
      } catch {
        // Slack gives no answer: the others would only be waited for, and their ids stand for their names.
        break;
      }
    }
    return met;
  }

  /** Resolves when it may be done, or everything ends. */
  async function turn(pace: Pace, key: string): Promise<void> {
    while (!calls.isClosed) {
      const waitMs = pace.take(key, clock.now(), true);
      if (waitMs === 0) return;
      await calls.pause(waitMs);
    }
  }

  return { read };
}

/** The newest so many, oldest first. */
function newest(written: ReadonlyMap<string, PersonWritten>, max: number): readonly PersonWritten[] {
  return [...written.values()]
    .toSorted((one, other) => microsOf(other.ts) - microsOf(one.ts))
    .slice(0, max)
    .toReversed();
}

/** What they answer and is not among them, oldest first. */
function olderOf(
  recent: readonly PersonWritten[],
  answered: ReadonlyMap<string, Written>,
  me: Identity,
): readonly PersonWritten[] {
  const there = new Set(recent.map(({ ts }) => ts));
  const asked = new Set(recent.flatMap((one) => answeredBy(one) ?? [])).difference(there);
  return [...asked]
    .flatMap((ts) => answered.get(ts) ?? [])
    .filter((one) => isOfPerson(one, me))
    .toSorted((one, other) => microsOf(one.ts) - microsOf(other.ts));
}
