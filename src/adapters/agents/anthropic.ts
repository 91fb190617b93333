import Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { ToolUse, Turn } from '../../engine/agents/conversation.ts';
import { type AnthropicSettings, anthropicSettingsSchema } from '../../engine/agents/runtime-settings.ts';
import type { Json, JsonObject } from '../../engine/json.ts';
import type { AgentRequest, AgentRuntime, TurnOutcome } from '../../ports/agents.ts';
import {
  type Access,
  clientOptions,
  createModelRuntime,
  cutReply,
  type ModelRuntimeDeps,
  refusedReply,
} from './model-runtime.ts';

const runtime = 'anthropic';
/** The tool by which a model replies with data. No tool of a server has such a name. */
const REPLY = 'reply';

/** The runtime `anthropic`: the Messages API. https://docs.anthropic.com/en/api/messages */
export function createAnthropicRuntime(deps: ModelRuntimeDeps): AgentRuntime {
  return createModelRuntime(
    { runtime, settingsOf: ({ settings }) => anthropicSettingsSchema.parse(settings), ask },
    deps,
  );
}

async function ask(
  request: AgentRequest,
  settings: AnthropicSettings,
  access: Access,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const { model, key, headers } = access;
  const client = new Anthropic({
    apiKey: key ?? null,
    authToken: null,
    defaultHeaders: headers,
    ...clientOptions(access, request),
  });
  const answer: unknown = await client.post('/v1/messages', {
    body: bodyOf(request, settings, model),
    signal,
  });
  return outcomeOf(answerSchema.parse(answer), settings);
}

function bodyOf(request: AgentRequest, settings: AnthropicSettings, model: string): JsonObject {
  const { system, prompt, turns, tools, reply } = request;
  const { temperature, maxTokens, structured } = settings;
  const replies = reply && structured === 'tool' ? [replyTool(reply)] : [];
  const offered = [
    ...tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    ...replies,
  ];
  return {
    model,
    max_tokens: maxTokens,
    ...(system !== undefined && { system }),
    messages: [{ role: 'user', content: prompt }, ...turns.flatMap(messageOf)],
    ...(offered.length > 0 && { tools: offered }),
    ...(replies.length > 0 && {
      tool_choice: tools.length > 0 ? { type: 'any' } : { type: 'tool', name: REPLY },
    }),
    ...(temperature !== undefined && { temperature }),
  };
}

function replyTool(schema: JsonObject): JsonObject {
  return { name: REPLY, description: 'Gives your reply, when you are done.', input_schema: schema };
}

function messageOf(turn: Turn): readonly Json[] {
  switch (turn.kind) {
    case 'said': {
      if (turn.raw?.runtime === runtime) return [{ role: 'assistant', content: turn.raw.message }];
      const text = turn.text === '' ? [] : [{ type: 'text', text: turn.text }];
      const uses = turn.uses.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }));
      const content = [...text, ...uses];
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    case 'used':
      return [
        {
          role: 'user',
          content: turn.results.map(({ id, text, isError }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: text,
            is_error: isError,
          })),
        },
      ];
    case 'told':
      return [{ role: 'user', content: turn.text }];
  }
}

const useSchema = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.json(),
});
const textSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const answerSchema = z.looseObject({
  model: z.string().optional(),
  stop_reason: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string() })),
  usage: z
    .looseObject({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_creation_input_tokens: z.number().nullish(),
      cache_read_input_tokens: z.number().nullish(),
    })
    .nullish(),
});
type Answer = z.output<typeof answerSchema>;

function outcomeOf(answer: Answer, settings: AnthropicSettings): TurnOutcome {
  const { model, usage } = answer;
  return {
    ...saidIn(answer, settings),
    ...(model !== undefined && { model }),
    ...(usage && {
      usage: {
        inputTokens:
          usage.input_tokens +
          (usage.cache_creation_input_tokens ?? 0) +
          (usage.cache_read_input_tokens ?? 0),
        outputTokens: usage.output_tokens,
        toolCalls: 0,
        turns: 1,
      },
    }),
  };
}

function saidIn({ content, stop_reason: reason }: Answer, { maxTokens }: AnthropicSettings): TurnOutcome {
  const text = content.flatMap((part) => textSchema.safeParse(part).data?.text ?? []).join('');
  if (reason === 'refusal') return refusedReply(text);
  if (reason === 'max_tokens') return cutReply(maxTokens);
  const wanted = content.flatMap((part) => useSchema.safeParse(part).data ?? []);
  const uses = wanted.filter(({ name }) => name !== REPLY).map(useOf);
  if (uses.length > 0) {
    // A reply beside calls of tools comes too early: as if it had not been said.
    const isWhole = uses.length === wanted.length;
    return { kind: 'uses', text, uses, ...(isWhole && { raw: z.json().parse(content) }) };
  }
  const [reply] = wanted;
  return { kind: 'replied', text, ...(reply && { structured: reply.input }) };
}

function useOf({ id, name, input }: z.output<typeof useSchema>): ToolUse {
  return { id, name, arguments: input };
}
