import type { Plan } from '../flow/plan.ts';
import { AGENT_STEPS_PER_RUN, HTTP_REQUESTS_PER_RUN } from '../limits.ts';
import type { Failure } from '../steps/step-type.ts';
import { AGENT_LIMIT, HTTP_LIMIT } from './begin.ts';
import type { CallEffect } from './effect.ts';
import { isOverBudget } from './spending.ts';
import { isFinal, type RunState } from './state.ts';

/** How a run stands to its budget: it may go on, waits for people to decide, or may not go on. */
export type BudgetStanding = 'free' | 'asked' | 'refused';

/** How a run, and with it all below it, stands to its budget. What is over holds nothing up. @param nowMs epoch ms */
export function standingOf(plan: Plan, state: RunState, nowMs: number): BudgetStanding {
  if (isFinal(state.status)) return 'free';
  if (state.budget?.stopped) return 'refused';
  return isOverBudget(plan, state, nowMs) ? 'asked' : 'free';
}

/** How a run stands to the budgets of several: the worst counts. */
export function worstOf(standings: readonly BudgetStanding[]): BudgetStanding {
  if (standings.includes('refused')) return 'refused';
  return standings.includes('asked') ? 'asked' : 'free';
}

/** Whether a call takes one of the slots that runs share. Looks and posts wait for platforms, and hold nobody else up. */
export function takesSlot({ kind }: Pick<CallEffect, 'kind'>): boolean {
  return kind !== 'check' && kind !== 'message' && kind !== 'lane';
}

/**
 * Why a call may not begin: the limits of a run count for all runs below it, too. What is to begin is counted already.
 * @param runs all runs that share the limits
 */
export function overLimit(
  runs: Iterable<Pick<RunState, 'httpRequests' | 'agentSteps'>>,
  { kind }: Pick<CallEffect, 'kind'>,
): Failure | undefined {
  let [httpRequests, agentSteps] = [0, 0];
  for (const run of runs) {
    httpRequests += run.httpRequests;
    agentSteps += run.agentSteps;
  }
  if (kind === 'http' && httpRequests > HTTP_REQUESTS_PER_RUN) return HTTP_LIMIT;
  if (kind === 'agent' && agentSteps > AGENT_STEPS_PER_RUN) return AGENT_LIMIT;
  return undefined;
}
