import { z } from 'zod';
import { ChatUnavailable, type Conversation } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import { createCache } from '../chat/cache.ts';
import { createPace } from '../chat/pace.ts';
import {
  channelIdPattern,
  conversationId,
  platform,
  readConversationId,
  userIdPattern,
} from './addresses.ts';
import { type Called, type Calls, type Page, pageShape } from './calls.ts';
import type { Identity } from './identity.ts';

/** What is known about a conversation. */
export interface Channel {
  readonly id: string;
  /** With its sign: `#releases`, `@Ana`. */
  readonly name: string;
  readonly isMember: boolean;
  /** Anybody of the workspace may join, so the bot may too. */
  readonly isPublic: boolean;
  readonly isArchived: boolean;
}

/** Who writes under an id. */
export interface Account {
  /** Display name. */
  readonly name: string;
  readonly isBot: boolean;
}

/**
 * Who and what there is in a workspace, looked up once and kept for a while. While Slack gives no answer, what was known
 * is believed longer; where nothing was, look-ups of conversations reject with `ChatUnavailable`.
 */
export interface Directory {
  /** A conversation by what follows the platform in its address; undefined = there is none. */
  conversation(address: string): Promise<Conversation | undefined>;
  channel(id: string): Promise<Channel | undefined>;
  /** Id of a person's direct conversation with the bot. Rejects also when it takes long: people wait for it. */
  direct(user: string): Promise<string>;
  /**
   * Display name of a person; their id when nobody can tell in time, or when so many were asked for lately.
   * @param matters false leaves some of what may be asked for to others; default true
   */
  nameOf(user: string, matters?: boolean): Promise<string>;
  /** Who has an account, in use or not; undefined = there is no such account. Rejects when nobody can tell. */
  account(user: string): Promise<Account | undefined>;
  /** The name, if it is known already. */
  knownName(user: string): string | undefined;
  /** Name of a public channel without its sign, if it is known already: those of others are not for everybody. */
  knownChannel(id: string): string | undefined;
  /** Id of a user group, by its handle or id; undefined = there is none. Rejects when nobody can tell. */
  group(nameOrId: string): Promise<string | undefined>;
  /** Whether there is such a person, in use or not; true when nobody can tell. */
  isPerson(id: string): Promise<boolean>;
  /** The handle of a user group as people write it, by its handle or id. */
  handleOf(nameOrId: string): Promise<string>;
  /** The active people of a user group; undefined = nobody can tell. */
  groupMembers(id: string): Promise<ReadonlySet<string> | undefined>;
  /** What is known about a conversation may not be so any more. */
  forget(channel: string): void;
  /** A conversation has got another id. */
  moved(from: string, to: string): void;
  /** The id that Slack has for a conversation now. */
  currentId(channel: string): string;
  /** The id by which the bot came to know a conversation: runs live there under it. */
  firstId(channel: string): string;
  /** Old ids of conversations with their new ones, for the next process. */
  moves(): Readonly<Record<string, string>>;
}

const minuteMs = 60_000;
/** How long things are believed. Membership in groups decides who may answer, so it is short. */
const channelsTtlMs = 10 * minuteMs;
const peopleTtlMs = 60 * minuteMs;
const groupsTtlMs = minuteMs;
const membersTtlMs = minuteMs;
/** How long something that was not found is not asked for again. */
const absentTtlMs = 30_000;
/** How long an event waits for the name of who did it. */
const namePatienceMs = 800;
/** How long it waits for a direct conversation. */
const directPatienceMs = 1_500;
/** Most pages of a list that are read for one name. */
const pagesMax = 300;

const channelShape = z.object({
  id: z.string(),
  name: z.string().optional(),
  user: z.string().optional(),
  is_im: z.boolean().default(false),
  is_member: z.boolean().default(false),
  is_private: z.boolean().default(false),
  is_archived: z.boolean().default(false),
});
const userShape = z.object({
  id: z.string(),
  name: z.string().default(''),
  deleted: z.boolean().default(false),
  is_bot: z.boolean().default(false),
  real_name: z.string().optional(),
  profile: z.object({ display_name: z.string().optional(), real_name: z.string().optional() }).default({}),
});
const channelsPage = z.object({ channels: z.array(channelShape), ...pageShape });
const usersPage = z.object({ members: z.array(userShape), ...pageShape });
const groupsAnswer = z.object({ usergroups: z.array(z.object({ id: z.string(), handle: z.string() })) });

