import type { z } from 'zod';

/** A part of a request that was checked before, with its type. What has no schema is nothing. */
export function parsed<S extends z.ZodObject>(schema: S | undefined, value: unknown): z.output<S>;
export function parsed(schema: z.ZodObject | undefined, value: unknown): unknown {
  return schema ? schema.parse(value) : {};
}
