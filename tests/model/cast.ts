import type { Identities } from '../../src/engine/identities.ts';
import { type Person, type Place, personAddress, type Standing } from '../../src/engine/people.ts';

/** Somebody who acts. Nobody but the model knows what they may do. */
export interface Player {
  readonly name: string;
  readonly person: Person;
  /** Where they type commands, and another conversation. Absent = at the host's command line. */
  readonly here?: Place;
  readonly elsewhere?: Place;
}

/** Everybody there is, and what the host has set about them. */
export interface Cast {
  readonly players: readonly Player[];
  /** Accounts of one person. */
  readonly people: Identities;
  /** Addresses of admins. */
  readonly admins: readonly string[];
}

/** People of one platform, and the host at their command line; nobody is linked, nobody an admin. */
export function castOf(people: readonly Person[], here: Place, elsewhere: Place): Cast {
  return {
    players: [
      ...people.map((person) => ({ name: person.name, person, here, elsewhere })),
      { name: 'The host', person: { platform: 'cli', id: 'root', name: 'root' } },
    ],
    people: [],
    admins: [],
  };
}

/** What can change about people. Values are never changed: a new one takes their place. */
export interface Circumstances {
  /** By address. */
  readonly standings: Readonly<Record<string, Standing>>;
  /** Addresses of those who have a role, by `platform:@role`. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
}

/** All addresses of somebody. */
export function accountsOf({ people }: Cast, person: Person): readonly string[] {
  const address = personAddress(person);
  return people.find((entry) => entry.includes(address)) ?? [address];
}
