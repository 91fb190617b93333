import type { ToolUse } from '../../engine/agents/conversation.ts';
import { type ScriptedReply, scriptedRepliesSchema } from '../../engine/agents/scripted-schema.ts';
import { offeredNames } from '../../engine/agents/tool-names.ts';
import type { AgentRequest, AgentRuntime, TurnOutcome } from '../../ports/agents.ts';
import type { Clock } from '../../ports/clock.ts';
import { waitUntil } from '../system/wait.ts';

/**
 * The runtime `scripted`: what an agent says stands in its file. It remembers nothing, so that a call gets the same reply
 * after a restart, however many others there are.
 */
export function createScriptedRuntime({ clock }: { readonly clock: Clock }): AgentRuntime {
  return {
    async turn(request, signal) {
      const read = scriptedRepliesSchema.safeParse(request.agent.settings.replies);
      const reply = read.data && replyFor(read.data, request);
      if (!reply) return noReply(request);
      if (reply.delay !== undefined && !(await waitUntil(clock, clock.now() + reply.delay, signal)))
        return { kind: 'timeout' };
      return outcomeOf(reply, request);
    },
    close: async () => {},
  };
}

/** Each round, attempt and turn takes the next entry that fits; the last repeats. */
function replyFor(replies: readonly ScriptedReply[], request: AgentRequest): ScriptedReply | undefined {
  const { round, attempt } = request.at;
  const turns = request.turns.filter(({ kind }) => kind === 'said').length;
  const fitting = replies.filter((reply) => fits(reply, request));
  return fitting[round - 1 + attempt - 1 + turns] ?? fitting.at(-1);
}

function fits({ when: { flow, step, contains } }: ScriptedReply, { at, prompt }: AgentRequest): boolean {
  return (
    (flow === undefined || flow === at.flow) &&
    (step === undefined || step === at.step) &&
    (contains === undefined || prompt.includes(contains))
  );
}

function outcomeOf(
  { reply, json, uses, failure, unknown, usage }: ScriptedReply,
  { turns }: AgentRequest,
): TurnOutcome {
  const used = usage && { usage };
  if (uses)
    return {
      kind: 'uses',
      text: '',
      uses: uses.map((use, index) => useOf(use, `${turns.length}.${index + 1}`)),
      ...used,
    };
  if (reply !== undefined) return { kind: 'replied', text: reply, ...used };
  if (json) return { kind: 'replied', text: JSON.stringify(json), structured: json, ...used };
  if (unknown !== undefined) return { kind: 'unknown', message: unknown, ...used };
  if (failure === undefined) return { kind: 'timeout', ...used };
  return typeof failure === 'string'
    ? { kind: 'failed', code: 'scripted-failure', message: failure, retry: 'allowed', ...used }
    : { kind: 'failed', ...failure, ...used };
}

function useOf(
  { server, tool, arguments: given }: NonNullable<ScriptedReply['uses']>[number],
  id: string,
): ToolUse {
  const [name = ''] = offeredNames([{ server, tool }]).keys();
  return { id, name, arguments: given };
}

function noReply({ agent, at }: AgentRequest): TurnOutcome {
  const message = `the scripted agent ${JSON.stringify(agent.name)} has no reply for the step ${JSON.stringify(at.step)}: add one to its replies.`;
  return { kind: 'failed', code: 'no-scripted-reply', message, retry: 'never' };
}
