import type { Json, JsonObject } from '../json.ts';
import type { Named } from '../named.ts';
import type { Person, Place } from '../people.ts';
import type { Failure, Output } from '../steps/step-type.ts';
import type { KeptFile } from './state.ts';

/** How a run began. */
export interface RunStart {
  readonly trigger: 'command' | 'manual' | 'schedule' | 'webhook' | 'retry';
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

/** What a retry takes over from a finished run. */
export interface Inheritance {
  readonly run: string;
  /** Steps that need not run again, with the exit they left by. */
  readonly done: Readonly<Record<string, { readonly exit: string; readonly output: Output }>>;
  /** Message steps that had begun to post: their post goes on instead of a new one. Step → key of the post. */
  readonly posts: Readonly<Record<string, string>>;
}

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
  | ({ readonly type: 'step.done'; readonly atMs: number; readonly output: Output } & AttemptRef)
  | ({ readonly type: 'step.failed'; readonly atMs: number; readonly failure: Failure } & AttemptRef)
  /** The call may or may not have had its effect. */
  | ({ readonly type: 'step.unknown'; readonly atMs: number; readonly message: string } & AttemptRef)
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
