import { type Client, type GuildBasedChannel, PermissionFlagsBits } from 'discord.js';

/** What the bot may do, from what Discord has told so far. */
export interface Rights {
  /** Whether it may write there; true where it is not known: then posting says why not. */
  mayPost(channel: GuildBasedChannel): boolean;
  /** Whether it may read a channel back; undefined = not known yet. */
  mayRead(channel: GuildBasedChannel): boolean | undefined;
  /** Whether everybody in the server may read what is written there; private threads are not looked at. */
  isForEverybody(channel: GuildBasedChannel): boolean;
  /** Whether a mention of a role notifies those who have it; undefined = not known. */
  mayNotify(role: string): boolean | undefined;
}

/** Makes it. */
export function createRights(client: () => Client): Rights {
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
