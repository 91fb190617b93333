import type { Identities } from '../engine/identities.ts';
import {
  isSameConversation,
  type Mention,
  type Person,
  type Place,
  personAddress,
} from '../engine/people.ts';
import type { PostContent } from '../engine/post.ts';
import type { Prose } from '../engine/prose.ts';
import type { Answer, Chat } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { RunRow, Store } from '../ports/store.ts';
import type { Bus } from '../runner/bus.ts';
import type { Catalog } from '../runner/catalog.ts';
import type { Outbox } from '../runner/outbox.ts';
import type { Plans } from '../runner/plans.ts';
import type { Runs } from '../runner/runs.ts';
import type { Schedules } from '../runner/schedules.ts';
import type { CoolDowns } from './cool-down.ts';

/** What commands work with. */
export interface Bot {
  readonly catalog: Catalog;
  readonly runs: Runs;
  readonly plans: Plans;
  readonly outbox: Outbox;
  readonly schedules: Schedules;
  /** Tells what happens in runs. */
  readonly events: Bus;
  readonly store: Store;
  readonly chats: ReadonlyMap<string, Chat>;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  readonly coolDowns: CoolDowns;
  /** Reads the flow files again; resolves when the flows are in force. */
  reload(): Promise<void>;
}

/** What the host has set for chats. */
export interface Settings {
  /** Before a conversation command: `!`. */
  readonly prefix: string;
  /** The chat command: `/flow`. */
  readonly command: string;
  /** Person addresses of those who may do everything but answer for others. */
  readonly admins: readonly string[];
  /** Accounts that belong to one person. */
  readonly people: Identities;
}

/** Who asks, and where. */
export interface Caller {
  readonly person: Person;
  /** Absent on the host's own command line. */
  readonly place?: Place;
  /** Id of what they did, shared by its repeats and unique on their platform. In chats at most 30 characters. */
  readonly event: string;
  readonly atMs: number;
  /** Who and what they mentioned in it. */
  readonly mentions?: readonly Mention[];
  /** Everybody in the place sees the answer, so that nothing of other conversations may be in it. */
  readonly isOverheard?: true;
}

/** Whether somebody may do what only admins may. The host's own command line always may. */
export function isAdmin(bot: Bot, caller: Caller): boolean {
  return caller.place === undefined || bot.settings.admins.includes(personAddress(caller.person));
}

/** Whether somebody may cancel or retry a run: who started it, or an admin. */
export function mayControl(bot: Bot, caller: Caller, run: RunRow): boolean {
  return isAdmin(bot, caller) || (run.startedBy !== undefined && isSame(run.startedBy, caller.person));
}

/**
 * Whether a run may be shown to somebody: people of its conversation; where nobody else sees it also who started it,
 * or an admin.
 */
export function mayLook(bot: Bot, caller: Caller, run: RunRow): boolean {
  const isThere = isSameConversation(run.home, caller.place);
  return isThere || (!caller.isOverheard && mayControl(bot, caller, run));
}

/** The id under which what a caller did is kept. */
export function deliveryOf({ person, event }: Caller): string {
  return `${person.platform}:${event}`;
}

function isSame(one: Person, other: Person): boolean {
  return personAddress(one) === personAddress(other);
}

/** A post without buttons that notifies nobody. */
export function say(...prose: Prose): PostContent {
  return { prose, buttons: [], notify: [] };
}

/** An answer that only the person gets who asked. */
export function privately(content: PostContent): Answer {
  return { kind: 'private', content };
}
