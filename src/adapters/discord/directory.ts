import { ChannelType, type Client, type Guild, type GuildBasedChannel, Routes } from 'discord.js';
import { z } from 'zod';
import { ChatUnavailable, type Conversation } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createCache } from '../chat/cache.ts';
import { platform, snowflakePattern } from './addresses.ts';
import { type Called, type Calls, orAbsent } from './calls.ts';
import type { People } from './people.ts';
import { createRights, type Rights } from './rights.ts';

/** A channel, thread or direct conversation. */
export interface Channel {
  readonly id: string;
  readonly kind: 'channel' | 'forum' | 'thread' | 'direct';
  /** Without a sign; of a direct conversation the person's. */
  readonly name: string;
  readonly guild?: string;
  /** Of a thread: the channel or forum it is in. */
  readonly parent?: string;
  /** Of a thread: not everybody in its channel may read it. */
  readonly isPrivate?: true;
}

/** What Discord has told so far about servers and channels. */
export interface Told {
  readonly client: () => Client;
  readonly isConnected: () => boolean;
  /** The only server that counts, if one is set. */
  readonly guildId: string | undefined;
}

/** Which conversations there are: from what Discord tells by itself, else asked for. */
export interface Directory {
  /** Undefined = there is none, or the bot may not see it. Rejects with `ChatUnavailable`. */
  channel(id: string): Promise<Channel | undefined>;
  /** The same from what is known already. */
  knownChannel(id: string): Channel | undefined;
  /** Whether something that `channel` does not give is there, and only not to be seen. Rejects with `ChatUnavailable`. */
  isHidden(id: string): Promise<boolean>;
  /** A conversation by its address without the platform. Rejects with `ChatUnavailable`. */
  conversation(address: string): Promise<Conversation | undefined>;
  /** Whether the bot may read a channel back; undefined = not known yet. */
  mayRead(channel: string): boolean | undefined;
  mayNotify: Rights['mayNotify'];
  /** Takes in what the bot may do in a channel at this moment. */
  noteRights: Rights['note'];
}

const channelShape = z.object({
  id: z.string(),
  type: z.number(),
  name: z.string().nullish(),
  guild_id: z.string().optional(),
  parent_id: z.string().nullish(),
  recipients: z
    .array(z.object({ id: z.string(), username: z.string(), global_name: z.string().nullish() }))
    .optional(),
});

/** How long what was asked for is believed, and its absence, in milliseconds. */
const believedMs = 300_000;
const absentMs = 5_000;
/** How long a connection that is being made is waited for, and how often it is looked, in milliseconds. */
const connectPatienceMs = 5_000;
const lookMs = 200;

