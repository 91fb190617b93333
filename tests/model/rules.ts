import { personAddress } from '../../src/engine/people.ts';
import { accountsOf, type Cast, type Circumstances, type Player } from './cast.ts';
import type { Settings } from './settings.ts';

/** An answer that somebody has given. */
export interface Vote {
  /** First address of the person. */
  readonly who: string;
  readonly name: string;
  readonly action: string;
  readonly feedback: string;
  readonly atMs: number;
  /** What of the list they stood for when they gave it. */
  readonly held: readonly string[];
}

/** A question as the model has it. */
export interface Asked {
  readonly id: string;
  readonly step: string;
  readonly round: number;
  readonly openedAtMs: number;
  readonly starter: Player;
  /** Address of the conversation it is asked in. */
  readonly conversation: string;
  /** Since when people can see it: its conversation had to be found before. Undefined = not yet. */
  readonly placedAtMs: number | undefined;
  readonly isEscalated: boolean;
  readonly reminders: number;
  readonly votes: readonly Vote[];
  readonly state: 'open' | 'answered' | 'expired' | 'void' | 'superseded';
  /** What decided it. */
  readonly action?: string;
  /** What it shows of what was said with another question. */
  readonly shows: string;
}

/** What somebody tries. */
export interface Try {
  readonly player: Player;
  readonly action: string;
  readonly feedback: string;
  /** Whether what they saw is what is asked; undefined = they named the question. */
  readonly saw: boolean | undefined;
  readonly amount: 'good' | 'bad' | 'none';
  readonly atMs: number;
  /** Address of where they were; undefined = at the host's command line. */
  readonly conversation: string | undefined;
}

/** Why it does not count; the words in which people hear of it. */
export const refusals = {
  outsider: /^Only .* may answer this|^Only people of the conversation/,
  guest: /^Guests may not answer/,
  gone: /^This account has left/,
  closed: /has already answered|^This question expired|has changed: answer at its new card|is closed/,
  late: /^This question expired/,
  requester: /^You started this run/,
  changed: /^What you saw is not what this question asks about now/,
  unknown: /is not an answer here/,
  comment: /needs a comment/,
  again: /already; others have to answer/,
  since: /^You have answered .* since/,
} as const;

/** Most reminders of one question. */
const REMINDERS_MAX = 5;

/** What becomes of an answer. `unfit`: what was filled in does not fit the form. */
export type Verdict = 'counts' | 'unfit' | keyof typeof refusals;

/** What of a list somebody stands for: nothing where a conversation is asked; undefined = they have no say. */
export function standsFor(
  cast: Cast,
  settings: Settings,
  now: Circumstances,
  asked: Asked,
  { player, conversation }: Pick<Try, 'player' | 'conversation'>,
): readonly string[] | undefined {
  const mine = accountsOf(cast, player.person);
  const roles = (settings.approvers?.roles ?? []).filter((role) =>
    mine.some((address) => {
      const [platform = ''] = address.split(':');
      // A role counts for the account that answers, and for the one at the place of the question.
      const counts =
        address === personAddress(player.person) || asked.conversation.startsWith(`${platform}:`);
      return player.here !== undefined && counts && now.roles[`${platform}:@${role}`]?.includes(address);
    }),
  );
  const held = [...namedAs(cast, settings, asked, player), ...roles.map((role) => `@${role}`)];
  if (held.length > 0) return held;
  if (settings.approvers) return undefined;
  return conversation === undefined || conversation === asked.conversation ? [] : undefined;
}

/** By which addresses somebody is named in person. */
function namedAs(cast: Cast, settings: Settings, asked: Asked, { person }: Player): readonly string[] {
  const { approvers, escalateTo } = settings;
  const others = asked.isEscalated && escalateTo !== undefined ? [escalateTo] : [];
  const mine = accountsOf(cast, person);
  return [...(approvers?.users ?? []), ...others].filter((address) => mine.includes(address));
}

