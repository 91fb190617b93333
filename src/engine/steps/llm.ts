import { z } from 'zod';
import { templateReferences, templateSchema } from '../data/template.ts';
import { writesSchema } from './shared-keys.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  prompt: templateSchema(20_000).describe('What the model is asked, with placeholders.'),
  system: z.string().max(20_000).optional().describe('What the model is told beforehand.'),
  preset: z.string().min(1).max(64).optional().describe('The model and its settings, by name.'),
  writes: writesSchema,
});

/** One call of a model, without tools. */
export const llm: StepType<z.output<typeof schema>> = {
  type: 'llm',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  references: (config) => templateReferences(config.prompt, ['prompt']),
};
