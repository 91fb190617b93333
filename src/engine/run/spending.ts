import { addUsage, NO_USAGE, type Usage } from '../agents/usage.ts';
import type { Plan } from '../flow/plan.ts';
import type { Ceiling, RunState } from './state.ts';

/** What a run and all runs below it have used up so far. */
export function usageOf({ usage, usageBelow, steps }: RunState): Usage {
  const open = Object.values(steps).flatMap((step) =>
    step.status === 'nested' ? Object.values(step.open).map((lane) => lane.usage ?? NO_USAGE) : [],
  );
  return [usage ?? NO_USAGE, usageBelow ?? NO_USAGE, ...open].reduce(addUsage);
}

export function ceilings(
  { budget = {} }: Plan,
  state: RunState,
): readonly { readonly ceiling: Ceiling; readonly limit: number }[] {
  return CEILINGS.flatMap((ceiling) => {
    const limit = budget[ceiling];
    return limit === undefined ? [] : [{ ceiling, limit: limit + (state.budget?.raised[ceiling] ?? 0) }];
  });
}

/** All ceilings of a budget, in the order in which people are told of them. */
export const CEILINGS = ['tokens', 'toolCalls', 'costUsd', 'wallTime', 'maxTurns'] as const;

export function spentOf(state: RunState, nowMs: number): Readonly<Record<Ceiling, number>> {
  const { tokens, toolCalls, costUsd, turns } = usageOf(state);
  const activeMs = state.activeSinceMs === undefined ? 0 : Math.max(0, nowMs - state.activeSinceMs);
  return { tokens, toolCalls, costUsd, maxTurns: turns, wallTime: state.spentMs + activeMs };
}

/** Ceilings that a run has reached: nothing that works or costs may start until people let it. */
export function ceilingsReached(plan: Plan, state: RunState, nowMs: number): readonly Ceiling[] {
  const spent = spentOf(state, nowMs);
  return ceilings(plan, state)
    .filter(({ ceiling, limit }) => spent[ceiling] >= limit)
    .map(({ ceiling }) => ceiling);
}

export function hasUnpriced({ budget }: Plan, state: RunState): boolean {
  return budget?.costUsd !== undefined && !state.budget?.takesUnpriced && usageOf(state).unpriced > 0;
}

/** Whether a run is over its budget, or there is work of unknown cost under a ceiling of cost that nobody has let pass. */
export function isOverBudget(plan: Plan, state: RunState, nowMs: number): boolean {
  return ceilingsReached(plan, state, nowMs).length > 0 || hasUnpriced(plan, state);
}
