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
import type { Drawings } from '../ports/drawings.ts';
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
  /** Makes the pictures of answers. */
  readonly drawings: Drawings;
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
  /** Absent on the host's own command line, and for visitors who are in no conversation. */
  readonly place?: Place;
  /** They come by the page, the API or MCP, which let them in as this. */
  readonly access?: Access;
  /** Id of what they did, shared by its repeats and unique on their platform. In chats at most 30 characters. */
  readonly event: string;
  readonly atMs: number;
  /** Who and what they mentioned in it. */
  readonly mentions?: readonly Mention[];
  /** Everybody in the place sees the answer, so that nothing of other conversations may be in it. */
  readonly isOverheard?: true;
}

/**
 * What a visitor was let in as; each may do what those before it may. `member`: somebody of a chat, who may do here what
 * they may do there; `host`: whoever sits at this machine, as on its command line.
 */
export type Access = 'member' | 'viewer' | 'runner' | 'approver' | 'admin' | 'host';

/** Whether this is the host's own command line, or its page, which may do everything but answer for others. */
function isHost({ place, access }: Caller): boolean {
  return access === undefined ? place === undefined : access === 'host';
}

/** Whether somebody may do what only admins may. */
export function isAdmin(bot: Bot, caller: Caller): boolean {
  if (isHost(caller) || caller.access === 'admin') return true;
  // A token may do less than the person it speaks for.
  const isInPerson = caller.access === undefined || caller.access === 'member';
  return isInPerson && bot.settings.admins.includes(personAddress(caller.person));
}

/** Whether the host has let a visitor see every run, wherever it lives. */
export function seesAll({ access }: Caller): boolean {
  return access !== undefined && access !== 'member';
}

/** Whether somebody may read what flows and agents are made of: their files are the host's. */
export function readsFiles(bot: Bot, caller: Caller): boolean {
  return seesAll(caller) || isAdmin(bot, caller);
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
  return isThere || seesAll(caller) || (!caller.isOverheard && mayControl(bot, caller, run));
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
