import { z } from 'zod';
import { withFix } from '../data/issue.ts';
import { stepIdSchema } from '../flow/ids.ts';
import type { Reference } from './step-type.ts';

/** Earlier steps whose whole output a step receives: at most 16, none twice. */
export const inputsSchema = z
  .array(stepIdSchema)
  .max(16)
  .refine((ids) => new Set(ids).size === ids.length, {
    error: withFix('A step is listed twice.', 'List each step once.'),
  })
  .default([]);

/** The named schema that the output must match. */
export const writesSchema = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('The schema that the output must match.');

/** The id of another flow. */
export const usesSchema = z.string().min(1).max(64).describe('The id of the flow to run.');

/** Where a step with `inputs` reads. */
export function inputReferences(inputs: readonly string[]): readonly Reference[] {
  return inputs.map((id, index) => ({ lookup: [id], at: ['inputs', index], source: id, optional: true }));
}
