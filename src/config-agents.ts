import { z } from 'zod';
import { durationSchema } from './engine/data/duration.ts';
import { withFix } from './engine/data/issue.ts';
import type { Fault } from './engine/fault.ts';
import { readAt } from './engine/flow/issues.ts';
import type { JsonObject } from './engine/json.ts';
import { DEFAULT_TIMEOUT_MS } from './engine/limits.ts';

/** How agents work together, whatever their files say. */
export interface AgentSettings {
  /** Most agents at work at once, over all runs: 2. */
  readonly agentsAtOnce: number;
  /** Longest time for one attempt of an agent, in milliseconds: 15 minutes. */
  readonly agentTimeLimitMs: number;
}

/** The keys of the configuration file that this reads. */
export const agentSettingNames = ['agentsAtOnce', 'agentTimeLimit'];

const atOnceSchema = z.int().min(1).max(100).default(2);
const timeLimitSchema = durationSchema
  .refine((ms) => ms >= 1_000 && ms <= 21_600_000, {
    error: withFix('This is not between 1s and 6h.', 'Write for example 15m.'),
  })
  .default(DEFAULT_TIMEOUT_MS.agent);

/** Reads them. */
export function readAgentSettings({ agentsAtOnce, agentTimeLimit }: JsonObject): {
  readonly settings: AgentSettings;
  readonly faults: readonly Fault[];
} {
  const atOnce = readAt(atOnceSchema, agentsAtOnce, ['agentsAtOnce']);
  const timeLimit = readAt(timeLimitSchema, agentTimeLimit, ['agentTimeLimit']);
  return {
    settings: {
      agentsAtOnce: atOnce.ok ? atOnce.value : atOnceSchema.parse(undefined),
      agentTimeLimitMs: timeLimit.ok ? timeLimit.value : timeLimitSchema.parse(undefined),
    },
    faults: [atOnce, timeLimit].flatMap((read) => (read.ok ? [] : read.faults)),
  };
}
