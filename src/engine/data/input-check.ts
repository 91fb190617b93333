import type { ErrorObject } from 'ajv';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { fieldOf } from './input-fields.ts';
import { formatOf } from './input-format.ts';
import { validatorOf } from './input-schema.ts';
import { typeInWords } from './type-words.ts';

/** What is wrong with one field of an input. */
export interface InputProblem {
  /** Names and list positions joined by dots; `""` = the input as a whole. */
  readonly field: string;
  /** A sentence without its full stop that begins with the field's title, or else its name: `Version is missing`. */
  readonly message: string;
}

/** An input that fits its schema, or everything that is wrong with it. */
export type CheckedInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

const problemsMax = 20;

/**
 * Holds an input against the schema of a flow, which `compileInput` accepted. The result is a copy with the
 * defaults filled in.
 */
export function checkInput(schema: JsonObject, input: Json): CheckedInput {
  const validate = validatorOf(schema, input);
  const copy = bare(structuredClone(input));
  if (validate(copy) && isJsonObject(copy)) return { ok: true, input: { ...copy } };
  const errors = (validate.errors ?? []).filter(
    (error) => !/\/(?:anyOf|oneOf|not|if)\//.test(error.schemaPath),
  );
  const found = errors.map((error) => problemOf(schema, error));
  const problems = new Map(found.map((one) => [JSON.stringify([one.field, one.message]), one]));
  return { ok: false, problems: [...problems.values()].slice(0, problemsMax) };
}

/** Without a prototype, so that a missing field named `toString` gets its default. */
function bare(input: Json): Json {
  return isJsonObject(input) ? Object.assign(Object.create(null), input) : input;
}

function problemOf(schema: JsonObject, error: ErrorObject): InputProblem {
  const at = error.instancePath.split('/').slice(1).map(unescapePointer);
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return problem(schema, [...at, String(params.missingProperty)], 'is missing');
    case 'additionalProperties':
      return problem(schema, [...at, String(params.additionalProperty)], 'is not an input of this flow');
    case 'unevaluatedProperties':
      return problem(schema, [...at, String(params.unevaluatedProperty)], 'is not an input of this flow');
    default:
      return problem(schema, at, demand(error.keyword, params));
  }
}

function unescapePointer(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Makes the sentence about a field. @param at names and list positions that lead to it; none = the whole input. */
export function problem(schema: JsonObject, at: readonly string[], what: string): InputProblem {
  const [name, ...inside] = at;
  const who = name === undefined ? 'the input' : [titleOf(schema, name), ...inside].join('.');
  return { field: at.join('.'), message: `${who} ${what}` };
}

/** How people know a field: as in the form of the input. */
export function titleOf(schema: JsonObject, name: string): string {
  const { title } = fieldOf(schema, name);
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : name;
}

/** What a keyword of JSON Schema asks for, in words. */
function demand(keyword: string, params: Readonly<Record<string, unknown>>): string {
  const limit = String(params.limit);
  switch (keyword) {
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map((type) => typeInWords(String(type)))
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${[params.allowedValues].flat().map(String).slice(0, 30).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be more than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params.multipleOf)}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'uniqueItems':
      return 'has the same item twice';
    case 'pattern':
      return `must look like ${String(params.pattern)}`;
    case 'format':
      return `must be ${formatOf(params.format)?.wanted ?? String(params.format)}`;
    case 'false schema':
      return 'must not be given';
    default:
      return 'does not have an allowed form';
  }
}
