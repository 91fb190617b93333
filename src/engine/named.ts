import { isRole, parseRole } from './flow/address.ts';
import { type Person, personAddress } from './people.ts';

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

/** Why a list keeps somebody out, for them; undefined when it names them. @param what `answer this` */
export function keptOut(
  named: Named,
  person: Pick<Person, 'platform' | 'id'>,
  roles: Roles,
  what: string,
): string | undefined {
  if (isNamed(named, person, roles)) return undefined;
  const only = `Only ${named.map(inWords).join(', ')} may ${what}`;
  const isSure = !named.some((address) => roles.unsure.includes(address));
  return isSure ? `${only}.` : `${only}, and I could not find out whether you are one of them.`;
}

/** Whether a list names somebody: by platform and id, never by name, or by a role that they are known to have. */
export function isNamed(named: Named, person: Pick<Person, 'platform' | 'id'>, { held }: Roles): boolean {
  const own = personAddress(person);
  return named.some((address) => (isRole(address) ? held.includes(address) : address === own));
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

function withoutPlatform(address: string): string {
  return address.slice(address.indexOf(':') + 1);
}

/** People in full, because an id alone may be anybody's; roles as people know them. */
function inWords(address: string): string {
  return isRole(address) ? withoutPlatform(address) : address;
}
