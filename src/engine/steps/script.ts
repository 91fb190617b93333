import { z } from 'zod';
import { templateReferences, templateSchema } from '../data/template.ts';
import { inputReferences, inputsSchema, writesSchema } from './shared-keys.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  run: z
    .string()
    .min(1)
    .max(1000)
    .describe('The program, or the name of a built-in script; no shell reads it.'),
  args: z
    .array(templateSchema(4000))
    .max(100)
    .default([])
    .describe('Its arguments, one each, with placeholders.'),
  inputs: inputsSchema.describe('Earlier steps whose output it gets as JSON on its standard input.'),
  writes: writesSchema,
});

/** Runs a program in the workspace of the run. */
export const script: StepType<z.output<typeof schema>> = {
  type: 'script',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  references: (config) => [
    ...config.args.flatMap((argument, index) => templateReferences(argument, ['args', index])),
    ...inputReferences(config.inputs),
  ],
};
