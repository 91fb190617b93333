import type { z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import type { AgentCall, Choice } from '../agents/call.ts';
import type { AttachmentLimits } from '../attachments.ts';
import type { Scope } from '../data/scope.ts';
import type { Fault } from '../fault.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Named } from '../named.ts';
import type { Prose } from '../prose.ts';
import type { RunSchedule } from '../run/event.ts';
import type { QuestionAction, Quorum } from '../run/state.ts';

/** What a step leaves behind for later steps. */
export interface Output {
  readonly text: string;
  readonly json: JsonObject;
}

/** Why a step failed, and whether trying again may help. Decided where the failure is made. */
export interface Failure {
  /** Stable, in kebab case: survives the journal, is matched by code. */
  readonly code: string;
  /** A sentence for people; it never holds a secret. */
  readonly message: string;
  readonly retry: 'allowed' | 'never';
  /** A reply that is of no use, kept so that people can look into it. */
  readonly reply?: string;
}

/** What a call came to. `unknown`: it may have had its effect, and people must say. */
export type CallOutcome =
  | { readonly kind: 'done'; readonly output: Output }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'unknown'; readonly message: string };

/** The same of a call of which somebody always knows what became. */
export type KnownOutcome = Exclude<CallOutcome, { kind: 'unknown' }>;

/** A place in a step where it reads data of another step (or of `input`, `start`, `run`, `secrets`). */
export interface Reference {
  /** Path of the look-up: `['draft','json','notes']`. */
  readonly lookup: readonly string[];
  /** Where it stands, from the top of the step: `['headers','X-Title']`. */
  readonly at: readonly (string | number)[];
  /** As written, for messages: `{{draft.json.notes}}`, or a step's id in a list. */
  readonly source: string;
  /** A missing value does not fail the step here (conditions, `show`, `inputs`). */
  readonly optional: boolean;
}

/** A question to people, as the step that asks sees it. */
export interface Ask {
  readonly title: string;
  readonly notes: Prose;
  /** Outputs shown while people decide, in order; `text: null` = that step did not run on this path. */
  readonly show: readonly { readonly name: string; readonly text: string | null }[];
  readonly actions: readonly QuestionAction[];
  /** Who may answer; absent = the people of the conversation. */
  readonly approvers?: Named;
  /** Whether the one who started the run may answer. */
  readonly allowRequester: boolean;
  /** Guests may answer although nobody named them in person. */
  readonly allowGuests?: true;
  readonly quorum: Quorum;
  /** JSON Schema of what is filled in with an answer. */
  readonly form?: JsonObject;
  readonly attach?: AttachmentLimits;
  /** Null = never; absent = as the flow, or else the host, has set it. */
  readonly remindAfterMs?: number | null;
  /** Who may answer, too, after so long (ms); without a time only when too few of the approvers are left. */
  readonly escalation?: { readonly to: Named; readonly afterMs?: number };
  /** By which exit the step leaves when nobody has decided after so long (ms), and what counts as filled in then. */
  readonly expiry?: { readonly afterMs: number; readonly exit: string; readonly values: JsonObject };
  /** The conversation it is asked in; absent = where the run lives. */
  readonly to?: string;
}

/** Text of an http request in which secrets are still names. */
export type SecretText = readonly (
  | { readonly kind: 'text'; readonly text: string }
  /** The secret's value goes here: as it is, or escaped for the inside of a JSON string, or as a whole JSON string. */
  | { readonly kind: 'secret'; readonly name: string; readonly as: 'text' | 'json-inside' | 'json' | 'form' }
)[];

/** An HTTP call as the engine plans it: everything resolved but the secrets. */
export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: SecretText])[];
  readonly body?: { readonly contentType: string; readonly text: SecretText };
  readonly maxBytes: number;
  readonly redirects: number;
  readonly allowHosts: readonly string[];
  /** Name → path into the JSON body (`items.0.title`), or `header:Name`. */
  readonly keep: Readonly<Record<string, string>>;
  /** Accepted answers: `2xx`, `404`, `200-299`. */
  readonly accept: readonly string[];
}

/** What is read of a conversation. */
export interface HistoryCall {
  readonly conversation: string;
  /** From then on, and before `untilMs` (epoch ms). */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The newest are kept. */
  readonly maxMessages: number;
  /** Of the one who reads about it: IANA name. */
  readonly timezone: string;
}

/** A program to be run. */
export interface ScriptCall {
  /** The program, or the name of a built-in script. */
  readonly run: string;
  /** One each, whatever is in them; no shell reads them. */
  readonly args: readonly string[];
  /** What it gets on its standard input. */
  readonly stdin: JsonObject;
}