/** Makes the directory of one workspace. */
export function createDirectory(options: {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly whoAmI: () => Promise<Identity>;
}): Directory {
  const { calls, clock, whoAmI } = options;
  const channels = createCache<Channel>(clock, channelsTtlMs, absentTtlMs);
  const namedChannels = createCache<string>(clock, channelsTtlMs, absentTtlMs);
  const directs = createCache<string>(clock, peopleTtlMs, absentTtlMs);
  const users = createCache<z.infer<typeof userShape>>(clock, peopleTtlMs, absentTtlMs);
  const namedUsers = createCache<string>(clock, peopleTtlMs, absentTtlMs);
  const groups = createCache<ReadonlyMap<string, string>>(clock, groupsTtlMs, 0);
  const members = createCache<ReadonlySet<string>>(clock, membersTtlMs, 0);
  const successors = new Map<string, string>();
  // Names are for people to read: they must not use up what look-ups that decide something need.
  const names = createPace({ burst: 60, perMinute: 60, reserve: 40 });

  async function channel(anyId: string): Promise<Channel | undefined> {
    const id = currentId(anyId);
    return channels.get(id, async () => {
      const found = await calls.read(
        'conversations.info',
        { channel: id },
        z.object({ channel: channelShape }),
      );
      const known = certain(found);
      return known && readChannel(known.channel);
    });
  }

  async function readChannel(found: z.infer<typeof channelShape>): Promise<Channel> {
    const isDirect = found.is_im;
    return {
      id: found.id,
      name: isDirect ? `@${await nameOf(found.user ?? found.id)}` : `#${found.name ?? found.id}`,
      isMember: isDirect || found.is_member,
      isPublic: !isDirect && !found.is_private,
      isArchived: found.is_archived,
    };
  }

  /** The bot's own conversations first: they are few, and private ones are only there. */
  async function channelNamed(name: string): Promise<string | undefined> {
    return namedChannels.get(name, async () => {
      const types = 'public_channel,private_channel';
      return (
        (await searchChannels('users.conversations', { types, exclude_archived: true }, name).catch(
          () => undefined,
        )) ?? (await searchChannels('conversations.list', { types, exclude_archived: true }, name))
      );
    });
  }

  async function searchChannels(
    method: string,
    args: Readonly<Record<string, unknown>>,
    name: string,
  ): Promise<string | undefined> {
    for await (const page of pages(method, args, channelsPage)) {
      const found = page.channels.find((one) => one.name?.toLowerCase() === name);
      if (found) return found.id;
    }
    return undefined;
  }

  async function* pages<T extends Page>(
    method: string,
    args: Readonly<Record<string, unknown>>,
    shape: z.ZodType<T>,
  ): AsyncGenerator<T> {
    for await (const page of calls.pages(method, args, shape, pagesMax)) {
      const data = certain(page);
      if (data) yield data;
    }
  }

  async function user(id: string): Promise<z.infer<typeof userShape> | undefined> {
    return users.get(id, async () => {
      const found = await calls.read('users.info', { user: id }, z.object({ user: userShape }));
      return certain(found)?.user;
    });
  }

  /** By handle, else by a display name that only one person has. */
  async function userNamed(name: string): Promise<string | undefined> {
    return namedUsers.get(name, async () => {
      const called: string[] = [];
      for await (const page of pages('users.list', {}, usersPage)) {
        const active = page.members.filter((one) => !one.deleted);
        const byHandle = active.find((one) => one.name.toLowerCase() === name);
        if (byHandle) return byHandle.id;
        called.push(...active.filter((one) => displayName(one).toLowerCase() === name).map(({ id }) => id));
      }
      return called.length === 1 ? called[0] : undefined;
    });
  }

  async function directWith(id: string): Promise<string | undefined> {
    return directs.get(id, async () => {
      const shape = z.object({ channel: z.object({ id: z.string() }) });
      const opened = await calls.read('conversations.open', { users: id }, shape);
      return certain(opened)?.channel.id;
    });
  }

  async function direct(id: string): Promise<string> {
    const found = await inTime(directWith(id), directPatienceMs);
    if (found === undefined) throw new ChatUnavailable('Slack opens no direct conversation at the moment.');
    return found;
  }

  /** Undefined when it takes longer. */
  async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const cancel = clock.alarm(clock.now() + patienceMs, () => resolve(undefined));
    return Promise.race([work, late]).finally(cancel);
  }

  async function nameOf(id: string, matters = true): Promise<string> {
    const known = users.known(id);
    if (known) return displayName(known);
    if (names.take('', clock.now(), matters) > 0) return id;
    const found = await inTime(
      user(id).catch(() => undefined),
      namePatienceMs,
    );
    return found ? displayName(found) : id;
  }

  /** Ids of the user groups, by handle. */
  async function allGroups(): Promise<ReadonlyMap<string, string>> {
    const all = await groups.get('', async () => {
      const listed = await calls.read('usergroups.list', {}, groupsAnswer);
      if (listed.kind === 'refused') throw new ChatUnavailable(listed.message);
      return new Map(certain(listed)?.usergroups.map(({ id, handle }) => [handle.toLowerCase(), id]));
    });
    return all ?? new Map();
  }

  async function conversationOf(id: string): Promise<Conversation | undefined> {
    const { team } = await whoAmI();
    const found = await channel(id);
    return (
      found && {
        platform,
        id: conversationId({ team, channel: firstId(found.id) }),
        name: found.name,
        ...(!found.isPublic && { isPrivate: true }),
      }
    );
  }

  async function directOf(id: string | undefined): Promise<Conversation | undefined> {
    // Slack lets bots write to accounts that nobody reads any more.
    if (id === undefined || (await user(id))?.deleted !== false) return undefined;
    const opened = await directWith(id);
    return opened === undefined ? undefined : conversationOf(opened);
  }

  function currentId(id: string): string {
    return successors.get(id) ?? id;
  }

  function firstId(id: string): string {
    // In the order in which they moved.
    for (const [old, now] of successors) if (now === id) return old;
    return id;
  }

  return {
    channel,
    direct,
    nameOf,
    currentId,
    firstId,
    async conversation(address) {
      const own = readConversationId(address);
      if (own) return own.team === (await whoAmI()).team ? conversationOf(own.channel) : undefined;
      const [, sign = '', word = ''] = /^([#@]?)([^#@\s/]+)$/.exec(address.trim()) ?? [];
      if (word === '') return undefined;
      if (sign === '' && channelIdPattern.test(word)) return conversationOf(word);
      if (sign !== '#' && userIdPattern.test(word)) return directOf(word);
      if (sign === '@') return directOf(await userNamed(word.toLowerCase()));
      const id = await channelNamed(word.toLowerCase());
      return id === undefined ? undefined : conversationOf(id);
    },
    async account(id) {
      const found = await user(id);
      return found && { name: displayName(found), isBot: found.is_bot };
    },
    knownName(id) {
      const known = users.known(id);
      return known && displayName(known);
    },
    knownChannel(id) {
      const known = channels.known(id);
      return known?.isPublic ? known.name.slice(1) : undefined;
    },
    isPerson: async (id) => (await user(id).catch(() => null)) !== undefined,
    async group(nameOrId) {
      const all = await allGroups();
      // A handle may look like an id, so that comes first.
      return all.get(nameOrId.toLowerCase()) ?? [...all.values()].find((id) => id === nameOrId);
    },
    async handleOf(nameOrId) {
      const all = [...(await allGroups().catch(() => new Map<string, string>()))];
      const found = all.find(([, id]) => id === nameOrId);
      return `@${found?.[0] ?? nameOrId}`;
    },
    async groupMembers(id) {
      return members.get(id, async () => {
        const shape = z.object({ users: z.array(z.string()) });
        const listed = await calls.read('usergroups.users.list', { usergroup: id }, shape);
        return listed.kind === 'ok' ? new Set(listed.data.users) : undefined;
      });
    },
    forget(id) {
      channels.forget(currentId(id));
      namedChannels.clear();
    },
    moved(from, to) {
      for (const [old, now] of successors) if (now === from) successors.set(old, to);
      successors.set(from, to);
      namedChannels.clear();
    },
    moves: () => Object.fromEntries(successors),
  };
}

/** What Slack says; undefined = there is no such thing. Throws when nobody can tell at the moment. */
function certain<T>(called: Called<T>): T | undefined {
  switch (called.kind) {
    case 'ok':
      return called.data;
    case 'refused':
      return undefined;
    case 'later':
      throw new ChatUnavailable('Slack asks to wait.');
    case 'unknown':
      throw new ChatUnavailable(called.message);
  }
}

/** Nobody must wait for somebody who can't answer any more, so an account that is not in use says so. */
function displayName({ id, name, real_name, profile, deleted }: z.infer<typeof userShape>): string {
  const known = profile.display_name || profile.real_name || real_name || name || id;
  return deleted ? `${known} (deactivated)` : known;
}
