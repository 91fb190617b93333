import { type Client, type GuildBasedChannel, PermissionFlagsBits } from 'discord.js';
import type { Clock } from '../../ports/clock.ts';
import { allows } from './permissions.ts';

/** What the bot may do, from what Discord has told so far. */
export interface Rights {
  /** Whether it may write there; true where it is not known: then posting says why not. */
  mayPost(channel: GuildBasedChannel): boolean;
  /** Whether it may read a channel back; undefined = not known yet. */
  mayRead(channel: GuildBasedChannel): boolean | undefined;
  /** Whether everybody in the server may read what is written there; private threads are not looked at. */
  isForEverybody(channel: GuildBasedChannel): boolean;
  /** Takes in what the bot may do in a channel at this moment: of one that is hidden from it nothing else is told. */
  note(channel: string, held: bigint): void;
  /** Whether it was told a short while ago that it may not write there. */
  isShut(channel: string): boolean;
  /** Whether a mention of a role notifies those who have it; undefined = not known. */
  mayNotify(role: string): boolean | undefined;
}

/** How long it is believed that a channel is shut, in milliseconds: that it was opened again may not be told. */
const shutMs = 10_000;
/** Most channels that are kept in mind for that. */
const shutMax = 1_000;

/** Makes it. */
export function createRights(client: () => Client, clock: Pick<Clock, 'now'>): Rights {
  const shutAtMs = new Map<string, number>();

  function may(channel: GuildBasedChannel, ...needed: readonly bigint[]): boolean | undefined {
    const me = client().user;
    return (me && channel.permissionsFor(me))?.has([...seeing(channel), ...needed]);
  }

  return {
    mayPost: (channel) =>
      may(
        channel,
        channel.isThread() ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages,
      ) ?? true,
    mayRead: (channel) => may(channel, PermissionFlagsBits.ReadMessageHistory),
    isForEverybody: (channel) =>
      channel.permissionsFor(channel.guild.roles.everyone)?.has(seeing(channel)) ?? false,
    note(channel, held) {
      const isOpen = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.SendMessages].every((bit) =>
        allows(held, { bit }),
      );
      shutAtMs.delete(channel);
      if (!isOpen) shutAtMs.set(channel, clock.now());
      const [oldest] = shutAtMs.keys();
      if (shutAtMs.size > shutMax && oldest !== undefined) shutAtMs.delete(oldest);
    },
    isShut: (channel) => clock.now() - (shutAtMs.get(channel) ?? Number.NEGATIVE_INFINITY) < shutMs,
    mayNotify(id) {
      const guild = client().guilds.cache.find(({ roles }) => roles.cache.has(id));
      const role = guild?.roles.cache.get(id);
      if (!role) return undefined;
      return role.mentionable || guild?.members.me?.permissions.has(PermissionFlagsBits.MentionEveryone);
    },
  };
}

/** The chat of a voice channel is for those who may enter it. */
function seeing(channel: GuildBasedChannel): readonly bigint[] {
  const entering = channel.isVoiceBased() ? [PermissionFlagsBits.Connect] : [];
  return [PermissionFlagsBits.ViewChannel, ...entering];
}
