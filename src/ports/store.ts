import type { Conversation } from '../engine/agents/conversation.ts';
import type { Usage } from '../engine/agents/usage.ts';
import type { AuditHead, AuditLink } from '../engine/audit/chain.ts';
import type { AuditEntry } from '../engine/audit/entry.ts';
import type { Json } from '../engine/json.ts';
import type { MessageRef, Person, Place } from '../engine/people.ts';
import type { PostContent } from '../engine/post.ts';
import type { CallEffect } from '../engine/run/effect.ts';
import type { RunEvent } from '../engine/run/event.ts';
import type { RunState, RunStatus } from '../engine/run/state.ts';
import type { Output } from '../engine/steps/step-type.ts';
import type { ChatEvent, Part } from './chat.ts';

/** What lists and look-ups show of a run. Once stored, only `status` and `updatedAtMs` of it change. */
export interface RunRow {
  readonly id: string;
  readonly flow: string;
  /** Hash of the definition it is pinned to. */
  readonly version: string;
  readonly status: RunStatus;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly startedBy?: Person;
  readonly home?: Place;
  /** Only of a lane: the run whose step started it, and the one at the top. */
  readonly parent?: { readonly run: string; readonly root: string };
}

/** A run as it is stored. `revision` counts its commits, from 1. */
export interface StoredRun {
  readonly row: RunRow;
  readonly revision: number;
  readonly state: RunState;
}

/** An effect that has not ended. `begun` = it may already have left the process. */
export interface StoredCall {
  readonly run: string;
  readonly effect: CallEffect;
  readonly begun: boolean;
}

/** A timer of a run. */
export interface StoredTimer {
  readonly run: string;
  readonly key: string;
  readonly dueMs: number;
}

/**
 * Where a post goes. `under`: in the thread of the post with that key, which is posted first. `isNamed`: `conversation` is
 * what follows the platform in an address, and is found when the post is sent.
 */
export interface PostTarget extends Place {
  readonly under?: string;
  readonly isNamed?: true;
}

/** A post of ours: what it must say, and which messages say it so far. */
export interface StoredPost {
  readonly key: string;
  /** The run it belongs to; absent for answers outside runs. */
  readonly run?: string;
  readonly target: PostTarget;
  readonly content: PostContent;
  /** Counts the changes of `content`, from 1. */
  readonly revision: number;
  /** The revision that people see; 0 = nothing was posted. `shown < revision` = there is work to do. */
  readonly shown: number;
  /** Given up: people can't be shown it (deleted, refused); why. Not pending any more until content changes. */
  readonly failed?: string;
  readonly parts: readonly StoredPart[];
}

/** One message of a post. Stored before it is sent (`message` absent), and again when its id is known. */
export interface StoredPart {
  readonly index: number;
  /** What people see; null = nothing, because somebody has deleted the message. */
  readonly part: Part;
  /** When sending was decided (epoch ms): where a look-up starts. */
  readonly intentAtMs: number;
  /** How often it was posted again because somebody had deleted it; absent = never. */
  readonly copy?: number;
  readonly message?: MessageRef;
  readonly url?: string;
}

/** An open question, for lists. */
export interface QuestionRow {
  readonly id: string;
  readonly run: string;
  readonly flow: string;
  readonly title: string;
  readonly openedAtMs: number;
  /** Who may answer, as addresses of people and roles; absent = the people of the conversation. */
  readonly approvers?: readonly string[];
  /** Where it is asked. */
  readonly home?: Place;
  /** Until when it can be answered. */
  readonly expiresAtMs?: number;
}

/** An event of a platform, kept from before it is acknowledged until its work is done. */
export interface StoredDelivery {
  /** `platform:id`. */
  readonly id: string;
  readonly event: ChatEvent;
  readonly receivedAtMs: number;
}

/** How far a schedule is. */
export interface StoredSchedule {
  readonly id: string;
  /** `ScheduleTrigger.when`: with another one it is another schedule. */
  readonly when: string;
  /** All its times up to here are dealt with (epoch ms). */
  readonly doneMs: number;
  /** It starts nothing until somebody resumes it. */
  readonly paused?: Pause;
  /** When it was resumed last (epoch ms): failures before do not count any more. */
  readonly resumedAtMs?: number;
}

/** Why something starts nothing any more. `by` absent = Flowbot itself. */
export interface Pause {
  readonly atMs: number;
  readonly why: string;
  readonly by?: Person;
}

/**
 * Everything that becomes true together. A commit is atomic and durable (survives a power cut) when its promise
 * resolves. Stores may put several commits into one transaction; each still succeeds or fails by itself.
 */
