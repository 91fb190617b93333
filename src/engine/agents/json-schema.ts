import { fileSchema, jsonSchemaOf } from '../flow/json-schema.ts';
import type { JsonObject } from '../json.ts';
import { agentKeys } from './agent-keys.ts';

/** The JSON Schema (2020-12) of an agent file, with or without its envelope. */
export function agentJsonSchema(): JsonObject {
  const runtimes = Object.keys(agentKeys);
  const agent: JsonObject = {
    type: 'object',
    required: ['runtime'],
    properties: { runtime: { enum: runtimes, description: 'What carries out its work.' } },
    // Not oneOf: what is wrong with an agent is then said about its own runtime, and not about all of them.
    allOf: runtimes.map((name) => ({
      if: { properties: { runtime: { const: name } }, required: ['runtime'] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { $ref: `#/$defs/runtime.${name}` },
    })),
  };
  const keys = Object.entries(agentKeys).map(([name, schema]) => [`runtime.${name}`, jsonSchemaOf(schema)]);
  return fileSchema('Agent', agent, Object.fromEntries(keys));
}
