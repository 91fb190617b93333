import type { Agent } from './agent.ts';

/** What work of agents has used up. All counts are of whole attempts, whatever became of them. */
export interface Usage {
  /** Read and written together. */
  readonly tokens: number;
  readonly toolCalls: number;
  readonly turns: number;
  /** US dollars, as far as they are known. */
  readonly costUsd: number;
  /** Attempts of which nobody knows what they cost. */
  readonly unpriced: number;
  /** How long agents and tools worked, in milliseconds; absent = no time, or it was not measured. */
  readonly workedMs?: number;
}

/** What a runtime has counted of one piece of work. */
export interface ReportedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  readonly turns: number;
}

/** What a runtime reports that has asked nobody. */
export const NOBODY_ASKED: ReportedUsage = { inputTokens: 0, outputTokens: 0, toolCalls: 0, turns: 0 };

/** Nothing used up yet. */
export const NO_USAGE: Usage = { tokens: 0, toolCalls: 0, turns: 0, costUsd: 0, unpriced: 0 };

/** Both together. */
export function addUsage(one: Usage, other: Usage): Usage {
  const workedMs = (one.workedMs ?? 0) + (other.workedMs ?? 0);
  return {
    tokens: one.tokens + other.tokens,
    toolCalls: one.toolCalls + other.toolCalls,
    turns: one.turns + other.turns,
    costUsd: one.costUsd + other.costUsd,
    unpriced: one.unpriced + other.unpriced,
    ...(workedMs > 0 && { workedMs }),
  };
}

/** Whether anything has been used up. */
export function isSomething(usage: Usage | ReportedUsage): boolean {
  return Object.values(usage).some((count) => count !== 0);
}

/** What one piece of work has used up. Without a price, or where its tokens were not counted, what it cost is not known. */
export function usageOfWork({ price }: Pick<Agent, 'price'>, reported: ReportedUsage | undefined): Usage {
  if (!reported) return { ...NO_USAGE, turns: 1, unpriced: 1 };
  if (!isSomething(reported)) return NO_USAGE;
  const inputTokens = counted(reported.inputTokens);
  const outputTokens = counted(reported.outputTokens);
  return {
    tokens: inputTokens + outputTokens,
    toolCalls: counted(reported.toolCalls),
    turns: counted(reported.turns),
    costUsd: price ? (inputTokens * price.inputUsd + outputTokens * price.outputUsd) / 1_000_000 : 0,
    unpriced: price && isCount(reported.inputTokens) && isCount(reported.outputTokens) ? 0 : 1,
  };
}

/** Most that is believed of one count: sums of larger ones would stop being numbers that can be kept. */
const COUNT_MAX = 1_000_000_000_000;

/** Providers report what they like; what is no count must not make a budget endless. */
function counted(count: number): number {
  return isCount(count) ? Math.min(COUNT_MAX, Math.ceil(count)) : 0;
}

function isCount(count: number): boolean {
  return Number.isFinite(count) && count >= 0;
}