/** Whether an answer counts at a moment. */
export function judge(
  cast: Cast,
  settings: Settings,
  now: Circumstances,
  asked: Asked,
  attempt: Try,
): Verdict {
  const { player, action, feedback, atMs } = attempt;
  if (!standsFor(cast, settings, now, asked, attempt)) return 'outsider';
  if (asked.state !== 'open') return 'closed';
  if (atMs >= deadlineOf(settings, asked)) return 'late';
  const may = settings.allowRequester ?? settings.approvers === undefined;
  if (!may && keyOf(cast, asked.starter) === keyOf(cast, player)) return 'requester';
  if (attempt.saw === false) return 'changed';
  if (action === 'later' && !settings.hasLater) return 'unknown';
  if (action === 'approve' && settings.needsComment && feedback === '') return 'comment';
  const before = asked.votes.find(({ who }) => who === keyOf(cast, player));
  const isSame = before?.action === action && before.feedback === feedback;
  if (isSame && !settings.hasForm) return 'again';
  if (before && before.atMs >= atMs) return 'since';
  if (settings.hasForm && action !== 'reject' && attempt.amount !== 'good') return 'unfit';
  // What an account is matters only where nothing else is wrong. A guest who is named in person is known.
  const standing = player.here && now.standings[personAddress(player.person)];
  if (standing === 'gone') return 'gone';
  const isKnown = settings.allowGuests || namedAs(cast, settings, asked, player).length > 0;
  if (standing === 'guest' && !isKnown) return 'guest';
  return 'counts';
}

/** When a question can't be answered any more. */
export function deadlineOf({ expiresAfterMs }: Settings, { openedAtMs }: Asked): number {
  return openedAtMs + (expiresAfterMs ?? Number.POSITIVE_INFINITY);
}

/** When people are reminded of a question next; infinity = never. */
export function reminderDueMs({ remindAfterMs }: Settings, { placedAtMs, reminders }: Asked): number {
  if (remindAfterMs === undefined || placedAtMs === undefined || reminders >= REMINDERS_MAX) {
    return Number.POSITIVE_INFINITY;
  }
  return placedAtMs + remindAfterMs * (reminders + 1);
}

/** The question once somebody's answer is in. */
export function answered(
  cast: Cast,
  settings: Settings,
  asked: Asked,
  attempt: Try,
  held: readonly string[],
): Asked {
  const who = keyOf(cast, attempt.player);
  const { action, feedback, player, atMs } = attempt;
  const vote: Vote = { who, name: player.person.name, action, feedback, atMs, held };
  const votes = [...asked.votes.filter((one) => one.who !== who), vote];
  const done = isEnough(settings, votes, action);
  return done ? { ...asked, votes, state: 'answered', action } : { ...asked, votes };
}

function isEnough({ quorum, approvers }: Settings, votes: readonly Vote[], action: string): boolean {
  if (action === 'reject') return true;
  const alike = votes.filter((vote) => vote.action === action);
  if (typeof quorum === 'number') return alike.length >= quorum;
  const list = [...(approvers?.users ?? []), ...(approvers?.roles ?? []).map((role) => `@${role}`)];
  const present = list.filter((entry) => alike.some(({ held }) => held.includes(entry)));
  // Those it was escalated to stand for one each of those who are not there.
  const others = alike.filter(({ held }) => !held.some((entry) => list.includes(entry)));
  return present.length + others.length >= list.length;
}

/** What was said with the answers that decided a question. */
export function saidWith({ votes, action }: Asked): string {
  const said = votes.filter((vote) => vote.action === action && vote.feedback !== '');
  const [only, ...more] = said;
  if (more.length === 0) return only?.feedback ?? '';
  return said.map(({ name, feedback }) => `${name}: ${feedback}`).join('\n\n');
}

/** Whether too few are left of those who were asked. */
export function isShort(settings: Settings, { starter }: Asked, missing: readonly string[]): boolean {
  const { quorum, approvers, allowRequester } = settings;
  if (!approvers) return false;
  const barred = allowRequester ? missing : [...missing, personAddress(starter.person)];
  const users = approvers.users.filter((address) => !barred.includes(address)).length;
  const roles = approvers.roles.filter((role) => !missing.includes(`@${role}`)).length;
  if (typeof quorum === 'number') return roles === 0 && users < quorum;
  return users + roles < approvers.users.length + approvers.roles.length;
}

function keyOf(cast: Cast, { person }: Player): string {
  return accountsOf(cast, person).toSorted()[0] ?? '';
}
