import { PermissionFlagsBits, Routes } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { isNewer, snowflakeAt, snowflakePattern } from './addresses.ts';
import type { Called, Calls, Refused } from './calls.ts';
import type { Told } from './directory.ts';
import type { Typed } from './incoming.ts';
import { parseMessage } from './parse-message.ts';

/** Messages that were typed while nobody listened. */
export interface Recovery {
  /** What was typed since then (epoch ms) in a server may have been missed; undefined = in direct conversations. */
  missed(sinceMs: number, server: string | undefined): void;
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

/** Messages of a server were missed; without a server, of direct conversations. */
interface Gap {
  readonly server: string | undefined;
  readonly sinceMs: number;
}

/** Where something may have been typed. */
interface Source {
  readonly channel: string;
  /** With its sign; of a direct conversation none. */
  readonly name: string;
  readonly server: string | undefined;
  /** What has a greater id may have been missed. */
  readonly after: string;
  readonly mayRead: boolean;
}

/** What became of looking through one. `again` = another time there may be more. */
type Looked = 'whole' | 'again' | 'unreadable';

const pageShape = z.array(z.looseObject({ id: z.string().regex(snowflakePattern) }));

/**
 * Makes it.
 * @param directs the direct conversations, which Discord does not tell by itself
 * @param take hands over one message; rejects when it could not be stored
 */
export function createRecovery(
  options: Pick<Told, 'client' | 'guildId'> & {
    readonly calls: Calls;
    readonly clock: Clock;
    readonly log: Log;
    readonly directs: () => readonly string[];
    readonly take: (message: Typed) => Promise<void>;
  },
): Recovery {
  const { calls, clock, log, client, guildId, directs, take } = options;
  let isStopped = false;
  let looking = Promise.resolve();
  let gaps: readonly Gap[] = [];
  /** Channels of which it was said that they can't be read back. */
  const unreadable = new Set<string>();

  async function lookUntilWhole(): Promise<void> {
    for (let waitMs = againMs.first; ; waitMs = Math.min(againMs.longest, waitMs * 2)) {
      // What is missed meanwhile is no part of it.
      const open = gaps;
      if (open.length === 0) return;
      const unfinished = await lookOnce(open);
      if (isStopped) return;
      gaps = gaps.filter((gap) => !open.includes(gap) || unfinished.has(gap.server));
      if (unfinished.size > 0) await calls.pause(waitMs);
    }
  }

  /** Gives the servers that have to be looked through again. */
  async function lookOnce(open: readonly Gap[]): Promise<ReadonlySet<string | undefined>> {
    const unfinished = new Set<string | undefined>();
    const silent: Source[] = [];
    for (const source of sourcesOf(open)) {
      if (isStopped) break;
      const looked = source.mayRead ? await lookThrough(source) : 'unreadable';
      if (looked === 'again') unfinished.add(source.server);
      if (looked === 'unreadable' && !unreadable.has(source.channel)) silent.push(source);
    }
    for (const { channel } of silent) unreadable.add(channel);
    if (silent.length > 0) log.warn(cannotReadBack, { channels: silent.map(({ name }) => name) });
    return unfinished;
  }

  async function lookThrough({ channel, server, after }: Source): Promise<Looked> {
    let looked: Looked = 'whole';
    let cursor = after;
    for (;;) {
      const page = await pageOf(channel, cursor);
      if (page.kind !== 'ok') return page.kind === 'refused' ? refused(page, server) : 'again';
      const inOrder = page.data.toSorted((one, other) => (isNewer(one.id, other.id) ? 1 : -1));
      for (const message of inOrder) {
        if (isStopped || !(await takeOne(message, server))) looked = 'again';
      }
      const newest = inOrder.at(-1)?.id ?? cursor;
      // Pages go forward, or they would go on for ever.
      if (isStopped || inOrder.length < pageSize || !isNewer(newest, cursor)) return looked;
      cursor = newest;
    }
  }

  function pageOf(channel: string, after: string): Promise<Called<z.infer<typeof pageShape>>> {
    const query = { after, limit: `${pageSize}` };
    return calls.read({ method: 'GET', route: Routes.channelMessages(channel), query }, pageShape);
  }

  /** False: it could not be stored. That keeps nothing else from it. */
  async function takeOne(message: object, server: string | undefined): Promise<boolean> {
    // Histories do not say which server they are of.
    const typed = parseMessage({ ...message, ...(server !== undefined && { guild_id: server }) });
    if (!typed) return true;
    try {
      await take(typed);
      return true;
    } catch (error) {
      if (!isStopped) log.error('A message that was missed could not be taken; it is tried again.', error);
      return false;
    }
  }

  /** Channels and threads with newer messages that the bot would have heard; of direct conversations that is not known. */
  function sourcesOf(open: readonly Gap[]): readonly Source[] {
    const afters = new Map(
      [...Map.groupBy(open, ({ server }) => server)].map(([server, of]) => [server, afterOf(of)]),
    );
    const me = client().user;
    const told = [...client().channels.cache.values()].flatMap((channel): Source[] => {
      if (channel.isDMBased() || !channel.isTextBased() || !me) return [];
      const { id, name, guildId: server, lastMessageId } = channel;
      const after = afters.get(server);
      if (after === undefined || !isNewer(lastMessageId, after)) return [];
      const granted = channel.permissionsFor(me);
      if (granted && !granted.has(PermissionFlagsBits.ViewChannel)) return [];
      const mayRead = granted?.has(PermissionFlagsBits.ReadMessageHistory) ?? true;
      return [{ channel: id, name: `#${name}`, server, after, mayRead }];
    });
    const after = afters.get(undefined);
    if (after === undefined) return told;
    const direct = { name: '', server: undefined, after, mayRead: true };
    return [...told, ...directs().map((channel) => ({ channel, ...direct }))];
  }

  function afterOf(of: readonly Gap[]): string {
    const sinceMs = Math.min(...of.map((gap) => gap.sinceMs));
    return snowflakeAt(Math.max(sinceMs - clockSkewMs, clock.now() - oldestMs));
  }

  return {
    missed(sinceMs, server) {
      if (guildId === undefined || server === undefined || server === guildId)
        gaps = [...gaps, { sinceMs, server }];
    },
    look(inMs = 0) {
      looking = Promise.all([looking, inMs > 0 && calls.pause(inMs)])
        .then(lookUntilWhole)
        .catch((error: unknown) => log.error('What was typed meanwhile could not be looked for.', error));
      return looking;
    },
    get openSinceMs() {
      return gaps.length === 0 ? undefined : Math.min(...gaps.map((gap) => gap.sinceMs));
    },
    stop() {
      isStopped = true;
    },
  };
}

const cannotReadBack =
  'Commands that were typed in some channels while Discord was away are lost: give the bot’s role Read Message History there.';

/** What is not there any more can’t be missed; nor can anybody but the person change what the bot may read of theirs. */
function refused({ refusal }: Refused, server: string | undefined): Looked {
  return refusal === 'nowhere' || server === undefined ? 'whole' : 'unreadable';
}
