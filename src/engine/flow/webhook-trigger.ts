import { z } from 'zod';
import { checkInput, coerceText, type InputProblem } from '../data/input.ts';
import { fieldOf, typesOf } from '../data/input-fields.ts';
import { withFix } from '../data/issue.ts';
import { headerOf, type Keepable, keepSourceSchema, lookUpKept } from '../data/keep.ts';
import type { Json, JsonObject } from '../json.ts';
import type { WebhookTrigger } from './plan.ts';

/** How a request proves who sent it, by the name of the system that does it so. */
export const verifications = ['path', 'hmac', 'github', 'gitlab', 'stripe', 'alertmanager'] as const;

const secretSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,199}$/, {
  error: withFix(
    'This is no name of a secret.',
    'Write the name alone, such as HOOK_SECRET, and set FLOWBOT_SECRET_HOOK_SECRET.',
  ),
});

/** Another system calls the flow's address. */
export const webhookSchema = z.strictObject({
  type: z.literal('webhook'),
  secret: secretSchema.describe('Name of the secret that the other system knows, too.'),
  verify: z
    .enum(verifications)
    .default('path')
    .describe('How a request proves that it knows the secret: by its address, or as this system does it.'),
  input: z.record(z.string(), z.json()).default({}).describe('The input of the runs it starts.'),
  keep: z
    .record(z.string().min(1).max(200), keepSourceSchema)
    .refine((keep) => Object.keys(keep).length <= 32, {
      error: withFix('More than 32 values are kept.', 'Keep their parent instead.'),
    })
    .default({})
    .describe(
      'Input from the request, by field: a path into its JSON body (`release.tag_name`), or `header:Name`.',
    ),
});

/** What the webhook of a plan is. */
export function planWebhook({
  type,
  secret,
  verify,
  input,
  keep,
}: z.output<typeof webhookSchema>): WebhookTrigger {
  return { type, secret, verify, input, keep };
}

/** The input that a request gives, or all that is wrong with it. */
export type RequestInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

/**
 * Makes the input of a run from the request that starts it. What the request does not have, or has as null, is left
 * out, so that what is written under `input:` and then the default count. Text is read as the type of its field: a form
 * and a header hold nothing else.
 * @param schema of the flow's input; absent = it has none
 */
export function readRequestInput(
  { input, keep }: Pick<WebhookTrigger, 'input' | 'keep'>,
  schema: JsonObject | undefined,
  request: Keepable,
): RequestInput {
  // Without a schema nothing can be kept: that is a fault of the flow.
  if (!schema) return { ok: true, input };
  const kept = Object.entries(keep).flatMap(([field, from]): readonly (readonly [string, Json])[] => {
    const found = lookUpKept(from, request);
    return found.found ? [[field, found.value]] : [];
  });
  const texts = kept.flatMap(([field, value]): readonly (readonly [string, string])[] =>
    typeof value === 'string' && takesNoText(schema, field) ? [[field, value]] : [],
  );
  const read = coerceText(schema, Object.fromEntries(texts));
  const isText = new Set(texts.map(([field]) => field));
  const others = kept.filter(([field]) => !isText.has(field));
  const checked = checkInput(schema, { ...input, ...Object.fromEntries(others), ...read.input });
  if (checked.ok && read.problems.length === 0) return { ok: true, input: checked.input };
  const known = new Set(read.problems.map(({ field }) => field));
  const more = checked.ok ? [] : checked.problems.filter(({ field }) => !known.has(field));
  const held = new Set(kept.map(([field]) => field));
  return {
    ok: false,
    problems: [...read.problems, ...more].map(({ field, message }) => {
      const from = Object.hasOwn(keep, field) && !held.has(field) ? keep[field] : undefined;
      return { field, message: from === undefined ? message : `${message}: ${whatLacks(from)}` };
    }),
  };
}

/** Headers by their lower-case names, as placeholders can read them: these know no `-`. */
export function headerNames(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name.replaceAll('-', '_'), value] as const);
  return Object.fromEntries(entries.filter(([name]) => name !== '__proto__'));
}

function takesNoText(schema: JsonObject, field: string): boolean {
  const types = typesOf(fieldOf(schema, field));
  return types.length > 0 && !types.includes('string');
}

function whatLacks(from: string): string {
  const header = headerOf(from);
  return header === undefined ? `the body has no ${from}` : `the request has no header ${header}`;
}
