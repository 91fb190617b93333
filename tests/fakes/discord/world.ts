import { createIds } from './ids.ts';
import { type PermissionName, permission, usualPermissions } from './permissions.ts';
import type { Wire } from './wire.ts';

/** A person or bot with an account. */
export interface User {
  readonly id: string;
  readonly username: string;
  /** The name that is shown. */
  readonly name: string;
  readonly isBot: boolean;
  /** Takes no direct messages from the bot. */
  refusesDms: boolean;
}

/** A role of a server. */
export interface Role {
  readonly id: string;
  name: string;
  permissions: bigint;
  isMentionable: boolean;
  /** The bot whose own role it is. */
  readonly ofBot: string | undefined;
}

/** Somebody on a server. `roles` are without the one that everybody has. */
export interface Member {
  readonly userId: string;
  nick: string | undefined;
  readonly roles: Set<string>;
}

/** A server. The role with its id is the one of everybody. */
export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
}

/** What a channel allows and denies a role or member. */
export interface Overwrite {
  readonly id: string;
  readonly type: 'role' | 'member';
  allow: bigint;
  deny: bigint;
}

/** What only threads have. */
export interface ThreadState {
  readonly ownerId: string;
  readonly createdAtMs: number;
  archived: boolean;
  locked: boolean;
  archiveChangedAtMs: number;
  autoArchiveMin: number;
  appliedTags: readonly string[];
  /** Of a private thread: who was added to it. */
  readonly onlyFor: Set<string> | undefined;
}

/** Types of channels. */
export const channelType = {
  text: 0,
  dm: 1,
  voice: 2,
  category: 4,
  announcement: 5,
  publicThread: 11,
  privateThread: 12,
  stage: 13,
  forum: 15,
} as const;

/** A channel, thread or direct conversation. */
export interface Channel {
  readonly id: string;
  readonly type: (typeof channelType)[keyof typeof channelType];
  /** Absent for direct messages. */
  readonly guildId: string | undefined;
  name: string;
  /** Of a thread: its channel. */
  readonly parentId: string | undefined;
  readonly recipients: readonly string[];
  readonly overwrites: Map<string, Overwrite>;
  readonly thread: ThreadState | undefined;
  /** Of a forum. */
  readonly tags: readonly { readonly id: string; readonly name: string; readonly moderated?: boolean }[];
  requiresTag: boolean;
  lastMessageId: string | undefined;
  /** By id, oldest first. */
  readonly messages: Map<string, Message>;
}

/** A file of a message. */
export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly description: string | undefined;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A message as it is stored. */
export interface Message {
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | undefined;
  readonly authorId: string;
  readonly type: number;
  /** Set when it was written through a webhook or interaction token. */
  readonly webhookId: string | undefined;
  /** `interaction_metadata`. */
  readonly interaction: Wire | undefined;
  readonly reference: Wire | undefined;
  /** Only this person sees it. */
  readonly onlyFor: string | undefined;
  /** Whom it notified when it was sent. */
  notified: readonly string[];
  content: string;
  components: readonly Wire[];
  embeds: readonly Wire[];
  attachments: readonly Attachment[];
  flags: number;
  mentions: readonly string[];
  mentionRoles: readonly string[];
  mentionEveryone: boolean;
  editedAtMs: number | undefined;
  /** How many people reacted, by emoji. */
  readonly reactions: Map<string, number>;
  /** What else Discord shows of it, such as a poll. */
  readonly more: Wire;
}

/** Something that the gateway tells. */
export interface Happening {
  readonly t: string;
  readonly d: Wire;
  /** Any of these bits lets a session hear it; 0 = always heard. */
  readonly intents: number;
  readonly guildId: string | undefined;
  /** As it is told to a bot that may not read it. */
  readonly blank?: Wire;
}

/** Something that a person did and that the bot answers. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly kind: 'command' | 'component' | 'modal' | 'autocomplete';
  readonly personId: string;
  readonly channelId: string;
  readonly atMs: number;
  /** `interaction_metadata` of the messages that answer it. */
  readonly metadata: Wire;
  /** The message of the component, also when a form was opened by it. */
  readonly source: Message | undefined;
  /** First answer, as the bot gave it; undefined = none yet. */
  answer: { readonly type: number; readonly data: Wire } | undefined;
  /** What `@original` is. */
  original: Message | undefined;
}

/** A form that a person has open. */
export interface OpenModal {
  readonly customId: string;
  readonly title: string;
  readonly components: readonly Wire[];
  readonly channelId: string;
  readonly source: Message | undefined;
}

