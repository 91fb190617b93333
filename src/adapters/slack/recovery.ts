import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Calls } from './calls.ts';
import { parseMessage, type TypedMessage } from './parse.ts';

/** Messages that were typed while nobody listened. */
export interface Recovery {
  /**
   * Hands over what was typed since then in the bot's conversations, oldest first. What was taken already has the
   * same id and changes nothing. Resolves when all is done or it was stopped; never rejects.
   */
  recover(sinceMs: number): Promise<void>;
  stop(): void;
}

/**
 * Nothing older is looked for, in milliseconds: after two hours Slack itself drops what it could not deliver, unless
 * told otherwise, and whoever typed it has gone on.
 *
 * @see https://docs.slack.dev/apis/events-api
 */
const oldestMs = 2 * 3_600_000;
/** Slack's clock and ours differ. */
const clockSkewMs = 60_000;
const pageSize = 200;
/** Most conversations looked through, and pages of each. */
const conversationsMax = 500;
const pagesMax = 10;

const cursorShape = z.object({ next_cursor: z.string().default('') }).default({ next_cursor: '' });
const conversationsShape = z.object({
  channels: z.array(z.object({ id: z.string(), is_im: z.boolean().default(false) })),
  response_metadata: cursorShape,
});
const messagesShape = z.object({
  messages: z.array(z.looseObject({ ts: z.string() })),
  response_metadata: cursorShape,
});
const threadShape = z.object({ latest_reply: z.string() });

/** Makes it. @param take hands over one message; rejects when it could not be stored */
export function createRecovery(options: {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  readonly take: (message: TypedMessage) => Promise<void>;
}): Recovery {
  const { calls, clock, log, take } = options;
  let isStopped = false;

  async function recover(sinceMs: number): Promise<void> {
    const fromMs = Math.max(sinceMs - clockSkewMs, clock.now() - oldestMs);
    const oldest = (fromMs / 1_000).toFixed(6);
    try {
      for (const { id, is_im } of await conversations()) {
        for (const message of await typedIn(id, is_im, oldest)) {
          if (isStopped) return;
          await take(message);
        }
      }
    } catch (error) {
      if (!isStopped) log.error('What was typed while Slack was away could not be looked through.', error);
    }
  }

  async function conversations(): Promise<z.infer<typeof conversationsShape>['channels']> {
    const types = 'public_channel,private_channel,mpim,im';
    const found: z.infer<typeof conversationsShape>['channels'] = [];
    for (let cursor = ''; !isStopped; ) {
      const page = await calls.read(
        'users.conversations',
        { types, exclude_archived: true, limit: pageSize, ...(cursor !== '' && { cursor }) },
        conversationsShape,
      );
      if (page.kind !== 'ok') break;
      found.push(...page.data.channels);
      cursor = page.data.response_metadata.next_cursor;
      if (cursor === '' || found.length >= conversationsMax) break;
    }
    return found.slice(0, conversationsMax);
  }

  /** Messages of people in a conversation and in its newer threads, oldest first. */
  async function typedIn(
    channel: string,
    isDirect: boolean,
    oldest: string,
  ): Promise<readonly TypedMessage[]> {
    const written = await pages('conversations.history', { channel, oldest });
    const roots = written.filter((message) => threadShape.safeParse(message).success);
    const replies: z.infer<typeof messagesShape>['messages'] = [];
    for (const { ts } of roots)
      replies.push(...(await pages('conversations.replies', { channel, ts, oldest })));
    return [...written, ...replies]
      .flatMap(
        (message) => parseMessage({ ...message, channel, channel_type: isDirect ? 'im' : 'channel' }) ?? [],
      )
      .toSorted((one, other) => Number(one.ts) - Number(other.ts));
  }

  async function pages(
    method: string,
    args: Readonly<Record<string, string>>,
  ): Promise<z.infer<typeof messagesShape>['messages']> {
    const found: z.infer<typeof messagesShape>['messages'] = [];
    let cursor = '';
    for (let count = 0; count < pagesMax && !isStopped; count += 1) {
      const page = await calls.read(
        method,
        { ...args, limit: pageSize, ...(cursor !== '' && { cursor }) },
        messagesShape,
      );
      if (page.kind !== 'ok') break;
      found.push(...page.data.messages);
      cursor = page.data.response_metadata.next_cursor;
      if (cursor === '') break;
    }
    return found;
  }

  return {
    recover,
    stop() {
      isStopped = true;
    },
  };
}
