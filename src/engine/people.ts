/** A person (or bot) on one platform. Two platforms are two people unless the configuration links them. */
export interface Person {
  readonly platform: string;
  /** The platform's own id of the person. */
  readonly id: string;
  /** Display name, for people to read; never used to decide anything. */
  readonly name: string;
}

/** The one written form of a person: `slack:U0ANA`. What flows and the configuration write. */
export function personAddress(person: Pick<Person, 'platform' | 'id'>): string {
  return `${person.platform}:${person.id}`;
}

/** Whose address this is, as `personAddress` writes it. */
export function accountOf(address: string): Pick<Person, 'platform' | 'id'> {
  const colon = address.indexOf(':');
  return { platform: address.slice(0, colon), id: address.slice(colon + 1) };
}

/** The platform of people at the host's own command line. */
export const COMMAND_LINE = 'cli';

/**
 * What an account is. `guest`: let into a part of the workspace only, or of another organisation; `bot`: no person;
 * `gone`: it left, or was deactivated or removed.
 */
export type Standing = 'member' | 'guest' | 'bot' | 'gone';

/** A conversation, or a thread in it, by the platform's own ids. */
export interface Place {
  readonly platform: string;
  readonly conversation: string;
  /** Id of the thread; absent = the conversation itself. */
  readonly thread?: string;
}

/** Whether two places are in one conversation, in whichever threads; what has no place is in none. */
export function isSameConversation(one: Place | undefined, other: Place | undefined): boolean {
  return one !== undefined && one.platform === other?.platform && one.conversation === other.conversation;
}

/** A message on a platform. */
export interface MessageRef extends Place {
  readonly id: string;
}

/** A person or conversation that somebody named while typing. */
export interface Mention {
  /** As it reads in the text: `@Ana`. */
  readonly shown: string;
  /** As the platform writes it, with the id: `<@U0ANA>`. */
  readonly typed: string;
}
