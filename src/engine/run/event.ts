import type { ToolUsed } from '../agents/conversation.ts';
import type { Usage } from '../agents/usage.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Named } from '../named.ts';
import type { Person, Place } from '../people.ts';
import type { Failure, Output } from '../steps/step-type.ts';
import type { Parked } from './parked.ts';
import type { KeptFile, RunStatus } from './state.ts';

/** How a run began. */
export interface RunStart {
  readonly trigger: 'command' | 'manual' | 'schedule' | 'webhook' | 'api' | 'mcp' | 'retry' | 'flow';
  /** The whole text that started it; the beginning of a request's body; `""` where nothing was said. */
  readonly text: string;
  /** What followed the command; `""` when nothing did. */
  readonly prompt: string;
  /** The input, checked and with defaults. */
  readonly input: JsonObject;
  readonly person?: Person;
  /** Whose run it repeats from the beginning, and whose that did: what it asks for, they have asked for as well. */
  readonly requesters?: readonly Person[];
  /** Where the run lives: its cards, questions and notices go here. Absent = it has no conversation. */
  readonly home?: Place;
  /** Name of the home conversation, `#releases`. */
  readonly homeName?: string;
  readonly files: readonly JsonObject[];
  /** How long questions wait until people are reminded (ms), where the host has set it; null = for ever. */
  readonly remindAfterMs?: number | null;
  /** The schedule whose run it is. */
  readonly schedule?: RunSchedule;
  /** The request of another system that started it. */
  readonly request?: RunRequest;
  /** The step of another run that started it. */
  readonly parent?: ParentRun;
  /** For a retry: the run it goes on from and what it takes over. */
  readonly retryOf?: Inheritance;
}

/** The schedule of a run. */
export interface RunSchedule {
  readonly id: string;
  /** The time of it that the run is for (epoch ms), however late it started. */
  readonly dueAtMs: number;
  /** IANA name. */
  readonly timezone: string;
  /** The time that the last one of its runs that succeeded was for. */
  readonly lastDueAtMs?: number;
}

/** The request that started a run, without what proves who sent it. */
export interface RunRequest {
  /** JSON as it is, the fields of a form, or a text. */
  readonly body: Json;
  /** By lower-case name with `_` for `-`, as placeholders can read them: `x_github_event`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** The run whose step started another one, which is its lane. */
export interface ParentRun {
  readonly run: string;
  /** Key of the call of its step. */
  readonly call: string;
  /** The run at the top, in whose thread people are asked and whose slots the calls of all take. */
  readonly root: string;
  /** Id of its flow. */
  readonly rootFlow: string;
  /** Most calls of all of them at once. */
  readonly slots: number;
  /** 1 for a lane of the run at the top. */
  readonly depth: number;
  /** The run whose workspace it uses; absent = its own, if it has one. */
  readonly workspace?: string;
}

/** What a retry takes over from a finished run. */
export interface Inheritance {
  readonly run: string;
  /** Steps that need not run again, with the exit they left by. */
  readonly done: Readonly<Record<string, { readonly exit: string; readonly output: Output }>>;
  /** Message steps that had begun to post: their post goes on instead of a new one. Step → key of the post. */
  readonly posts: Readonly<Record<string, string>>;
  /** Runs of lanes that steps had started: these go on, too. Step and position (`deploy#2`) → id of the run. */
  readonly lanes?: Readonly<Record<string, string>>;
}

/** What an attempt has used up of the budget; absent = nothing. `cached`: the result is one that was kept. */
interface Spent {
  readonly usage?: Usage;
  readonly cached?: true;
}

/** What became of a run of a lane. */
export type LaneResult =
  /** `value`: what its flow's `output` made, as it is; absent = the flow has none. */
  | { readonly status: 'succeeded'; readonly output: Output; readonly value?: Json }
  /** A sentence for people. */
  | { readonly status: 'failed' | 'rejected' | 'cancelled'; readonly reason: string };

/** One try of a step. */
export interface AttemptRef {
  readonly step: string;
  readonly round: number;
  readonly attempt: number;
}

/**
 * It happened. A run's events in order are its journal, the only truth about it. Everything else that a run does
 * (conditions, templates, skipped steps, ready steps) follows from these by `transition`.
 */
export type RunEvent =
  /** `queued`: it waits until it is admitted. */
  | {
      readonly type: 'run.started';
      readonly atMs: number;
      readonly start: RunStart;
      readonly queued?: true;
    }
  | { readonly type: 'run.admitted'; readonly atMs: number }
  | ({ readonly type: 'step.done'; readonly atMs: number; readonly output: Output } & Spent & AttemptRef)
  | ({ readonly type: 'step.failed'; readonly atMs: number; readonly failure: Failure } & Spent & AttemptRef)
  /** The call may or may not have had its effect. */
  | ({ readonly type: 'step.unknown'; readonly atMs: number; readonly message: string } & Spent & AttemptRef)
  /** The agent of an attempt has taken a turn, and its calls of tools have ended; another turn follows. */
  | ({
      readonly type: 'agent.turned';
      readonly atMs: number;
      readonly usage: Usage;
      readonly calls: readonly ToolUsed[];
    } & AttemptRef)
  /** The attempt has stopped in the middle, to go on later. `call`: key of the call that it was. */
  | ({
      readonly type: 'step.parked';
      readonly atMs: number;
      readonly call: string;
      readonly why: Parked;
    } & Spent &
      AttemptRef)
  /** A run of a lane goes on or waits, or has used up, other than before: `usage` is all of it, with the runs below; absent, here and at its
   * end = as before.
   */
  | ({
      readonly type: 'lane.moved';
      readonly atMs: number;
      readonly index: number;
      readonly status: RunStatus;
      readonly usage?: Usage;
    } & AttemptRef)
  /** A run of a lane has ended. */
  | ({
      readonly type: 'lane.ended';
      readonly atMs: number;
      readonly index: number;
      readonly run: string;
      readonly result: LaneResult;
      readonly usage?: Usage;
    } & AttemptRef)
  | { readonly type: 'timer.fired'; readonly atMs: number; readonly timer: string }
  | {
      readonly type: 'question.answered';
      readonly atMs: number;
      readonly question: string;
      readonly action: string;
      readonly feedback: string;
      readonly by: Person;
      /** Entries by which they may answer; absent = the conversation is asked. */
      readonly as?: Named;
      /** Further addresses of the same person. */
      readonly also?: readonly string[];
      readonly values?: JsonObject;
      readonly files?: readonly KeptFile[];
    }
  /** Somebody looked whether those asked are there. */
  | {
      readonly type: 'question.checked';
      readonly atMs: number;
      readonly question: string;
      /** Key of the look. */
      readonly check: string;
      readonly missing: Named;
      /** Where a question with a conversation of its own is asked; a sentence = why it can't be. */
      readonly place?: Place | string;
    }
  | { readonly type: 'run.cancelled'; readonly atMs: number; readonly by: Person };
