import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject, objectOf } from '../json.ts';
import { formatChecks } from './input-format.ts';
import { patternFault, patternTextMaxChars } from './pattern.ts';
import { roomFor, takeRoomForData } from './room.ts';
import { typeInWords } from './type-words.ts';
import { uniqueItems } from './unique-items.ts';

/** Most places a check of an input can pass through: keeps small schemas from standing for huge ones. */
const schemaMaxPlaces = 5000;
/** Most schemas inside each other, those behind a `$ref` counted: what is deeper could overflow the stack. */
const schemaMaxLevels = 64;

const keywordHelp = 'See json-schema.org for the keywords.';
const inputName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** Larger data, in characters as JSON, is looked at up to its first problem: it could have millions. */
const allProblemsMaxChars = 200_000;

interface Validators {
  /** Finds all problems. */
  readonly all: ValidateFunction;
  /** Stops at the first; compiled when it is needed. */
  first?: ValidateFunction;
}

const validators = new WeakMap<JsonObject, Validators>();

/** What came of looking at a schema. */
type CompiledSchema = { readonly ok: true } | { readonly ok: false; readonly faults: readonly Fault[] };

/** What a schema is, in words. */
type What = 'input' | 'schema';

const inWords = {
  input: { rule: 'input-schema', a: 'an input', the: 'The input' },
  schema: { rule: 'schema', a: 'a schema', the: 'The schema' },
} as const;

/**
 * Whether a JSON Schema (2020-12) can describe the input of a flow: an object on top, complete in itself, and
 * unable to keep the bot busy. Paths of faults begin at the schema.
 */
export function compileInput(schema: JsonObject): CompiledSchema {
  return compiled(schema, 'input', topFaults(schema));
}

/** The same of a schema with a name of its own, which may have any type on top. */
export function compileSchema(schema: JsonObject): CompiledSchema {
  return compiled(schema, 'schema', []);
}

function compiled(schema: JsonObject, what: What, top: readonly Fault[]): CompiledSchema {
  const faults = [...top, ...survey(schema, what)];
  if (faults.length > 0) return { ok: false, faults };
  const broken = compileFaults(schema, what);
  return broken.length > 0 ? { ok: false, faults: broken } : { ok: true };
}

/**
 * The check that belongs to a schema which `compileInput` accepted, compiled once. It fills defaults into what
 * it is given. Of large data it tells the first problem only.
 * @throws Error when the schema is none
 */
export function validatorOf(schema: JsonObject, data: Json): ValidateFunction {
  const known = validatorsOf(schema);
  if (!takeRoomForData(roomFor(allProblemsMaxChars), data)) return known.all;
  known.first ??= newAjv(false).compile(withoutDialect(schema));
  return known.first;
}

function validatorsOf(schema: JsonObject): Validators {
  const known = validators.get(schema);
  if (known) return known;
  const own = withoutDialect(schema);
  if (!judge.validateSchema(own)) throw new Error('This is not a JSON Schema.');
  const made: Validators = { all: newAjv(true).compile(own) };
  validators.set(schema, made);
  return made;
}

/** Whatever it says, it is read as 2020-12. */
function withoutDialect({ $schema: _, ...own }: JsonObject): JsonObject {
  return own;
}

function newAjv(allErrors: boolean): Ajv2020 {
  const regExp = Object.assign(boundedRegExp, { code: 'boundedRegExp' });
  const ajv = new Ajv2020({
    strict: false,
    allErrors,
    useDefaults: true,
    // Done before, by one for all: the schema of schemas takes a while to compile.
    validateSchema: false,
    // Else a field named `constructor` would be there in every object.
    ownProperties: true,
    formats: formatChecks,
    logger: false,
    code: { regExp },
  });
  // Else a format named `valueOf` would be known, and break what is checked by it.
  Object.setPrototypeOf(ajv.formats, null);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItems);
  return ajv;
}

/** Says of schemas whether they are some. */
const judge = new Ajv2020({ strict: false, allErrors: true, logger: false });

function boundedRegExp(pattern: string, flags: string) {
  const expression = new RegExp(pattern, flags);
  return {
    test: (text: string) => text.length <= patternTextMaxChars && expression.test(text),
    // Ajv takes two patterns for the same one when these are equal.
    toString: () => expression.toString(),
  };
}

function topFaults(schema: JsonObject): readonly Fault[] {
  const faults: Fault[] = [];
  if (schema.type !== 'object') {
    faults.push(
      fault(
        'input',
        ['type'],
        'An input has an object on top.',
        'Write type: object, and the fields under properties.',
      ),
    );
  }
  for (const name of Object.keys(isJsonObject(schema.properties) ? schema.properties : {})) {
    if (inputName.test(name)) continue;
    const message = `${JSON.stringify(name.slice(0, 80))} can't be the name of an input: placeholders could not read it.`;
    faults.push(fault('input', ['properties', name], message, 'Use a letter, then letters, digits and _.'));
  }
  return faults;
}

function compileFaults(schema: JsonObject, what: What): readonly Fault[] {
  try {
    return defaultFaults(validatorsOf(schema).all, what);
  } catch {
    judge.validateSchema(withoutDialect(schema));
    const faults = deepest(judge.errors ?? []).map((error) => schemaFault(error, what));
    return faults.length > 0
      ? faults
      : [fault(what, [], `${inWords[what].the} is not a JSON Schema that can be used.`, keywordHelp)];
  }
}

