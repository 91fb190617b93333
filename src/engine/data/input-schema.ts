import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { formatChecks } from './input-format.ts';
import { patternFault, patternTextMaxChars } from './pattern.ts';
import { typeInWords } from './type-words.ts';

/** Most places a check of an input can pass through: keeps small schemas from standing for huge ones. */
const schemaMaxPlaces = 5000;

const keywordHelp = 'See json-schema.org for the keywords.';
const inputName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const validators = new WeakMap<JsonObject, ValidateFunction>();

/**
 * Whether a JSON Schema (2020-12) can describe the input of a flow: an object on top, complete in itself, and
 * unable to keep the bot busy. Paths of faults begin at the schema.
 */
export function compileInput(
  schema: JsonObject,
): { readonly ok: true } | { readonly ok: false; readonly faults: readonly Fault[] } {
  const faults = [...topFaults(schema), ...survey(schema)];
  if (faults.length > 0) return { ok: false, faults };
  const broken = compileFaults(schema);
  return broken.length > 0 ? { ok: false, faults: broken } : { ok: true };
}

/**
 * The check that belongs to a schema which `compileInput` accepted, compiled once. It fills defaults into what
 * it is given.
 * @throws Error when the schema is none
 */
export function validatorOf(schema: JsonObject): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const { $schema: _, ...own } = schema;
  const made = newAjv().compile(own);
  validators.set(schema, made);
  return made;
}

function newAjv(): Ajv2020 {
  const regExp = Object.assign(boundedRegExp, { code: 'boundedRegExp' });
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    useDefaults: true,
    // Else a field named `constructor` would be there in every object.
    ownProperties: true,
    formats: formatChecks,
    logger: false,
    code: { regExp },
  });
  // Else a format named `valueOf` would be known, and break what is checked by it.
  Object.setPrototypeOf(ajv.formats, null);
  return ajv;
}

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
        ['type'],
        'An input has an object on top.',
        'Write type: object, and the fields under properties.',
      ),
    );
  }
  for (const name of Object.keys(isJsonObject(schema.properties) ? schema.properties : {})) {
    if (inputName.test(name)) continue;
    const message = `${JSON.stringify(name.slice(0, 80))} can't be the name of an input: placeholders could not read it.`;
    faults.push(fault(['properties', name], message, 'Use a letter, then letters, digits and _.'));
  }
  return faults;
}

function compileFaults(schema: JsonObject): readonly Fault[] {
  try {
    return defaultFaults(validatorOf(schema));
  } catch {
    const { $schema: _, ...own } = schema;
    const ajv = newAjv();
    ajv.validateSchema(own);
    const faults = deepest(ajv.errors ?? []).map(schemaFault);
    return faults.length > 0
      ? faults
      : [fault([], 'The input is not a JSON Schema that can be used.', keywordHelp)];
  }
}

/** Defaults that the schema itself refuses: they would spoil every run. */
function defaultFaults(validate: ValidateFunction): readonly Fault[] {
  validate(Object.create(null));
  const names = (validate.errors ?? []).flatMap((error) => pointerPath(error.instancePath).slice(0, 1));
  return [...new Set(names)].map((name) =>
    fault(
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

function schemaFault(error: ErrorObject): Fault {
  const path = pointerPath(error.instancePath);
  const where = path.join('.') || 'The input';
  if (path.at(-1) === 'type') {
    return fault(
      path,
      `${where} is no type of JSON Schema.`,
      'Use string, number, integer, boolean, array or object.',
    );
  }
  const demand =
    error.keyword === 'type'
      ? `must be ${[error.params.type].flat().map(String).map(typeInWords).join(' or ')}`
      : (error.message ?? 'is not valid');
  return fault(path, `${where} ${demand}.`, keywordHelp);
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
function survey(root: JsonObject): readonly Fault[] {
  const faults = new Map<string, Fault>();
  let places = 0;
  const report = (path: Fault['path'], message: string, fix: string) => {
    const found = fault(path, message, fix);
    faults.set(JSON.stringify([path, message]), found);
  };

  const visit = (schema: Json | undefined, path: Fault['path'], trail: readonly string[]): void => {
    places += 1;
    if (!isJsonObject(schema) || places > schemaMaxPlaces) return;
    for (const keyword of refusedKeywords) {
      if (Object.hasOwn(schema, keyword))
        report([...path, keyword], `${keyword} can't be used in an input.`, 'Remove it.');
    }
    if (typeof schema.pattern === 'string') reportPattern(schema.pattern, [...path, 'pattern']);
    for (const pattern of Object.keys(objectOf(schema.patternProperties)))
      reportPattern(pattern, [...path, 'patternProperties', pattern]);
    for (const keyword of schemaMaps) {
      for (const [name, inner] of Object.entries(objectOf(schema[keyword])))
        visit(inner, [...path, keyword, name], trail);
    }
    for (const keyword of schemaLists) {
      for (const [index, inner] of listOf(schema[keyword]).entries())
        visit(inner, [...path, keyword, index], trail);
    }
    for (const keyword of schemaPlaces) visit(schema[keyword], [...path, keyword], trail);
    if (schema.$ref !== undefined) follow(schema.$ref, [...path, '$ref'], trail);
  };

  const reportPattern = (pattern: string, path: Fault['path']) => {
    const [message, fix] = patternFault(pattern)?.split('\n') ?? [];
    if (message !== undefined && fix !== undefined) report(path, message, fix);
  };

  const follow = (ref: Json, path: Fault['path'], trail: readonly string[]) => {
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
      visit(target, pointerPath(ref.slice(1)), [...trail, ref]);
    }
  };

  visit(root, [], []);
  if (places > schemaMaxPlaces)
    report([], 'The input is too large to be checked quickly.', 'Use fewer fields and fewer $ref.');
  return [...faults.values()];
}

/** The schema that a `$ref` inside the same schema points to: `#/$defs/Name` or `#/definitions/Name`. */
export function resolveRef(root: JsonObject, ref: string): Json | undefined {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([A-Za-z0-9_-]+)$/.exec(ref) ?? [];
  const definitions = objectOf(root[keyword]);
  return Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

function fault(path: Fault['path'], message: string, fix: string): Fault {
  return { severity: 'error', rule: 'input-schema', path, message, fix };
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
