import { Routes } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { snowflakeAt } from './addresses.ts';
import type { Calls } from './calls.ts';
import type { Told } from './directory.ts';
import type { Typed } from './incoming.ts';
import { parseMessage } from './parse-message.ts';

/** Messages that were typed while nobody listened. */
export interface Recovery {
  /** What was typed since then (epoch ms) may have been missed. */
  missed(sinceMs: number): void;
  /**
   * Hands over what may have been missed, that of each channel oldest first, and looks again for what could not be read
   * or stored. What was taken already has the same id and changes nothing. Resolves when all is done or it was stopped;
   * never rejects.
   * @param inMs begins after this time; default at once
   */
  look(inMs?: number): Promise<void>;
  /** Since when something may still be missed; undefined = nothing is. */
  readonly openSinceMs: number | undefined;
  stop(): void;
}

/** Nothing older is looked for, in milliseconds: whoever typed it has gone on. */
const oldestMs = 2 * 3_600_000;
/** Discord's clock and ours differ. */
const clockSkewMs = 60_000;
/** Waits before it is looked again for what could not be looked through, in milliseconds. */
const againMs = { first: 5_000, longest: 60_000 };
const pageSize = 100;
/** Most pages of each channel. */
const pagesMax = 20;

/** Where something may have been typed. */
interface Source {
  readonly channel: string;
  readonly guild: string | undefined;
}

/**
 * Makes it.
 * @param directs the direct conversations, which Discord does not tell by itself
 * @param take hands over one message; rejects when it could not be stored
 */
export function createRecovery(
  options: Pick<Told, 'client'> & {
    readonly calls: Calls;
    readonly clock: Clock;
    readonly log: Log;
    readonly directs: () => readonly string[];
    readonly take: (message: Typed) => Promise<void>;
  },
): Recovery {
  const { calls, clock, log, client, directs, take } = options;
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
    const after = snowflakeAt(Math.max(sinceMs - clockSkewMs, clock.now() - oldestMs));
    for (const source of sources(after)) {
      for await (const message of typedIn(source, after)) {
        if (isStopped) {
          isWhole = false;
          return;
        }
        await takeOne(message);
      }
    }
  }

  /** What can't be stored keeps nothing else from it. */
  async function takeOne(message: Typed): Promise<void> {
    try {
      await take(message);
    } catch (error) {
      isWhole = false;
      if (!isStopped) log.error('A message that was missed could not be taken; it is tried again.', error);
    }
  }

  /** Channels and threads with newer messages; of direct conversations that is not known. */
  function sources(after: string): readonly Source[] {
    const told = [...client().channels.cache.values()].flatMap((channel): Source[] =>
      !channel.isDMBased() && channel.isTextBased() && isNewer(channel.lastMessageId, after)
        ? [{ channel: channel.id, guild: channel.guildId }]
        : [],
    );
    return [...told, ...directs().map((channel) => ({ channel, guild: undefined }))];
  }

  async function* typedIn({ channel, guild }: Source, after: string): AsyncGenerator<Typed> {
    let cursor = after;
    for (let page = 0; page < pagesMax; page += 1) {
      const asked = await calls.read(
        {
          method: 'GET',
          route: Routes.channelMessages(channel),
          query: { after: cursor, limit: `${pageSize}` },
        },
        z.array(z.looseObject({ id: z.string() })),
      );
      if (asked.kind !== 'ok') {
        if (asked.kind !== 'refused') isWhole = false;
        return;
      }
      const inOrder = asked.data.toSorted((one, other) => (isNewer(one.id, other.id) ? 1 : -1));
      for (const message of inOrder) {
        // Histories do not say which server they are of.
        const typed = parseMessage({ ...message, ...(guild !== undefined && { guild_id: guild }) });
        if (typed) yield typed;
      }
      if (inOrder.length < pageSize) return;
      cursor = inOrder.at(-1)?.id ?? cursor;
    }
    log.warn('There is more than is looked through of what was typed while Discord was away.', { channel });
  }

  return {
    missed(sinceMs) {
      gaps = [...gaps, sinceMs];
    },
    look(inMs = 0) {
      looking = Promise.all([looking, inMs > 0 && calls.pause(inMs)]).then(lookUntilWhole);
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

function isNewer(id: string | null, than: string): boolean {
  return id !== null && BigInt(id) > BigInt(than);
}
