import { expect, test } from 'vitest';
import { usageOfWork } from '../../../src/engine/agents/usage.ts';

const reported = { inputTokens: 1_000, outputTokens: 200, toolCalls: 3, turns: 2 };

test.each([
  [
    { price: { inputUsd: 3, outputUsd: 15 } },
    reported,
    { tokens: 1_200, toolCalls: 3, turns: 2, costUsd: 0.006, unpriced: 0 },
  ],
  [{}, reported, { tokens: 1_200, toolCalls: 3, turns: 2, costUsd: 0, unpriced: 1 }],
  [
    { price: { inputUsd: 3, outputUsd: 15 } },
    undefined,
    { tokens: 0, toolCalls: 0, turns: 1, costUsd: 0, unpriced: 1 },
  ],
  [
    { price: { inputUsd: 3, outputUsd: 15 } },
    { inputTokens: -5, outputTokens: Number.NaN, toolCalls: Number.POSITIVE_INFINITY, turns: 1.5 },
    { tokens: 0, toolCalls: 0, turns: 2, costUsd: 0, unpriced: 1 },
  ],
  [
    { price: { inputUsd: 100_000, outputUsd: 100_000 } },
    { inputTokens: Number.MAX_VALUE, outputTokens: Number.MAX_VALUE, toolCalls: 1e300, turns: 1 },
    { tokens: 2e12, toolCalls: 1e12, turns: 1, costUsd: 2e11, unpriced: 0 },
  ],
])('what %j has used up with %j', (agent, counts, usage) => {
  expect(usageOfWork(agent, counts)).toEqual(usage);
});
