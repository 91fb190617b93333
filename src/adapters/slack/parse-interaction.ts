import { z } from 'zod';
import { type Contact, type Incoming, ignored } from './incoming.ts';
import { shortcuts } from './manifest.ts';
import { ts, writtenMessage } from './parse-message.ts';
import { readPlace, readValues } from './values.ts';

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

/** Reads a slash command; these alone have no type. */
export function readCommand(body: unknown): Incoming {
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

/** Reads a press of a button. */
export function readClick(body: unknown): Incoming {
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

/** Reads a form that was sent. */
export function readSubmit(body: unknown): Incoming {
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

/** Reads the use of a shortcut. */
export function readShortcut(body: unknown): Incoming {
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

function contactOf(body: {
  readonly trigger_id: string;
  readonly response_url?: string | undefined;
}): Contact {
  return {
    trigger: body.trigger_id,
    ...(body.response_url !== undefined && { responseUrl: body.response_url }),
  };
}
