import { z } from 'zod';
import { dataReferences, dataTemplateSchema } from '../data/data-template.ts';
import { usesSchema, writesSchema } from './shared-keys.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  uses: usesSchema,
  with: z
    .record(z.string(), dataTemplateSchema)
    .default({})
    .describe('Its input: each field with placeholders.'),
  writes: writesSchema,
});

/** Runs another flow. */
export const flow: StepType<z.output<typeof schema>> = {
  type: 'flow',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  references: (config) =>
    Object.entries(config.with).flatMap(([name, value]) => dataReferences(value, ['with', name])),
};
