import { ChannelType, Routes } from 'discord.js';
import { z } from 'zod';
import { type Finding, ok, warning } from '../chat/finding.ts';
import { snowflakePattern } from './addresses.ts';
import type { Called } from './calls.ts';
import { allows, heldIn, permissions } from './permissions.ts';

/** A conversation that flows post to. */
export interface PostedTo {
  /** As flows name it, without the platform: `#releases`, `Our Server/#releases`, an id. */
  readonly address: string;
  /** Ids of the flows. */
  readonly flows: readonly string[];
}

/** A server that is served. */
export interface ExaminedServer {
  readonly id: string;
  readonly name: string;
  /** What the bot may do there, where a channel does not say otherwise. */
  readonly permissions: bigint;
}

/** Asks Discord, and says why it was in vain. */
export interface Reader {
  read<T>(route: `/${string}`, shape: z.ZodType<T>): Promise<Called<T>>;
  why(failed: Exclude<Called<unknown>, { kind: 'ok' }>): string;
}

const bits = z.string().regex(/^\d+$/).transform(BigInt);
const channelsShape = z.array(
  z.object({
    id: z.string(),
    type: z.number(),
    name: z.string(),
    permission_overwrites: z.array(z.object({ id: z.string(), allow: bits, deny: bits })).default([]),
  }),
);
const memberShape = z.object({ roles: z.array(z.string()) });

/** A channel, and what the bot may do there. */
interface Channel {
  readonly id: string;
  readonly name: string;
  readonly server: ExaminedServer;
  readonly held: bigint;
}

/**
 * Compares the channels that flows post to with those that are there. Threads and direct conversations are left out:
 * they are not listed.
 * @param bot id of the bot as a person
 */
export async function examineChannels(
  { read, why }: Reader,
  bot: string,
  servers: readonly ExaminedServer[],
  postedTo: readonly PostedTo[],
): Promise<readonly Finding[]> {
  const named = postedTo.filter(({ address }) => address.includes('#') || snowflakePattern.test(address));
  if (named.length === 0) return [];
  const channels: Channel[] = [];
  for (const server of servers) {
    const listed = await read(Routes.guildChannels(server.id), channelsShape);
    if (listed.kind !== 'ok')
      return [warning(`The channels of ${server.name} can’t be read: ${why(listed)}`)];
    const member = await read(Routes.guildMember(server.id, bot), memberShape);
    if (member.kind !== 'ok') return [warning(`The roles of the bot can’t be read: ${why(member)}`)];
    for (const { id, type, name, permission_overwrites: overwrites } of listed.data) {
      if (type === ChannelType.GuildCategory) continue;
      channels.push({
        id,
        name,
        server,
        held: heldIn(server.permissions, overwrites, [[server.id], member.data.roles, [bot]]),
      });
    }
  }
  const findings = named.flatMap((one) => findingsOf(one, channels));
  return findings.length > 0
    ? findings
    : [ok('The channels that flows post to are there and open to the bot.')];
}

function findingsOf({ address, flows }: PostedTo, channels: readonly Channel[]): readonly Finding[] {
  const found = channels.filter((channel) => isCalled(channel, address));
  const where = `${address} (${flows.join(', ')})`;
  const [only, ...others] = found;
  // An id may also be that of a thread, a direct conversation or a person.
  if (!only && snowflakePattern.test(address)) return [];
  if (!only)
    return [warning(`Flows post in ${where}, and the bot sees no such channel: make it, or let the bot in.`)];
  if (others.length > 0) {
    return [
      warning(
        `Flows post in ${where}, and several channels are called that: write the server before it, or the id.`,
      ),
    ];
  }
  const { held, server } = only;
  // What is missing on the whole server is said of it.
  const lacking = permissions.filter((one) => !allows(held, one) && allows(server.permissions, one));
  return lacking.map(({ name, cost }) =>
    warning(`Flows post in ${where}. The permission ${name} is missing there. ${cost}`),
  );
}

function isCalled({ id, name, server }: Channel, address: string): boolean {
  const sign = address.lastIndexOf('#');
  if (sign < 0) return id === address;
  const wanted = address
    .slice(sign + 1)
    .normalize('NFC')
    .toLowerCase();
  const of = address.slice(0, Math.max(0, sign - 1)).toLowerCase();
  const isServer = of === '' || of === server.id || of === server.name.toLowerCase();
  return isServer && name.toLowerCase() === wanted;
}
