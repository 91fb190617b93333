import { z } from 'zod';
import { attachmentsOf } from './attachments.ts';
import type { TypedMessage } from './incoming.ts';

/** `1764520000.000100`: id and time of a message. */
export const ts = z.string().regex(/^\d{1,12}\.\d{1,6}$/);

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

/** What stands in a message, wherever Slack shows it. */
export function writtenMessage(
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
