import { z } from 'zod';
import { dataReferences, dataTemplateSchema, resolveFields } from '../data/data-template.ts';
import { withFix } from '../data/issue.ts';
import type { StepType } from './step-type.ts';

export { type ToolReport, toolResult } from './tool-result.ts';

const fixed = (what: string) => ({
  error: withFix(`The ${what} is fixed, without placeholders.`, 'Write placeholders under arguments.'),
});

const schema = z.strictObject({
  server: z
    .string()
    .min(1)
    .max(64)
    .refine((name) => !name.includes('{{'), fixed('server'))
    .describe('The MCP server, by its name in the configuration.'),
  tool: z
    .string()
    .min(1)
    .max(200)
    .refine((name) => !name.includes('{{'), fixed('tool'))
    .describe('The tool of the server.'),
  arguments: z
    .record(z.string(), dataTemplateSchema)
    .default({})
    .describe('Its arguments, with placeholders; one that is nothing else keeps the type of its value.'),
});

/** The keys of a `tool` step. */
export type ToolConfig = z.output<typeof schema>;

/** Calls one tool of an MCP server. */
export const tool: StepType<ToolConfig> = {
  type: 'tool',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  calls: true,
  references: (config) =>
    Object.entries(config.arguments).flatMap(([name, value]) => dataReferences(value, ['arguments', name])),
  begin: ({ config, scope }) => {
    const filled = resolveFields(config.arguments, scope);
    if (!filled.ok) return { kind: 'failed', failure: filled.failure };
    return { kind: 'tool', call: { server: config.server, tool: config.tool, arguments: filled.value } };
  },
};
