import { z } from 'zod';
import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { flowIdSchema } from './ids.ts';
import { readAt } from './issues.ts';

/** What a file can hold. */
export type FileKind = 'Flow' | 'Agent' | 'Schema';

/** Where files of a kind belong. */
const folders: Readonly<Record<FileKind, string>> = { Flow: 'flows', Agent: 'agents', Schema: 'schemas' };

/** The envelope of a kind of file, for the words that describe it and the names that are allowed. */
function envelopeOf(kind: FileKind, what: string, name: z.ZodType<string>) {
  return z.strictObject({
    apiVersion: z.literal('flowbot/v1').describe('The version of the format.'),
    kind: z.literal(kind).describe('What the file is.'),
    metadata: z
      .strictObject({
        name: name.optional().describe(`The ${kind === 'Flow' ? 'id' : 'name'} of the ${what}.`),
        description: z
          .string()
          .max(2000)
          .optional()
          .describe(kind === 'Flow' ? 'What the flow does.' : `What the ${what} is for.`),
        labels: z.record(z.string(), z.string()).optional().describe('For other tools.'),
      })
      .default({})
      .describe('What it is called, and what other tools need.'),
    spec: z.unknown().describe(`The ${what}.`),
  });
}

const envelopeSchema = envelopeOf('Flow', 'flow', flowIdSchema);

const nameSchema = z.string().min(1).max(64);
/** What stands around the content of a file, by its kind. */
export const envelopeSchemas = {
  Flow: envelopeSchema,
  Agent: envelopeOf('Agent', 'agent', nameSchema),
  Schema: envelopeOf('Schema', 'schema', nameSchema),
};

/** What a file holds, without its envelope. Paths of faults inside `spec` begin there, all others at the envelope. */
export interface Unwrapped {
  /** The flow, agent or schema. */
  readonly content: Json | undefined;
  readonly name?: string;
  readonly description?: string;
  readonly faults: readonly Fault[];
}

/** Whether a flow is wrapped in `apiVersion, kind, metadata, spec`. */
export function isEnvelope(data: Json): data is JsonObject {
  return isJsonObject(data) && ('spec' in data || 'kind' in data || 'apiVersion' in data);
}

/** Keys of the envelope: a fault whose path begins with one of them, in a wrapped flow, is outside `spec`. */
export const envelopeKeys: ReadonlySet<string> = new Set(Object.keys(envelopeSchema.shape));

/** Takes a flow out of its envelope, if it has one. */
export function unwrap(data: Json): Omit<Unwrapped, 'content'> & { readonly flow: Json | undefined } {
  const { content, ...others } = unwrapAs('Flow', data);
  return { flow: content, ...others };
}

/** Takes what a file holds out of its envelope, if it has one. */
export function unwrapAs(kind: FileKind, data: Json): Unwrapped {
  if (!isEnvelope(data)) return { content: data, faults: [] };
  const read = readAt(envelopeSchemas[kind], data, []);
  if (!read.ok) return { content: data.spec, faults: read.faults };
  const { name, description } = read.value.metadata;
  return {
    content: data.spec,
    faults: [],
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
}

/** A fault about a file that holds something else than its folder is for. */
export function kindFault(kind: FileKind, data: Json): Fault | undefined {
  if (!isEnvelope(data)) return undefined;
  const written = Object.keys(folders).find((one) => one === data.kind);
  if (written === undefined || written === kind) return undefined;
  return {
    severity: 'error',
    rule: 'kind',
    path: ['kind'],
    message: `kind: the file holds something of kind ${written}, and it stands among ${folders[kind]}.`,
    fix: `Put it into the other folder, or write kind: ${kind}.`,
  };
}
