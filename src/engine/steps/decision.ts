import { z } from 'zod';
import { dataReferences, dataTemplateSchema } from '../data/data-template.ts';
import { templateReferences, templateSchema } from '../data/template.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  prompt: templateSchema(20_000).describe('What is to be decided, with placeholders.'),
  options: dataTemplateSchema.describe('What can be chosen: a list of texts, or a placeholder for one.'),
  mode: z.enum(['choose', 'score']).default('choose').describe('Choose one option, or give each a score.'),
  minConfidence: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Below this confidence, none of them is chosen.'),
  preset: z.string().min(1).max(64).optional().describe('The model and its settings, by name.'),
});

/** A model chooses among options, or scores them. */
export const decision: StepType<z.output<typeof schema>> = {
  type: 'decision',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  references: (config) => [
    ...templateReferences(config.prompt, ['prompt']),
    ...dataReferences(config.options, ['options']),
  ],
};
