import type { ToolUsed } from '../agents/conversation.ts';
import type { Usage } from '../agents/usage.ts';
import type { Json } from '../json.ts';
import type { Person } from '../people.ts';
import type { RunStart } from '../run/event.ts';
import type { Question, RunStatus } from '../run/state.ts';
import type { Failure, Output } from '../steps/step-type.ts';

/** Of what run an event is, and when it happened. */
interface OfRun {
  readonly run: string;
  /** Id of the flow. */
  readonly flow: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** Of what step; here and in the names of events it is called a node, as the API does. */
interface OfNode extends OfRun {
  readonly node: string;
  /** The step's type. */
  readonly type: string;
  readonly round: number;
}

interface OfAttempt extends OfNode {
  readonly attempt: number;
}

/** Of what question: an approval, an unknown outcome, a budget that is used up, an agent's call of a tool or its files. */
interface OfQuestion extends OfRun {
  readonly question: string;
  readonly kind: Question['kind'];
  readonly node: string;
  readonly title: string;
}

/**
 * Everything that is told about runs while they move, by name: plain data, told after it is durable, in the order in which it
 * happened. What a listener does with it never holds a run up.
 */
export interface FlowEvents {
  /** A run exists. `parent`: the run whose step started it. */
  'run:started': OfRun & {
    readonly trigger: RunStart['trigger'];
    readonly status: RunStatus;
    readonly by?: Person;
    readonly parent?: string;
  };
  /** It goes on, waits, or needs a decision, other than before. */
  'run:moved': OfRun & { readonly status: Exclude<RunStatus, EndedStatus> };
  'run:ended': OfRun & {
    readonly status: EndedStatus;
    readonly reason?: string;
    readonly output?: Json;
    readonly usage: Usage;
  };
  /** An attempt begins. */
  'node:start': OfAttempt;
  'node:done': OfNode & { readonly exit: string; readonly output: Output };
  /** An attempt has failed; the last one, unless `node:retry` follows. */
  'node:error': OfAttempt & { readonly failure: Failure };
  /** Another attempt follows. */
  'node:retry': OfAttempt & { readonly dueMs: number };
  /** Its turn does not come. `tainted`: because of a failure. */
  'node:skipped': OfNode & { readonly tainted: boolean };
  /**
   * An agent was asked, and has answered or not. `turned`: it has called tools, and is asked again; `parked`: it waits in the
   * middle; `cached`: it was not asked, as a result was kept.
   */
  'provider:call': OfAttempt & {
    readonly agents: readonly string[];
    readonly outcome: 'done' | 'failed' | 'unknown' | 'turned' | 'parked';
    readonly cached: boolean;
    readonly usage?: Usage;
  };
  /** An agent has called a tool, or wanted to. */
  'tool:call': OfAttempt & ToolUsed;
  'approval:asked': OfQuestion;
  /** Somebody has answered; `decided`: that has closed it. */
  'approval:answered': OfQuestion & {
    readonly by: Person;
    readonly action: string;
    readonly feedback: string;
    readonly decided: boolean;
  };
  /** It can't be answered any more, without an answer having decided it. */
  'approval:closed': OfQuestion & { readonly how: 'expired' | 'void' | 'superseded' };
}

type EndedStatus = 'succeeded' | 'failed' | 'rejected' | 'cancelled';

/** The name of an event. */
export type FlowEventName = keyof FlowEvents;

/** One event with its name. */
export type FlowEvent = {
  readonly [N in FlowEventName]: { readonly name: N } & FlowEvents[N];
}[FlowEventName];
