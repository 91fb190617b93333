import { z } from 'zod';
import { withFix } from '../data/issue.ts';
import { inputReferences, inputsSchema, writesSchema } from './shared-keys.ts';
import type { StepType } from './step-type.ts';

const fieldSchema = z.strictObject({
  type: z.enum(['string', 'number', 'boolean', 'list', 'object']).describe('What the field holds.'),
  description: z.string().max(2000).optional().describe('What the agent is told about the field.'),
});

const replySchema = z
  .strictObject({
    format: z.enum(['text', 'json']).default('text').describe('How the agent replies.'),
    fields: z
      .record(
        z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'a field is a letter, then letters, digits and _.'),
        fieldSchema,
      )
      .refine((fields) => Object.keys(fields).length <= 32, {
        error: withFix('there are more than 32 fields.', 'Ask for fewer.'),
      })
      .optional()
      .describe('With json: the fields of the reply, by name.'),
  })
  .refine((reply) => reply.fields === undefined || reply.format === 'json', {
    error: withFix('only JSON replies have fields.', 'Write format: json.'),
  });

const schema = z.strictObject({
  agent: z.string().min(1).max(64).describe('The name of the agent.'),
  task: z
    .string()
    .min(1)
    .max(20_000)
    .refine((task) => !task.includes('{{'), {
      error: withFix(
        'a task is fixed text, without placeholders.',
        'List the steps whose output the agent needs under inputs.',
      ),
    })
    .describe('What the agent is to do in this step.'),
  inputs: inputsSchema.describe('Earlier steps whose output the agent receives.'),
  reply: replySchema.optional().describe('What the reply must look like; text when absent.'),
  writes: writesSchema,
});

/** A named agent carries out a task. */
export const agent: StepType<z.output<typeof schema>> = {
  type: 'agent',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  references: (config) => inputReferences(config.inputs),
};
