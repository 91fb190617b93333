import type { JsonObject } from '../json.ts';
import type { Agent } from './agent.ts';
import type { AgentCall } from './call.ts';
import { offeredBy } from './decide.ts';
import { decisionPrompt, plainPrompt, writePrompt } from './prompt.ts';
import { replySchema } from './reply-schema.ts';

/** All that an agent is told in one piece of work. */
export interface AgentWords {
  /** What it is told beforehand: written by the authors of the agent and the flow. */
  readonly system?: string;
  /** Whole, with instructions for the reply. Holds data that others wrote. */
  readonly prompt: string;
  /** JSON Schema of what must come back, for runtimes that can make sure of it; absent = text. */
  readonly reply?: JsonObject;
}

/**
 * What an agent is told when it is asked.
 * @param nextMarker draws a marker that nobody can guess
 */
export function wordsFor(
  { instructions = '' }: Pick<Agent, 'instructions'>,
  call: AgentCall,
  nextMarker: () => string,
): AgentWords {
  const own = call.kind === 'prompt' ? (call.system ?? '') : '';
  const system = [instructions, own].filter((text) => text !== '').join('\n\n');
  const reply = replySchema(call);
  return { ...(system !== '' && { system }), prompt: promptOf(call, nextMarker), ...(reply && { reply }) };
}

function promptOf(call: AgentCall, nextMarker: () => string): string {
  switch (call.kind) {
    case 'task':
      return writePrompt(call, nextMarker);
    case 'prompt':
      return plainPrompt(call, nextMarker);
    case 'decision':
      return decisionPrompt(call, offeredBy(call), nextMarker);
  }
}
