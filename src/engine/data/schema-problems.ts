import type { Json, JsonObject } from '../json.ts';
import { validatorOf } from './input-schema.ts';
import { typeInWords } from './type-words.ts';

/** Most problems that are told. */
const PROBLEMS_MAX = 8;

/** What is wrong with data that must match a JSON Schema, in words: `score must be a number`; none = it matches. */
export function schemaProblems(schema: JsonObject, data: Json): readonly string[] {
  const validate = validatorOf(schema, data);
  if (validate(structuredClone(data))) return [];
  const told = (validate.errors ?? []).map(({ instancePath, keyword, params, message = 'is not right' }) => {
    const problem = keyword === 'type' ? `must be ${typesInWords(params.type)}` : message;
    const field = instancePath.slice(1).replaceAll('/', '.');
    return field === '' ? `it ${problem}` : `${field} ${problem}`;
  });
  return [...new Set(told)].slice(0, PROBLEMS_MAX);
}

function typesInWords(types: unknown): string {
  return [types]
    .flat()
    .map((type) => typeInWords(String(type)))
    .join(' or ');
}
