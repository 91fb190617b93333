import type { Wire } from './wire.ts';
import type { Channel, Message, OpenView, User, Workspace } from './workspace.ts';

/** How much of its metadata a reader of a message gets. */
export type MetadataShown = 'whole' | 'type';

/** Adds a message to a conversation; it has the time of now. */
export function addMessage(
  workspace: Workspace,
  channel: Channel,
  message: Omit<Message, 'ts' | 'edited' | 'reactions'>,
): Message {
  const added: Message = { ...message, ts: workspace.nextTs(), edited: undefined, reactions: new Map() };
  channel.messages.set(added.ts, added);
  if (added.threadTs !== undefined) channel.threads.add(added.threadTs);
  return added;
}

/** A message as the Web API and events show it. */
export function messageWire(
  workspace: Workspace,
  channel: Channel,
  message: Message,
  shown: MetadataShown = 'type',
): Wire {
  const replies = message.threadTs === undefined ? repliesOf(channel, message.ts) : [];
  const { metadata } = message;
  return {
    type: 'message',
    subtype: message.subtype,
    user: message.user || undefined,
    text: message.text,
    ts: message.ts,
    client_msg_id: message.clientMsgId,
    bot_id: message.botId,
    app_id: message.appId,
    team: workspace.teamId,
    blocks: message.blocks.length > 0 ? message.blocks : undefined,
    files: message.files,
    hidden: message.subtype === 'tombstone' || undefined,
    reactions: reactionsWire(message),
    edited: message.edited,
    metadata: metadata && (shown === 'whole' ? metadata : { event_type: metadata.event_type }),
    ...threadWire(channel, message, replies),
  };
}

function reactionsWire({ reactions }: Message): Wire['reactions'] {
  if (reactions.size === 0) return undefined;
  return [...reactions].map(([name, users]) => ({ name, users, count: users.length }));
}

function threadWire(channel: Channel, message: Message, replies: readonly Message[]): Wire {
  if (message.threadTs !== undefined) {
    return { thread_ts: message.threadTs, parent_user_id: channel.messages.get(message.threadTs)?.user };
  }
  if (replies.length === 0) return {};
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users: [...new Set(replies.map(({ user }) => user))],
    latest_reply: replies.at(-1)?.ts,
  };
}

/** The replies of a thread, oldest first. */
export function repliesOf(channel: Channel, rootTs: string): readonly Message[] {
  if (!channel.threads.has(rootTs)) return [];
  return channel.messages
    .values()
    .filter(({ threadTs }) => threadTs === rootTs)
    .toArray();
}

/** What the bot is told about a new message. */
export function messageEvent(workspace: Workspace, channel: Channel, message: Message): Wire {
  return { ...messageWire(workspace, channel, message), ...channelWire(channel), event_ts: message.ts };
}

/** What the bot is told about an edit. */
export function changedEvent(workspace: Workspace, channel: Channel, message: Message, previous: Wire): Wire {
  const ts = workspace.nextTs();
  return {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: messageWire(workspace, channel, message),
    previous_message: previous,
    ...channelWire(channel),
    ts,
    event_ts: ts,
  };
}

/** Removes a message; gives what the bot is told about it. */
export function removeMessage(workspace: Workspace, channel: Channel, message: Message): readonly Wire[] {
  const previous = messageWire(workspace, channel, message);
  channel.messages.delete(message.ts);
  // The answers stay, so something stands where the thread began.
  if (repliesOf(channel, message.ts).length > 0) {
    const left = tombstone(message.ts);
    channel.tombstones.set(message.ts, left);
    return [changedEvent(workspace, channel, left, previous)];
  }
  const gone = deletedEvent(workspace, channel, message.ts, previous);
  const root = channel.tombstones.get(message.threadTs ?? '');
  if (root === undefined || repliesOf(channel, root.ts).length > 0) return [gone];
  // It goes with the last answer.
  channel.tombstones.delete(root.ts);
  return [gone, deletedEvent(workspace, channel, root.ts, messageWire(workspace, channel, root))];
}

function deletedEvent(workspace: Workspace, channel: Channel, deletedTs: string, previous: Wire): Wire {
  const ts = workspace.nextTs();
  return {
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    deleted_ts: deletedTs,
    previous_message: previous,
    ...channelWire(channel),
    ts,
    event_ts: ts,
  };
}

function tombstone(ts: string): Message {
  return {
    ts,
    user: 'USLACKBOT',
    subtype: 'tombstone',
    text: 'This message was deleted.',
    blocks: [],
    notified: [],
    reactions: new Map(),
    metadata: undefined,
    edited: undefined,
  };
}

function channelWire(channel: Channel): Wire {
  return { channel: channel.id, channel_type: channel.kind };
}

/** A conversation as the Web API shows it. */
export function conversationWire({ botUserId, teamId }: Workspace, channel: Channel): Wire {
  const isIm = channel.kind === 'im';
  return {
    id: channel.id,
    ...(isIm
      ? { user: [...channel.members].find((id) => id !== botUserId) }
      : { name: channel.name, name_normalized: channel.name }),
    created: channel.createdS,
    is_archived: channel.archived,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_im: isIm,
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind !== 'channel',
    is_member: isIm ? undefined : channel.members.has(botUserId),
    is_general: channel.name === 'general',
    context_team_id: teamId,
    shared_team_ids: [teamId],
    num_members: isIm ? undefined : channel.members.size,
  };
}

/** A person as the Web API shows them. */
export function userWire({ scopes }: Workspace, user: User): Wire {
  return {
    id: user.id,
    team_id: user.teamId,
    name: user.handle,
    deleted: user.deleted,
    real_name: user.name,
    tz: 'Europe/Berlin',
    tz_offset: 3600,
    profile: {
      real_name: user.name,
      display_name: user.name,
      email: scopes.includes('users:read.email') ? user.email : undefined,
    },
    is_bot: user.isBot,
    is_app_user: false,
    is_restricted: user.isGuest,
    is_ultra_restricted: false,
    ...user.more,
  };
}

/** A view as the Web API and interactions show it. */
export function viewWire(workspace: Workspace, open: OpenView, stack: readonly OpenView[] = []): Wire {
  const { id, hash, view } = open;
  const below = stack[stack.findIndex((each) => each.id === id) - 1];
  return {
    private_metadata: '',
    callback_id: '',
    external_id: '',
    ...view,
    id,
    hash,
    team_id: workspace.teamId,
    app_id: workspace.appId,
    app_installed_team_id: workspace.teamId,
    bot_id: workspace.botId,
    root_view_id: stack[0]?.id ?? id,
    previous_view_id: below?.id ?? null,
    state: { values: {} },
  };
}
