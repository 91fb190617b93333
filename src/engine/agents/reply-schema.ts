import type { JsonObject } from '../json.ts';
import type { AgentCall, Choice, ReplyField } from './call.ts';
import { offeredBy } from './decide.ts';
import { fieldsOf, isOpen, type ReplyFields } from './reply.ts';

/** JSON Schema of what must come back, for providers that can make sure of it; undefined = text. */
export function replySchema(call: AgentCall): JsonObject | undefined {
  switch (call.kind) {
    case 'task':
      return taskSchema(call);
    case 'prompt':
      return objectIn(call.writes);
    case 'decision':
      return decisionSchema(offeredBy(call), call.mode);
  }
}

function taskSchema({ reply, choose, writes }: Extract<AgentCall, { kind: 'task' }>): JsonObject | undefined {
  const fields = fieldsOf(reply, choose);
  if (!fields) return objectIn(writes);
  const schema = fieldsSchema(fields, choose, isOpen(reply));
  // What must match the schema is the object without the choice, which no schema of the whole can say.
  if (!writes || choose) return schema;
  return isOpen(reply) ? writes : { ...schema, allOf: [writes] };
}

/** A schema that text can match as well makes no demands on the form of a reply. */
function objectIn(writes: JsonObject | undefined): JsonObject | undefined {
  return writes?.type === 'object' ? writes : undefined;
}

function fieldsSchema(fields: ReplyFields, choose: Choice | undefined, isOpen: boolean): JsonObject {
  const names = Object.keys(fields);
  if (names.length === 0) return { type: 'object' };
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      name === 'choice' && choose ? choiceSchema(choose) : fieldSchema(field),
    ]),
  );
  return isOpen ? { type: 'object', properties, required: names } : objectOf(properties);
}

function choiceSchema({ among, min, max }: Choice): JsonObject {
  return {
    type: 'array',
    items: { type: 'string', enum: among },
    minItems: min,
    maxItems: max,
    uniqueItems: true,
  };
}

function fieldSchema({ type, description }: ReplyField): JsonObject {
  return { type: type === 'list' ? 'array' : type, ...(description !== undefined && { description }) };
}

function decisionSchema(offered: readonly string[], mode: 'choose' | 'score'): JsonObject {
  const part: JsonObject = { type: 'number', minimum: 0, maximum: 1 };
  if (mode === 'choose') return objectOf({ choice: { type: 'string', enum: offered }, confidence: part });
  return objectOf({
    scores: { type: 'array', items: part, minItems: offered.length, maxItems: offered.length },
  });
}

function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
