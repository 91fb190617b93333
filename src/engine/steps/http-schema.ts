import { z } from 'zod';
import { dataTemplateSchema } from '../data/data-template.ts';
import { withFix } from '../data/issue.ts';
import { type JsonText, parseJsonText } from '../data/json-text.ts';
import { headerName, keepSourceSchema } from '../data/keep.ts';
import { headerProblem } from '../data/resolve.ts';
import { type Template, templateSchema } from '../data/template.ts';
import type { OutputTemplate } from '../flow/plan.ts';

/** Names with the templates of their values, in the order they are written. */
export type NamedTemplates = readonly (readonly [name: string, value: Template])[];

/** The body of a request. `json-text` is JSON written as one text, `json` as data. */
export type HttpBody =
  | { readonly kind: 'json'; readonly data: OutputTemplate }
  | { readonly kind: 'json-text'; readonly json: JsonText }
  | { readonly kind: 'form'; readonly fields: NamedTemplates }
  | { readonly kind: 'text'; readonly text: Template };

const maxMaxBytes = 100_000_000;
const textMaxChars = 40_000;

const keptName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Headers that follow from the address and the body; a second opinion on them breaks requests. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const urlSchema = templateSchema(4_000).superRefine((template, context) => {
  const fault = urlFault(template);
  if (fault) context.addIssue({ code: 'custom', message: withFix(...fault) });
});

const namedSchema = z
  .record(z.string().min(1).max(200), templateSchema(textMaxChars))
  .transform((record): NamedTemplates => Object.entries(record));

const headersSchema = namedSchema.superRefine((headers, context) => {
  for (const [index, [name, value]] of headers.entries()) {
    const earlier = headers.slice(0, index).some(([other]) => other.toLowerCase() === name.toLowerCase());
    const fault = earlier
      ? ([`The header "${name}" is written twice.`, 'Keep one of them.'] as const)
      : headerFault(name, value);
    if (fault) context.addIssue({ code: 'custom', message: withFix(...fault), path: [name] });
  }
});

