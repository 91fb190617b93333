import type { ResolvedPart } from '../data/resolve.ts';
import type { JsonObject } from '../json.ts';

/** What is asked of an agent. */
export type AgentCall =
  /** An `agent` step: a task in a prompt of parts, of which the inputs are untrusted. */
  | {
      readonly kind: 'task';
      readonly agent: string;
      readonly prompt: AgentPrompt;
      readonly reply: ReplyFormat;
      readonly choose?: Choice;
      /** JSON Schema that the reply must match, its choice apart. */
      readonly writes?: JsonObject;
    }
  /** An `llm` step: a prompt, and the JSON Schema that the reply must match. `system` is fixed text of the flow. */
  | {
      readonly kind: 'prompt';
      readonly agent: string;
      readonly system?: string;
      readonly prompt: ModelPrompt;
      readonly writes?: JsonObject;
    }
  /** A `decision` step. */
  | {
      readonly kind: 'decision';
      readonly agent: string;
      readonly prompt: ModelPrompt;
      readonly options: readonly string[];
      readonly mode: 'choose' | 'score';
      /** 0 to 1. */
      readonly minConfidence?: number;
    };

/**
 * The prompt of an `llm` or `decision` step: what the flow says, and values, which are untrusted. A string stands as it is: calls
 * of older versions have their values in it.
 */
export type ModelPrompt = string | readonly ResolvedPart[];

/** The parts of the prompt of an `agent` step. */
export interface AgentPrompt {
  /** Names, as people see them. */
  readonly flow: string;
  readonly step: string;
  /** What the flow tells all its agents: trusted. */
  readonly instructions?: string;
  readonly task: string;
  /** What a reviewer asked to change, when work was sent back: untrusted. */
  readonly review?: string;
  /** Outputs of earlier steps, untrusted. */
  readonly inputs: readonly AgentInput[];
}

/** The output of an earlier step. */
export interface AgentInput {
  /** The step's name, as people see it. */
  readonly name: string;
  /** Null = that step did not run on this path. */
  readonly text: string | null;
  /** Characters that have been cut from its end: 0. */
  readonly leftOut?: number;
}

/** What a reply must look like. */
export type ReplyFormat =
  | { readonly format: 'text' }
  | { readonly format: 'json'; readonly fields: Readonly<Record<string, ReplyField>> };

/** A field of a JSON reply. */
export interface ReplyField {
  readonly type: 'string' | 'number' | 'boolean' | 'list' | 'object';
  readonly description?: string;
}

/** Steps, by id, among which an agent picks those that come next. */
export interface Choice {
  readonly among: readonly string[];
  readonly min: number;
  readonly max: number;
}