export interface Commit {
  /** A run moves: guarded by the revision that was loaded (0 = it is new). */
  readonly run?: {
    readonly row: RunRow;
    readonly expectedRevision: number;
    /** Only for a new run: what a repeat of the same trigger would share. Looked up before the run's id. */
    readonly startKey?: string;
    /** Only for a new run: the schedule that started it. */
    readonly schedule?: string;
    /** The state without its outputs. */
    readonly state: Omit<RunState, 'outputs'>;
    /** Outputs that changed; null = gone. */
    readonly outputs: readonly (readonly [step: string, output: Output | null])[];
    /** Appended to the journal in this order. */
    readonly events: readonly RunEvent[];
    /** Calls and timers to add, after `ended`; one with a key that is there takes its place. */
    readonly calls: readonly CallEffect[];
    readonly timers: readonly Omit<StoredTimer, 'run'>[];
    /** Keys of calls and timers of this run that have ended or are not wanted. A key never names both. */
    readonly ended: readonly string[];
    /** `closed` before `open`. */
    readonly questions: { readonly open: readonly QuestionRow[]; readonly closed: readonly string[] };
  };
  /** What a run has used up with this commit: added to what its flow has on that day. */
  readonly spent?: SpentOn;
  /** Conversations of agents as they are now; the last one under its run and key counts. */
  readonly conversations?: readonly {
    readonly run: string;
    readonly key: string;
    readonly conversation: Conversation;
  }[];
  /** Calls about to leave the process: sets `begun`. */
  readonly begin?: readonly { readonly run: string; readonly key: string }[];
  /**
   * Posts that must read so: new ones are added. Others keep their run and target; when the content differs (as
   * JSON text) they get a new revision and are not given up any more.
   */
  readonly posts?: readonly Pick<StoredPost, 'key' | 'run' | 'target' | 'content'>[];
  /** Progress of posts, after `posts`. */
  readonly posted?: readonly PostProgress[];
  /** Deliveries whose work is done. */
  readonly delivered?: readonly string[];
  /** Appended to the audit in this order. */
  readonly audit?: readonly AuditEntry[];
}

/** What runs of a flow have used up on a day. */
export interface SpentOn {
  /** Of UTC: `2026-11-30`. */
  readonly day: string;
  readonly flow: string;
  /** The flow at the top whose runs started them; the same flow where nobody did. */
  readonly root: string;
  /** Whose work it was, by its name; absent = of no agent. */
  readonly agent?: string;
  readonly usage: Usage;
}

/** What happened to a post since it was last stored. */
export interface PostProgress {
  readonly key: string;
  /** Parts to add or replace, by index. */
  readonly parts?: readonly StoredPart[];
  /** All parts now show this revision; one less than the post's = something of it is gone. */
  readonly shown?: number;
  /** Given up. */
  readonly failed?: string;
}

/** What became of a commit. */
export type CommitOutcome =
  /** `revision` is the run's; 0 when the commit moved no run. */
  | { readonly kind: 'committed'; readonly revision: number }
  /** The run was changed by somebody else since it was loaded: nothing of the commit was stored. */
  | { readonly kind: 'conflict' }
  /** A run with this start key exists: nothing of the commit was stored. */
  | { readonly kind: 'duplicate'; readonly run: string };

/**
 * Which runs to list, newest (by their first commit) first. Absent = any; an empty list of statuses = none. Lanes are
 * listed only where `lanes`, `root` or `parent` asks for them, and then nothing else is.
 */
export interface RunFilter {
  readonly flow?: string;
  readonly statuses?: readonly RunStatus[];
  readonly startedBy?: Pick<Person, 'platform' | 'id'>;
  readonly home?: Pick<Place, 'platform' | 'conversation'>;
  /** Id of a schedule. */
  readonly schedule?: string;
  /** Runs that steps of other runs have started. */
  readonly lanes?: true;
  /** Id of a run at the top: all lanes below it. */
  readonly root?: string;
  /** Id of a run: the lanes that its own steps have started. */
  readonly parent?: string;
  /** Id of a run: only older ones. One that is not there: none. */
  readonly before?: string;
  /** Absent = all. */
  readonly limit?: number;
}

/** Which entries of the audit to read: the oldest that fit. */
export interface AuditFilter {
  /** Only those of this run. */
  readonly run?: string;
  /** Only those behind this one in the chain. */
  readonly afterN?: number;
  /** Most entries. */
  readonly limit: number;
  /** The newest that fit instead. They too come oldest first. */
  readonly newest?: true;
}

/** An entry of the audit as it is stored. */
export interface StoredAudit extends AuditLink {
  /** Undefined when somebody has made something else of its text. */
  readonly entry: AuditEntry | undefined;
}

/** Most outputs that are kept to be used again. */
export const CACHED_MAX = 10_000;
/** Longest output that is kept to be used again, as JSON, in UTF-16 units. */
export const CACHED_MAX_CHARS = 1_000_000;
/** The use of a kept output is noted when the last one noted is so long ago, in milliseconds. */
export const CACHED_USE_MS = 3_600_000;

