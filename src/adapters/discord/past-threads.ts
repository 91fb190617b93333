import { ChannelType, Routes } from 'discord.js';
import { z } from 'zod';
import { isNewer, snowflakePattern } from './addresses.ts';
import type { Called, Calls } from './calls.ts';
import type { Channel } from './directory.ts';

/** A thread of a channel, or a post of a forum. */
export interface Thread {
  readonly id: string;
  readonly name: string;
  /** Id of the newest message in it, which may be deleted. */
  readonly latest: string;
}

/** Reads from Discord. */
export type Reader = Pick<Calls, 'read'>;

const snowflake = z.string().regex(snowflakePattern);
const threadShape = z.object({
  id: snowflake,
  type: z.number(),
  name: z.string().default('').catch(''),
  parent_id: snowflake,
  last_message_id: snowflake.nullish().catch(undefined),
  thread_metadata: z.object({ archive_timestamp: z.string() }),
});
const listShape = z.object({
  threads: z
    .array(z.unknown())
    .transform((all) => all.flatMap((one) => threadShape.safeParse(one).data ?? [])),
  has_more: z.boolean().default(false),
});
type List = z.infer<typeof listShape>;

const pageSize = 100;
/** Most pages of archived threads. */
const pagesMax = 50;

/**
 * The threads of a channel or forum in which something may have been written since then (epoch ms), those that were
 * written in last first. Private ones are left out: who may read the channel may not read them.
 */
export async function threadsSince(
  reader: Reader,
  { id: channel, guild }: Channel,
  sinceMs: number,
): Promise<Called<readonly Thread[]>> {
  if (guild === undefined) return { kind: 'ok', data: [] };
  const open = await reader.read({ method: 'GET', route: Routes.guildActiveThreads(guild) }, listShape);
  if (open.kind !== 'ok') return open;
  const archived = await archivedSince(reader, channel, sinceMs);
  if (archived.kind !== 'ok') return archived;
  const own = [...open.data.threads, ...archived.data].filter(
    ({ parent_id, type }) => parent_id === channel && type !== ChannelType.PrivateThread,
  );
  // One that was archived meanwhile is in both lists.
  const threads = new Map(
    own.map(({ id, name, last_message_id: latest }) => [id, { id, name, latest: latest ?? id }]),
  );
  return {
    kind: 'ok',
    data: [...threads.values()].toSorted((one, other) => (isNewer(one.latest, other.latest) ? -1 : 1)),
  };
}

/** Those that were archived last come first, and nothing is written in an archived thread. */
async function archivedSince(
  reader: Reader,
  channel: string,
  sinceMs: number,
): Promise<Called<List['threads']>> {
  const found: List['threads'] = [];
  let before: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const asked = await reader.read(
      {
        method: 'GET',
        route: Routes.channelThreads(channel, 'public'),
        query: { limit: `${pageSize}`, ...(before !== undefined && { before }) },
      },
      listShape,
    );
    // The chat of a voice channel has no threads.
    if (asked.kind === 'refused' && asked.refusal === 'no') break;
    if (asked.kind !== 'ok') return asked;
    found.push(...asked.data.threads);
    before = asked.data.threads.at(-1)?.thread_metadata.archive_timestamp;
    if (!asked.data.has_more || before === undefined || !(Date.parse(before) >= sinceMs)) break;
  }
  return { kind: 'ok', data: found };
}
