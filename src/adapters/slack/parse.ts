import { z } from 'zod';
import type { JsonObject } from '../../engine/json.ts';
import { attachmentsOf } from './attachments.ts';
import { shortcuts } from './manifest.ts';
import { readPlace, readValues } from './values.ts';

/** What Slack sent, as far as it concerns us. People and places by Slack's ids, texts as Slack encodes them. */
export type Incoming =
  | TypedMessage
  | {
      readonly kind: 'command';
      readonly id: string;
      readonly user: string;
      readonly channel: string;
      readonly text: string;
      readonly contact: Contact;
    }
  | Click
  | {
      readonly kind: 'submit';
      readonly user: string;
      readonly view: string;
      readonly form: string;
      /** Where the form was opened; absent for a form that is not ours. */
      readonly place: { readonly conversation: string; readonly thread?: string } | undefined;
      readonly values: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'shortcut';
      readonly id: string;
      readonly user: string;
      readonly used?: Omit<TypedMessage, 'kind' | 'direct'>;
      readonly contact: Contact;
    }
  | { readonly kind: 'home'; readonly user: string }
  | {
      readonly kind: 'joined';
      readonly user: string;
      readonly channel: string;
      readonly inviter?: string;
      readonly ts: string;
    }
  /** Something about a conversation is not as it was; `user` has left it. */
  | { readonly kind: 'changed'; readonly channel: string; readonly user?: string }
  /** A conversation has got another id. */
  | { readonly kind: 'moved'; readonly from: string; readonly to: string }
  | { readonly kind: 'ended'; readonly why: string }
  | { readonly kind: 'ignored' };

/** A new message of a person. */
export interface TypedMessage {
  readonly kind: 'message';
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  readonly thread?: string;
  readonly text: string;
  readonly files: readonly JsonObject[];
  /** In the person's direct conversation with the bot, outside of threads. */
  readonly direct: boolean;
}

/** A press of a button; without a channel it was on the person's own page. */
export interface Click {
  readonly kind: 'click';
  readonly id: string;
  readonly user: string;
  readonly channel?: string;
  readonly ts: string;
  readonly thread?: string;
  readonly button: string;
  readonly label: string;
  readonly contact: Contact;
}

/** How the person can be answered at once. */
export interface Contact {
  /** Opens one form, within 3 s. */
  readonly trigger: string;
  readonly responseUrl?: string;
}

const ignored: Incoming = { kind: 'ignored' };

/** `1764520000.000100`: id and time of a message. */
const ts = z.string().regex(/^\d{1,12}\.\d{1,6}$/);

const message = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: z.enum(['file_share', 'thread_broadcast']).optional(),
  bot_id: z.undefined().optional(),
  hidden: z.literal(false).optional(),
  edited: z.undefined().optional(),
  user: z.string(),
  channel: z.string(),
  channel_type: z.string().optional(),
  ts,
  thread_ts: ts.optional(),
  text: z.string().default(''),
  files: z.array(z.record(z.string(), z.unknown())).default([]),
});

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

const command = z.object({
  command: z.string(),
  text: z.string().default(''),
  user_id: z.string(),
  channel_id: z.string(),
  trigger_id: z.string(),
  response_url: z.string().optional(),
});

const click = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string() }),
  trigger_id: z.string(),
  response_url: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  container: z.object({ message_ts: ts.optional(), thread_ts: ts.optional() }).default({}),
  message: z.object({ thread_ts: ts.optional() }).optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string(),
        value: z.string().optional(),
        text: z.object({ text: z.string() }).optional(),
      }),
    )
    .min(1),
});

const submit = z.object({
  type: z.literal('view_submission'),
  user: z.object({ id: z.string() }),
  view: z.object({ id: z.string(), callback_id: z.string(), private_metadata: z.string().default('') }),
});

const shortcut = z.object({
  type: z.enum(['shortcut', 'message_action']),
  callback_id: z.enum(shortcuts),
  user: z.object({ id: z.string() }),
  trigger_id: z.string(),
  action_ts: z.string().optional(),
  response_url: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  message: z
    .object({
      ts,
      thread_ts: ts.optional(),
      text: z.string().default(''),
      user: z.string().optional(),
      files: z.array(z.record(z.string(), z.unknown())).default([]),
    })
    .optional(),
});

/**
 * Reads what Slack sent over either transport. Whatever it is not sure about is ignored.
 *
 * @param team our workspace: an app that is installed in several gets the events of all of them.
 */
