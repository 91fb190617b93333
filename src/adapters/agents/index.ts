import type { AgentRuntimes } from '../../ports/agents.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Programs } from '../../ports/programs.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { createAnthropicRuntime } from './anthropic.ts';
import { createOpenAiRuntime } from './openai.ts';
import { createProgramRuntime } from './program.ts';
import { createScriptedRuntime } from './scripted.ts';

/** Makes the runtimes that agents can name. */
export function createAgentRuntimes(deps: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly programs: Programs;
  /** What agents that are programs may be given of the environment, by name. */
  readonly environment: Readonly<Record<string, string>>;
}): AgentRuntimes {
  return new Map([
    ['openai', createOpenAiRuntime(deps)],
    ['anthropic', createAnthropicRuntime(deps)],
    ['program', createProgramRuntime(deps)],
    ['scripted', createScriptedRuntime(deps)],
  ]);
}
