import { z } from 'zod';

/** A token, fit for a header. */
export const tokenShape = z.string().regex(/^[\x21-\x7e]{1,4096}$/);
/** How people know somebody; `""` when the platform does not say. */
export const nameShape = z
  .string()
  .max(200)
  .nullish()
  .transform((name) => name?.trim() ?? '');
