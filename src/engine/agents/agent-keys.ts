import { z } from 'zod';
import { durationSchema, formatDuration } from '../data/duration.ts';
import { withFix } from '../data/issue.ts';
import { accessSchema } from './access-schema.ts';
import { anthropicSettingsSchema, openAiSettingsSchema, programSettingsSchema } from './runtime-settings.ts';
import type { RuntimeName } from './runtimes.ts';
import { scriptedRepliesSchema } from './scripted-schema.ts';

/** Most turns, and most calls of tools, of agents that do not say. */
export const MAX_TURNS = 20;
export const TOOL_CALLS = 50;

/** What the name of an agent looks like. */
export const agentNameSchema = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    withFix(
      "This can't be the name of an agent.",
      'Use a letter, then letters, digits, _ and -, at most 64.',
    ),
  );

/** A file beside an agent with its replies, by its path from there. */
export const repliesFileSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((path) => /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\.(?:ya?ml|json)$/.test(path), {
    error: withFix(
      'This is no file beside the agent.',
      'Write its path from the folder of the agents, such as replies/writer.yaml.',
    ),
  });

const dollars = z.number().min(0).max(100_000);

function durationBetween(least: string, most: string, example: string) {
  const [leastMs, mostMs] = [durationSchema.parse(least), durationSchema.parse(most)];
  return durationSchema.refine((ms) => ms >= leastMs && ms <= mostMs, {
    error: withFix(
      `This is not between ${formatDuration(leastMs)} and ${formatDuration(mostMs)}.`,
      `Write for example ${example}.`,
    ),
  });
}

const runtime = <Name extends RuntimeName>(name: Name) =>
  z.literal(name).describe('What carries out its work.');

/** Keys of every agent. */
const commonKeys = {
  name: agentNameSchema.optional().describe("The name that flows use; the file's name when absent."),
  description: z.string().max(2000).optional().describe('What the agent is good for.'),
  instructions: z.string().max(20_000).optional().describe('What it is told in every step of every flow.'),
  timeLimit: durationBetween('1m', '6h', '15m')
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
  rateLimit: z
    .strictObject({
      requests: z.int().min(1).max(100_000).describe('How many.'),
      per: durationBetween('1s', '1d', '1m').describe('In which time, 1s to 1d.'),
    })
    .optional()
    .describe('Most requests to its provider, over all runs; others wait. Absent = as many as there are.'),
};

const requiredModel = {
  model: z
    .string({
      error: ({ input }) =>
        input === undefined
          ? withFix(
              'The provider has many models, and none is named.',
              'Write the name of one, as the provider has it.',
            )
          : undefined,
    })
    .min(1)
    .max(200)
    .describe('The model, as the provider names it.'),
};

const optionalModel = {
  model: z.string().min(1).max(200).optional().describe('The name of its model, for people.'),
};

/** Keys of agents with a model that can call tools. */
const modelKeys = {
  fallback: agentNameSchema
    .optional()
    .describe("Another agent, whose model answers when this one's provider can't."),
  access: accessSchema
    .optional()
    .describe('Which tools of MCP servers its model may call, by server; absent = none.'),
  maxTurns: z.int().min(1).max(200).default(MAX_TURNS).describe('Most turns of its model in one attempt.'),
  toolCalls: z.int().min(0).max(1_000).default(TOOL_CALLS).describe('Most calls of tools in one attempt.'),
};

/** Keys of agents that work in a folder. */
const folderKeys = {
  workspace: z
    .enum(['none', 'folder', 'git'])
    .default('none')
    .describe(
      'Where it works: an empty folder of its own, or the workspace of the run, which must be of that kind.',
    ),
  changes: z
    .enum(['allow', 'ask', 'deny'])
    .optional()
    .describe(
      'With workspace: git, what becomes of files that it changes; ask = people decide. Absent = allow.',
    ),
};

const scriptedSettingsSchema = z.strictObject({
  replies: z
    .union([repliesFileSchema, scriptedRepliesSchema], {
      error: ({ input }) =>
        input === undefined
          ? withFix(
              'A scripted agent says only what stands here.',
              'Write a list, or the file beside it with one.',
            )
          : undefined,
    })
    .describe('What it says, as a list, or the file with that list.'),
});

/** Own keys of the agents of each runtime. */
export const settingsSchemas = {
  openai: openAiSettingsSchema,
  anthropic: anthropicSettingsSchema,
  program: programSettingsSchema,
  scripted: scriptedSettingsSchema,
} satisfies Readonly<Record<RuntimeName, z.ZodObject>>;

/** All keys of the agents of each runtime. */
export const agentKeys = {
  openai: z.strictObject({
    runtime: runtime('openai'),
    ...requiredModel,
    ...commonKeys,
    ...modelKeys,
    ...openAiSettingsSchema.shape,
  }),
  anthropic: z.strictObject({
    runtime: runtime('anthropic'),
    ...requiredModel,
    ...commonKeys,
    ...modelKeys,
    ...anthropicSettingsSchema.shape,
  }),
  program: z.strictObject({
    runtime: runtime('program'),
    ...optionalModel,
    ...commonKeys,
    ...folderKeys,
    ...programSettingsSchema.shape,
  }),
  scripted: z.strictObject({
    runtime: runtime('scripted'),
    ...optionalModel,
    ...commonKeys,
    ...modelKeys,
    ...folderKeys,
    ...scriptedSettingsSchema.shape,
  }),
} satisfies Readonly<Record<RuntimeName, z.ZodObject>>;

const someKeys = z.object({ ...commonKeys, ...optionalModel });
const ofModels = z.object(modelKeys);
const ofFolders = z.object(folderKeys);

/** What an agent's file says, read; own keys of its runtime apart. */
export type AgentKeys = { readonly runtime: RuntimeName } & z.output<typeof someKeys> &
  Partial<z.output<typeof ofModels>> &
  Partial<z.output<typeof ofFolders>>;