export function parseIncoming(body: unknown, team: string): Incoming {
  const envelope = envelopeShape.parse(body);
  if ((installedIn(envelope) ?? team) !== team) return ignored;
  switch (envelope.type) {
    case 'event_callback':
      return readEvent(envelope.event);
    case 'block_actions':
      return readClick(body);
    case 'view_submission':
      return readSubmit(body);
    case 'shortcut':
    case 'message_action':
      return readShortcut(body);
    default:
      return readCommand(body);
  }
}

// Of what comes most, each kind is told from the others by one look: failed attempts are slow.
const envelopeShape = z
  .object({
    type: z.string().optional(),
    event: z.unknown().optional(),
    team_id: z.string().nullish(),
    authorizations: z.array(z.object({ team_id: z.string().nullish() })).nullish(),
    view: z.object({ app_installed_team_id: z.string().nullish() }).nullish(),
  })
  .catch({ type: 'unknown' });

/**
 * The workspace whose installation is meant, as far as it is said. People of other organisations press buttons in
 * channels that are shared with them, so nothing that tells who they are tells that.
 */
function installedIn(envelope: z.infer<typeof envelopeShape>): string | undefined {
  const { authorizations, view, team_id: outer } = envelope;
  return authorizations?.[0]?.team_id ?? view?.app_installed_team_id ?? outer ?? undefined;
}

const eventType = z.object({ type: z.string() }).catch({ type: '' });

/** Commands alone have no type. */
function readCommand(body: unknown): Incoming {
  const typed = command.safeParse(body).data;
  if (!typed) return ignored;
  return {
    kind: 'command',
    id: `c:${typed.trigger_id}`,
    user: typed.user_id,
    channel: typed.channel_id,
    text: typed.text,
    contact: contactOf(typed),
  };
}

function readEvent(event: unknown): Incoming {
  switch (eventType.parse(event).type) {
    case 'message':
    case 'app_mention':
      return parseMessage(event) ?? ignored;
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

/** A message as it comes in an event, or stands in the history; undefined = it is not a new one of a person. */
export function parseMessage(event: unknown): TypedMessage | undefined {
  const said = message.safeParse(event).data;
  if (!said) return undefined;
  return {
    kind: 'message',
    ...writtenMessage(said, said.channel, said.user),
    direct: said.channel_type === 'im' && said.thread_ts === undefined,
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

function readClick(body: unknown): Incoming {
  const read = click.safeParse(body).data;
  const [action] = read?.actions ?? [];
  if (!read || !action) return ignored;
  const thread = read.container.thread_ts ?? read.message?.thread_ts;
  return {
    kind: 'click',
    id: `a:${read.trigger_id}`,
    user: read.user.id,
    ...(read.channel && { channel: read.channel.id }),
    ts: read.container.message_ts ?? 'page',
    ...(thread !== undefined && { thread }),
    button: action.value ?? action.action_id,
    label: action.text?.text ?? '',
    contact: contactOf(read),
  };
}

function readSubmit(body: unknown): Incoming {
  const read = submit.safeParse(body).data;
  if (!read) return ignored;
  const { view, user } = read;
  return {
    kind: 'submit',
    user: user.id,
    view: view.id,
    form: view.callback_id,
    place: readPlace(view.private_metadata),
    values: readValues(z.object({ view: z.unknown().optional() }).parse(body).view),
  };
}

function readShortcut(body: unknown): Incoming {
  const read = shortcut.safeParse(body).data;
  if (!read) return ignored;
  const { message: used, channel, user } = read;
  return {
    kind: 'shortcut',
    // Short enough to stand in the id of a form.
    id: `s:${user.id}:${read.action_ts ?? read.trigger_id}`.slice(0, 80),
    user: user.id,
    ...(used && channel && { used: writtenMessage(used, channel.id, used.user ?? user.id) }),
    contact: contactOf(read),
  };
}

function writtenMessage(
  written: {
    readonly ts: string;
    readonly thread_ts?: string | undefined;
    readonly text: string;
    readonly files: readonly Readonly<Record<string, unknown>>[];
  },
  channel: string,
  user: string,
): Omit<TypedMessage, 'kind' | 'direct'> {
  const { ts, thread_ts: thread, text } = written;
  const files = attachmentsOf(written.files);
  // A message that began a thread names itself as the thread once there are replies.
  const isReply = thread !== undefined && thread !== ts;
  return { user, channel, ts, text, files, ...(isReply && { thread }) };
}

function contactOf(body: {
  readonly trigger_id: string;
  readonly response_url?: string | undefined;
}): Contact {
  return {
    trigger: body.trigger_id,
    ...(body.response_url !== undefined && { responseUrl: body.response_url }),
  };
}
