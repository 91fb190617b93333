import { Routes } from 'discord.js';
import { z } from 'zod';
import type { MessageRef } from '../../engine/people.ts';
import { madeAtMs, messageRef } from './addresses.ts';
import type { Called, Calls } from './calls.ts';
import type { Destination } from './destination.ts';
import type { Directory } from './directory.ts';
import { type LookUp, marksOf } from './look-up.ts';
import { markOf } from './mark.ts';
import { onceBy, type Payload } from './payload.ts';

type Forum = Extract<Destination, { kind: 'forum' }>;

/** Posts in forums: the first message of a post opens a thread, the others follow in it. */
export interface Forums {
  post(
    to: Forum,
    payload: Payload,
    key: string,
    title: string,
  ): Promise<Called<{ readonly message: MessageRef }>>;
  find(to: Forum, key: string, sinceMs: number): Promise<Called<MessageRef | undefined>>;
}

const openedShape = z.object({ id: z.string() });
const forumShape = z.object({
  flags: z.number().default(0),
  available_tags: z
    .array(z.object({ id: z.string(), name: z.string(), moderated: z.boolean().default(false) }))
    .default([]),
});
const threadShape = z.object({
  id: z.string(),
  parent_id: z.string().nullish(),
  owner_id: z.string().optional(),
  thread_metadata: z.object({ archive_timestamp: z.string() }),
});
const activeShape = z.object({ threads: z.array(threadShape) });
const archivedShape = activeShape.extend({ has_more: z.boolean().default(false) });
/** The forum takes posts with a tag only. */
const requiresTag = 1 << 4;
/** The tag that is used where there is one of this name. */
const ownTag = 'flowbot';
/** Posts whose threads are remembered, at most. */
const openedMax = 1_000;
/** Most archived threads on a page, and most pages that are looked through. */
const pageSize = 100;
const pagesMax = 20;
/** Wait after something that could not be found out, in milliseconds. */
const askAgainMs = 5_000;

