import { NO_USAGE, type Usage } from '../engine/agents/usage.ts';
import { usageWords } from '../engine/agents/usage-words.ts';
import { formatDuration } from '../engine/data/duration.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { Json } from '../engine/json.ts';
import { literal, md, type ProsePiece } from '../engine/prose.ts';
import { spentOf, usageOf } from '../engine/run/spending.ts';
import type { RunState } from '../engine/run/state.ts';

/** What was used up, for people and for programs. */
export interface UsageTold {
  readonly prose: readonly ProsePiece[];
  readonly data: { readonly [key: string]: Json };
}

/** What a run has used up: all of it, by step, and by the runs of its lanes. Nothing is said where nothing was. */
export function usageOfRun(plan: Plan, state: RunState, nowMs: number): UsageTold {
  const all = usageOf(state);
  const steps = Object.entries(state.usageOfSteps ?? {});
  const tookMs = spentOf(state, nowMs).wallTime;
  const below = usageOf({ ...state, usage: NO_USAGE });
  const lines = [
    ...steps.map(([id, usage]) => line(plan.steps.get(id)?.name ?? id, usage)),
    ...(isNothing(below) ? [] : [line('Runs of its lanes', below)]),
  ];
  const head = md(`\n\nUsed up in ${formatDuration(tookMs)}: ${usageWords(all)}\n\n`);
  return {
    prose: isNothing(all) ? [] : [head, ...lines.flat()],
    data: {
      ...usageData(all),
      wallSeconds: tookMs / 1_000,
      steps: Object.fromEntries(steps.map(([id, usage]) => [id, usageData(usage)])),
    },
  };
}

/** A line of a list. */
export function line(name: string, usage: Usage): readonly ProsePiece[] {
  return [md('- '), literal(name), md(`: ${usageWords(usage)}\n`)];
}

/** For programs: `costUsd` is null where not all of it is known. */
export function usageData({ tokens, toolCalls, turns, costUsd, unpriced, workedMs = 0 }: Usage) {
  return {
    tokens,
    toolCalls,
    turns,
    costUsd: unpriced === 0 ? costUsd : null,
    knownCostUsd: costUsd,
    unpriced,
    workedSeconds: workedMs / 1_000,
  };
}

function isNothing(usage: Usage): boolean {
  return Object.values(usage).every((amount) => amount === 0);
}
