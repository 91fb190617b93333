import { Routes } from 'discord.js';
import { z } from 'zod';
import type { MessageRef } from '../../engine/people.ts';
import { madeAtMs, messageRef } from './addresses.ts';
import type { Called, Calls } from './calls.ts';
import type { Destination } from './destination.ts';
import type { Directory } from './directory.ts';
import { type LookUp, marksOf } from './look-up.ts';
import { markOf } from './mark.ts';
import type { Payload } from './posts.ts';

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
const activeShape = z.object({
  threads: z.array(
    z.object({ id: z.string(), parent_id: z.string().nullish(), owner_id: z.string().optional() }),
  ),
});
/** The forum takes posts with a tag only. */
const requiresTag = 1 << 4;
/** The tag that is used where there is one of this name. */
const ownTag = 'flowbot';
/** Posts whose threads are remembered, at most. */
const openedMax = 1_000;

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
    const own = tags.find(({ name }) => name.toLowerCase() === ownTag);
    const first = (flags & requiresTag) === 0 ? undefined : tags.find(({ moderated }) => !moderated);
    const tag = own ?? first;
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
    const active = await calls.read({ method: 'GET', route: Routes.guildActiveThreads(guild) }, activeShape);
    if (active.kind !== 'ok') return active;
    const me = await user();
    const own = active.data.threads.filter(
      ({ id, parent_id, owner_id }) => parent_id === forum && owner_id === me && madeAtMs(id) >= sinceMs,
    );
    for (const { id } of own) {
      // The first message of such a thread has its id.
      const first = await lookUp.message(id, id);
      if (first.kind === 'ok' && marksOf(first.data)[0] === markOf(key)) {
        return { kind: 'ok', data: messageRef(forum, id, id) };
      }
      if (first.kind !== 'ok' && first.kind !== 'refused') return first;
    }
    return { kind: 'ok', data: undefined };
  }

  function remember(key: string, thread: string): void {
    opened.set(readKey(key).post, thread);
    const [oldest] = opened.keys();
    if (opened.size > openedMax && oldest !== undefined) opened.delete(oldest);
  }

  return {
    async post(to, payload, key, title) {
      const thread = await threadOf(to, key);
      if (thread.kind !== 'ok') return thread;
      const into = thread.data;
      if (into === undefined) {
        const made = await open(to, payload, title);
        if (made.kind !== 'ok') return made;
        remember(key, made.data.id);
        return { kind: 'ok', data: { message: messageRef(to.forum, made.data.id, made.data.id) } };
      }
      const route = Routes.channelMessages(into);
      const said = await calls.call(
        { method: 'POST', route, body: payload.body, files: payload.files },
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

const askAgainMs = 5_000;

/** The keys of the messages of one post differ only behind the last `#`: see `Chat.post`. */
function readKey(key: string): { readonly post: string; readonly isFirst: boolean } {
  const end = key.lastIndexOf('#');
  const post = end < 0 ? key : key.slice(0, end);
  return { post, isFirst: end < 0 || key === firstKey(post) };
}

function firstKey(post: string): string {
  return `${post}#0`;
}
