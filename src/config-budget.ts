import { z } from 'zod';
import type { Fault } from './engine/fault.ts';
import { alertsSchema, perDaySchema } from './engine/flow/budget-schema.ts';
import { readAt } from './engine/flow/issues.ts';
import type { Json } from './engine/json.ts';
import type { HostBudget } from './engine/run/day-budget.ts';

const budgetSchema = z.strictObject({ perDay: perDaySchema, alerts: alertsSchema });

/** Reads what all flows together may use up on a day; absent, or without a ceiling = anything. */
export function readHostBudget(budget: Json | undefined): {
  readonly budget?: HostBudget;
  readonly faults: readonly Fault[];
} {
  if (budget === undefined) return { faults: [] };
  const read = readAt(budgetSchema, budget, ['budget']);
  if (!read.ok) return { faults: read.faults };
  const { perDay, alerts } = read.value;
  const { tokens, toolCalls, costUsd, maxTurns } = perDay;
  const ceilings = {
    ...(tokens !== undefined && { tokens }),
    ...(toolCalls !== undefined && { toolCalls }),
    ...(costUsd !== undefined && { costUsd }),
    ...(maxTurns !== undefined && { maxTurns }),
  };
  return {
    ...(Object.keys(ceilings).length > 0 && { budget: { perDay: ceilings, alerts } }),
    faults: [],
  };
}
