import { NO_ACCESS } from '../../src/engine/agents/access.ts';
import type { Agent } from '../../src/engine/agents/agent.ts';

/** An agent as a file makes it that says no more than it must. */
export function agentCalled(name: string, more: Partial<Agent> = {}): Agent {
  return {
    name,
    runtime: 'scripted',
    settings: {},
    concurrency: 1,
    access: NO_ACCESS,
    maxTurns: 20,
    toolCalls: 50,
    workspace: 'none',
    changes: 'allow',
    ...more,
  };
}
