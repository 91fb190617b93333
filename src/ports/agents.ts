import type { Agent } from '../engine/agents/agent.ts';
import type { AgentCall } from '../engine/agents/call.ts';
import type { OfferedTool, Turn } from '../engine/agents/conversation.ts';
import type { TurnOutcome } from '../engine/agents/outcome.ts';
import type { AgentWords } from '../engine/agents/words.ts';

export type { AgentOutcome, TurnOutcome } from '../engine/agents/outcome.ts';
export type { ReportedUsage } from '../engine/agents/usage.ts';

/** One turn of an agent's work: the first, or the one that follows what was said so far. */
export interface AgentRequest extends AgentWords {
  readonly agent: Agent;
  /** `task` may use tools and change files; `prompt` and `decision` are one call of a model, without either. */
  readonly kind: AgentCall['kind'];
  /** What followed the prompt so far: `[]`. */
  readonly turns: readonly Turn[];
  /** Tools that its model may call: `[]`. */
  readonly tools: readonly OfferedTool[];
  /** Its longest time, in milliseconds. The signal is aborted when it is over, too. */
  readonly timeoutMs: number;
  /** The same whenever this very piece of work is asked for again, and for no other one. */
  readonly key: string;
  /** What it is for. */
  readonly at: WorkPlace;
  /** The folder it works in; absent = none. */
  readonly workspace?: string;
}

/** Which piece of work of which step it is. */
export interface WorkPlace {
  /** Ids of the flow, the run and the step. */
  readonly flow: string;
  readonly run: string;
  readonly step: string;
  /** From 1. */
  readonly round: number;
  readonly attempt: number;
  /** How often it was asked again within this attempt, because what it picked can't be picked: 0. */
  readonly askedAgain: number;
}

/** What carries out the work of agents: a provider of models, or a program. */
export interface AgentRuntime {
  /**
   * Takes one turn; never throws, never repeats. When the signal is aborted it ends the work and resolves soon, with
   * what was used up until then. Only a request with tools comes to `uses`.
   */
  turn(request: AgentRequest, signal: AbortSignal): Promise<TurnOutcome>;
  /** Ends what is left open. No work comes after it. */
  close(): Promise<void>;
}

/** The runtimes that there are, by the name that agents call them. */
export type AgentRuntimes = ReadonlyMap<string, AgentRuntime>;
