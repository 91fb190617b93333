import { z } from 'zod';
import type { ChannelRef } from './addresses.ts';
import { type Called, type Calls, pageShape } from './calls.ts';
import { contentMarkIn, hasMark } from './files.ts';
import type { Identity } from './identity.ts';

/** The event type of the metadata that all our messages but shared files carry. */
export const markerType = 'flowbot_post';

const messageShape = z.object({
  ts: z.string(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  metadata: z
    .object({ event_type: z.string(), event_payload: z.record(z.string(), z.unknown()) })
    .optional()
    .catch(undefined),
  files: z
    .array(z.object({ name: z.string().default('') }))
    .default([])
    .catch([]),
});
const historyShape = z.object({
  messages: z.array(messageShape).default([]),
  ...pageShape,
});

/** A message as a look-up reads it. */
export type ReadMessage = z.infer<typeof messageShape>;

/** Reads conversations back, for our own messages in them. */
export interface LookUp {
  /**
   * The first message that is it, of those from `oldest` to `latest` (each a `ts`, inclusive; default: now). Undefined =
   * there is none; `refused` also when there are too many to look through.
   *
   * @param thread `ts` of the first message of the thread to look into; default: the conversation itself
   */
  first(
    at: ChannelRef,
    thread: string | undefined,
    window: { readonly oldest: string; readonly latest?: string },
    isIt: (message: ReadMessage) => boolean,
  ): Promise<Called<ReadMessage | undefined>>;
}

/** Most pages of a history that are looked through. */
const historyPagesMax = 50;

/** Makes it. */
export function createLookUp(calls: Calls): LookUp {
  return {
    async first({ channel }, thread, window, isIt) {
      const [method, where] =
        thread === undefined
          ? ['conversations.history', { channel }]
          : ['conversations.replies', { channel, ts: thread }];
      const args = { ...where, ...window, inclusive: true, include_all_metadata: true };
      for await (const page of calls.pages(method, args, historyShape, historyPagesMax)) {
        if (page.kind !== 'ok') return page;
        const found = page.data.messages.find(isIt);
        if (found || page.data.response_metadata.next_cursor === '') return { kind: 'ok', data: found };
      }
      return {
        kind: 'refused',
        code: 'too_many_messages',
        refusal: 'no',
        message: 'There are too many newer messages to look through.',
      };
    },
  };
}

/** Whether a message is the one we sent with this key: anybody may write metadata and names, so the author counts too. */
export function isSentWith(message: ReadMessage, key: string, me: Identity): boolean {
  const { metadata, files } = message;
  if (!isOurs(message, me)) return false;
  if (metadata?.event_type === markerType && metadata.event_payload.key === key) return true;
  return files.some(({ name }) => hasMark(name, key));
}

/** Whether we wrote a message. Those that Slack makes of a shared file may name only the bot's user. */
export function isOurs({ bot_id, user }: ReadMessage, me: Identity): boolean {
  return bot_id === undefined ? user === me.user : bot_id === me.botId;
}

/** The mark of the file that one of our messages shows; undefined = it shows none. */
export function shownFile({ metadata, files }: ReadMessage): string | undefined {
  const picture = metadata?.event_type === markerType ? metadata.event_payload.file : undefined;
  if (typeof picture === 'string') return picture;
  return files.map(({ name }) => contentMarkIn(name)).find((mark) => mark !== undefined);
}
