import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type Calls, type Page, pageShape } from './calls.ts';
import type { TypedMessage } from './incoming.ts';
import { parseMessage } from './parse-message.ts';

/** Messages that were typed while nobody listened. */
export interface Recovery {
  /** What was typed since then may have been missed. */
  missed(sinceMs: number): void;
  /**
   * Hands over what may have been missed in the bot's conversations, those of each oldest first, and looks again for
   * what could not be read or stored. What was taken already has the same id and changes nothing. Resolves when all is
   * done or it was stopped; never rejects.
   */
  look(): Promise<void>;
  /** Since when something may still be missed; undefined = nothing is. */
  readonly openSinceMs: number | undefined;
  stop(): void;
}

/**
 * Nothing older is looked for, in milliseconds: after two hours Slack itself drops what it could not deliver, unless
 * told otherwise, and whoever typed it has gone on.
 *
 * @see https://docs.slack.dev/apis/events-api
 */
const oldestMs = 2 * 3_600_000;
/** How far back threads may have begun in which something was typed since. */
const threadsMs = 24 * 3_600_000;
/** Slack's clock and ours differ. */
const clockSkewMs = 60_000;
/** Waits before it is looked again for what could not be looked through, in milliseconds. */
const againMs = { first: 5_000, longest: 60_000 };
/** Most pages of conversations, and of the messages of each. */
const pagesMax = 10;

const conversationsPage = z.object({
  channels: z.array(z.object({ id: z.string(), is_im: z.boolean().default(false) })),
  ...pageShape,
});
const messageShape = z.looseObject({ ts: z.string(), latest_reply: z.string().optional().catch(undefined) });
const messagesPage = z.object({ messages: z.array(messageShape), ...pageShape });

/** Makes it. @param take hands over one message; rejects when it could not be stored */
export function createRecovery(options: {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  readonly take: (message: TypedMessage) => Promise<void>;
}): Recovery {
  const { calls, clock, log, take } = options;
  let isStopped = false;
  let looking = Promise.resolve();
  /** Since when events were missed, each time that some were. */
  let gaps: readonly number[] = [];
  /** Whether the look that is under way has left something out that it may find another time. */
  let isWhole = true;

  async function lookUntilWhole(): Promise<void> {
    let waitMs = againMs.first;
    while (gaps.length > 0 && !isStopped) {
      const { length } = gaps;
      isWhole = true;
      await lookOnce(Math.min(...gaps));
      if (isWhole) gaps = gaps.slice(length);
      else {
        await calls.pause(waitMs);
        waitMs = Math.min(againMs.longest, waitMs * 2);
      }
    }
  }

  async function lookOnce(sinceMs: number): Promise<void> {
    const fromMs = Math.max(sinceMs - clockSkewMs, clock.now() - oldestMs);
    for (const { id, is_im } of await conversations()) {
      for (const message of await typedIn(id, is_im, fromMs)) {
        if (isStopped) {
          isWhole = false;
          return;
        }
        await takeOne(message);
      }
    }
  }

  /** What can't be stored keeps nothing else from it. */
  async function takeOne(message: TypedMessage): Promise<void> {
    try {
      await take(message);
    } catch (error) {
      isWhole = false;
      if (!isStopped) log.error('A message that was missed could not be taken; it is tried again.', error);
    }
  }

  async function conversations(): Promise<z.infer<typeof conversationsPage>['channels']> {
    const args = { types: 'public_channel,private_channel,mpim,im', exclude_archived: true };
    return (await all('users.conversations', args, conversationsPage)).flatMap(({ channels }) => channels);
  }

  /** Messages of people in a conversation and in its threads, oldest first. */
  async function typedIn(
    channel: string,
    isDirect: boolean,
    fromMs: number,
  ): Promise<readonly TypedMessage[]> {
    const isNew = (ts: string): boolean => Number(ts) * 1_000 >= fromMs;
    const written = await messages('conversations.history', {
      channel,
      oldest: secondsOf(fromMs - threadsMs),
    });
    const found = written.filter(({ ts }) => isNew(ts));
    for (const { ts, latest_reply } of written) {
      if (isStopped || latest_reply === undefined || !isNew(latest_reply)) continue;
      const args = { channel, ts, oldest: secondsOf(fromMs) };
      found.push(...(await messages('conversations.replies', args)));
    }
    return found
      .flatMap(
        // As it stands now: nobody heard what it said before it was edited.
        ({ edited: _, ...message }) =>
          parseMessage({ ...message, channel, channel_type: isDirect ? 'im' : 'channel' }) ?? [],
      )
      .toSorted((one, other) => Number(one.ts) - Number(other.ts));
  }

  async function messages(
    method: string,
    args: Readonly<Record<string, string>>,
  ): Promise<z.infer<typeof messageShape>[]> {
    return (await all(method, args, messagesPage)).flatMap((page) => page.messages);
  }

  /** Says so where it had to leave something out. */
  async function all<T extends Page>(
    method: string,
    args: Readonly<Record<string, unknown>>,
    shape: z.ZodType<T>,
  ): Promise<readonly T[]> {
    const found: T[] = [];
    for await (const page of calls.pages(method, args, shape, pagesMax)) {
      if (page.kind === 'ok') found.push(page.data);
      else if (page.kind === 'refused') {
        log.warn('Some of what was typed while Slack was away is not looked through.', { method });
      } else isWhole = false;
      if (isStopped) {
        isWhole = false;
        break;
      }
    }
    if (found.length === pagesMax) {
      log.warn('There is more than is looked through of what was typed while Slack was away.', { method });
    }
    return found;
  }

  return {
    missed(sinceMs) {
      gaps = [...gaps, sinceMs];
    },
    look() {
      looking = looking.then(lookUntilWhole);
      return looking;
    },
    get openSinceMs() {
      return gaps.length === 0 ? undefined : Math.min(...gaps);
    },
    stop() {
      isStopped = true;
    },
  };
}

function secondsOf(ms: number): string {
  return (ms / 1_000).toFixed(6);
}
