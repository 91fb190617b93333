import type { Channel, Guild, World } from './world.ts';

/** Bits of the permissions that matter here. */
export const permission = {
  ADMINISTRATOR: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  ADD_REACTIONS: 1n << 6n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  MANAGE_MESSAGES: 1n << 13n,
  EMBED_LINKS: 1n << 14n,
  ATTACH_FILES: 1n << 15n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MENTION_EVERYONE: 1n << 17n,
  CONNECT: 1n << 20n,
  USE_APPLICATION_COMMANDS: 1n << 31n,
  MANAGE_THREADS: 1n << 34n,
  CREATE_PUBLIC_THREADS: 1n << 35n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
} as const;

/** A permission's name. */
export type PermissionName = keyof typeof permission;

/** All of them. */
const allPermissions = Object.values(permission).reduce((sum, bit) => sum | bit, 0n);

/** What everybody may do on a new server. */
export const usualPermissions =
  permission.VIEW_CHANNEL |
  permission.SEND_MESSAGES |
  permission.SEND_MESSAGES_IN_THREADS |
  permission.READ_MESSAGE_HISTORY |
  permission.EMBED_LINKS |
  permission.ATTACH_FILES |
  permission.ADD_REACTIONS |
  permission.CONNECT |
  permission.CREATE_PUBLIC_THREADS |
  permission.USE_APPLICATION_COMMANDS;

/** What a user may do on a server, before any channel has its say. */
export function guildPermissions(guild: Guild, userId: string): bigint {
  if (guild.ownerId === userId) return allPermissions;
  const everyone = guild.roles.get(guild.id)?.permissions ?? 0n;
  const sum = rolesOf(guild, userId).reduce(
    (bits, id) => bits | (guild.roles.get(id)?.permissions ?? 0n),
    everyone,
  );
  return sum & permission.ADMINISTRATOR ? allPermissions : sum;
}

/** What a user may do in a channel; a thread is as its channel. In direct messages: everything that is possible there. */
export function permissionsIn(world: World, channel: Channel, userId: string): bigint {
  if (channel.guildId === undefined) return channel.recipients.includes(userId) ? usualPermissions : 0n;
  const guild = world.guilds.get(channel.guildId);
  if (!guild?.members.has(userId)) return 0n;
  const base = guildPermissions(guild, userId);
  if (base === allPermissions) return base;
  const { overwrites } = (channel.thread && world.channels.get(channel.parentId ?? '')) || channel;
  let bits = base;
  const everyone = overwrites.get(guild.id);
  if (everyone) bits = (bits & ~everyone.deny) | everyone.allow;
  const ofRoles = rolesOf(guild, userId).flatMap((id) => overwrites.get(id) ?? []);
  bits &= ~ofRoles.reduce((sum, { deny }) => sum | deny, 0n);
  bits |= ofRoles.reduce((sum, { allow }) => sum | allow, 0n);
  const own = overwrites.get(userId);
  if (own) bits = (bits & ~own.deny) | own.allow;
  const isAdded = channel.thread?.onlyFor?.has(userId) ?? true;
  // Who can't see a channel can do nothing there, and who can't enter a voice channel has no part in its chat.
  if (!(bits & permission.VIEW_CHANNEL) || !(isAdded || bits & permission.MANAGE_THREADS)) return 0n;
  const isOpen = !isVoice(channel) || bits & permission.CONNECT;
  return isOpen ? bits : bits & permission.VIEW_CHANNEL;
}

/** Whether people talk in it, besides writing. */
export function isVoice({ type }: Channel): boolean {
  return type === 2 || type === 13;
}

/** Whether a user has a permission in a channel. */
export function may(world: World, channel: Channel, userId: string, name: PermissionName): boolean {
  return (permissionsIn(world, channel, userId) & permission[name]) !== 0n;
}

function rolesOf(guild: Guild, userId: string): readonly string[] {
  return [...(guild.members.get(userId)?.roles ?? [])];
}
