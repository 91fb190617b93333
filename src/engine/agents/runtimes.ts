import type { AgentCall } from './call.ts';

/** What a runtime is able to do, whatever the agent says. */
export interface RuntimeAbilities {
  /** Kinds of calls that it can answer. */
  readonly answers: readonly AgentCall['kind'][];
  /** Its model can call tools of MCP servers. */
  readonly tools: boolean;
  /** It works in a folder. */
  readonly workspace: boolean;
  /** Its agents name a model. */
  readonly model: 'required' | 'optional' | 'none';
}

/** Names of those that there are. */
export type RuntimeName = 'openai' | 'anthropic' | 'program' | 'scripted';

/**
 * What each runtime is able to do. A program is a task's only: it may change things, and a prompt is sent again after a
 * crash.
 */
export const RUNTIMES: Readonly<Record<RuntimeName, RuntimeAbilities>> = {
  openai: { answers: ['task', 'prompt', 'decision'], tools: true, workspace: false, model: 'required' },
  anthropic: { answers: ['task', 'prompt', 'decision'], tools: true, workspace: false, model: 'required' },
  program: { answers: ['task'], tools: false, workspace: true, model: 'optional' },
  scripted: { answers: ['task', 'prompt', 'decision'], tools: true, workspace: true, model: 'optional' },
};

/** What a runtime is able to do; undefined = it is not known here. */
export function abilitiesOf(runtime: string): RuntimeAbilities | undefined {
  return Object.entries(RUNTIMES).find(([name]) => name === runtime)?.[1];
}
