import type { JsonObject } from '../json.ts';

/** A named model or program with instructions and limits: what a file in `agents/` says. */
export interface Agent {
  /** The file's name unless it says another. */
  readonly name: string;
  readonly description?: string;
  /** What carries out its work; the other keys of the runtime stand in `settings`, read by the runtime itself. */
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
}

/** What tokens cost, in US dollars for a million of them. */
export interface Price {
  readonly inputUsd: number;
  readonly outputUsd: number;
}
