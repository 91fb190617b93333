import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { resolveRef } from './input-schema.ts';

/** The fields of an input, by name. */
export function propertiesOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema.properties) ? schema.properties : {};
}

/** The schema of a field, through `$ref`; an empty one when there is none. */
export function fieldOf(schema: JsonObject, name: string): JsonObject {
  const properties = propertiesOf(schema);
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isJsonObject(field)) return {};
  const target = typeof field.$ref === 'string' ? resolveRef(schema, field.$ref) : undefined;
  return isJsonObject(target) ? { ...target, ...field } : field;
}

/** The types that a field takes, in the order they are written. */
export function typesOf(field: JsonObject): readonly string[] {
  return [field.type ?? []].flat().filter((type) => typeof type === 'string');
}

/** The values to choose from; none when anything can be given. */
export function optionsOf(field: JsonObject): readonly Json[] {
  return Array.isArray(field.enum) ? field.enum : [];
}

/** How a value to choose reads, and is sent back. */
export function optionText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields without which an input is refused. */
export function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Whether an input without this field is refused. */
export function isRequired(schema: JsonObject, name: string): boolean {
  return requiredOf(schema).includes(name);
}