/** A tool of an MCP server to be called. */
export interface ToolCall {
  /** By its name in the configuration. */
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Runs of another flow to be started: its lane. */
export interface LaneCall {
  /** Id of the flow. */
  readonly uses: string;
  /** One run each; one for a `flow` step. */
  readonly inputs: readonly JsonObject[];
  readonly maxParallel: number;
  /** `stop`: the first that fails fails the step; `collect`: its failure is kept and the others go on. */
  readonly onFailure: 'stop' | 'collect';
}

/** What a step does when its turn comes. */
export type StepStart =
  /** Finished at once, without leaving the engine. */
  | { readonly kind: 'done'; readonly exit: string; readonly output: Output }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'http'; readonly call: HttpCall; readonly timeoutMs: number; readonly safe: boolean }
  | { readonly kind: 'agent'; readonly call: AgentCall }
  | { readonly kind: 'script'; readonly call: ScriptCall }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  /** A step type of a plugin: what its own code gets. */
  | { readonly kind: 'plugin'; readonly call: Json }
  | ({ readonly kind: 'lanes' } & LaneCall)
  | {
      readonly kind: 'message';
      /** Absent = where the run lives. */
      readonly to?: string;
      readonly prose: Prose;
      /** The whole text, when `prose` is only its beginning and a file can hold it. */
      readonly whole?: string;
      readonly mention: Named;
    }
  | ({ readonly kind: 'history' } & HistoryCall)
  | { readonly kind: 'ask'; readonly ask: Ask }
  | { readonly kind: 'sleep'; readonly untilMs: number };

/** What a step can see when its turn comes. */
export interface StepTurn<C> {
  readonly config: C;
  readonly scope: Scope;
  readonly nowMs: number;
  /** Names, as people see them, and what the flow tells all its agents. */
  readonly flow: { readonly name: string; readonly instructions?: string };
  readonly name: string;
  /** What a reviewer asked to change, when work was sent back to this step. */
  readonly review?: string;
  /** The agent picks among these what comes next. */
  readonly choose?: Choice;
  /** JSON Schema that its output must match. */
  readonly writes?: JsonObject;
  /** The schedule whose run it is. */
  readonly schedule?: RunSchedule;
  /** The step's own limit for one attempt, when the flow sets one. */
  readonly timeoutMs?: number;
  /** A step's name and latest output; undefined output = it did not run on this path. */
  stepOutput(id: string): { readonly name: string; readonly output: Output | undefined };
  /** Incoming branches in the order of the edges: for Join. */
  readonly branches: readonly Branch[];
}

/** An incoming edge of a step, as it ended. */
export interface Branch {
  readonly step: string;
  readonly name: string;
  readonly fate: 'live' | 'dead' | 'tainted';
  readonly output: Output | undefined;
}

/** What a step type checks that its schema can't, at load. */
export interface StepCheck<C> {
  readonly config: C;
  /** Ids of all steps of the flow with their types. */
  readonly steps: ReadonlyMap<string, string>;
  readonly schemas: ReadonlyMap<string, JsonObject>;
  readonly agents: ReadonlyMap<string, Agent>;
  /** Its agent picks what comes next. */
  readonly chooses?: true;
}

/** What a step has left, for those that must match a schema. */
interface Written<C> {
  readonly output: Output;
  readonly config: C;
  /** Its agent has picked what comes next. */
  readonly chooses: boolean;
}

/** One step type: what may be written, what it reads, and what it does. One file each in this folder. */
export interface StepType<C = unknown> {
  readonly type: string;
  /** The keys of this type, strict, without those every step has. */
  readonly schema: z.ZodType<C>;
  /** Its exits, the main one (followed when a flow has no `edges`) first. `failed` is everybody's and not listed. */
  exits(config: C): readonly string[];
  /** Its attempts are calls to the outside, which hold one of the run's slots. */
  readonly calls?: true;
  /** Its results can be kept and used again for the same call. */
  readonly cacheable?: true;
  /** Whether an edge without an exit is allowed: not for conditions and approvals. */
  readonly plainEdges: boolean;
  /** Exits that must lead somewhere: without an edge nobody would know what they do. */
  wired?(config: C): readonly string[];
  /** Whether it needs a conversation in which the run lives. */
  needsHome?(config: C): boolean;
  /** The exit by which it leaves once its call is done; absent = `done`. */
  exitOf?(config: C, output: Output): string;
  /** Conversations it reads, with their place from the top of the step. */
  reads?(config: C): readonly { readonly address: string; readonly at: readonly string[] }[];
  /** Conversations it posts to, with their place from the top of the step. */
  destinations?(config: C): readonly { readonly address: string; readonly at: readonly string[] }[];
  /** Whether its post of a later round edits that of the round before, instead of standing beside it. */
  editsItsPost?(config: C): boolean;
  /** The flow it runs. */
  uses?(config: C): string;
  /** Names of the agents it needs. */
  agents?(config: C): readonly { readonly name: string; readonly at: string }[];
  /** Keys of it that hold a JSON Schema, in which `$ref` can name others. */
  readonly schemaKeys?: readonly string[];
  /** Name of the schema that its output must match. */
  writes?(config: C): string | undefined;
  /** What of its output must match that schema; absent = its `json`. */
  written?(written: Written<C>): Json;
  /** Where it reads data. */
  references(config: C): readonly Reference[];
  /** Faults the schema can't see; paths are from the top of the step. */
  check?(check: StepCheck<C>): readonly Fault[];
  readonly begin: (turn: StepTurn<C>) => StepStart;
}