const jsonBodySchema = z.unknown().transform((data, context): HttpBody => {
  if (typeof data !== 'string') {
    const read = dataTemplateSchema.safeParse(data);
    if (read.success) return { kind: 'json', data: read.data };
    for (const issue of read.error.issues) {
      context.addIssue({ code: 'custom', message: issue.message, path: issue.path });
    }
    return z.NEVER;
  }
  const template = templateSchema(textMaxChars).safeParse(data);
  const json = template.success ? parseJsonText(template.data) : undefined;
  if (json?.ok) return { kind: 'json-text', json: json.json };
  const message = json?.message ?? template.error?.issues[0]?.message ?? '';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const bodySchema = z
  .strictObject({
    json: jsonBodySchema
      .optional()
      .describe(
        'JSON: any value with placeholders in its texts, or one text that is JSON with placeholders.',
      ),
    form: namedSchema.optional().describe('Fields of a form, by name.'),
    text: templateSchema(textMaxChars).optional().describe('Plain text.'),
  })
  .transform(({ json, form, text }, context): HttpBody => {
    const bodies: readonly HttpBody[] = [
      ...(json ? [json] : []),
      ...(form ? [{ kind: 'form', fields: form } as const] : []),
      ...(text ? [{ kind: 'text', text } as const] : []),
    ];
    const [body, second] = bodies;
    if (body && !second) return body;
    const problem = second ? 'A request has one body.' : 'This body is empty.';
    context.addIssue({ code: 'custom', message: withFix(problem, 'Write one of json:, form: and text:.') });
    return z.NEVER;
  });

const keepSchema = z
  .record(
    z.string().regex(keptName, {
      error: withFix(
        'This can not be the name of a value.',
        'Use letters, digits and _, with no digit in front.',
      ),
    }),
    keepSourceSchema,
  )
  .refine((keep) => Object.keys(keep).length <= 32, {
    error: withFix('More than 32 values are kept.', 'Keep their parent instead.'),
  });

const acceptSchema = z
  .array(
    z
      .union([z.number(), z.string()])
      .transform((range) => String(range).toLowerCase())
      .refine(isStatusRange, {
        error: withFix('This is no status.', 'Write a status (404), a class (2xx) or a range (200-299).'),
      }),
  )
  .min(1);

const sizeSchema = z
  .union([z.number(), z.string()])
  .transform(bytesOf)
  .refine((bytes) => bytes >= 1 && bytes <= maxMaxBytes, {
    error: withFix('This is no size between 1 byte and 100 MB.', 'Write a number of bytes, 500KB or 10MB.'),
  });

const hostSchema = z.string().regex(/^(?:\[[0-9a-f:.]+\]|[^\s/?#@:{}[\]]+)(?::\d{1,5})?$|^[0-9a-f:.]+$/i, {
  error: withFix('This is no host.', 'Write a name or an IP address, with :port if need be.'),
});

/** The keys of an http step. */
export const httpSchema = z
  .strictObject({
    method: z
      .string()
      .transform((method) => method.toUpperCase())
      .pipe(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']))
      .prefault('GET')
      .describe('The method, in any case.'),
    url: urlSchema.describe('The address, with placeholders behind the host.'),
    query: namedSchema.prefault({}).describe('Parameters added to the address, by name.'),
    headers: headersSchema
      .prefault({})
      .describe('Headers, by name. `{{secrets.NAME}}` is allowed in their values.'),
    body: bodySchema
      .optional()
      .describe('The body: one of json, form and text. `{{secrets.NAME}}` is allowed in it.'),
    keep: keepSchema
      .default({})
      .describe(
        'Values to keep as `json.values`, by name: a path into the JSON of the answer (`items.0.id`), or `header:Name`.',
      ),
    accept: acceptSchema
      .prefault(['2xx'])
      .describe('Statuses that are a success: `404`, `2xx`, `200-299`. Others fail the step.'),
    maxBytes: sizeSchema
      .prefault('10MB')
      .describe('Most bytes of the answer, unpacked: a number, `500KB` or `10MB`; at most `100MB`.'),
    redirects: z.int().min(0).max(10).default(0).describe('Most redirects to follow; 0 follows none.'),
    allowHosts: z
      .array(hostSchema)
      .max(32)
      .default([])
      .describe('Hosts (`name`, `name:port`, IP) that may be private or local; all others must be public.'),
  })
  .superRefine(({ method, body, headers }, context) => {
    if (body && (method === 'GET' || method === 'HEAD')) {
      const message = withFix(`A ${method} request has no body.`, 'Remove body:, or use method: POST.');
      context.addIssue({ code: 'custom', message, path: ['body'] });
    }
    for (const [name, value] of headers) {
      if (name.toLowerCase() === 'content-type' && value.parts.some((part) => part.kind === 'placeholder')) {
        const message = withFix('The type of the content is fixed.', 'Write it without placeholders.');
        context.addIssue({ code: 'custom', message, path: ['headers', name] });
      }
    }
  });

/** An http step as it is carried out. */
export type HttpConfig = z.output<typeof httpSchema>;

type FaultText = readonly [message: string, fix: string];

function urlFault({ parts }: Template): FaultText | undefined {
  const first = parts[0]?.kind === 'text' ? parts[0].text : '';
  const start = /^https?:\/\/([^/?#\\]*)/i.exec(first);
  if (!start) {
    return [
      'An address begins with http:// or https:// and its host.',
      'Write it like https://api.example.com/path.',
    ];
  }
  const [beginning, authority = ''] = start;
  if (beginning.length === first.length && parts.length > 1) {
    return ['The host of an address is fixed.', 'Write it out, with a / before the first placeholder.'];
  }
  if (authority.includes('@')) {
    return [
      'An address can not hold a user or password.',
      'Use the header Authorization with {{secrets.NAME}}.',
    ];
  }
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : 'x'));
  if (texts.some((text) => /[\s\p{Cc}\\]/u.test(text))) {
    return [
      'There is white space or a backslash in this address.',
      'Write %20 for a space, and / for a backslash.',
    ];
  }
  if (texts.some((text) => text.includes('#'))) {
    return [
      'What stands behind # in an address is never sent.',
      'Remove it, or write %23 for the sign itself.',
    ];
  }
  if (parts.some((part) => part.kind === 'text' && /%(?![0-9a-f]{2})/i.test(part.text))) {
    return ['A % in this address begins no two-digit code.', 'Write %25 for the sign itself.'];
  }
  return authority !== '' && URL.canParse(texts.join(''))
    ? undefined
    : ['This is no address.', 'Write it like https://api.example.com/path.'];
}

function headerFault(name: string, { parts }: Template): FaultText | undefined {
  if (!headerName.test(name)) return [`"${name}" is no name of a header.`, 'Use letters, digits and -.'];
  if (ownHeaders.has(name.toLowerCase())) {
    return [`The header "${name}" follows from the address and the body.`, 'Remove it.'];
  }
  const problem = parts
    .map((part) => (part.kind === 'text' ? headerProblem(part.text) : undefined))
    .find(Boolean);
  return problem === undefined
    ? undefined
    : [
        `The header "${name}" can't hold ${problem}.`,
        'Use letters of Latin-1, digits and signs, on one line.',
      ];
}

function isStatusRange(range: string): boolean {
  const [, from, to] = /^([1-5]\d\d)-([1-5]\d\d)$/.exec(range) ?? [];
  return /^[1-5](?:xx|\d\d)$/.test(range) || (from !== undefined && to !== undefined && from <= to);
}

const units: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_000, mb: 1_000_000 };

/** A size in bytes; 0 when it is none. */
function bytesOf(size: number | string): number {
  if (typeof size === 'number') return Number.isSafeInteger(size) ? size : 0;
  const [, amount, unit = ''] = /^\s*(\d{1,12})\s*(b|kb|mb)?\s*$/.exec(size.toLowerCase()) ?? [];
  return Number(amount ?? 0) * (units[unit] ?? 0);
}
