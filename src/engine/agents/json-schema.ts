import { fileSchema, jsonSchemaOf } from '../flow/json-schema.ts';
import type { JsonObject } from '../json.ts';
import { agentSchema } from './agent-schema.ts';

/** The JSON Schema (2020-12) of an agent file, with or without its envelope. */
export function agentJsonSchema(): JsonObject {
  return fileSchema('Agent', jsonSchemaOf(agentSchema));
}