/** Makes it. */
export function createDirectory(
  options: Told & {
    readonly calls: Calls;
    readonly clock: Clock;
    readonly log: Log;
    readonly people: People;
  },
): Directory {
  const { calls, clock, log, client, isConnected, people } = options;
  const channels = createCache<Channel>(clock, believedMs, absentMs);
  const directs = createCache<string>(clock, believedMs, absentMs);
  const rights = createRights(client, clock);

  function knownChannel(id: string): Channel | undefined {
    const told = client().channels.cache.get(id);
    return told && !told.isDMBased() ? guildChannel(told) : channels.known(id);
  }

  async function channel(id: string): Promise<Channel | undefined> {
    if (!snowflakePattern.test(id)) return undefined;
    return (
      knownChannel(id) ??
      channels.get(id, async () => {
        const found = orAbsent(await ask(id), ['nowhere', 'outside']);
        return found && readChannel(found);
      })
    );
  }

  function ask(id: string): Promise<Called<z.infer<typeof channelShape>>> {
    return calls.read({ method: 'GET', route: Routes.channel(id) }, channelShape);
  }

  async function isHidden(id: string): Promise<boolean> {
    if (!snowflakePattern.test(id)) return false;
    const asked = await ask(id);
    orAbsent(asked, ['nowhere', 'outside']);
    return asked.kind === 'refused' && asked.refusal === 'outside';
  }

  async function conversation(address: string): Promise<Conversation | undefined> {
    const sign = address.lastIndexOf('#');
    if (sign >= 0) return named(address.slice(sign + 1), address.slice(0, Math.max(0, sign - 1)));
    if (address.startsWith('@')) {
      await whenConnected();
      const user = await people.called(address.slice(1), serversOf(options, ''));
      return user === undefined ? undefined : direct(user);
    }
    if (!snowflakePattern.test(address)) return undefined;
    const found = await channel(address);
    if (!found) return direct(address);
    const told = client().channels.cache.get(found.id);
    const isOpen =
      !rights.isShut(found.id) && (!told || told.isDMBased() || (isForPosts(told) && rights.mayPost(told)));
    return isOpen ? asConversation(found) : undefined;
  }

  /** @param server its name or id; "" = whichever has such a channel */
  async function named(name: string, server: string): Promise<Conversation | undefined> {
    await whenConnected();
    const wanted = name.normalize('NFC').toLowerCase();
    const [only, ...others] = serversOf(options, server).flatMap(({ channels: { cache } }) =>
      [...cache.values()].filter(
        (one) =>
          isForPosts(one) && !one.isThread() && one.name.toLowerCase() === wanted && rights.mayPost(one),
      ),
    );
    if (others.length === 0) return only && asConversation(guildChannel(only));
    log.warn('Several channels have this name: write the server before it, or the channel’s id.', {
      name: `#${name}`,
    });
    return undefined;
  }

  /** A start goes on with what was under way while it connects, which takes a moment. */
  async function whenConnected(): Promise<void> {
    for (let waitedMs = 0; !isConnected(); waitedMs += lookMs) {
      if (waitedMs >= connectPatienceMs || calls.isClosed) {
        throw new ChatUnavailable('Discord is not connected yet.');
      }
      await calls.pause(lookMs);
    }
  }

  async function direct(user: string): Promise<Conversation | undefined> {
    const id = await directs.get(user, async () => {
      const opened = await calls.read(
        { method: 'POST', route: Routes.userChannels(), body: { recipient_id: user } },
        z.object({ id: z.string() }),
      );
      return orAbsent(opened, ['closed', 'payload', 'outside', 'no'])?.id;
    });
    if (id === undefined) return undefined;
    return { platform, id, name: `@${await people.nameOf(user)}`, isPrivate: true };
  }

  function asConversation(channel: Channel): Conversation {
    const { id, kind, name, guild } = channel;
    if (kind === 'direct') return { platform, id, name: `@${name}`, isPrivate: true };
    const server =
      guild === undefined || serversOf(options, '').length < 2
        ? undefined
        : client().guilds.cache.get(guild)?.name;
    return {
      platform,
      id,
      name: server === undefined ? `#${name}` : `${server}/#${name}`,
      ...(!isForEverybody(channel) && { isPrivate: true }),
    };
  }

  /** A thread is open to who may read its channel. What is not known counts as private. */
  function isForEverybody({ id, parent, isPrivate }: Channel): boolean {
    const told = client().channels.cache.get(parent ?? id);
    return isPrivate !== true && told !== undefined && !told.isDMBased() && rights.isForEverybody(told);
  }

  return {
    channel,
    knownChannel,
    isHidden,
    conversation,
    mayNotify: rights.mayNotify,
    noteRights: rights.note,
    mayRead(id) {
      if (!isConnected()) return undefined;
      const known = knownChannel(id);
      if (known?.kind === 'direct') return true;
      const told = client().channels.cache.get(id) ?? client().channels.cache.get(known?.parent ?? '');
      if (!told || told.isDMBased()) return false;
      return rights.mayRead(told);
    },
  };
}

/** The servers of this name or id that count; "" = all of them. */
export function serversOf({ client, guildId }: Told, nameOrId: string): readonly Guild[] {
  const wanted = nameOrId.toLowerCase();
  return [...client().guilds.cache.values()].filter(
    ({ id, name }) =>
      (guildId === undefined || id === guildId) &&
      (wanted === '' || id === wanted || name.toLowerCase() === wanted),
  );
}

function readChannel({
  id,
  type,
  name,
  guild_id,
  parent_id,
  recipients,
}: z.infer<typeof channelShape>): Channel {
  const [person] = recipients ?? [];
  const kind = kindOf(type);
  return {
    id,
    kind,
    name: person?.global_name ?? person?.username ?? name ?? id,
    ...(guild_id !== undefined && { guild: guild_id }),
    ...(kind === 'thread' && typeof parent_id === 'string' && { parent: parent_id }),
    ...(type === ChannelType.PrivateThread && { isPrivate: true }),
  };
}

function guildChannel({ id, type, name, guildId, parentId }: GuildBasedChannel): Channel {
  return readChannel({ id, type, name, guild_id: guildId, parent_id: parentId });
}

function isForPosts({ type }: GuildBasedChannel): boolean {
  return type !== ChannelType.GuildCategory;
}

function kindOf(type: number): Channel['kind'] {
  switch (type) {
    case ChannelType.DM:
    case ChannelType.GroupDM:
      return 'direct';
    case ChannelType.AnnouncementThread:
    case ChannelType.PublicThread:
    case ChannelType.PrivateThread:
      return 'thread';
    case ChannelType.GuildForum:
    case ChannelType.GuildMedia:
      return 'forum';
    default:
      return 'channel';
  }
}
