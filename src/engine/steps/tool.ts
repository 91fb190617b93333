import { z } from 'zod';
import { dataReferences, dataTemplateSchema } from '../data/data-template.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  server: z.string().min(1).max(64).describe('The MCP server, by its name in the configuration.'),
  tool: z.string().min(1).max(200).describe('The tool of the server.'),
  arguments: z
    .record(z.string(), dataTemplateSchema)
    .default({})
    .describe('Its arguments, with placeholders.'),
});

/** Calls one tool of an MCP server. */
export const tool: StepType<z.output<typeof schema>> = {
  type: 'tool',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  references: (config) =>
    Object.entries(config.arguments).flatMap(([name, value]) => dataReferences(value, ['arguments', name])),
};
