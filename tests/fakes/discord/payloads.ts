import { createHash } from 'node:crypto';
import { messageFlags } from './limits.ts';
import { guildPermissions, isVoice, may, permissionsIn } from './permissions.ts';
import { textOf, type Wire } from './wire.ts';
import {
  type Attachment,
  type Channel,
  channelType,
  type Guild,
  type Member,
  type Message,
  type Overwrite,
  type Role,
  type User,
  type World,
} from './world.ts';

/** A time as Discord writes it. */
function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000+00:00');
}

/** When something with this id was made. */
function madeAtMs(id: string): number {
  return Number((BigInt(id) >> 22n) + 1_420_070_400_000n);
}

/** An account as others see it. */
function userWire({ id, username, name, isBot }: User): Wire {
  return {
    id,
    username,
    global_name: isBot ? null : name,
    discriminator: isBot ? '0001' : '0',
    avatar: null,
    bot: isBot || undefined,
    public_flags: 0,
    avatar_decoration_data: null,
    clan: null,
    primary_guild: null,
  };
}

/** A user by id; somebody unknown is a deleted account. */
export function userOf(world: World, id: string): Wire {
  const user = world.users.get(id);
  return userWire(
    user ?? { id, username: `deleted_user_${id}`, name: 'Deleted', isBot: false, refusesDms: true },
  );
}

/** A member, without the user. */
export function memberWire(member: Member): Wire {
  return {
    nick: member.nick ?? null,
    avatar: null,
    banner: null,
    roles: [...member.roles],
    joined_at: '2026-01-01T00:00:00.000000+00:00',
    premium_since: null,
    communication_disabled_until: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
  };
}

/** A role. */
export function roleWire({ id, name, permissions, isMentionable, ofBot }: Role, position: number): Wire {
  return {
    id,
    name,
    position,
    permissions: String(permissions),
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    managed: ofBot !== undefined,
    tags: ofBot === undefined ? undefined : { bot_id: ofBot },
    mentionable: isMentionable,
    flags: 0,
  };
}

/** The roles of a server, the one of everybody first. */
export function rolesWire({ roles }: Guild): readonly Wire[] {
  return [...roles.values()].map(roleWire);
}

/** A channel, thread or direct conversation. */
export function channelWire(world: World, channel: Channel): Wire {
  const { id, type, name, guildId, parentId, thread, lastMessageId } = channel;
  if (type === channelType.dm) {
    const recipients = channel.recipients.filter((each) => each !== world.botId);
    return {
      id,
      type,
      last_message_id: lastMessageId ?? null,
      flags: 0,
      recipients: recipients.map((each) => userOf(world, each)),
    };
  }
  const common = {
    id,
    type,
    name,
    guild_id: guildId,
    parent_id: parentId ?? null,
    flags: channel.requiresTag ? 16 : 0,
  };
  if (thread) {
    return {
      ...common,
      last_message_id: lastMessageId ?? null,
      owner_id: thread.ownerId,
      rate_limit_per_user: 0,
      bitrate: 64_000,
      user_limit: 0,
      message_count: channel.messages.size,
      total_message_sent: channel.messages.size,
      member_count: 1,
      applied_tags: thread.appliedTags.length > 0 ? thread.appliedTags : undefined,
      thread_metadata: {
        archived: thread.archived,
        archive_timestamp: isoTime(thread.archiveChangedAtMs),
        auto_archive_duration: thread.autoArchiveMin,
        locked: thread.locked,
        create_timestamp: isoTime(thread.createdAtMs),
      },
    };
  }
  return {
    ...common,
    last_message_id: lastMessageId ?? null,
    position: 0,
    topic: null,
    nsfw: false,
    rate_limit_per_user: 0,
    permission_overwrites: [...channel.overwrites.values()].map(overwriteWire),
    ...(isVoice(channel) && { bitrate: 64_000, user_limit: 0, rtc_region: null }),
    ...(type === channelType.forum && {
      available_tags: channel.tags.map((tag) => ({
        ...tag,
        moderated: tag.moderated === true,
        emoji_id: null,
        emoji_name: null,
      })),
      default_reaction_emoji: null,
      default_sort_order: null,
      default_forum_layout: 0,
      template: '',
    }),
  };
}

function overwriteWire({ id, type, allow, deny }: Overwrite): Wire {
  return { id, type: type === 'role' ? 0 : 1, allow: String(allow), deny: String(deny) };
}

/** The channels of a server that are no threads. */
export function guildChannels(world: World, guildId: string): readonly Channel[] {
  return [...world.channels.values()].filter((channel) => channel.guildId === guildId && !channel.thread);
}

/** Threads of a server that are not archived and that the bot sees. */
export function activeThreads(world: World, guildId: string): readonly Channel[] {
  return [...world.channels.values()].filter(
    (channel) =>
      channel.guildId === guildId &&
      channel.thread?.archived === false &&
      may(world, channel, world.botId, 'VIEW_CHANNEL'),
  );
}

/** A server as it is asked for. */
export function guildWire(guild: Guild): Wire {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    icon: null,
    splash: null,
    banner: null,
    description: null,
    roles: rolesWire(guild),
    emojis: [],
    stickers: [],
    features: [],
    region: 'deprecated',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    premium_tier: 0,
    preferred_locale: 'en-US',
    premium_progress_bar_enabled: false,
    application_id: null,
    vanity_url_code: null,
  };
}

