import { z } from 'zod';
import { members } from './directory.ts';
import { limits } from './limits.ts';

/** Text whose half characters are replaced: databases, platforms and hashes would each treat them differently. */
const string = () => z.string().overwrite((text) => text.toWellFormed());

const typedText = string()
  .max(limits.typed, `A message has at most ${limits.typed} characters.`)
  .refine((text) => text.trim() !== '', { message: 'A message needs some text.' });
const as = string()
  .transform((id) => members.find((each) => each.id === id))
  .refine((found) => found !== undefined, {
    message: `There is no such person; there are ${members.map(({ id }) => id).join(', ')}.`,
  });
const inPlace = { as, conversation: string(), thread: string().exactOptional() };
const ofMessage = { as, message: string() };

/** What the page's API takes, by route. `as` is who asks, by id. */
export const requests = {
  state: z.object({ as }),
  events: z.object({ as, after: z.coerce.number().int().nonnegative().exactOptional() }),
  messages: z.object({ as, conversation: string(), before: string().exactOptional() }),
  thread: z.object({ as, root: string() }),
  file: z.object(ofMessage),
  upload: z.object({
    as,
    name: string()
      .max(limits.fileName, `The name of a file has at most ${limits.fileName} characters.`)
      .refine((name) => name.trim() !== '', { message: 'A file needs a name.' }),
    type: string().max(limits.fileType),
  }),
  uploaded: z.object({ id: string() }),
  complete: z.object({ ...inPlace, typed: string().max(limits.typed) }),
  say: z.object({ ...inPlace, text: typedText }),
  click: z.object({ ...ofMessage, button: string().min(1).max(limits.buttonId) }),
  submit: z.object({
    ...inPlace,
    form: string().min(1).max(limits.formId),
    values: z.record(
      string().max(limits.fieldId),
      string().max(limits.value, `A value has at most ${limits.value} characters.`),
    ),
    /** Ids of uploads, by field. */
    files: z
      .record(
        string().max(limits.fieldId),
        z.array(string()).max(limits.fieldFiles, `A field takes at most ${limits.fieldFiles} files.`),
      )
      .default({}),
  }),
  edit: z.object({ ...ofMessage, text: typedText }),
  delete: z.object(ofMessage),
  dismiss: z.object({ as, private: string() }),
};

/** The checked request; throws a sentence with status 400. */
export function read<T>(schema: z.ZodType<T>, request: unknown): T {
  const result = schema.safeParse(request ?? {});
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`);
  throw httpFault(400, faults.join(' '));
}

/** An error that the server answers with this status and sentence. */
export function httpFault(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}
