import { suggest } from '../flow/nearest.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Mention } from '../people.ts';
import { checkInput, type InputProblem, problem } from './input-check.ts';
import { fieldOf, isRequired, optionsOf, optionText, propertiesOf, typesOf } from './input-fields.ts';
import { formatOf, plainId } from './input-format.ts';
import { readPairs } from './pairs.ts';

/** An input made from text, as far as it could be read; nothing is missing or wrong when both lists are empty. */
export interface TextInput {
  /** With defaults when it is complete. */
  readonly input: JsonObject;
  /** Required fields without a value. */
  readonly missing: readonly InputProblem[];
  readonly problems: readonly InputProblem[];
}

/**
 * Makes an input from what a person typed after a command: a sole text field takes all of it, unless it is
 * exactly one `name=value` of that field; otherwise it is read as `key=value` pairs. In fields that take ids, a
 * mention stands for the id.
 * @param allMentions in the order of the text
 */
export function inputFromText(
  schema: JsonObject,
  prompt: string,
  allMentions: readonly Mention[] = [],
): TextInput {
  const names = Object.keys(propertiesOf(schema));
  const mentions = names.some((name) => takesIds(fieldOf(schema, name))) ? allMentions : [];
  const text = withIds(prompt.trim(), mentions);
  const read = (values: Readonly<Record<string, string>>): CoercedText =>
    coerceText(schema, withNames(schema, values, mentions));
  const { pairs, problems } = readPairs(text);
  const sole = names.length === 1 ? names[0] : undefined;
  const isOnePair = problems.length === 0 && pairs.length === 1 && pairs[0]?.key === sole;
  if (sole !== undefined && !isOnePair && typesOf(fieldOf(schema, sole)).includes('string')) {
    return complete(schema, read({ [sole]: text }), []);
  }
  if (names.length === 0) return complete(schema, { input: {}, problems: [] }, []);

  const values: Record<string, string> = {};
  const found = [...problems];
  for (const { key, value } of pairs) {
    const name =
      names.find((one) => one === key) ?? names.find((one) => one.toLowerCase() === key.toLowerCase());
    if (name === undefined) found.push(unknownField(key, names));
    else if (Object.hasOwn(values, name)) found.push(problem(schema, [name], 'is given twice'));
    else values[name] = value;
  }
  return complete(schema, read(values), found);
}

/** Makes an input from values that were given one by one, as texts; fields that are left out are missing. */
export function inputFromValues(schema: JsonObject, values: Readonly<Record<string, string>>): TextInput {
  return complete(schema, coerceText(schema, values), []);
}

/**
 * Names may hold spaces, which would end a value; ids don't. Several people may have one name, so each mention stands
 * for one place, in their order.
 */
function withIds(text: string, mentions: readonly Mention[]): string {
  let done = '';
  let left = text;
  for (const { shown, typed } of mentions) {
    const at = left.indexOf(shown);
    if (at < 0) continue;
    done += left.slice(0, at) + typed;
    left = left.slice(at + shown.length);
  }
  return done + left;
}

function withNames(
  schema: JsonObject,
  values: Readonly<Record<string, string>>,
  mentions: readonly Mention[],
): Readonly<Record<string, string>> {
  if (mentions.length === 0) return values;
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    takesIds(fieldOf(schema, name))
      ? value
      : mentions.reduce((left, { shown, typed }) => left.replaceAll(typed, shown), value),
  ]);
  return Object.fromEntries(entries);
}

/** Whether a field, or each item of its list, is an id that can be mentioned. */
function takesIds(field: JsonObject): boolean {
  const { items } = field;
  return [field.format, isJsonObject(items) ? items.format : undefined].some(
    (format) => formatOf(format)?.mention !== undefined,
  );
}