/** A server as the gateway tells it: with its channels and threads, and of its members only the bot. */
export function guildCreate(world: World, guild: Guild): Wire {
  const self = guild.members.get(world.botId);
  return {
    ...guildWire(guild),
    joined_at: '2026-01-01T00:00:00.000000+00:00',
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: self ? [{ ...memberWire(self), user: userOf(world, world.botId) }] : [],
    channels: guildChannels(world, guild.id).map((channel) => channelWire(world, channel)),
    threads: activeThreads(world, guild.id).map((channel) => channelWire(world, channel)),
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** Where a file of a message is: signed when it was sent, though Discord signs anew each time it shows it. */
export function attachmentUrl(world: World, { id, filename }: Pick<Attachment, 'id' | 'filename'>): string {
  const until = Math.floor((madeAtMs(id) + signatureMs) / 1000).toString(16);
  const query = `ex=${until}&is=${signatureOf(id, until).slice(0, 8)}&hm=${signatureOf(id, until)}&`;
  return `${world.baseUrl()}/attachments/${id}/${encodeURIComponent(filename)}?${query}`;
}

/** Whether the address of a file was signed, and the signature has not run out. */
export function isSignedFor(id: string, query: URLSearchParams, nowMs: number): boolean {
  const until = query.get('ex') ?? '';
  return query.get('hm') === signatureOf(id, until) && Number.parseInt(until, 16) * 1000 > nowMs;
}

/** How long an address of a file works: a day. */
const signatureMs = 86_400_000;

function signatureOf(id: string, until: string): string {
  return createHash('sha256').update(`${id} ${until}`).digest('hex');
}

/** A file of a message. */
export function attachmentWire(world: World, attachment: Attachment): Wire {
  const { id, filename, description, contentType, bytes } = attachment;
  const url = attachmentUrl(world, attachment);
  return {
    id,
    filename,
    description,
    content_type: contentType,
    size: bytes.length,
    url,
    proxy_url: url,
  };
}

/** A message as REST and events show it, with what it refers to. */
export function messageWire(world: World, message: Message, more: Wire = {}): Wire {
  return { ...aloneWire(world, message), referenced_message: referencedBy(world, message), ...more };
}

/** What a reply, or the first message of a thread, refers to: null = it was deleted. */
function referencedBy(world: World, { type, reference }: Message): Wire | null | undefined {
  if ((type !== 19 && type !== 21) || reference === undefined) return undefined;
  const channel = world.channels.get(textOf(reference.channel_id));
  const referenced = channel?.messages.get(textOf(reference.message_id));
  return referenced ? aloneWire(world, referenced) : null;
}

function aloneWire(world: World, message: Message): Wire {
  const thread = message.flags & messageFlags.hasThread ? world.channels.get(message.id) : undefined;
  return {
    id: message.id,
    type: message.type,
    channel_id: message.channelId,
    author: userOf(world, message.authorId),
    content: message.content,
    timestamp: isoTime(madeAtMs(message.id)),
    edited_timestamp: message.editedAtMs === undefined ? null : isoTime(message.editedAtMs),
    tts: false,
    pinned: false,
    flags: message.flags,
    mention_everyone: message.mentionEveryone,
    mention_roles: message.mentionRoles,
    mentions: message.mentions.map((id) => userOf(world, id)),
    attachments: message.attachments.map((attachment) => attachmentWire(world, attachment)),
    embeds: message.embeds,
    components: message.components,
    application_id: message.webhookId === world.appId ? world.appId : undefined,
    webhook_id: message.webhookId,
    interaction_metadata: message.interaction,
    message_reference: message.reference,
    thread: thread && channelWire(world, thread),
    reactions: message.reactions.size === 0 ? undefined : reactionsWire(message),
    ...message.more,
  };
}

function reactionsWire({ reactions }: Message): readonly Wire[] {
  return [...reactions].map(([name, count]) => ({
    emoji: { id: null, name },
    count,
    count_details: { burst: 0, normal: count },
    burst_colors: [],
    me: false,
    me_burst: false,
  }));
}

/** A message as its event shows it. */
export function messageEvent(world: World, message: Message, more: Wire = {}): Wire {
  const { guildId } = message;
  const member = world.guilds.get(guildId ?? '')?.members.get(message.authorId);
  return messageWire(world, message, {
    guild_id: guildId,
    channel_type: world.channels.get(message.channelId)?.type,
    member: member && memberWire(member),
    ...more,
  });
}

/** What of a message a bot without the message content intent does not get. */
export const blankContent = {
  content: '',
  embeds: [],
  attachments: [],
  components: [],
  poll: undefined,
  message_snapshots: undefined,
  referenced_message: undefined,
} as const;

/** Whether the bot gets a message's content in any case: its own, in direct messages, and where it is mentioned. */
export function isOpenToBot(world: World, { authorId, guildId, mentions }: Message): boolean {
  return authorId === world.botId || guildId === undefined || mentions.includes(world.botId);
}

/** A message as REST shows it to the bot, which obeys the portal. */
export function messageForBot(world: World, message: Message): Wire {
  const isOpen = world.portal.messageContent || isOpenToBot(world, message);
  return messageWire(world, message, isOpen ? {} : blankContent);
}

/** A channel as interactions show it, with what the person may do there. */
export function interactionChannel(world: World, channel: Channel, userId: string): Wire {
  return { ...channelWire(world, channel), permissions: String(permissionsIn(world, channel, userId)) };
}

/** Who did it, as interactions show it: a member on a server, else a user. */
export function interactionPerson(world: World, channel: Channel, userId: string): Wire {
  const guild = world.guilds.get(channel.guildId ?? '');
  const member = guild?.members.get(userId);
  if (!guild || !member) return { user: userOf(world, userId) };
  const permissions = permissionsIn(world, channel, userId) || guildPermissions(guild, userId);
  return { member: { ...memberWire(member), user: userOf(world, userId), permissions: String(permissions) } };
}
