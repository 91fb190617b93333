import OpenAI from 'openai';
import { z } from 'zod';
import type { ToolUse, Turn } from '../../engine/agents/conversation.ts';
import { type OpenAiSettings, openAiSettingsSchema } from '../../engine/agents/runtime-settings.ts';
import { isJsonObject, type Json, type JsonObject } from '../../engine/json.ts';
import type { AgentRequest, AgentRuntime, TurnOutcome } from '../../ports/agents.ts';
import {
  type Access,
  clientOptions,
  createModelRuntime,
  cutReply,
  type ModelRuntimeDeps,
  refusedReply,
} from './model-runtime.ts';
import { strictSchema } from './strict-schema.ts';

const runtime = 'openai';

/**
 * The runtime `openai`: Chat Completions, which OpenAI, Azure, Ollama, vLLM, llama.cpp, OpenRouter and many others speak.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function createOpenAiRuntime(deps: ModelRuntimeDeps): AgentRuntime {
  return createModelRuntime(
    { runtime, settingsOf: ({ settings }) => openAiSettingsSchema.parse(settings), ask },
    deps,
  );
}

async function ask(
  request: AgentRequest,
  settings: OpenAiSettings,
  access: Access,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const { baseUrl, model, key, headers } = access;
  const client = new OpenAI({
    // The client wants one; without a key no header is sent.
    apiKey: key ?? 'none',
    defaultHeaders: { ...(key === undefined && { authorization: null }), ...headers },
    organization: null,
    project: null,
    ...clientOptions(access, request),
  });
  const body = bodyOf(request, settings, model, new URL(baseUrl).hostname === 'api.openai.com');
  const answer: unknown = await client.post('/chat/completions', { body, signal });
  return outcomeOf(answerSchema.parse(answer), request, settings);
}

function bodyOf(
  request: AgentRequest,
  settings: OpenAiSettings,
  model: string,
  isOpenAi: boolean,
): JsonObject {
  const { system, prompt, turns, tools, reply } = request;
  const { temperature, maxTokens } = settings;
  const format = reply && formatOf(reply, settings);
  return {
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
      ...turns.flatMap(messagesOf),
    ],
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...(format && { response_format: format }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
  };
}

function formatOf(reply: JsonObject, { structured }: OpenAiSettings): JsonObject | undefined {
  switch (structured) {
    case 'schema': {
      const strict = strictSchema(reply);
      const schema = strict ?? reply;
      return { type: 'json_schema', json_schema: { name: 'reply', schema, strict: strict !== undefined } };
    }
    case 'object':
      return { type: 'json_object' };
    case 'text':
      return undefined;
  }
}

function messagesOf(turn: Turn): readonly Json[] {
  switch (turn.kind) {
    case 'said': {
      if (turn.raw?.runtime === runtime) return [turn.raw.message];
      const calls = turn.uses.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(given) },
      }));
      return [{ role: 'assistant', content: turn.text, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    case 'used':
      return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
    case 'told':
      return [{ role: 'user', content: turn.text }];
  }
}

const textPart = z.looseObject({ text: z.string().optional() });
const callSchema = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.json().nullish() }),
});
const answerSchema = z.looseObject({
  model: z.string().optional(),
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({
          content: z.union([z.string(), z.array(textPart)]).nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(callSchema).nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});
type Answer = z.output<typeof answerSchema>;

function outcomeOf(answer: Answer, request: AgentRequest, settings: OpenAiSettings): TurnOutcome {
  const { model, usage } = answer;
  const reported = {
    ...(model !== undefined && { model }),
    ...(usage && {
      usage: {
        inputTokens: usage.prompt_tokens,
        outputTokens: usage.completion_tokens,
        toolCalls: 0,
        turns: 1,
      },
    }),
  };
  return { ...saidIn(answer, request, settings), ...reported };
}

function saidIn({ choices }: Answer, { reply, turns }: AgentRequest, settings: OpenAiSettings): TurnOutcome {
  const [choice] = choices;
  const message = choice?.message ?? {};
  const text = textOf(message.content);
  const calls = message.tool_calls ?? [];
  if (typeof message.refusal === 'string' || choice?.finish_reason === 'content_filter') {
    return refusedReply(message.refusal ?? text);
  }
  if (choice?.finish_reason === 'length') return cutReply(settings.maxTokens);
  if (calls.length > 0) {
    const uses = calls.map((call, index) => useOf(call, `call_${turns.length}_${index}`));
    // Without numbers of their own the calls could not be told apart.
    const raw: Json | undefined = calls.every(({ id }) => id) ? z.json().parse(message) : undefined;
    return { kind: 'uses', text, uses, ...(raw !== undefined && { raw }) };
  }
  const data = reply && settings.structured !== 'text' ? dataIn(text) : undefined;
  return { kind: 'replied', text, ...(isJsonObject(data) && { structured: data }) };
}

function useOf(
  { id, function: { name, arguments: given } }: z.output<typeof callSchema>,
  fallback: string,
): ToolUse {
  const data =
    typeof given === 'string' ? (given.trim() === '' ? {} : (dataIn(given) ?? given)) : (given ?? {});
  return { id: id || fallback, name, arguments: data };
}

function textOf(content: NonNullable<Answer['choices'][number]>['message']['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('');
}

/** Undefined: it is no JSON. */
function dataIn(text: string): Json | undefined {
  try {
    const data: Json = JSON.parse(text);
    return data;
  } catch {
    return undefined;
  }
}