/** Everything that Discord knows. */
export interface World {
  readonly appId: string;
  readonly botId: string;
  readonly otherBotId: string;
  /** `http://127.0.0.1:port` */
  readonly baseUrl: () => string;
  readonly nowMs: () => number;
  readonly users: Map<string, User>;
  readonly guilds: Map<string, Guild>;
  readonly channels: Map<string, Channel>;
  readonly attachments: Map<string, Attachment>;
  /** What only one person sees, by person, oldest first. */
  readonly privates: Map<string, Map<string, Message>>;
  /** Commands of the bot by server; under an empty id those for all servers. */
  readonly commands: Map<string, readonly Wire[]>;
  /** By id. */
  readonly interactions: Map<string, Interaction>;
  /** By person. */
  readonly modals: Map<string, OpenModal>;
  /** What is switched on in the developer portal. */
  readonly portal: { messageContent: boolean; guildMembers: boolean; publicBot: boolean };
  /** How long a nonce counts. */
  nonceWindowMs: number;
  /** Messages of the bot by nonce. */
  readonly nonces: Map<
    string,
    { readonly messageId: string; readonly channelId: string; readonly atMs: number }
  >;
  /** Unique and increasing, made from the time. */
  nextId(): string;
  /** Tells the bot, when it listens. */
  happen(happening: Happening): void;
}

/** Ids of what every stand-in has. */
export const fixedIds = {
  app: '100000000000000001',
  bot: '100000000000000001',
  otherBot: '100000000000000002',
  guild: '200000000000000001',
  owner: '400000000000000009',
  ana: '400000000000000001',
  bo: '400000000000000002',
  cy: '400000000000000003',
} as const;

/** Makes a world with one server, its people and channels. */
export function createWorld(
  options: Pick<World, 'nowMs' | 'baseUrl' | 'happen'> & { readonly botName: string },
): World {
  const ids = createIds(options.nowMs);
  const world: World = {
    appId: fixedIds.app,
    botId: fixedIds.bot,
    otherBotId: fixedIds.otherBot,
    baseUrl: options.baseUrl,
    nowMs: options.nowMs,
    happen: options.happen,
    nextId: ids.next,
    users: new Map(),
    guilds: new Map(),
    channels: new Map(),
    attachments: new Map(),
    privates: new Map(),
    commands: new Map(),
    interactions: new Map(),
    modals: new Map(),
    portal: { messageContent: true, guildMembers: false, publicBot: true },
    nonceWindowMs: 180_000,
    nonces: new Map(),
  };
  const user = (id: string, name: string, isBot = false) =>
    world.users.set(id, { id, name, username: name.toLowerCase(), isBot, refusesDms: false });
  user(fixedIds.ana, 'Ana');
  user(fixedIds.bo, 'Bo');
  user(fixedIds.cy, 'Cy');
  user(fixedIds.owner, 'Olga');
  user(fixedIds.bot, options.botName, true);
  user(fixedIds.otherBot, 'otherbot', true);
  addGuild(world, { id: fixedIds.guild, name: 'Flowbot test' });
  for (const [index, name] of ['general', 'releases', 'announcements', 'ops'].entries()) {
    addChannel(world, {
      id: `30000000000000000${index + 1}`,
      name,
      type: channelType.text,
      guildId: fixedIds.guild,
    });
  }
  return world;
}

/** Adds a server; everybody is on it, and the bot has a role of its own. */
export function addGuild(world: World, { id, name }: Pick<Guild, 'id' | 'name'>): Guild {
  const botRole = world.nextId();
  const guild: Guild = {
    id,
    name,
    ownerId: fixedIds.owner,
    roles: new Map([
      [id, { id, name: '@everyone', permissions: usualPermissions, isMentionable: false, ofBot: undefined }],
      [
        botRole,
        {
          id: botRole,
          name: 'flowbot',
          permissions: botPermissions(),
          isMentionable: false,
          ofBot: world.botId,
        },
      ],
    ]),
    members: new Map(
      world.users
        .keys()
        .map((userId) => [
          userId,
          { userId, nick: undefined, roles: new Set(userId === world.botId ? [botRole] : []) },
        ]),
    ),
  };
  world.guilds.set(id, guild);
  return guild;
}

const invited: readonly PermissionName[] = [
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'SEND_MESSAGES_IN_THREADS',
  'CREATE_PUBLIC_THREADS',
];
/** Not a constant: this file and the one of the permissions need each other. */
const botPermissions = (): bigint => invited.reduce((bits, name) => bits | permission[name], 0n);

/** Adds a channel, thread or direct conversation. */
export function addChannel(
  world: World,
  channel: Pick<Channel, 'id' | 'name' | 'type'> & Partial<Channel>,
): Channel {
  const made: Channel = {
    guildId: undefined,
    parentId: undefined,
    recipients: [],
    overwrites: new Map(),
    thread: undefined,
    tags: [],
    requiresTag: false,
    lastMessageId: undefined,
    messages: new Map(),
    ...channel,
  };
  world.channels.set(made.id, made);
  return made;
}

/** The direct messages of the bot and a user, opened when they aren't yet. */
export function openDirect(world: World, userId: string): Channel {
  const found = world.channels
    .values()
    .find(({ type, recipients }) => type === channelType.dm && recipients.includes(userId));
  const recipients = [userId, world.botId];
  return found ?? addChannel(world, { id: world.nextId(), name: '', type: channelType.dm, recipients });
}
