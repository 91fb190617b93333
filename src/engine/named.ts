import { isRole, parseRole, withoutPlatform } from './flow/address.ts';
import { md, type Prose, person } from './prose.ts';

/**
 * People and roles by their addresses (`slack:U0ANA`, `@maintainers`, `slack:@maintainers`), as plans and questions hold
 * them: who may start, who may answer, whom a message notifies.
 */
export type Named = readonly string[];

/** What was found out about somebody's roles: addresses of roles, as the list that was asked about has them. */
export interface Roles {
  readonly held: Named;
  /** Those that nobody could tell about. They count as not held. */
  readonly unsure: Named;
}

/** Of somebody who has none, or outside chat, where there are none. */
export const noRoles: Roles = { held: [], unsure: [] };

/** Why a list keeps somebody out who is not named by it, for them. @param what `answer this` */
export function keptOut(named: Named, roles: Roles, what: string): Prose {
  const isSure = !named.some((address) => roles.unsure.includes(address));
  return [
    md('Only '),
    ...people(named),
    md(` may ${what}${isSure ? '.' : ', and I could not find out whether you are one of them.'}`),
  ];
}

/** A list for people: `Ana, @leads`. */
export function people(named: Named): Prose {
  return named.flatMap((address, index) => (index === 0 ? [person(address)] : [md(', '), person(address)]));
}

/**
 * Whether an entry of a list names somebody: by platform and id, never by name, or by a role that they are known to have.
 * @param addresses all those of the person
 */
export function matches(entry: string, addresses: readonly string[], { held }: Roles): boolean {
  return isRole(entry) ? held.includes(entry) : addresses.includes(entry);
}

/** The roles of a list that people of a platform can have: the address of each, and what the platform knows it by. */
export function rolesOn(
  platform: string,
  named: Named,
): readonly { readonly address: string; readonly role: string }[] {
  return [...new Set(named)].flatMap((address) => {
    const role = parseRole(address);
    const counts = role !== undefined && (role.platform ?? platform) === platform;
    return counts ? [{ address, role: role.role }] : [];
  });
}

/** Whom a post on a platform notifies: ids of people, and roles as `@name` or `@id`. */
export function notifiedOn(platform: string, named: Named): readonly string[] {
  const all = named.flatMap((address) => {
    const role = parseRole(address);
    if (role) return (role.platform ?? platform) === platform ? [`@${role.role}`] : [];
    return address.startsWith(`${platform}:`) ? [withoutPlatform(address)] : [];
  });
  return [...new Set(all)];
}
