import {
  ChannelType,
  type Client,
  type Guild,
  type GuildBasedChannel,
  PermissionFlagsBits,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { ChatUnavailable, type Conversation } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createCache } from '../chat/cache.ts';
import { platform, snowflakePattern } from './addresses.ts';
import { type Calls, orAbsent } from './calls.ts';
import type { People } from './people.ts';

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
  /** A conversation by its address without the platform. Rejects with `ChatUnavailable`. */
  conversation(address: string): Promise<Conversation | undefined>;
  /** Whether the bot may read a channel back; undefined = not known yet. */
  mayRead(channel: string): boolean | undefined;
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

  function knownChannel(id: string): Channel | undefined {
    const told = client().channels.cache.get(id);
    return told && !told.isDMBased() ? guildChannel(told) : channels.known(id);
  }

  async function channel(id: string): Promise<Channel | undefined> {
    if (!snowflakePattern.test(id)) return undefined;
    return (
      knownChannel(id) ??
      channels.get(id, async () => {
        const asked = await calls.read({ method: 'GET', route: Routes.channel(id) }, channelShape);
        const found = orAbsent(asked, ['nowhere', 'outside']);
        return found && readChannel(found);
      })
    );
  }

  async function conversation(address: string): Promise<Conversation | undefined> {
    const sign = address.lastIndexOf('#');
    if (sign >= 0) return named(address.slice(sign + 1), address.slice(0, Math.max(0, sign - 1)));
    if (address.startsWith('@')) {
      if (!isConnected()) throw new ChatUnavailable('Discord is not connected yet.');
      const user = await people.called(address.slice(1), serversOf(options, ''));
      return user === undefined ? undefined : direct(user);
    }
    if (!snowflakePattern.test(address)) return undefined;
    const found = await channel(address);
    if (!found) return direct(address);
    return mayPost(found.id) ? asConversation(found) : undefined;
  }

  /** @param server its name or id; "" = whichever has such a channel */
  function named(name: string, server: string): Conversation | undefined {
    if (!isConnected()) throw new ChatUnavailable('Discord is not connected yet.');
    const wanted = name.normalize('NFC').toLowerCase();
    const [only, ...others] = serversOf(options, server).flatMap(({ channels: { cache } }) =>
      [...cache.values()].filter(
        (one) => isForPosts(one) && one.name.toLowerCase() === wanted && mayPost(one.id),
      ),
    );
    if (others.length === 0) return only && asConversation(guildChannel(only));
    log.warn('Several channels have this name: write the server before it, or the channel’s id.', {
      name: `#${name}`,
    });
    return undefined;
  }

  async function direct(user: string): Promise<Conversation | undefined> {
    const id = await directs.get(user, async () => {
      const opened = await calls.read(
        { method: 'POST', route: Routes.userChannels(), body: { recipient_id: user } },
        z.object({ id: z.string() }),
      );
      return orAbsent(opened, ['closed', 'payload', 'outside', 'no'])?.id;
    });
    return id === undefined ? undefined : { platform, id, name: `@${await people.nameOf(user)}` };
  }

  function asConversation({ id, kind, name, guild }: Channel): Conversation {
    if (kind === 'direct') return { platform, id, name: `@${name}` };
    const server =
      guild === undefined || serversOf(options, '').length < 2
        ? undefined
        : client().guilds.cache.get(guild)?.name;
    return { platform, id, name: server === undefined ? `#${name}` : `${server}/#${name}` };
  }

  /** Where it is not known, posting says why not. */
  function mayPost(id: string): boolean {
    const told = client().channels.cache.get(id);
    if (!told || told.isDMBased()) return true;
    const needed = told.isThread()
      ? PermissionFlagsBits.SendMessagesInThreads
      : PermissionFlagsBits.SendMessages;
    return may(told, [PermissionFlagsBits.ViewChannel, needed]) ?? true;
  }

  function may(told: GuildBasedChannel, needed: readonly bigint[]): boolean | undefined {
    const me = client().user;
    return (me && told.permissionsFor(me))?.has([...needed]);
  }

  return {
    channel,
    knownChannel,
    conversation,
    mayRead(id) {
      if (!isConnected()) return undefined;
      const known = knownChannel(id);
      if (known?.kind === 'direct') return true;
      const told = client().channels.cache.get(id) ?? client().channels.cache.get(known?.parent ?? '');
      if (!told || told.isDMBased()) return false;
      return may(told, [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.ReadMessageHistory]);
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

function isForPosts(channel: GuildBasedChannel): boolean {
  return channel.type !== ChannelType.GuildCategory && !channel.isThread();
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
