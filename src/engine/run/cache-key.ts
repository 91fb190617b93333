import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Plan, PlanStep } from '../flow/plan.ts';
import type { StepStart } from '../steps/step-type.ts';

/**
 * What a kept result goes by, 64 hex digits: the flow, the type of the step, and the call with everything that earlier
 * steps have put into it. Another agent file, or another flow, is another key.
 */
export function cacheKey(plan: Plan, { type, stepType, config }: PlanStep, start: StepStart): string {
  const agents = (stepType.agents?.(config) ?? []).map(({ name }) => plan.agents.get(name) ?? null);
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify([plan.id, type, start, agents]))));
}
