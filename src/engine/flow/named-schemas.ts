import { namesOfRefs, resolveRefs } from '../data/schema-refs.ts';
import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Library } from '../library.ts';

/** A flow as written, with what the `$ref`s of its schemas name in their place. */
interface Resolved {
  readonly flow: JsonObject;
  /** About names that lead nowhere; paths begin at the flow. */
  readonly faults: readonly Fault[];
}

/**
 * Puts named schemas, `{ $ref: ticket }`, into the input of a flow and into the keys of its steps that hold a schema.
 * @param broken names of schemas that are there but can't be used
 */
export function withNamedSchemas(flow: JsonObject, library: Library, broken: ReadonlySet<string>): Resolved {
  const faults: Fault[] = [];
  const changed = changeSchemas(flow, library.stepTypes, (schema, path) => {
    const resolved = resolveRefs(schema, library.schemas, broken);
    faults.push(...resolved.faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] })));
    // What else it seems to lack may come from the schema that is not there.
    return resolved.faults.length > 0 ? { type: 'object' } : resolved.schema;
  });
  return { flow: changed, faults };
}

/** Names of the schemas that a flow, without its envelope, refers to by `$ref`. */
export function schemasNamedIn(flow: JsonObject, stepTypes: Library['stepTypes']): readonly string[] {
  const names: string[] = [];
  changeSchemas(flow, stepTypes, (schema) => {
    names.push(...namesOfRefs(schema));
    return schema;
  });
  return names;
}

function changeSchemas(
  flow: JsonObject,
  stepTypes: Library['stepTypes'],
  change: (schema: JsonObject, path: Fault['path']) => JsonObject,
): JsonObject {
  const changeKeys = (object: JsonObject, keys: readonly string[], path: Fault['path']): JsonObject => {
    const changed = keys.flatMap((key) => {
      const schema = object[key];
      return Object.hasOwn(object, key) && isJsonObject(schema)
        ? [[key, change(schema, [...path, key])] as const]
        : [];
    });
    return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
  };
  const own = changeKeys(flow, ['input'], []);
  const { steps } = own;
  if (!isJsonObject(steps)) return own;
  const changed = Object.entries(steps).map(([id, step]): readonly [string, Json] => {
    const type = isJsonObject(step) && typeof step.type === 'string' ? stepTypes.get(step.type) : undefined;
    const keys = type?.schemaKeys ?? [];
    return [id, isJsonObject(step) ? changeKeys(step, keys, ['steps', id]) : step];
  });
  return { ...own, steps: Object.fromEntries(changed) };
}
