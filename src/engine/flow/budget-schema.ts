import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';

const counts = {
  tokens: z.int().min(1).optional().describe('Most tokens.'),
  toolCalls: z.int().min(1).optional().describe('Most tool calls.'),
  costUsd: z.number().positive().optional().describe('Most US dollars.'),
  maxTurns: z.int().min(1).optional().describe('Most turns of agents.'),
};

/** What may be used up on a day. */
export const perDaySchema = z.strictObject(counts);

/** What one run may use up, and all runs of a flow on a day. */
export const budgetSchema = z.strictObject({
  tokens: counts.tokens,
  toolCalls: counts.toolCalls,
  costUsd: counts.costUsd,
  wallTime: durationSchema.optional().describe('Longest time.'),
  maxTurns: counts.maxTurns,
  perDay: perDaySchema.optional().describe('What all runs of the flow may use up together on a day (UTC).'),
});

/** Parts of a budget at which a person is told. */
export const alertsSchema = z.array(z.number().gt(0).lt(1)).max(10).default([0.75, 0.9]);
