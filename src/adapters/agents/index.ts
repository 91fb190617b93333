import type { AgentRuntimes } from '../../ports/agents.ts';
import type { Clock } from '../../ports/clock.ts';
import { createScriptedRuntime } from './scripted.ts';

/** Makes the runtimes that agents can name. */
export function createAgentRuntimes(deps: { readonly clock: Clock }): AgentRuntimes {
  return new Map([['scripted', createScriptedRuntime(deps)]]);
}
