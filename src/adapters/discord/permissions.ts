import { PermissionFlagsBits } from 'discord.js';

/** A permission that the bot asks for, and what is lost without it. */
export interface Permission {
  /** As Discord shows it. */
  readonly name: string;
  readonly bit: bigint;
  /** A sentence about what does not work without it. */
  readonly cost: string;
}

/**
 * All that the bot asks for. Its messages hold no embeds and no previews of links, so it needs no Embed Links.
 * @see https://docs.discord.com/developers/topics/permissions
 */
export const permissions: readonly Permission[] = [
  {
    name: 'View Channel',
    bit: PermissionFlagsBits.ViewChannel,
    cost: 'The bot sees no channel: nothing is heard and nothing can be posted.',
  },
  {
    name: 'Send Messages',
    bit: PermissionFlagsBits.SendMessages,
    cost: 'Nothing can be posted in channels and forums.',
  },
  {
    name: 'Send Messages in Threads',
    bit: PermissionFlagsBits.SendMessagesInThreads,
    cost: 'Nothing can be posted in threads, where the cards and questions of most runs stand.',
  },
  {
    name: 'Create Public Threads',
    bit: PermissionFlagsBits.CreatePublicThreads,
    cost: 'What belongs in the thread of a message is posted as a reply in the channel itself.',
  },
  {
    name: 'Read Message History',
    bit: PermissionFlagsBits.ReadMessageHistory,
    cost: 'After a crash a post can’t be looked up, so people are asked; what was typed while the bot was down is not found, and conversations can’t be summed up.',
  },
  {
    name: 'Attach Files',
    bit: PermissionFlagsBits.AttachFiles,
    cost: 'Long outputs and pictures can’t be posted as files.',
  },
];

/**
 * What the bot should not hold, the worst first. Its messages never mention everyone, whatever it may; without these
 * nothing could, should that ever fail.
 */
export const excessive: readonly Omit<Permission, 'cost'>[] = [
  { name: 'Administrator', bit: PermissionFlagsBits.Administrator },
  { name: 'Mention Everyone', bit: PermissionFlagsBits.MentionEveryone },
];

/** Whether who holds these bits may do it: an administrator may do everything. */
export function allows(held: bigint, { bit }: Pick<Permission, 'bit'>): boolean {
  return (held & (bit | PermissionFlagsBits.Administrator)) !== 0n;
}

/** What a channel allows and denies a role or a person, by id. */
export interface Overwrite {
  readonly id: string;
  readonly allow: bigint;
  readonly deny: bigint;
}

/**
 * What somebody may do in a channel. The later of the `levels` counts more, and on one level what is allowed counts more
 * than what is denied.
 *
 * @param base what they may do where no channel says otherwise
 * @param levels ids: the role of everybody, their own roles, themselves
 * @see https://docs.discord.com/developers/topics/permissions#permission-overwrites
 */
export function heldIn(
  base: bigint,
  overwrites: readonly Overwrite[],
  levels: readonly (readonly string[])[],
): bigint {
  return levels.reduce((held, ids) => {
    const some = overwrites.filter(({ id }) => ids.includes(id));
    const denied = some.reduce((sum, { deny }) => sum | deny, 0n);
    const allowed = some.reduce((sum, { allow }) => sum | allow, 0n);
    return (held & ~denied) | allowed;
  }, base);
}

/** The page on which somebody lets the bot into a server, with exactly these permissions. @param application its id */
export function inviteLink(application: string): string {
  const bits = permissions.reduce((sum, { bit }) => sum | bit, 0n);
  return `https://discord.com/oauth2/authorize?client_id=${application}&scope=bot+applications.commands&permissions=${bits}`;
}
