import { z } from 'zod';
import { dataReferences, dataTemplateSchema, resolveFields } from '../data/data-template.ts';
import { usesSchema, writesSchema } from './shared-keys.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  uses: usesSchema,
  with: z
    .record(z.string(), dataTemplateSchema)
    .default({})
    .describe(
      'Its input: each field with placeholders. A text that is exactly one placeholder keeps its type.',
    ),
  writes: writesSchema,
});

/** Runs another flow, its lane, and leaves what that gives back. */
export const flow: StepType<z.output<typeof schema>> = {
  type: 'flow',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  uses: (config) => config.uses,
  writes: (config) => config.writes,
  references: (config) =>
    Object.entries(config.with).flatMap(([name, value]) => dataReferences(value, ['with', name])),
  begin: ({ config, scope }) => {
    const input = resolveFields(config.with, scope);
    if (!input.ok) return { kind: 'failed', failure: input.failure };
    return { kind: 'lanes', uses: config.uses, inputs: [input.value], maxParallel: 1, onFailure: 'stop' };
  },
};
