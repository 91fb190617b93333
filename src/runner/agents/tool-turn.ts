import type { Agent } from '../../engine/agents/agent.ts';
import type { Conversation, Turn } from '../../engine/agents/conversation.ts';
import type { AttemptResult } from '../../engine/run/attempt-result.ts';
import type { GoesOn } from '../../engine/run/parked.ts';
import type { AgentTools, NamedTool, ToolDone } from './tools.ts';

/** What calls tools for agents. */
export type ToolHands = Pick<AgentTools, 'find' | 'call' | 'denied'>;

/** What came of the calls that a turn wants: all have ended, or the attempt can't go on with them now. */
export type Called = {
  readonly conversation: Conversation;
  /** Calls that may have arrived. */
  readonly toolCalls: number;
} & ({ readonly kind: 'all' } | { readonly kind: 'stopped'; readonly result: AttemptResult });

/**
 * Calls the tools that a turn wants, one after the other, from the first that has not ended. A tool that is set to `ask` parks
 * the attempt until people have decided about this one call.
 */
export async function callTools(
  hands: ToolHands,
  { agent, at: { run } }: { readonly agent: Agent; readonly at: { readonly run: string } },
  begun: Conversation,
  { uses }: Extract<Turn, { kind: 'said' }>,
  {
    answer,
    leftMs,
    signal,
  }: {
    /** What people said about the first of them. */
    readonly answer: GoesOn['answer'];
    /** What is left of the agent's time. */
    readonly leftMs: () => number;
    readonly signal: AbortSignal;
  },
): Promise<Called> {
  let now = begun;
  let toolCalls = 0;
  const take = ({ result, used }: ToolDone): void => {
    now = { ...now, results: [...now.results, result], calls: [...now.calls, used] };
  };
  for (const [position, use] of uses.slice(begun.results.length).entries()) {
    if (now.toolCalls >= agent.toolCalls) {
      take(noMoreCalls(agent, use));
      continue;
    }
    const found = await hands.find(agent, run, use, signal);
    if ('result' in found) {
      take(found);
      continue;
    }
    // Models number their calls as they like: an answer is about the call that was asked about, and no later one.
    const isAsked = position === 0 && answer?.use === use.id && isSame(begun.asked, found);
    const said = isAsked ? answer : undefined;
    if (said) now = heardBy(now);
    if (said && !said.allowed) {
      take(hands.denied(use, found, said.by, said.comment));
      continue;
    }
    if (found.permission === 'ask' && !said) {
      const { server, tool } = found;
      const why = {
        kind: 'tool',
        agent: agent.name,
        use: use.id,
        server,
        tool,
        arguments: found.arguments,
      } as const;
      const conversation = { ...now, asked: { use: use.id, server, tool } };
      return { kind: 'stopped', result: { kind: 'parked', why }, conversation, toolCalls };
    }
    now = { ...now, toolCalls: now.toolCalls + 1 };
    toolCalls += 1;
    const done = await hands.call(use, found, leftMs(), signal);
    take(done);
    if (done.unknown !== undefined) {
      const result = { kind: 'unknown', message: done.unknown } as const;
      return { kind: 'stopped', result, conversation: now, toolCalls };
    }
  }
  return { kind: 'all', conversation: now, toolCalls };
}

/** What people said is heard once. */
function heardBy({ asked: _, ...conversation }: Conversation): Conversation {
  return conversation;
}

/** What a model calls a tool may mean another one by now. */
function isSame(asked: Conversation['asked'], { server, tool }: NamedTool): boolean {
  return asked !== undefined && asked.server === server && asked.tool === tool;
}

function noMoreCalls({ toolCalls }: Agent, use: { readonly id: string; readonly name: string }): ToolDone {
  const message = `It has called tools ${toolCalls} times, which is its limit (toolCalls in its file).`;
  return {
    result: {
      id: use.id,
      text: 'No more tools can be called in this task. Reply now, with what you have.',
      isError: true,
    },
    used: { id: use.id, server: '', tool: use.name, arguments: '', outcome: 'refused', tookMs: 0, message },
  };
}
