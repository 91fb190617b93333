import { z } from 'zod';
import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { flowIdSchema } from './ids.ts';
import { readAt } from './issues.ts';

const envelopeSchema = z.strictObject({
  apiVersion: z.literal('flowbot/v1').describe('The version of the format.'),
  kind: z.literal('Flow').describe('What the file is.'),
  metadata: z
    .strictObject({
      name: flowIdSchema.optional().describe('The id of the flow.'),
      description: z.string().max(2000).optional().describe('What the flow does.'),
      labels: z.record(z.string(), z.string()).optional().describe('For other tools.'),
    })
    .default({}),
  spec: z.unknown().describe('The flow.'),
});

/** A flow without its envelope. Paths of faults inside `spec` begin at the flow, all others at the envelope. */
export interface Unwrapped {
  readonly flow: Json | undefined;
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
export function unwrap(data: Json): Unwrapped {
  if (!isEnvelope(data)) return { flow: data, faults: [] };
  const read = readAt(envelopeSchema, data, []);
  if (!read.ok) return { flow: data.spec, faults: read.faults };
  const { name, description } = read.value.metadata;
  return {
    flow: data.spec,
    faults: [],
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
}
