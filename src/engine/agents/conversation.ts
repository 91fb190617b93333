import type { Json, JsonObject } from '../json.ts';
import type { AgentOutcome } from './outcome.ts';
import type { AgentWords } from './words.ts';

/** A tool that an agent may call, as its model is told about it. */
export interface OfferedTool {
  /** What the model calls it: letters, digits, `_` and `-`, at most 64; never twice in one request. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments: an object on top. */
  readonly parameters: JsonObject;
}

/** A call of a tool that a model asks for. */
export interface ToolUse {
  /** As the model numbers it; new within the conversation. */
  readonly id: string;
  /** As it was offered; models make up names, too. */
  readonly name: string;
  /** What it is called with; models send what is no object, too. */
  readonly arguments: Json;
}

/** What follows the prompt in a conversation with a model, in this order. */
export type Turn =
  /** The model has spoken, and asked for calls of tools. */
  | {
      readonly kind: 'said';
      readonly text: string;
      readonly uses: readonly ToolUse[];
      /** The same as the provider gave it, and the runtime that made it: sent back to that one as it is. */
      readonly raw?: { readonly runtime: string; readonly message: Json };
    }
  /** What came of all calls of the turn before, in their order. */
  | { readonly kind: 'used'; readonly results: readonly ToolUseResult[] }
  /** It is told what was wrong with its reply, and is to reply again. */
  | { readonly kind: 'told'; readonly text: string };

/** What a model hears of a call of a tool. */
export interface ToolUseResult {
  /** Of the `ToolUse`. */
  readonly id: string;
  /** Fenced as untrusted where the tool said it. */
  readonly text: string;
  readonly isError: boolean;
}

/** What became of a call of a tool, for people: part of the journal. */
export interface ToolUsed {
  /** Of the `ToolUse`. */
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  /** The arguments as JSON, cut at 2,000 characters, without secrets. */
  readonly arguments: string;
  /** `refused`: the agent may not call it; `denied`: people did not allow it. */
  readonly outcome: 'answered' | 'failed' | 'refused' | 'denied';
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
  /** Of all but `answered`: why, as a sentence. */
  readonly message?: string;
}

/** How far an attempt is: kept when it is parked, and gone on with. */
export interface Conversation extends AgentWords {
  readonly turns: readonly Turn[];
  /** What came so far of the calls that the last turn asks for, and the same for people. */
  readonly results: readonly ToolUseResult[];
  readonly calls: readonly ToolUsed[];
  /** The call of a tool that people are asked about. */
  readonly asked?: { readonly use: string; readonly server: string; readonly tool: string };
  /** Time that its agent has worked, in milliseconds. */
  readonly workedMs: number;
  readonly turnsTaken: number;
  readonly toolCalls: number;
  readonly askedAgain: number;
  /** The agent has ended, and people decide about files that it has changed: `before` and `after` are states of the workspace. */
  readonly ended?: {
    readonly reply: Extract<AgentOutcome, { kind: 'replied' }>;
    readonly before: string;
    readonly after: string;
  };
}
