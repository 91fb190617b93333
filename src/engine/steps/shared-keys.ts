import { z } from 'zod';
import { readObject } from '../agents/json-object.ts';
import { withFix } from '../data/issue.ts';
import { stepIdSchema } from '../flow/ids.ts';
import type { Json } from '../json.ts';
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

/** The agent that answers a prompt. */
export const presetSchema = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('The agent that answers, by name; default when absent.');

/** Name and place of that agent. */
export function presetOf({ preset = 'default' }: { readonly preset?: string | undefined }): {
  readonly name: string;
  readonly at: string;
} {
  return { name: preset, at: 'preset' };
}

/** What of a text must match a schema: the object in it, or else itself. */
export function dataIn(text: string): Json {
  return readObject(text) ?? text;
}

/** The id of another flow. */
export const usesSchema = z.string().min(1).max(64).describe('The id of the flow to run.');

/** Where a step with `inputs` reads. */
export function inputReferences(inputs: readonly string[]): readonly Reference[] {
  return inputs.map((id, index) => ({ lookup: [id], at: ['inputs', index], source: id, optional: true }));
}
