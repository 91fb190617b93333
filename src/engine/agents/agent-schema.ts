import { z } from 'zod';
import { errorAt, type Fault } from '../fault.ts';
import { firstFaults, type Reading, readAt } from '../flow/issues.ts';
import { shapeFaults } from '../flow/shape.ts';
import { isJsonObject, type Json, type JsonObject, objectOf } from '../json.ts';
import { NO_ACCESS } from './access.ts';
import type { Agent } from './agent.ts';
import { agentFaults, foreignKeyFaults } from './agent-faults.ts';
import {
  type AgentKeys,
  agentKeys,
  MAX_TURNS,
  repliesFileSchema,
  settingsSchemas,
  TOOL_CALLS,
} from './agent-keys.ts';
import type { RuntimeName } from './runtimes.ts';

/** What was read of an agent; without faults there is one. */
export interface ParsedAgent {
  readonly agent?: Agent;
  readonly faults: readonly Fault[];
}

/**
 * Reads the plain data of an agent file, without its envelope and with its replies in it, and gives all faults at once.
 * Paths of faults begin at the agent. Never throws.
 * @param fallbackName the name of an agent that does not say its own: the file's name
 */
export function parseAgent(data: Json, fallbackName: string): ParsedAgent {
  const misshapen = shapeFaults(data);
  if (misshapen.length > 0) return { faults: asAgentFaults(misshapen) };
  const read = readKeys(data);
  if (!read.ok) return { faults: asAgentFaults(read.faults) };
  const { name = fallbackName } = read.value;
  const written = objectOf(data);
  const faults = [...agentFaults(name, read.value), ...unreadReplies(written)];
  return faults.length > 0 ? { faults } : { agent: agentOf(name, read.value, written), faults: [] };
}

/** The file with an agent's replies, from the folder of the agents; undefined = it has none, or it is no good path. */
export function repliesFileOf(data: Json): string | undefined {
  const path = isJsonObject(data) ? data.replies : undefined;
  return repliesFileSchema.safeParse(path).data;
}

/** An agent file with the content of that file in its place: what is read by `parseAgent`, and kept with a flow. */
export function withReplies(data: Json, replies: Json): Json {
  return isJsonObject(data) ? { ...data, replies } : data;
}

const runtimeSchema = z.looseObject({ runtime: z.enum(['openai', 'anthropic', 'program', 'scripted']) });

/** Which keys there can be depends on the runtime, so that one is read first. */
function readKeys(data: Json): Reading<AgentKeys> {
  const first = readAt(runtimeSchema, data, []);
  if (!first.ok) return first;
  const { runtime } = first.value;
  const foreign = foreignKeyFaults(objectOf(data), runtime);
  const own = Object.entries(objectOf(data)).filter(([key]) => !foreign.some(({ path: [at] }) => at === key));
  const schema: z.ZodType<AgentKeys> = agentKeys[runtime];
  const read = readAt(schema, Object.fromEntries(own), []);
  if (foreign.length === 0) return read;
  return { ok: false, faults: [...foreign, ...(read.ok ? [] : read.faults)] };
}

function agentOf(name: string, keys: AgentKeys, written: JsonObject): Agent {
  const { description, model, instructions, timeLimit, price, fallback, rateLimit } = keys;
  return {
    name,
    runtime: keys.runtime,
    settings: settingsOf(keys.runtime, written),
    concurrency: keys.concurrency,
    access: keys.access ?? NO_ACCESS,
    maxTurns: keys.maxTurns ?? MAX_TURNS,
    toolCalls: keys.toolCalls ?? TOOL_CALLS,
    workspace: keys.workspace ?? 'none',
    changes: keys.changes ?? 'allow',
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(instructions !== undefined && { instructions }),
    ...(timeLimit !== undefined && { timeLimitMs: timeLimit }),
    ...(price && { price: { inputUsd: price.input, outputUsd: price.output } }),
    ...(fallback !== undefined && { fallback }),
    ...(rateLimit && { rateLimit: { requests: rateLimit.requests, perMs: rateLimit.per } }),
  };
}

/** As written: the runtime reads them by the same schema. */
function settingsOf(runtime: RuntimeName, written: JsonObject): JsonObject {
  const own = Object.keys(settingsSchemas[runtime].shape);
  return Object.fromEntries(Object.entries(written).filter(([key]) => own.includes(key)));
}

function unreadReplies({ replies }: JsonObject): readonly Fault[] {
  if (typeof replies !== 'string') return [];
  const message = `The file ${JSON.stringify(replies)} with the replies could not be read.`;
  return [errorAt('replies-file', ['replies'], message, 'Put it into the folder of the agents.')];
}

/** What reads flows calls the top of what it reads so. */
function asAgentFaults(faults: readonly Fault[]): readonly Fault[] {
  return firstFaults(faults).map((one) => ({
    ...one,
    message: one.message.replace(/^The flow\b/, 'The agent'),
  }));
}
