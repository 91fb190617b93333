import type { Usage } from '../agents/usage.ts';
import type { AttachmentLimits } from '../attachments.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Named } from '../named.ts';
import type { Person, Place } from '../people.ts';
import type { Ask, Failure, Output } from '../steps/step-type.ts';
import type { RunStart } from './event.ts';
import type { GoesOn } from './parked.ts';

/** Where a run is. The last four are final: a finished run never changes. */
export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting' // only people or timers can move it on
  | 'attention' // somebody must decide about an unknown outcome
  | 'succeeded'
  | 'failed'
  | 'rejected'
  | 'cancelled';

/** Those of runs that have not ended. */
export const OPEN_STATUSES = ['queued', 'running', 'waiting', 'attention'] as const;
/** Those of runs that have ended. */
export const FINAL_STATUSES = ['succeeded', 'failed', 'rejected', 'cancelled'] as const;

/** How an incoming edge ended: its source left by it; went another way; or failed. */
export type Fate = 'live' | 'dead' | 'tainted';

/** Where a step is. Each carries only its own data. */
export type StepState =
  /** Waiting for its incoming edges; the counts are those that have ended. */
  | {
      readonly status: 'pending';
      readonly round: number;
      readonly live: number;
      readonly dead: number;
      readonly tainted: number;
    }
  /** Its turn has come, a slot has not. */
  | {
      readonly status: 'ready';
      readonly round: number;
      readonly attempt: number;
      /** The attempt was parked, and goes on where it was. */
      readonly goesOn?: GoesOn;
    }
  /** A call is under way; holds a slot. `deadline`, here and below: key of the timer of its time limit. */
  | {
      readonly status: 'running';
      readonly round: number;
      readonly attempt: number;
      readonly call: string;
      readonly deadline?: string;
      /** The attempt was parked before, and goes on so. */
      readonly goesOn?: GoesOn;
    }
  /** Runs of its lane are under way or still to come; holds no slot. */
  | {
      readonly status: 'nested';
      readonly round: number;
      readonly attempt: number;
      /** Runs it takes. */
      readonly total: number;
      /** Those that have been started. */
      readonly begun: number;
      /** Where those are that have not ended, by their position. */
      readonly open: Readonly<Record<number, OpenLane>>;
      /** Positions of those that did not succeed. */
      readonly failed: readonly number[];
      readonly deadline?: string;
    }
  /** Between two attempts. */
  | {
      readonly status: 'retrying';
      readonly round: number;
      readonly attempt: number;
      readonly timer: string;
      readonly dueMs: number;
      readonly failure: Failure;
    }
  | { readonly status: 'sleeping'; readonly round: number; readonly timer: string; readonly untilMs: number }
  /** A question about it is open. */
  | {
      readonly status: 'asking';
      readonly round: number;
      readonly attempt: number;
      readonly question: string;
      /**
       * The attempt is parked: how often so far, the call of a tool that is asked about, and the budget of a day that is
       * used up, with what people had said before.
       */
      readonly parked?: GoesOn & { readonly use?: string; readonly day?: string };
    }
  | { readonly status: 'done'; readonly round: number; readonly exit: string }
  | {
      readonly status: 'failed';
      readonly round: number;
      readonly attempt: number;
      readonly failure: Failure;
      /** A `failed` edge took it up. */
      readonly absorbed: boolean;
    }
  | { readonly status: 'skipped'; readonly round: number; readonly tainted: boolean };

/** A run of a lane that has not ended. */
export interface OpenLane {
  readonly status: RunStatus;
  /** What it and the runs below it have used up so far; absent = nothing. */
  readonly usage?: Usage;
}

/** An action of a question: a button people may press. */
export interface QuestionAction {
  readonly id: string;
  readonly label: string;
  /** What the card says once it is decided: `✅ Approved` by Ana. */
  readonly outcome: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** Whether the answer carries a comment; `optional` and `required` open a form. */
  readonly comment: 'none' | 'optional' | 'required';
  /** The question's form and its files do not go with this answer. */
  readonly bare?: true;
}

/**
 * When an action has enough answers: so many people's, or one of `each` entry of the approvers (every person, and
 * somebody of every role). A rejection decides alone.
 */
export type Quorum = number | 'each';

/** What one person has answered. Until the question is decided they may answer otherwise. */
export interface QuestionAnswer {
  readonly action: string;
  readonly feedback: string;
  readonly by: Person;
  readonly atMs: number;
  /** Entries of the approvers, and of those it was escalated to, by which they may answer. */
  readonly as: Named;
  /** Further addresses of the same person. */
  readonly also?: readonly string[];
  /** What they filled in, as the question's form wants it. */
  readonly values?: JsonObject;
  /** What they attached. */
  readonly files?: readonly KeptFile[];
}

/** A file that is kept with a run; later steps see this much of it. */
export interface KeptFile {
  readonly id: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly sizeBytes: number;
}

/** What came of looking whether those asked can answer. */
export interface Look {
  /** How often that was, with the one under way. */
  readonly times: number;
  /** Key of the one under way. */
  readonly key?: string;
  /** Whom the last one found missing: people who left, roles that are not there. */
  readonly missing: Named;
  /** Too few of the approvers can answer to decide it. */
  readonly short: boolean;
}

