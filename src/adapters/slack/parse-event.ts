import { z } from 'zod';
import { type Incoming, ignored } from './incoming.ts';
import { parseMessage, ts } from './parse-message.ts';

const joined = z.object({
  type: z.literal('member_joined_channel'),
  user: z.string(),
  channel: z.string(),
  inviter: z.string().optional(),
  event_ts: ts,
});

const home = z.object({ type: z.literal('app_home_opened'), user: z.string(), tab: z.literal('home') });
const changed = z.object({
  type: z.enum(['channel_archive', 'channel_rename', 'group_archive', 'group_rename', 'member_left_channel']),
  user: z.string().optional(),
  channel: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]),
});
const moved = z.object({
  type: z.literal('channel_id_changed'),
  old_channel_id: z.string(),
  new_channel_id: z.string(),
});
const ended = z.object({
  type: z.enum(['app_uninstalled', 'tokens_revoked']),
  tokens: z.unknown().optional(),
});

const eventType = z.object({ type: z.string(), subtype: z.string().optional() }).catch({ type: '' });

/** Reads an event of the Events API. */
export function readEvent(event: unknown): Incoming {
  const { type, subtype } = eventType.parse(event);
  switch (type) {
    case 'message':
    case 'app_mention':
      return subtype === 'message_deleted' || subtype === 'message_changed'
        ? readDeletion(event)
        : (parseMessage(event) ?? ignored);
    case 'member_joined_channel':
      return readJoin(event);
    case 'app_home_opened':
      return readHome(event);
    case 'channel_id_changed':
      return readMove(event);
    case 'app_uninstalled':
    case 'tokens_revoked':
      return readEnd(event);
    default:
      return readChange(event);
  }
}

const written = z.object({
  user: z.string().optional(),
  bot_id: z.string().optional(),
  thread_ts: ts.optional(),
});
/** Of a message that began a thread, something stays: it is told as an edit. */
const deletion = z.discriminatedUnion('subtype', [
  z.object({
    subtype: z.literal('message_deleted'),
    channel: z.string(),
    deleted_ts: ts,
    previous_message: written.optional(),
  }),
  z.object({
    subtype: z.literal('message_changed'),
    channel: z.string(),
    message: z.object({ subtype: z.literal('tombstone'), ts }),
    previous_message: written.optional(),
  }),
]);

function readDeletion(event: unknown): Incoming {
  const gone = deletion.safeParse(event).data;
  if (!gone) return ignored;
  const { channel, previous_message: { user, bot_id: bot, thread_ts: thread } = {} } = gone;
  const author = user ?? bot;
  return {
    kind: 'deleted',
    channel,
    ts: gone.subtype === 'message_deleted' ? gone.deleted_ts : gone.message.ts,
    ...(thread !== undefined && { thread }),
    ...(author !== undefined && { author }),
  };
}

function readJoin(event: unknown): Incoming {
  const join = joined.safeParse(event).data;
  if (!join) return ignored;
  const { user, channel, inviter, event_ts: ts } = join;
  return { kind: 'joined', user, channel, ts, ...(inviter !== undefined && { inviter }) };
}

function readHome(event: unknown): Incoming {
  const opened = home.safeParse(event).data;
  return opened ? { kind: 'home', user: opened.user } : ignored;
}

function readMove(event: unknown): Incoming {
  const move = moved.safeParse(event).data;
  return move ? { kind: 'moved', from: move.old_channel_id, to: move.new_channel_id } : ignored;
}

function readChange(event: unknown): Incoming {
  const change = changed.safeParse(event).data;
  if (!change) return ignored;
  const { type, channel, user } = change;
  const hasLeft = type === 'member_left_channel' && user !== undefined;
  return { kind: 'changed', channel, ...(hasLeft && { user }) };
}

const botTokens = z.object({ bot: z.array(z.string()).min(1) });

function readEnd(event: unknown): Incoming {
  const end = ended.safeParse(event).data;
  if (!end) return ignored;
  const { type, tokens } = end;
  if (type === 'app_uninstalled') {
    return { kind: 'ended', why: 'The app was uninstalled from the workspace: install it again.' };
  }
  // Tokens of people are none of ours.
  if (!botTokens.safeParse(tokens).success) return ignored;
  return { kind: 'ended', why: 'The bot’s token was revoked: install the app again.' };
}