function complete(schema: JsonObject, read: CoercedText, found: readonly InputProblem[]): TextInput {
  const checked = checkInput(schema, read.input);
  const unread = new Set(read.problems.map((problem) => problem.field));
  const known = checked.ok ? [] : checked.problems;
  const isMissing = ({ field }: InputProblem) =>
    isRequired(schema, field) && !Object.hasOwn(read.input, field);
  const missing = known.filter(isMissing);
  const wrong = known.filter((one) => !isMissing(one) && !unread.has(one.field));
  return {
    input: checked.ok ? checked.input : read.input,
    missing: missing.filter(({ field }) => !unread.has(field)),
    problems: [...found, ...read.problems, ...wrong],
  };
}

/** Values of fields, typed as their schema says. */
export interface CoercedText {
  readonly input: JsonObject;
  readonly problems: readonly InputProblem[];
}

/**
 * Gives texts (of a form, of `key=value`) the types that the schema asks for. An empty text is no value, and a field
 * that the schema does not name is a problem.
 */
export function coerceText(schema: JsonObject, values: Readonly<Record<string, string>>): CoercedText {
  const names = Object.keys(propertiesOf(schema));
  const known = new Set(names);
  const input: Record<string, Json> = {};
  const problems: InputProblem[] = [];
  for (const [name, text] of Object.entries(values)) {
    if (text.trim() === '') continue;
    if (!known.has(name)) {
      problems.push(unknownField(name, names));
      continue;
    }
    const read = coerce(fieldOf(schema, name), text);
    if (read.ok) input[name] = read.value;
    else problems.push(problem(schema, [name], `must be ${read.wanted}`));
  }
  return { input, problems };
}

function unknownField(name: string, names: readonly string[]): InputProblem {
  return { field: name, message: `${name} is not an input of this flow. ${suggest(name, names)}` };
}

type Coerced = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly wanted: string };

function coerce(field: JsonObject, text: string): Coerced {
  const options = [...optionsOf(field)];
  const option = options.find((one) => optionText(one) === text.trim());
  if (option !== undefined) return { ok: true, value: option };
  const tries = typesOf(field).map((type) => coerceTo(type, field, text));
  return tries.find((one) => one.ok) ?? tries[0] ?? asString(field, text);
}

function coerceTo(type: string, field: JsonObject, text: string): Coerced {
  const trimmed = text.trim();
  switch (type) {
    case 'number':
    case 'integer': {
      const value = /^[+-]?\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
      const fits = type === 'number' ? Number.isFinite(value) : Number.isSafeInteger(value);
      return fits
        ? { ok: true, value }
        : { ok: false, wanted: type === 'number' ? 'a number' : 'a whole number' };
    }
    case 'boolean': {
      const value = booleans.get(trimmed.toLowerCase());
      return value === undefined ? { ok: false, wanted: 'true or false' } : { ok: true, value };
    }
    case 'array':
      return coerceList(field, trimmed);
    case 'object': {
      const value = parseJson(trimmed);
      return isJsonObject(value) ? { ok: true, value } : { ok: false, wanted: 'a JSON object' };
    }
    case 'null':
      return trimmed === 'null' ? { ok: true, value: null } : { ok: false, wanted: 'null' };
    default:
      return asString(field, text);
  }
}

function asString(field: JsonObject, text: string): Coerced {
  const format = formatOf(field.format);
  return { ok: true, value: format ? plainId(text, format) : text };
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['no', false],
  ['off', false],
]);

/** A JSON list, or words separated by commas. */
function coerceList(field: JsonObject, text: string): Coerced {
  if (text.startsWith('[')) {
    const value = parseJson(text);
    return Array.isArray(value) ? { ok: true, value } : { ok: false, wanted: 'a list, such as ["a", "b"]' };
  }
  const items = isJsonObject(field.items) ? field.items : {};
  const read = text.split(',').map((word) => coerce(items, word.trim()));
  const bad = read.find((one) => !one.ok);
  if (bad && !bad.ok) return { ok: false, wanted: `a list in which each item is ${bad.wanted}` };
  return { ok: true, value: read.flatMap((one) => (one.ok ? [one.value] : [])) };
}

function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
