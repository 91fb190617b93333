import { z } from 'zod';
import type { Form, PostFile } from '../../engine/post.ts';
import { fileFault } from '../../engine/post-file.ts';
import { limits } from './limits.ts';

const text = (what: string, max: number) =>
  z
    .string()
    .max(max, `${what} has at most ${max} characters`)
    .refine((value) => value.isWellFormed(), {
      message: `${what} is not well-formed text`,
    });
const filled = (what: string, max: number) =>
  text(what, max).refine((value) => value.trim() !== '', { message: `${what} must not be empty` });

/** What the playground accepts as one message of the bot. */
const partSchema = z.strictObject({
  markdown: filled('a message', limits.text),
  buttons: z
    .array(
      z.strictObject({
        id: filled('the id of a button', limits.buttonId),
        label: filled('the label of a button', limits.buttonLabel),
        style: z.enum(['primary', 'danger', 'plain']),
      }),
    )
    .max(limits.buttons, `a message has at most ${limits.buttons} buttons`)
    .refine((buttons) => new Set(buttons.map(({ id }) => id)).size === buttons.length, {
      message: 'the buttons of a message must have different ids',
    }),
  /** Ids of the people it notifies. */
  notify: z.array(z.string()).max(limits.notify, `a message notifies at most ${limits.notify} people`),
});

/** One message of the bot, as the playground takes it. */
export type PlaygroundPart = z.infer<typeof partSchema>;

const formSchema: z.ZodType<Form> = z.strictObject({
  id: filled('the id of a form', limits.formId),
  title: filled('the title of a form', limits.formTitle),
  submitLabel: filled('the submit button of a form', limits.formSubmitLabel),
  fields: z
    .array(
      z.strictObject({
        id: filled('the id of a field', limits.fieldId),
        label: filled('the label of a field', limits.fieldLabel),
        type: z.enum([
          'text',
          'multiline',
          'number',
          'integer',
          'boolean',
          'select',
          'multiselect',
          'date',
          'time',
          'datetime',
          'user',
          'channel',
          'role',
          'files',
        ]),
        required: z.boolean(),
        hint: text('the hint of a field', limits.fieldHint).exactOptional(),
        initial: text('the initial value of a field', limits.value).exactOptional(),
        options: z
          .array(filled('an option', limits.fieldOption))
          .min(1, 'a list to choose from must not be empty')
          .max(limits.fieldOptions, `a field has at most ${limits.fieldOptions} options`)
          .exactOptional(),
        minLength: z.int().nonnegative().exactOptional(),
        maxLength: z.int().positive().exactOptional(),
        min: z.number().exactOptional(),
        max: z.number().exactOptional(),
      }),
    )
    .min(1, 'a form has at least one field')
    .max(limits.formFields, `a form has at most ${limits.formFields} fields`),
});

/** Why the playground does not take this as a message, or the message. */
export function readPart(part: unknown): PlaygroundPart | { readonly refused: string } {
  const read = partSchema.safeParse(part);
  return read.success ? read.data : { refused: reason(read.error) };
}

/** What the playground accepts as a message that shows a file; its bytes are checked apart. */
const filePartSchema = z.strictObject({
  file: z.strictObject({ name: z.string(), mediaType: z.string(), alt: z.string(), data: z.string() }),
});

/** A message that shows a file. */
export interface PlaygroundFile {
  readonly file: PostFile;
}

/** The file that a part is, or why the playground does not take it; undefined = it is no file. */
export function readFile(part: unknown): PostFile | { readonly refused: string } | undefined {
  const read = filePartSchema.safeParse(part);
  if (!read.success) return undefined;
  const fault = fileFault(read.data.file);
  return fault === undefined ? read.data.file : { refused: fault };
}

/** Why the playground does not show this form; undefined = it does. */
export function formRefusal(form: Form): string | undefined {
  const read = formSchema.safeParse(form);
  return read.success ? undefined : reason(read.error);
}

function reason(error: z.ZodError): string {
  return `The playground refused it: ${[...new Set(error.issues.map(({ message }) => message))].join('; ')}.`;
}
