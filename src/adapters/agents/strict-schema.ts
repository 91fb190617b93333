import { isJsonObject, type Json, type JsonObject } from '../../engine/json.ts';

/** Keys that OpenAI's strict mode knows: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const known: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'title',
  'description',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
]);
/** Those that may be left out for it: the reply is checked all the same. */
const passedOver: ReadonlySet<string> = new Set(['uniqueItems']);

/** A schema as strict mode takes it; undefined = it does not. */
export function strictSchema(schema: JsonObject): JsonObject | undefined {
  const entries = Object.entries(schema).filter(([key]) => !passedOver.has(key));
  if (entries.some(([key]) => !known.has(key))) return undefined;
  const strict: Record<string, Json> = {};
  for (const [key, value] of entries) {
    const part = strictPart(key, value);
    if (part === undefined) return undefined;
    strict[key] = part;
  }
  return isClosed(strict) ? strict : undefined;
}

function strictPart(key: string, value: Json): Json | undefined {
  switch (key) {
    case 'properties':
      return isJsonObject(value) ? allStrict(value) : undefined;
    case 'items':
      return isJsonObject(value) ? strictSchema(value) : undefined;
    case 'anyOf': {
      if (!Array.isArray(value)) return undefined;
      const parts = value.map((one: Json) => (isJsonObject(one) ? strictSchema(one) : undefined));
      return parts.every((one) => one !== undefined) ? parts : undefined;
    }
    default:
      return value;
  }
}

function allStrict(properties: JsonObject): JsonObject | undefined {
  const entries = Object.entries(properties).map(
    ([name, one]) => [name, isJsonObject(one) ? strictSchema(one) : undefined] as const,
  );
  const strict: Record<string, Json> = {};
  for (const [name, one] of entries) {
    if (one === undefined) return undefined;
    strict[name] = one;
  }
  return strict;
}

/** Objects have no other keys than those that they must have, and every part says its type. */
function isClosed({
  type,
  properties = {},
  required = [],
  additionalProperties,
  items,
  enum: choices,
  const: fixed,
  anyOf,
}: JsonObject): boolean {
  if (type === undefined) return choices !== undefined || fixed !== undefined || anyOf !== undefined;
  if (type === 'array') return items !== undefined;
  if (type !== 'object') return true;
  if (additionalProperties !== false || !isJsonObject(properties) || !Array.isArray(required)) return false;
  return Object.keys(properties).every((name) => required.includes(name));
}
