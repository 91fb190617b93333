import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';
import { withFix } from '../data/issue.ts';
import { errorAt, type Fault } from '../fault.ts';
import { firstFaults, readAt } from '../flow/issues.ts';
import { shapeFaults } from '../flow/shape.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { Agent } from './agent.ts';
import { scriptedRepliesSchema } from './scripted-schema.ts';

/** Runtimes that are known by name. */
const runtimes = ['scripted', 'openai', 'anthropic', 'program'] as const;
/** Those that agents can use. */
const available: ReadonlySet<string> = new Set(['scripted']);

/** Shortest and longest time for one attempt, in milliseconds. */
const TIME_LIMIT_MS = { least: 60_000, most: 21_600_000 };

const dollars = z.number().min(0).max(100_000);

const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    withFix(
      "This can't be the name of an agent.",
      'Use a letter, then letters, digits, _ and -, at most 64.',
    ),
  );

const repliesFileSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((path) => /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\.(?:ya?ml|json)$/.test(path), {
    error: withFix(
      'This is no file beside the agent.',
      'Write its path from the folder of the agents, such as replies/writer.yaml.',
    ),
  });

/** A file in `agents/`, without its envelope. */
export const agentSchema = z.strictObject({
  name: nameSchema.optional().describe("The name that flows use; the file's name when absent."),
  description: z.string().max(2000).optional().describe('What the agent is good for.'),
  runtime: z.enum(runtimes).describe('What carries out its work: scripted says what its replies say.'),
  model: z.string().min(1).max(200).optional().describe('The model, as the provider names it.'),
  instructions: z.string().max(20_000).optional().describe('What it is told in every step of every flow.'),
  timeLimit: durationSchema
    .refine((ms) => ms >= TIME_LIMIT_MS.least && ms <= TIME_LIMIT_MS.most, {
      error: withFix('This is not between 1m and 6h.', 'Write for example 15m.'),
    })
    .optional()
    .describe('Longest time for one attempt, 1m to 6h; absent = the limit of Flowbot.'),
  concurrency: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('Steps it works on at once, over all runs; others wait.'),
  price: z
    .strictObject({
      input: dollars.describe('US dollars for a million tokens that it reads.'),
      output: dollars.describe('US dollars for a million tokens that it writes.'),
    })
    .optional()
    .describe('What its tokens cost; absent = nobody knows.'),
  replies: z
    .union([repliesFileSchema, scriptedRepliesSchema])
    .optional()
    .describe('With scripted: what it says, as a list, or the file with that list.'),
});

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
  const read = readAt(agentSchema, data, []);
  if (!read.ok) return { faults: asAgentFaults(read.faults) };
  const { name = fallbackName, runtime, timeLimit, price, replies } = read.value;
  const { description, model, instructions, concurrency } = read.value;
  const faults = [...nameFaults(name), ...runtimeFaults(read.value)];
  if (faults.length > 0) return { faults };
  // As written: the runtime reads them by the same schema.
  const written = isJsonObject(data) ? data.replies : undefined;
  const agent: Agent = {
    name,
    runtime,
    settings: replies === undefined || written === undefined ? {} : { replies: written },
    concurrency,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(instructions !== undefined && { instructions }),
    ...(timeLimit !== undefined && { timeLimitMs: timeLimit }),
    ...(price && { price: { inputUsd: price.input, outputUsd: price.output } }),
  };
  return { agent, faults: [] };
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

function runtimeFaults({ runtime, replies }: z.output<typeof agentSchema>): readonly Fault[] {
  if (!available.has(runtime)) {
    const message = `The runtime ${JSON.stringify(runtime)} is not available yet in this version.`;
    return [errorAt('not-available', ['runtime'], message, 'Use the runtime scripted.')];
  }
  if (replies === undefined) {
    return [
      errorAt(
        'missing',
        ['replies'],
        'replies is missing.',
        'Write what the agent says, or the file with it.',
      ),
    ];
  }
  if (typeof replies === 'string') {
    const message = `The file ${JSON.stringify(replies)} with the replies could not be read.`;
    return [errorAt('replies-file', ['replies'], message, 'Put it into the folder of the agents.')];
  }
  return [];
}

function nameFaults(name: string): readonly Fault[] {
  if (nameSchema.safeParse(name).success) return [];
  const message = `${JSON.stringify(name.slice(0, 80))} can't be the name of an agent.`;
  const fix = 'Write name: with a letter, then letters, digits, _ and -, at most 64; or rename the file.';
  return [errorAt('agent-name', [], message, fix)];
}

/** What reads flows calls the top of what it reads so. */
function asAgentFaults(faults: readonly Fault[]): readonly Fault[] {
  return firstFaults(faults).map((one) => ({
    ...one,
    message: one.message.replace(/^The flow\b/, 'The agent'),
  }));
}
