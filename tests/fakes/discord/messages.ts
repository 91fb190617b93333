import { allComponents, keptComponents } from './components.ts';
import { refusal } from './errors.ts';
import { intent } from './gateway.ts';
import { componentTypes, messageFlags } from './limits.ts';
import { notifiedBy } from './notifying.ts';
import { blankContent, channelWire, isOpenToBot, messageEvent, messageWire } from './payloads.ts';
import { may } from './permissions.ts';
import { isWire, numberOf, textOf, type Wire, wiresOf } from './wire.ts';
import type { Attachment, Channel, Message, World } from './world.ts';

/** A file that came with a body, by its number there. */
export interface SentFile {
  readonly index: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** What else there is to a new message. */
export interface Origin {
  readonly authorId: string;
  readonly type?: number;
  readonly webhookId?: string;
  readonly interaction?: Wire;
  readonly reference?: Wire;
  readonly onlyFor?: string;
  /** For the thread that a forum post is: its id. */
  readonly id?: string;
  /** What an absent `allowed_mentions` lets through. */
  readonly byDefault?: 'all' | 'users';
  readonly repliedUser?: string;
  readonly nonce?: string | number;
  /** What else Discord shows of it. */
  readonly more?: Wire;
}

/** Flags that a bot may set. */
const settable =
  messageFlags.suppressEmbeds | messageFlags.ephemeral | messageFlags.componentsV2 | (1 << 12) | (1 << 13);

/** Adds a message made of a body, and tells the bot. */
export function addMessage(
  world: World,
  channel: Channel,
  body: Wire,
  files: readonly SentFile[],
  origin: Origin,
): Message {
  const attachments = attach(world, body.attachments, files);
  const notified = notifiedBy(body, {
    mayMentionEveryone: may(world, channel, origin.authorId, 'MENTION_EVERYONE'),
    repliedUser: origin.repliedUser,
    byDefault: origin.byDefault,
    mentionableRoles: mentionableRoles(world, channel),
  });
  const message: Message = {
    id: origin.id ?? world.nextId(),
    channelId: channel.id,
    guildId: channel.guildId,
    authorId: origin.authorId,
    type: origin.type ?? 0,
    webhookId: origin.webhookId,
    interaction: origin.interaction,
    reference: origin.reference,
    onlyFor: origin.onlyFor,
    notified,
    content: textOf(body.content),
    components: keptComponents(world, body.components, attachments),
    embeds: wiresOf(body.embeds),
    attachments,
    flags: numberOf(body.flags) & settable,
    ...mentionsOf(world, body, notified),
    editedAtMs: undefined,
    reactions: new Map(),
    more: origin.more ?? {},
  };
  if (message.onlyFor !== undefined) {
    const seen = world.privates.get(message.onlyFor) ?? new Map<string, Message>();
    seen.set(message.id, message);
    world.privates.set(message.onlyFor, seen);
    return message;
  }
  unarchive(world, channel);
  channel.messages.set(message.id, message);
  channel.lastMessageId = message.id;
  tellMessage(world, channel, 'MESSAGE_CREATE', message, { nonce: origin.nonce });
  return message;
}

/** Changes a message as a body says, and tells the bot. */
export function editMessage(
  world: World,
  message: Message,
  body: Wire,
  files: readonly SentFile[],
  byDefault: 'all' | 'users' = 'all',
): void {
  const stays = Array.isArray(body.attachments)
    ? message.attachments.filter(({ id }) => wiresOf(body.attachments).some((each) => String(each.id) === id))
    : message.attachments;
  const attachments = [...stays, ...attach(world, body.attachments, files)];
  const components =
    body.components === undefined ? message.components : keptComponents(world, body.components, attachments);
  if ('content' in body) message.content = textOf(body.content);
  if ('embeds' in body) message.embeds = wiresOf(body.embeds);
  message.components = components;
  message.attachments = attachments;
  // What a message is made of can't be taken back, nor can who sees it.
  const fixed = message.flags & ~messageFlags.suppressEmbeds & ~messageFlags.loading;
  const suppress = 'flags' in body ? numberOf(body.flags) : message.flags;
  message.flags =
    fixed | (suppress & messageFlags.suppressEmbeds) | (numberOf(body.flags) & messageFlags.componentsV2);
  const now = { content: message.content, components, allowed_mentions: body.allowed_mentions };
  const shown = notifiedBy(now, { mayMentionEveryone: false, byDefault });
  Object.assign(message, mentionsOf(world, now, shown));
  message.editedAtMs = world.nowMs();
  tellEdit(world, message);
}

/** Tells the bot that a message has changed. */
export function tellEdit(world: World, message: Message): void {
  const channel = world.channels.get(message.channelId);
  if (channel && message.onlyFor === undefined) tellMessage(world, channel, 'MESSAGE_UPDATE', message);
}

/** Removes a message, and tells the bot. */
export function removeMessage(world: World, message: Message): void {
  if (message.onlyFor !== undefined) {
    world.privates.get(message.onlyFor)?.delete(message.id);
    return;
  }
  const channel = world.channels.get(message.channelId);
  if (channel?.messages.delete(message.id)) tellRemoval(world, channel, 'MESSAGE_DELETE', { id: message.id });
}

/** Removes messages of one channel together, and tells the bot so. */
export function removeMessages(world: World, channel: Channel, ids: readonly string[]): void {
  for (const id of ids) channel.messages.delete(id);
  tellRemoval(world, channel, 'MESSAGE_DELETE_BULK', { ids });
}

function tellRemoval(world: World, channel: Channel, t: string, what: Wire): void {
  if (!may(world, channel, world.botId, 'VIEW_CHANNEL')) return;
  world.happen({
    t,
    d: { ...what, channel_id: channel.id, guild_id: channel.guildId },
    intents: intentOf(channel),
    guildId: channel.guildId,
  });
}

/** The answer to a request that made or changed a message. */
export function answeredMessage(world: World, message: Message, more: Wire = {}): Wire {
  const ephemeral = message.onlyFor === undefined ? 0 : messageFlags.ephemeral;
  return messageWire(world, message, { flags: message.flags | ephemeral, ...more });
}

/** Who writes in an archived thread opens it; a locked one stays as it is. */
function unarchive(world: World, channel: Channel): void {
  const { thread } = channel;
  if (!thread?.archived || thread.locked) return;
  thread.archived = false;
  thread.archiveChangedAtMs = world.nowMs();
  tellChannel(world, 'THREAD_UPDATE', channel);
}

/** Tells the bot about a channel or thread that it sees. */
export function tellChannel(world: World, t: string, channel: Channel, more: Wire = {}): void {
  if (!may(world, channel, world.botId, 'VIEW_CHANNEL')) return;
  world.happen({
    t,
    d: { ...channelWire(world, channel), ...more },
    intents: intent.guilds,
    guildId: channel.guildId,
  });
}

/** Refuses what can't be done in a thread that is closed. */
export function needOpenThread(world: World, channel: Channel, isWriting: boolean): void {
  const { thread } = channel;
  if (!thread || may(world, channel, world.botId, 'MANAGE_THREADS')) return;
  if (thread.archived && (thread.locked || !isWriting)) throw refusal('archived');
  if (thread.locked && isWriting) throw refusal('locked');
}

function tellMessage(world: World, channel: Channel, t: string, message: Message, more: Wire = {}): void {
  if (!may(world, channel, world.botId, 'VIEW_CHANNEL')) return;
  const d = messageEvent(world, message, more);
  world.happen({
    t,
    d,
    intents: intentOf(channel),
    guildId: channel.guildId,
    ...(!isOpenToBot(world, message) && { blank: { ...d, ...blankContent } }),
  });
}

function intentOf(channel: Channel): number {
  return channel.guildId === undefined ? intent.directMessages : intent.guildMessages;
}

function mentionableRoles(world: World, channel: Channel): readonly string[] {
  const roles = world.guilds.get(channel.guildId ?? '')?.roles.values() ?? [];
  return [...roles].filter(({ isMentionable }) => isMentionable).map(({ id }) => id);
}

/** Whom a message mentions, as far as `allowed_mentions` lets it: nothing notifies that is not in these lists. */
function mentionsOf(
  world: World,
  body: Wire,
  notified: readonly string[],
): Pick<Message, 'mentions' | 'mentionRoles' | 'mentionEveryone'> {
  const texts = [
    textOf(body.content),
    ...allComponents(body.components)
      .filter(({ type }) => type === componentTypes.textDisplay)
      .map(({ content }) => textOf(content)),
  ].join('\n');
  const written = [...texts.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id ?? '');
  // Without the object everything that is written counts.
  const users = isWire(body.allowed_mentions) ? notified.filter((id) => /^\d+$/.test(id)) : written;
  return {
    mentions: [...new Set(users)].filter((id) => world.users.has(id)),
    mentionRoles: notified.flatMap((id) => /^@&(\d+)$/.exec(id)?.[1] ?? []),
    mentionEveryone: notified.some((id) => id === '@everyone' || id === '@here'),
  };
}

function attach(world: World, described: unknown, files: readonly SentFile[]): readonly Attachment[] {
  return files.map(({ index, name, type, bytes }) => {
    const said = wiresOf(described).find(({ id }) => String(id) === index);
    const description = said?.description;
    const attachment: Attachment = {
      id: world.nextId(),
      filename: textOf(said?.filename) || name,
      description: typeof description === 'string' ? description : undefined,
      contentType: type,
      bytes,
    };
    world.attachments.set(attachment.id, attachment);
    return attachment;
  });
}
