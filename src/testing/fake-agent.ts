import type { AgentCall } from '../engine/agents/call.ts';
import type { AgentOutcome } from '../engine/agents/outcome.ts';
import { type AgentResult, ASKED_AGAIN_MAX, agentResult } from '../engine/agents/result.ts';
import { addUsage, NO_USAGE, type ReportedUsage, type Usage, usageOfWork } from '../engine/agents/usage.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { Fake } from './test-file.ts';

/** What the fakes of a step make of one attempt of an agent. */
export interface FakedAttempt {
  readonly result: Exclude<AgentResult, { kind: 'again' }>;
  readonly delayMs: number;
  readonly usage: Usage;
}

/** What an agent has used up of which a fake says nothing. */
const ONE_TURN: ReportedUsage = { inputTokens: 0, outputTokens: 0, toolCalls: 0, turns: 1 };

/**
 * Asks an agent as often as the real one would be asked within one attempt: after a pick that can't be picked, again.
 * @param limitMs the time limit of the attempt, however often it is asked @param take the next fake; undefined = there is none
 * @returns undefined = there is no fake
 */
export function fakeAttempt(
  call: AgentCall,
  plan: Plan,
  limitMs: number,
  take: () => Fake | undefined,
): FakedAttempt | undefined {
  const agent = plan.agents.get(call.agent) ?? {};
  let usage = NO_USAGE;
  let delayMs = 0;
  for (let asked = 0; ; asked += 1) {
    const fake = take();
    if (!fake) return undefined;
    delayMs += fake.delay ?? 0;
    const isLate = fake.timeout === true || delayMs >= limitMs;
    if (isLate) delayMs = limitMs;
    usage = addUsage(usage, usageOfWork(agent, fake.usage ?? ONE_TURN));
    const result = agentResult(call, isLate ? { kind: 'timeout' } : outcomeOf(fake));
    if (result.kind !== 'again') return { result, delayMs, usage };
    if (asked === ASKED_AGAIN_MAX)
      return { result: { kind: 'failed', failure: result.failure }, delayMs, usage };
  }
}

function outcomeOf({ failure, unknown, reply = '', confidence, probabilities }: Fake): AgentOutcome {
  if (failure !== undefined) return { kind: 'failed', code: 'faked', message: failure, retry: 'allowed' };
  if (unknown !== undefined) return { kind: 'unknown', message: unknown };
  return {
    kind: 'replied',
    text: typeof reply === 'string' ? reply : JSON.stringify(reply),
    ...(confidence !== undefined && { confidence }),
    ...(probabilities && { probabilities }),
  };
}
