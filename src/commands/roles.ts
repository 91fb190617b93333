import { identitiesOf } from '../engine/identities.ts';
import { matches, type Named, noRoles, type Roles, rolesOn } from '../engine/named.ts';
import { type Person, personAddress } from '../engine/people.ts';
import type { Bot, Caller } from './bot.ts';

/** All addresses of a person, as the host has linked them, that of this account first. */
export function addressesOf(bot: Bot, person: Person): readonly string[] {
  return identitiesOf(bot.settings.people, personAddress(person));
}

/** Whether a list names somebody, by any of their accounts, or by a role that they are known to have. */
export function isListed(bot: Bot, named: Named, person: Person, roles: Roles): boolean {
  const addresses = addressesOf(bot, person);
  return named.some((entry) => matches(entry, addresses, roles));
}

/**
 * Finds out which roles of these lists a caller has, all at once. Lists that name them in person need no roles. What
 * the platform can't tell, or fails to, is unsure. The host's own command line has no roles.
 */
export async function findRoles(
  bot: Bot,
  caller: Caller,
  lists: readonly (Named | undefined)[],
): Promise<Roles> {
  const { person } = caller;
  const open = lists.flatMap((named) => (named && !isListed(bot, named, person, noRoles) ? named : []));
  const asked = rolesOn(person.platform, open);
  const answers = await Promise.all(
    asked.map(async ({ address, role }) => ({ address, has: await hasRole(bot, caller, role) })),
  );
  const those = (has: boolean | undefined) =>
    answers.filter((answer) => answer.has === has).map(({ address }) => address);
  return { held: those(true), unsure: those(undefined) };
}

async function hasRole(bot: Bot, { person, place }: Caller, role: string): Promise<boolean | undefined> {
  if (!place) return false;
  try {
    return await bot.chats.get(person.platform)?.hasRole(person, role, place);
  } catch (error) {
    bot.log.error('A role could not be looked up.', error, { platform: person.platform, role });
    return undefined;
  }
}
