import { ChannelType, type Client, type GuildBasedChannel, PermissionFlagsBits, Routes } from 'discord.js';
import { z } from 'zod';
import { type Calls, orAbsent } from './calls.ts';
import type { People } from './people.ts';
import { allows, heldIn } from './permissions.ts';

/** Who can read which channels. */
export interface Readers {
  /** What is not certain is false. Rejects with `ChatUnavailable` when nobody can tell now. */
  canRead(user: string, channel: string): Promise<boolean>;
}

/** Makes it. Of direct conversations nobody can tell whose they are. */
export function createReaders(options: {
  readonly client: () => Client;
  readonly calls: Calls;
  readonly people: People;
  /** The only server that counts, if one is set. */
  readonly guildId: string | undefined;
}): Readers {
  const { client, calls, people, guildId } = options;

  /** What somebody may do in a channel of a server. */
  async function held(user: string, channel: GuildBasedChannel): Promise<bigint> {
    const { guild } = channel;
    const roles = await people.rolesOf(user, guild.id);
    if (!roles || (await people.standing(user, guild.id)) !== 'member') return 0n;
    if (guild.ownerId === user) return PermissionFlagsBits.Administrator;
    const own = [guild.id, ...roles].flatMap((id) => guild.roles.cache.get(id)?.permissions.bitfield ?? []);
    const base = own.reduce((sum, bits) => sum | bits, 0n);
    if ((base & PermissionFlagsBits.Administrator) !== 0n) return base;
    const overwrites =
      'permissionOverwrites' in channel
        ? [...channel.permissionOverwrites.cache.values()].map(({ id, allow, deny }) => ({
            id,
            allow: allow.bitfield,
            deny: deny.bitfield,
          }))
        : [];
    return heldIn(base, overwrites, [[guild.id], roles, [user]]);
  }

  async function isInThread(user: string, thread: string): Promise<boolean> {
    const asked = await calls.read(
      { method: 'GET', route: Routes.threadMembers(thread, user) },
      z.object({ user_id: z.string() }),
    );
    return orAbsent(asked, ['nowhere', 'outside', 'no']) !== undefined;
  }

  return {
    async canRead(user, id) {
      const told = client().channels.cache.get(id);
      if (!told || told.isDMBased() || (guildId !== undefined && told.guildId !== guildId)) return false;
      const channel = told.isThread() ? told.parent : told;
      if (!channel) return false;
      const bits = await held(user, channel);
      const needed = [
        PermissionFlagsBits.ViewChannel,
        PermissionFlagsBits.ReadMessageHistory,
        ...(channel.isVoiceBased() ? [PermissionFlagsBits.Connect] : []),
      ];
      if (!needed.every((bit) => allows(bits, { bit }))) return false;
      const isPrivate = told.isThread() && told.type === ChannelType.PrivateThread;
      return !isPrivate || allows(bits, { bit: PermissionFlagsBits.ManageThreads }) || isInThread(user, id);
    },
  };
}