/** A request to people. */
export interface Question {
  readonly id: string;
  readonly kind: 'approval' | 'unknown' | 'budget' | 'day' | 'tool' | 'changes';
  readonly step: string;
  readonly round: number;
  readonly openedAtMs: number;
  readonly title: string;
  readonly actions: readonly QuestionAction[];
  /** Who may answer; absent = the people of the conversation. */
  readonly approvers?: Named;
  readonly allowRequester: boolean;
  /** Guests may answer although nobody named them in person. */
  readonly allowGuests?: true;
  readonly quorum: Quorum;
  /** JSON Schema of what is filled in with an answer. */
  readonly form?: JsonObject;
  /** Files may be attached, within these limits. */
  readonly attach?: AttachmentLimits;
  /** Fingerprint of everything that people are asked about, 64 hex digits. */
  readonly covers: string;
  /** It is asked in a conversation of its own; `place` is known once that has been found. */
  readonly to?: string;
  readonly place?: Place;
  /** Absent = there was never anything to look at. */
  readonly look?: Look;
  readonly remind?: { readonly everyMs: number; readonly times: number; readonly lastMs?: number };
  /** Who may answer, too, from then on. `since`: when it came to that. */
  readonly escalation?: { readonly to: Named; readonly atMs?: number; readonly sinceMs?: number };
  readonly expiry?: { readonly atMs: number; readonly exit: string; readonly values: JsonObject };
  /** One of each person, in the order in which they answered. */
  readonly answers: readonly QuestionAnswer[];
  /** What is shown with it; kept only while it is open. */
  readonly ask?: Ask;
  readonly state:
    | { readonly status: 'open' }
    /** Decided; `by`, with `feedback`, gave the answer that decided it. */
    | {
        readonly status: 'answered';
        readonly action: string;
        readonly feedback: string;
        readonly by: Person;
        readonly atMs: number;
      }
    /** Nobody decided it in time. */
    | { readonly status: 'expired'; readonly atMs: number }
    /** What it asked about has changed: it is asked anew. */
    | { readonly status: 'void' }
    | { readonly status: 'superseded'; readonly why: string };
}

/** The ceilings of a budget. */
export type Ceiling = 'tokens' | 'toolCalls' | 'costUsd' | 'wallTime' | 'maxTurns';

/** How a run stands to its budget. */
export interface BudgetState {
  /** Added to the ceiling of the flow by answers of people. */
  readonly raised: Readonly<Partial<Record<Ceiling, number>>>;
  /** People know that there is work of unknown cost, and let it go on. */
  readonly takesUnpriced: boolean;
  /** Alerts that were given: `tokens 0.75`. */
  readonly alerted: readonly string[];
  /** Id of the open question whether it may use up more. */
  readonly question?: string;
  /** Somebody has decided that it may not. */
  readonly stopped?: true;
  /** Budgets of days over which people have let the run go on; absent = none. */
  readonly days?: readonly string[];
}

/** Everything about a run that its next transition needs. Plain data: `transition` makes a new one, never edits. */
export interface RunState {
  readonly id: string;
  readonly status: RunStatus;
  readonly start: RunStart;
  readonly startedAtMs: number;
  readonly steps: Readonly<Record<string, StepState>>;
  /** By position in `Plan.edges`; absent = not ended yet. */
  readonly fates: Readonly<Record<number, Fate>>;
  /** Latest outputs; kept by stores apart from the rest, because they can be large. */
  readonly outputs: Readonly<Record<string, Output>>;
  /** The feedback that came with an approval's last answer, kept over send-backs. */
  readonly feedback: Readonly<Record<string, string>>;
  /** How often each send-back edge was taken, by position, and the feedback that went along last. Never reset. */
  readonly sentBack: Readonly<Record<number, { readonly times: number; readonly feedback: string }>>;
  /** Send-back edges taken whose stretch still has calls under way. */
  readonly draining: readonly number[];
  readonly questions: Readonly<Record<string, Question>>;
  /** What a reviewer asked to change, by the agent step that hears it in its present round. */
  readonly review: Readonly<Record<string, string>>;
  /** HTTP requests so far, attempts counted. */
  readonly httpRequests: number;
  /** Attempts of agent steps so far. */
  readonly agentSteps: number;
  /** What its own steps have used up; absent = nothing. */
  readonly usage?: Usage;
  /** The same by step, for people. */
  readonly usageOfSteps?: Readonly<Record<string, Usage>>;
  /** What the runs of its lanes that have ended have used up; absent = nothing. */
  readonly usageBelow?: Usage;
  /** By how much people have raised ceilings of the budget, and which alerts were given. */
  readonly budget?: BudgetState;
  /** Set when nothing new may start any more; the run ends when the calls under way have. */
  readonly stopping?: {
    readonly status: 'failed' | 'rejected' | 'cancelled';
    readonly reason: string;
  };
  /** Time that counted up to `activeSinceMs`: all but the time in which only people could move the run on. */
  readonly spentMs: number;
  /** Since when the run's time counts; absent = it does not. */
  readonly activeSinceMs?: number;
  readonly endedAtMs?: number;
  /** Why it did not succeed: a sentence, `"Draft" failed: …`. */
  readonly reason?: string;
  /** What the flow's `output` made of the outputs, once it has succeeded. */
  readonly output?: Json;
  /** Of a run of a lane: what the step that started it gets. */
  readonly result?: Output;
}

/** What the button of an action says. */
export function labelOf({ actions }: Pick<Question, 'actions'>, action: string): string {
  return actions.find(({ id }) => id === action)?.label ?? action;
}

/** Whether a run has ended. */
export function isFinal(status: RunStatus): status is (typeof FINAL_STATUSES)[number] {
  return FINAL_STATUSES.some((one) => one === status);
}
