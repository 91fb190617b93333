import { errorAt, type Fault } from '../fault.ts';
import { suggest } from '../flow/nearest.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { compileSchema, resolveRef } from './input-schema.ts';

/** Named schemas, each complete in itself. */
export interface ResolvedSchemas {
  /** Those that can be used. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** What is wrong with the others, by name; paths begin at the schema. */
  readonly faults: ReadonlyMap<string, readonly Fault[]>;
}

/** Puts what a `$ref` names in its place; undefined = it stays. */
type Follow = (ref: string, at: Fault['path']) => Json | undefined;

/** Most schemas that lead to each other one by one: following more could overflow the stack. */
const TRAIL_MAX = 64;

const nameOfSchema = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const reference = /^(?:\.{0,2}\/)?(?:schemas\/)?([A-Za-z][A-Za-z0-9_-]{0,63})(?:\.schema\.(?:json|ya?ml))?$/;
/** Keywords that hold data, in which nothing is a reference. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords that hold schemas by a name. */
const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords beside a `$ref` that only say more about it. */
const annotations: ReadonlySet<string> = new Set(
  '$comment $defs definitions default deprecated description examples readOnly title writeOnly'.split(' '),
);

/** Why a text can't be the name of a schema; undefined when it can. */
export function schemaNameFault(name: string): string | undefined {
  return nameOfSchema.test(name) ? undefined : `${JSON.stringify(name.slice(0, 80))} can't name a schema.`;
}

/** Puts schemas that name each other together, and checks each as the input of a flow is checked; any type may be on top. */
export function resolveSchemas(written: ReadonlyMap<string, JsonObject>): ResolvedSchemas {
  const schemas = new Map<string, JsonObject>();
  const faults = new Map<string, readonly Fault[]>();

  const resolve = (name: string, schema: JsonObject, trail: readonly string[]): void => {
    if (schemas.has(name) || faults.has(name)) return;
    const found: Fault[] = [];
    const names = [...trail, name];
    const followName: Follow = (ref, at) => {
      const other = refName(ref);
      const target = other === undefined ? undefined : written.get(other);
      if (other === undefined || target === undefined) {
        found.push(unknownSchema(ref, at, written.keys()));
        return {};
      }
      if (names.includes(other)) {
        found.push(circular(ref, at, [...names.slice(names.indexOf(other)), other].join(' → ')));
        return {};
      }
      if (names.length > TRAIL_MAX) {
        found.push(tooLong(ref, at));
        return {};
      }
      resolve(other, target, names);
      const resolved = schemas.get(other);
      if (!resolved) found.push(brokenSchema(other, at));
      return resolved ?? {};
    };
    const whole = expandWhole(schema, followName, (fault) => found.push(fault));
    const compiled = found.length > 0 ? ({ ok: false, faults: found } as const) : compileSchema(whole);
    if (compiled.ok) schemas.set(name, whole);
    else faults.set(name, compiled.faults);
  };

  for (const [name, schema] of written) resolve(name, schema, []);
  return { schemas, faults };
}

/**
 * A schema of a flow with what its `$ref`s name in their place; those to its own `$defs` stay.
 * @param schemas as `resolveSchemas` gave them @param broken names of schemas that can't be used
 */
export function resolveRefs(
  schema: JsonObject,
  schemas: ReadonlyMap<string, JsonObject>,
  broken: ReadonlySet<string> = new Set(),
): { readonly schema: JsonObject; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const follow: Follow = (ref, at) => {
    if (ref.startsWith('#')) return undefined;
    const name = refName(ref);
    const target = name === undefined ? undefined : schemas.get(name);
    if (target === undefined)
      faults.push(
        name !== undefined && broken.has(name)
          ? brokenSchema(name, at)
          : unknownSchema(ref, at, schemas.keys()),
      );
    return target ?? {};
  };
  const resolved = expand(schema, [], follow);
  return { schema: isJsonObject(resolved) ? resolved : schema, faults };
}

