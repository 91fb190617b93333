import type { Standing } from '../../engine/people.ts';
import type { Conversation } from '../../ports/chat.ts';

/** Word before the colon in addresses. */
export const platform = 'playground';

/** Somebody of the workspace. */
export interface Member {
  readonly id: string;
  readonly name: string;
  /** A program: its messages start nothing and notify nobody. */
  readonly bot: boolean;
}

/** The flow bot itself. */
export const flowbot: Member = { id: 'flowbot', name: 'flowbot', bot: true };

/** Everybody else. The page lets you be any of the people; `ci` is another bot. */
export const members: readonly Member[] = [
  { id: 'ana', name: 'Ana', bot: false },
  { id: 'bo', name: 'Bo', bot: false },
  { id: 'cy', name: 'Cy', bot: false },
  { id: 'dee', name: 'Dee', bot: false },
  { id: 'ci', name: 'ci', bot: true },
];

/** Roles, by their names in lower case, with the ids of who has them: so that approvals by role can be tried. */
const roles: ReadonlyMap<string, readonly string[]> = new Map([
  ['maintainers', ['ana', 'bo']],
  ['oncall', ['bo', 'cy']],
]);

/** Channels that every workspace has. */
export const firstChannels: readonly string[] = ['general', 'releases', 'ops', 'announcements'];

/** A member by id, also the flow bot. */
export function member(id: string): Member | undefined {
  return id === flowbot.id ? flowbot : members.find((each) => each.id === id);
}

/** A person (no bot) by id, in any case. */
export function person(id: string): Member | undefined {
  return members.find((each) => !each.bot && each.id === id.toLowerCase());
}

/** Ids of the people with a role, by its name in any case; undefined = there is no such role. */
export function peopleWith(role: string): readonly string[] | undefined {
  return roles.get(role.toLowerCase());
}

/** What somebody is here. */
export function standingOf(id: string): Standing {
  const found = member(id);
  if (found === undefined) return 'gone';
  return found.bot ? 'bot' : 'member';
}

/** The name of a channel as it is kept: lower case, without `#`; undefined when it can't be one. */
export function channelName(written: string): string | undefined {
  const name = written.trim().replace(/^#/, '').toLowerCase();
  return /^[\p{L}\p{N}_-]{1,80}$/u.test(name) ? name : undefined;
}

/** The direct conversation of a person and the bot. */
export function directConversation(personId: string): Conversation {
  return { platform, id: `@${personId}`, name: `@${personId}`, isPrivate: true };
}

/** Whether a person sees a conversation: everything but other people's direct ones. */
export function canSee(personId: string, conversation: string): boolean {
  return !conversation.startsWith('@') || conversation === `@${personId}`;
}

/** People mentioned in what `author` typed; nobody else's text can notify. */
export function typedMentions(text: string, author: Member): readonly string[] {
  if (author.bot) return [];
  const names = [...text.matchAll(/(?<![\p{L}\p{N}_.@/<-])@([a-z]+)(?![\p{L}\p{N}_-])/giu)];
  const ids = names.flatMap(([, name = '']) => person(name)?.id ?? []);
  return [...new Set(ids)].filter((id) => id !== author.id);
}