/** Makes it. @param user the bot's own id */
export function createForums(options: {
  readonly calls: Calls;
  readonly directory: Directory;
  readonly lookUp: LookUp;
  readonly user: () => Promise<string>;
}): Forums {
  const { calls, lookUp, user } = options;
  /** The thread of each post, by what the keys of its messages share. */
  const opened = new Map<string, string>();

  async function tagsOf(forum: string): Promise<Called<readonly string[]>> {
    const read = await calls.read({ method: 'GET', route: Routes.channel(forum) }, forumShape);
    if (read.kind !== 'ok') return read;
    const { flags, available_tags: tags } = read.data;
    // The others are for moderators.
    const free = tags.filter(({ moderated }) => !moderated);
    const own = free.find(({ name }) => name.toLowerCase() === ownTag);
    const tag = own ?? ((flags & requiresTag) === 0 ? undefined : free[0]);
    return { kind: 'ok', data: tag ? [tag.id] : [] };
  }

  async function open(
    { forum }: Forum,
    { body, files }: Payload,
    title: string,
  ): Promise<Called<{ readonly id: string }>> {
    const tags = await tagsOf(forum);
    if (tags.kind !== 'ok') return tags.kind === 'unknown' ? { kind: 'later', afterMs: askAgainMs } : tags;
    return calls.call(
      {
        method: 'POST',
        route: Routes.threads(forum),
        body: { name: title, message: body, applied_tags: tags.data },
        files,
      },
      openedShape,
    );
  }

  /** The thread that the first message of a post has opened, looked up when it is not known. */
  async function threadOf(to: Forum, key: string): Promise<Called<string | undefined>> {
    const { post, isFirst } = readKey(key);
    const known = opened.get(post);
    if (known !== undefined) return { kind: 'ok', data: known };
    if (isFirst) return { kind: 'ok', data: undefined };
    const first = await findFirst(to, firstKey(post), 0);
    return first.kind === 'ok' ? { kind: 'ok', data: first.data?.thread } : first;
  }

  async function findFirst(
    { forum, guild }: Forum,
    key: string,
    sinceMs: number,
  ): Promise<Called<MessageRef | undefined>> {
    if (guild === undefined) return { kind: 'ok', data: undefined };
    const threads = await ownThreads(forum, guild, sinceMs);
    if (threads.kind !== 'ok') return threads;
    for (const id of threads.data) {
      // The first message of such a thread has its id.
      const first = await lookUp.message(id, id);
      if (first.kind === 'ok' && marksOf(first.data)[0] === markOf(key)) {
        return { kind: 'ok', data: messageRef(forum, id, id) };
      }
      if (first.kind !== 'ok' && first.kind !== 'refused') return first;
    }
    return { kind: 'ok', data: undefined };
  }

  /** The threads of a forum that the bot has opened since then, also those that nobody has written in for long. */
  async function ownThreads(
    forum: string,
    guild: string,
    sinceMs: number,
  ): Promise<Called<readonly string[]>> {
    const me = await user();
    const own = (threads: readonly z.infer<typeof threadShape>[]) =>
      threads
        .filter(
          ({ id, parent_id, owner_id }) => parent_id === forum && owner_id === me && madeAtMs(id) >= sinceMs,
        )
        .map(({ id }) => id);
    const active = await calls.read({ method: 'GET', route: Routes.guildActiveThreads(guild) }, activeShape);
    if (active.kind !== 'ok') return active;
    const found = own(active.data.threads);
    let before: string | undefined;
    for (let page = 0; page < pagesMax; page += 1) {
      const query = { limit: `${pageSize}`, ...(before !== undefined && { before }) };
      const route = Routes.channelThreads(forum, 'public');
      const archived = await calls.read({ method: 'GET', route, query }, archivedShape);
      if (archived.kind !== 'ok') return archived;
      const { threads, has_more: hasMore } = archived.data;
      found.push(...own(threads));
      before = threads.at(-1)?.thread_metadata.archive_timestamp;
      // Nothing is archived before it is made.
      if (!hasMore || before === undefined || Date.parse(before) < sinceMs)
        return { kind: 'ok', data: found };
    }
    return tooMany;
  }

  function remember(key: string, thread: string): void {
    opened.set(readKey(key).post, thread);
    const [oldest] = opened.keys();
    if (opened.size > openedMax && oldest !== undefined) opened.delete(oldest);
  }

  return {
    async post(to, payload, key, title) {
      const thread = await threadOf(to, key);
      if (thread.kind === 'later') return thread;
      if (thread.kind === 'unknown') return { kind: 'later', afterMs: askAgainMs };
      // When nobody can tell where the first message is, a thread of its own is better than nothing.
      const into = thread.kind === 'ok' ? thread.data : undefined;
      if (into === undefined) {
        const made = await open(to, payload, title);
        if (made.kind !== 'ok') return made;
        remember(key, made.data.id);
        return { kind: 'ok', data: { message: messageRef(to.forum, made.data.id, made.data.id) } };
      }
      const route = Routes.channelMessages(into);
      const said = await calls.call(
        { method: 'POST', route, body: { ...payload.body, ...onceBy(key) }, files: payload.files },
        openedShape,
      );
      return said.kind === 'ok'
        ? { kind: 'ok', data: { message: messageRef(to.forum, said.data.id, into) } }
        : said;
    },
    async find(to, key, sinceMs) {
      const { isFirst } = readKey(key);
      if (isFirst) return findFirst(to, key, sinceMs);
      const thread = await threadOf(to, key);
      if (thread.kind !== 'ok') return thread;
      const into = thread.data;
      if (into === undefined) return { kind: 'ok', data: undefined };
      const seen = await lookUp.marked(into, markOf(key), sinceMs);
      return seen.kind === 'ok'
        ? { kind: 'ok', data: seen.data && messageRef(to.forum, seen.data.id, into) }
        : seen;
    },
  };
}

const tooMany = {
  kind: 'refused',
  code: 0,
  refusal: 'no',
  message: 'There are too many posts in this forum to look through.',
} as const;

/** The keys of the messages of one post differ only behind the last `#`: see `Chat.post`. */
function readKey(key: string): { readonly post: string; readonly isFirst: boolean } {
  const end = key.lastIndexOf('#');
  const post = end < 0 ? key : key.slice(0, end);
  return { post, isFirst: end < 0 || key === firstKey(post) };
}

function firstKey(post: string): string {
  return `${post}#0`;
}
