import type { z } from 'zod';
import { isJsonObject } from '../json.ts';

type Schema = z.core.$ZodType;

/**
 * The keys that may stand in a value at a place inside a schema: what a misspelt key is compared with. Of a
 * union only those alternatives count whose fixed values (such as `type`) the value has.
 */
export function keysAt(schema: Schema, path: readonly PropertyKey[], value: unknown): readonly string[] {
  const here = path.reduce<readonly Schema[]>(
    (schemas, key) => schemas.flatMap((one) => inside(one, key)),
    [schema],
  );
  return [...new Set(here.flatMap((one) => keysOf(one, value)))];
}

/** A schema without what is wrapped around it; all alternatives of a union. */
function plain(schema: Schema): readonly Schema[] {
  const def = (schema as z.core.$ZodTypes)._zod.def;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return plain(def.innerType);
    case 'pipe':
      return plain(def.in);
    case 'lazy':
      return plain(def.getter());
    case 'union':
      return def.options.flatMap(plain);
    default:
      return [schema];
  }
}

function inside(schema: Schema, key: PropertyKey): readonly Schema[] {
  return plain(schema).flatMap((one) => {
    const def = (one as z.core.$ZodTypes)._zod.def;
    switch (def.type) {
      case 'object': {
        const inner = def.shape[String(key)];
        return inner ? [inner] : [];
      }
      case 'record':
        return [def.valueType];
      case 'array':
        return [def.element];
      default:
        return [];
    }
  });
}

function keysOf(schema: Schema, value: unknown): readonly string[] {
  return plain(schema).flatMap((one) => {
    const def = (one as z.core.$ZodTypes)._zod.def;
    return def.type === 'object' && Object.entries(def.shape).every(([key, field]) => fits(field, value, key))
      ? Object.keys(def.shape)
      : [];
  });
}

function fits(field: Schema, value: unknown, key: string): boolean {
  const def = (field as z.core.$ZodTypes)._zod.def;
  if (def.type !== 'literal' || !isJsonObject(value)) return true;
  return def.values.some((allowed) => allowed === value[key]);
}
