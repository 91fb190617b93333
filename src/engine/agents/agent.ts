import type { JsonObject } from '../json.ts';
import type { Access, Permission } from './access.ts';

/** A named model or program with instructions and limits: what a file in `agents/` says. */
export interface Agent {
  /** The file's name unless it says another. */
  readonly name: string;
  readonly description?: string;
  /** What carries out its work; the keys of that runtime stand in `settings` as they are written, read by the runtime itself. */
  readonly runtime: string;
  readonly settings: JsonObject;
  /** As the provider names it. */
  readonly model?: string;
  /** What it is told in every step of every flow: trusted text. */
  readonly instructions?: string;
  /** Longest time for one attempt, in milliseconds; absent = the host's limit. */
  readonly timeLimitMs?: number;
  /** Steps it works on at once, over all runs: 1. */
  readonly concurrency: number;
  readonly price?: Price;
  /** Tools of MCP servers that its model may call in a task. */
  readonly access: Access;
  /** Most turns of its model in one attempt of a task: 20. */
  readonly maxTurns: number;
  /** Most calls of tools in one attempt: 50. */
  readonly toolCalls: number;
  /** The agent whose model answers when its own provider can't. Everything but the model stays that of this one. */
  readonly fallback?: string;
  /** Most requests to its provider in a time, over all runs; absent = as many as there are. */
  readonly rateLimit?: { readonly requests: number; readonly perMs: number };
  /** Where it works: an empty folder of its own, or the workspace of the run, which must be of that kind. */
  readonly workspace: 'none' | 'folder' | 'git';
  /** What becomes of files that it changes in a git workspace; `ask`: people decide. */
  readonly changes: Permission;
}

/** What tokens cost, in US dollars for a million of them. */
export interface Price {
  readonly inputUsd: number;
  readonly outputUsd: number;
}
