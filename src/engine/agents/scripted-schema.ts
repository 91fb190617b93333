import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';
import { withFix } from '../data/issue.ts';

/** Most entries of a script: it is a part of each version of a flow that uses the agent. */
const REPLIES_MAX = 1_000;

const count = z.int().min(0).max(1_000_000_000).default(0);

/** What a piece of work uses up, as a script or a test writes it. */
export const usageSchema = z.strictObject({
  inputTokens: count.describe('Tokens read.'),
  outputTokens: count.describe('Tokens written.'),
  toolCalls: count.describe('Calls of tools.'),
  turns: count.default(1).describe('Turns.'),
});

const outcomes = ['reply', 'json', 'uses', 'failure', 'timeout', 'unknown'] as const;

const useSchema = z.strictObject({
  server: z.string().min(1).max(64).describe('The MCP server.'),
  tool: z.string().min(1).max(200).describe('The tool of it.'),
  arguments: z.record(z.string(), z.json()).default({}).describe('What it is called with.'),
});

const scriptedReplySchema = z
  .strictObject({
    when: z
      .strictObject({
        flow: z.string().min(1).max(64).optional().describe('The id of the flow.'),
        step: z.string().min(1).max(64).optional().describe('The id of the step.'),
        contains: z.string().min(1).max(2_000).optional().describe('Words of the prompt, as they are.'),
      })
      .default({})
      .describe('For which calls it is; absent = for all. Several conditions must all hold.'),
    reply: z.string().max(1_000_000).optional().describe('What it says.'),
    json: z.record(z.string(), z.json()).optional().describe('What it says, as data.'),
    uses: z
      .array(useSchema)
      .min(1)
      .max(50)
      .optional()
      .describe('Tools that it wants to be called in a task before it goes on with the next entry.'),
    failure: z
      .union([
        z.string().min(1).max(2_000),
        z.strictObject({
          message: z.string().min(1).max(2_000).describe('A sentence for people.'),
          code: z
            .string()
            .regex(/^[a-z][a-z0-9-]{0,63}$/, 'use small letters, digits and -.')
            .default('scripted-failure')
            .describe('What the failure is called.'),
          retry: z.enum(['allowed', 'never']).default('allowed').describe('Whether it may be tried again.'),
        }),
      ])
      .optional()
      .describe('It fails: a sentence for people, or { message, code, retry }.'),
    timeout: z.literal(true).optional().describe('Its time is over.'),
    unknown: z.string().min(1).max(2_000).optional().describe('Nobody knows what it did: why.'),
    delay: durationSchema.optional().describe('How long it takes: 5s.'),
    usage: usageSchema.optional().describe('What it uses up; absent = nobody knows.'),
  })
  .refine((entry) => outcomes.filter((outcome) => entry[outcome] !== undefined).length === 1, {
    error: withFix('An entry says one thing.', `Write one of ${outcomes.join(', ')}.`),
  });

/**
 * What an agent of the runtime `scripted` says. Of the entries that fit a call, the first is for the first attempt of the
 * first round; each further round, attempt, turn and asking again goes on by one; the last repeats.
 */
export const scriptedRepliesSchema = z.array(scriptedReplySchema).min(1).max(REPLIES_MAX);

/** One entry of a script, read. */
export type ScriptedReply = z.output<typeof scriptedReplySchema>;
