import { z } from 'zod';
import { dataReferences, dataTemplateSchema } from '../data/data-template.ts';
import { usesSchema } from './shared-keys.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  over: dataTemplateSchema.describe('The list to go through: a placeholder, or the list itself.'),
  uses: usesSchema,
  itemAs: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'use a letter, then letters, digits and _.')
    .default('item')
    .describe('The name of the item in the input of the flow.'),
  maxItems: z
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe('Most items; with more it fails before any starts.'),
  maxParallel: z.int().min(1).max(100).default(2).describe('How many items are at work at once.'),
  onItemFailure: z
    .enum(['collect', 'stop'])
    .default('stop')
    .describe('Whether the other items go on when one fails.'),
});

/** Runs a flow once for each item of a list. */
export const map: StepType<z.output<typeof schema>> = {
  type: 'map',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  references: (config) => dataReferences(config.over, ['over']),
};
