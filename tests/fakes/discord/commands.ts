import { type Wire, wiresOf } from './wire.ts';
import type { World } from './world.ts';

/** Types of commands. */
export const commandType = { slash: 1, user: 2, message: 3 } as const;

/** Types of options. */
export const optionType = {
  subcommand: 1,
  group: 2,
  text: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

/** All commands of a scope, as a new list replaces them: those that keep type and name keep their id. */
export function registered(
  world: World,
  guildId: string,
  given: readonly Wire[],
  before: readonly Wire[],
): readonly Wire[] {
  return given.map((command) => kept(world, guildId, command, before));
}

/** The commands of a scope with one more, or another one under its name. */
export function withCommand(
  world: World,
  guildId: string,
  given: Wire,
  before: readonly Wire[],
): { readonly commands: readonly Wire[]; readonly command: Wire; readonly isNew: boolean } {
  const others = before.filter((each) => !isSame(each, given));
  const [command = {}] = registered(world, guildId, [given], before);
  return { commands: [...others, command], command, isNew: others.length === before.length };
}

function isSame(one: Wire, other: Wire): boolean {
  return one.name === other.name && (one.type ?? commandType.slash) === (other.type ?? commandType.slash);
}

function kept(world: World, guildId: string, given: Wire, before: readonly Wire[]): Wire {
  const old = before.find((each) => isSame(each, given));
  const command: Wire = {
    application_id: world.appId,
    ...(guildId !== '' && { guild_id: guildId }),
    type: given.type ?? commandType.slash,
    name: given.name,
    name_localizations: given.name_localizations ?? null,
    description: given.description ?? '',
    description_localizations: given.description_localizations ?? null,
    default_member_permissions: given.default_member_permissions ?? null,
    dm_permission: guildId === '' ? true : undefined,
    contexts: guildId === '' ? (given.contexts ?? null) : undefined,
    integration_types: guildId === '' ? (given.integration_types ?? [0]) : undefined,
    nsfw: given.nsfw ?? false,
    options: wiresOf(given.options).length > 0 ? given.options : undefined,
  };
  const isUnchanged =
    old && JSON.stringify({ ...command, id: old.id, version: old.version }) === JSON.stringify(old);
  if (isUnchanged) return old;
  return JSON.parse(JSON.stringify({ ...command, id: old?.id ?? world.nextId(), version: world.nextId() }));
}