/** Names of the schemas that a schema refers to directly. */
export function namesOfRefs(schema: Json): readonly string[] {
  const names: string[] = [];
  expand(schema, [], (ref) => {
    const name = ref.startsWith('#') ? undefined : refName(ref);
    if (name !== undefined) names.push(name);
    return undefined;
  });
  return names;
}

/** A fault about a schema that is there but broken. */
export function brokenSchema(name: string, path: Fault['path']): Fault {
  const message = `The schema ${name} can't be used: there are faults in its file.`;
  return errorAt('broken-schema', path, message, 'Mend that file.');
}

/** A fault about a schema that is not there. */
export function unknownSchema(name: string, path: Fault['path'], known: Iterable<string>): Fault {
  const all = [...known];
  const message = `There is no schema ${JSON.stringify(name.slice(0, 80))}.`;
  const fix =
    all.length === 0
      ? 'Put it into the folder of schemas, as name.schema.yaml.'
      : suggest(refName(name) ?? name, all);
  return errorAt('unknown-schema', path, message, fix);
}

/** Without any `$ref`: those to its own `$defs` are followed too, since it will stand inside of others. */
function expandWhole(schema: JsonObject, followName: Follow, report: (fault: Fault) => void): JsonObject {
  const { $defs: _, definitions: __, ...top } = schema;
  const known = new Map<string, Json>();
  const trail: string[] = [];
  const follow: Follow = (ref, at) => {
    if (!ref.startsWith('#')) return followName(ref, at);
    const before = known.get(ref);
    if (before !== undefined) return before;
    const target = resolveRef(schema, ref);
    if (target === undefined || trail.includes(ref)) {
      report(target === undefined ? notInSchema(ref, at) : circular(ref, at));
      return {};
    }
    if (trail.length > TRAIL_MAX) {
      report(tooLong(ref, at));
      return {};
    }
    trail.push(ref);
    const whole = expand(target, ref.split('/').slice(1), follow);
    trail.pop();
    known.set(ref, whole);
    return whole;
  };
  const whole = expand(top, [], follow);
  return isJsonObject(whole) ? whole : top;
}

function expand(schema: Json, path: Fault['path'], follow: Follow): Json {
  if (Array.isArray(schema)) return schema.map((item, index) => expand(item, [...path, index], follow));
  if (!isJsonObject(schema)) return schema;
  const { $ref, ...others } = schema;
  const own = mapValues(others, (value, key) => {
    const at = [...path, key];
    if (dataKeywords.has(key)) return value;
    if (!schemaMaps.has(key) || !isJsonObject(value)) return expand(value, at, follow);
    return mapValues(value, (inner, name) => expand(inner, [...at, name], follow));
  });
  if ($ref === undefined) return own;
  const target = typeof $ref === 'string' ? follow($ref, [...path, '$ref']) : undefined;
  return target === undefined ? { ...own, $ref } : together(target, own);
}

/** Both at once, as a `$ref` and the keywords beside it are meant. */
function together(target: Json, own: JsonObject): Json {
  const isPlain = Object.keys(own).every((key) => annotations.has(key));
  if (isPlain && isJsonObject(target)) return { ...target, ...own };
  const { allOf, ...others } = own;
  return { ...others, allOf: [target, ...(Array.isArray(allOf) ? allOf : [])] };
}

function refName(ref: string): string | undefined {
  return reference.exec(ref)?.[1];
}

function notInSchema(ref: string, path: Fault['path']): Fault {
  const message = `$ref ${JSON.stringify(ref).slice(0, 80)} is not in this schema.`;
  const fix = 'Write "#/$defs/Name" and the schema under $defs, or the name of another schema.';
  return errorAt('schema', path, message, fix);
}

function circular(ref: string, path: Fault['path'], way?: string): Fault {
  const message = `$ref ${JSON.stringify(ref)} leads back to itself${way === undefined ? '' : `: ${way}`}.`;
  return errorAt('schema', path, message, 'Write out the levels that are needed.');
}

function tooLong(ref: string, path: Fault['path']): Fault {
  const message = `$ref ${JSON.stringify(ref)} comes after ${TRAIL_MAX} others that lead to each other.`;
  return errorAt('schema', path, message, 'Put some of these schemas together.');
}

function mapValues(object: JsonObject, change: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