/** Defaults that the schema itself refuses: they would spoil every run. */
function defaultFaults(validate: ValidateFunction, what: What): readonly Fault[] {
  validate(Object.create(null));
  const names = (validate.errors ?? []).flatMap((error) => pointerPath(error.instancePath).slice(0, 1));
  return [...new Set(names)].map((name) =>
    fault(
      what,
      ['properties', name, 'default'],
      `The default of ${name} is not what its schema asks for.`,
      'Change one of them.',
    ),
  );
}

/** The errors furthest inside, one a place: those further out only repeat that something inside is wrong. */
function deepest(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const places = new Map(errors.map((error) => [error.instancePath, error]));
  return [...places.values()].filter(
    (error) =>
      ![...places.keys()].some(
        (place) => place !== error.instancePath && place.startsWith(`${error.instancePath}/`),
      ),
  );
}

function schemaFault(error: ErrorObject, what: What): Fault {
  const path = pointerPath(error.instancePath);
  const where = path.join('.') || inWords[what].the;
  if (path.at(-1) === 'type') {
    return fault(
      what,
      path,
      `${where} is no type of JSON Schema.`,
      'Use string, number, integer, boolean, array or object.',
    );
  }
  const demand =
    error.keyword === 'type'
      ? `must be ${[error.params.type].flat().map(String).map(typeInWords).join(' or ')}`
      : (error.message ?? 'is not valid');
  return fault(what, path, `${where} ${demand}.`, keywordHelp);
}

function pointerPath(pointer: string): readonly (string | number)[] {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

const schemaMaps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const schemaPlaces =
  'items additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not if then else'.split(
    ' ',
  );
const refusedKeywords = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$async'];

/** Walks everything a check could pass through, and says what could not be checked safely. */
function survey(root: JsonObject, what: What): readonly Fault[] {
  const faults = new Map<string, Fault>();
  let places = 0;
  let isTooDeep = false;
  const report = (path: Fault['path'], message: string, fix: string) => {
    const found = fault(what, path, message, fix);
    faults.set(JSON.stringify([path, message]), found);
  };

  const visit = (
    schema: Json | undefined,
    path: Fault['path'],
    trail: readonly string[],
    level: number,
  ): void => {
    places += 1;
    if (!isJsonObject(schema) || places > schemaMaxPlaces) return;
    isTooDeep ||= level > schemaMaxLevels;
    if (isTooDeep) return;
    for (const keyword of refusedKeywords) {
      if (Object.hasOwn(schema, keyword))
        report([...path, keyword], `${keyword} can't be used in ${inWords[what].a}.`, 'Remove it.');
    }
    if (typeof schema.pattern === 'string') reportPattern(schema.pattern, [...path, 'pattern']);
    for (const pattern of Object.keys(objectOf(schema.patternProperties)))
      reportPattern(pattern, [...path, 'patternProperties', pattern]);
    for (const keyword of schemaMaps) {
      for (const [name, inner] of Object.entries(objectOf(schema[keyword])))
        visit(inner, [...path, keyword, name], trail, level + 1);
    }
    for (const keyword of schemaLists) {
      for (const [index, inner] of listOf(schema[keyword]).entries())
        visit(inner, [...path, keyword, index], trail, level + 1);
    }
    for (const keyword of schemaPlaces) visit(schema[keyword], [...path, keyword], trail, level + 1);
    if (schema.$ref !== undefined) follow(schema.$ref, [...path, '$ref'], trail, level + 1);
  };

  const reportPattern = (pattern: string, path: Fault['path']) => {
    const [message, fix] = patternFault(pattern)?.split('\n') ?? [];
    if (message !== undefined && fix !== undefined) report(path, message, fix);
  };

  const follow = (ref: Json, path: Fault['path'], trail: readonly string[], level: number) => {
    const target = typeof ref === 'string' ? resolveRef(root, ref) : undefined;
    if (typeof ref !== 'string' || target === undefined) {
      report(
        path,
        `$ref ${JSON.stringify(ref).slice(0, 80)} is not in this schema.`,
        'Write "#/$defs/Name", and the schema under $defs.',
      );
    } else if (trail.includes(ref)) {
      report(
        path,
        `$ref ${JSON.stringify(ref)} leads back to itself.`,
        'Write out the levels that are needed.',
      );
    } else {
      visit(target, pointerPath(ref.slice(1)), [...trail, ref], level);
    }
  };

  visit(root, [], [], 1);
  if (isTooDeep)
    report(
      [],
      `${inWords[what].the} nests more than ${schemaMaxLevels} schemas in each other.`,
      'Use fewer levels.',
    );
  if (places > schemaMaxPlaces)
    report(
      [],
      `${inWords[what].the} is too large to be checked quickly.`,
      'Use fewer fields and fewer $ref.',
    );
  return [...faults.values()];
}

/** The schema that a `$ref` inside the same schema points to: `#/$defs/Name` or `#/definitions/Name`. */
export function resolveRef(root: JsonObject, ref: string): Json | undefined {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([A-Za-z0-9_-]+)$/.exec(ref) ?? [];
  const definitions = objectOf(root[keyword]);
  return Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

function fault(what: What, path: Fault['path'], message: string, fix: string): Fault {
  return { severity: 'error', rule: inWords[what].rule, path, message, fix };
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
