import { z } from 'zod';
import type { ReplyFormat } from '../agents/call.ts';
import { cutInput } from '../agents/prompt.ts';
import type { ReplyFields } from '../agents/reply.ts';
import { withFix } from '../data/issue.ts';
import { choiceFaults, replyFaults } from './agent-faults.ts';
import { dataIn, inputReferences, inputsSchema, writesSchema } from './shared-keys.ts';
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
        z
          .string()
          .regex(
            /^[A-Za-z][A-Za-z0-9_]{0,63}$/,
            withFix('This is no name of a field.', 'Use a letter, then letters, digits and _.'),
          ),
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

type AgentConfig = z.output<typeof schema>;

/** A named agent carries out a task. It receives the whole text of the steps under `inputs`, and nothing else of them. */
export const agent: StepType<AgentConfig> = {
  type: 'agent',
  schema,
  exits: () => ['done'],
  calls: true,
  cacheable: true,
  plainEdges: true,
  agents: (config) => [{ name: config.agent, at: 'agent' }],
  writes: (config) => config.writes,
  written: ({ output: { text, json }, config, chooses }) => {
    if (config.reply?.format !== 'json') return dataIn(text);
    const { choice: _, ...own } = json;
    return chooses ? own : json;
  },
  check: ({ config, schemas, chooses }) => {
    const reply = formatOf(config);
    return [
      ...(chooses ? choiceFaults(reply, config.writes) : []),
      ...replyFaults(reply, config.writes, schemas),
    ];
  },
  references: (config) => inputReferences(config.inputs),
  begin: ({ config, flow, name, review, choose, writes, stepOutput }) => ({
    kind: 'agent',
    call: {
      kind: 'task',
      agent: config.agent,
      prompt: {
        flow: flow.name,
        step: name,
        ...(flow.instructions !== undefined && { instructions: flow.instructions }),
        task: config.task,
        ...(review !== undefined && { review }),
        inputs: config.inputs.map((id) => {
          const { name, output } = stepOutput(id);
          return cutInput({ name, text: output?.text ?? null });
        }),
      },
      reply: formatOf(config),
      ...(choose && { choose }),
      ...(writes && { writes }),
    },
  }),
};

function formatOf({ reply }: AgentConfig): ReplyFormat {
  return reply?.format === 'json'
    ? { format: 'json', fields: fieldsOf(reply.fields ?? {}) }
    : { format: 'text' };
}

function fieldsOf(fields: Readonly<Record<string, z.output<typeof fieldSchema>>>): ReplyFields {
  const entries = Object.entries(fields).map(
    ([name, { type, description }]) =>
      [name, { type, ...(description !== undefined && { description }) }] as const,
  );
  return Object.fromEntries(entries);
}