/** A file that people attached to an answer. */
export interface StoredFile {
  readonly id: string;
  /** Id of the run it belongs to, which need not be stored here. */
  readonly run: string;
  /** As people named it. */
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

/**
 * Durable state. Every store passes `tests/contracts/store.ts`.
 *
 * Data comes back as JSON would carry it, every string exactly as it was. Ids and keys (of runs, flows, people,
 * places, posts …) must be well-formed Unicode. What a commit names and the store does not know (a call, a post, a
 * delivery) is passed over.
 */
export interface Store {
  /** Writes. Rejects only when the store itself fails (disk full, connection lost): then nothing was stored. */
  commit(commit: Commit): Promise<CommitOutcome>;
  /** Keeps a platform event; false = it was kept before (also when its work is done). */
  receive(delivery: StoredDelivery): Promise<boolean>;
  /** Keeps a flow definition under its hash; a repeat changes nothing. */
  saveVersion(hash: string, definition: Json): Promise<void>;
  version(hash: string): Promise<Json | undefined>;
  run(id: string): Promise<StoredRun | undefined>;
  /** Id of the run that was started with this key. */
  runOfStartKey(startKey: string): Promise<string | undefined>;
  runs(filter: RunFilter): Promise<readonly RunRow[]>;
  /**
   * A run's events in order; `[]` for an unknown run.
   * @param after how many of the first ones are left out; default: none
   */
  journal(run: string, after?: number): Promise<readonly RunEvent[]>;
  /** Calls that have not ended, oldest first. */
  calls(): Promise<readonly StoredCall[]>;
  /** Timers due at or before `nowMs`, earliest first, at most `limit`. */
  dueTimers(nowMs: number, limit: number): Promise<readonly StoredTimer[]>;
  /** When the earliest timer is due. */
  nextTimerMs(): Promise<number | undefined>;
  post(key: string): Promise<StoredPost | undefined>;
  /** Posts with work to do (`shown < revision` and not given up), oldest first. */
  pendingPosts(): Promise<readonly StoredPost[]>;
  /** Oldest first, those of lanes too. */
  openQuestions(limit: number): Promise<readonly QuestionRow[]>;
  /** The run a question belongs to, open or not. */
  questionRun(question: string): Promise<string | undefined>;
  /** A delivery by its id, done or not. */
  delivery(id: string): Promise<StoredDelivery | undefined>;
  /** Deliveries whose work is not done, oldest first. */
  undelivered(): Promise<readonly StoredDelivery[]>;
  /** Flows switched on or off by people, over what their files say. */
  switches(): Promise<Readonly<Record<string, boolean>>>;
  setSwitch(flow: string, enabled: boolean): Promise<void>;
  /** By id. */
  schedules(): Promise<readonly StoredSchedule[]>;
  /** Keeps schedules, and forgets those with the ids of `gone`. */
  saveSchedules(changed: readonly StoredSchedule[], gone?: readonly string[]): Promise<void>;
  /** Something small that was kept under a key; undefined = nothing. */
  note(key: string): Promise<Json | undefined>;
  /** Keeps it: the last one counts. */
  setNote(key: string, value: Json): Promise<void>;
  /** What is kept under a key until a time that has not come. */
  passing(key: string, nowMs: number): Promise<Json | undefined>;
  /** Keeps it until `untilMs`: the last one under its key counts. What is over at `nowMs` goes. */
  keepPassing(key: string, value: Json, untilMs: number, nowMs: number): Promise<void>;
  /** Forgets it before its time. */
  dropPassing(key: string): Promise<void>;
  /** Entries of the audit, oldest first. */
  audit(filter: AuditFilter): Promise<readonly StoredAudit[]>;
  /** The end of the audit's chain as it is kept apart from it; undefined when somebody has removed that. */
  auditHead(): Promise<AuditHead | undefined>;
  /** Keeps a file under its id; a repeat changes nothing. */
  keepFile(file: StoredFile): Promise<void>;
  file(id: string): Promise<StoredFile | undefined>;
  /** The output kept under a key. Reading it is a use, which is noted at most every `CACHED_USE_MS`. */
  cached(key: string, nowMs: number): Promise<Output | undefined>;
  /**
   * Keeps an output to be used again; the last one under its key counts. One longer than `CACHED_MAX_CHARS` is passed over.
   * Of more than `CACHED_MAX`, those whose last noted use is longest ago go.
   */
  keepCached(key: string, output: Output, nowMs: number): Promise<void>;
  /** What was used up from one day to another, both included, by day, then flow, root and agent. */
  spent(fromDay: string, toDay: string): Promise<readonly SpentOn[]>;
  /** The conversation of an attempt that was parked. */
  conversation(run: string, key: string): Promise<Conversation | undefined>;
  /** Finishes what was asked for, then closes; may be called twice. Writes asked for afterwards reject. */
  close(): Promise<void>;
}
