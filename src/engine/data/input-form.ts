import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { FieldType, FormField } from '../post.ts';
import { fieldOf, isRequired, optionsOf, optionText, propertiesOf, typesOf } from './input-fields.ts';
import { formatOf, type InputFormat } from './input-format.ts';

/**
 * A form for an input, in the order of its schema, filled with what is known already (or the defaults).
 * @param platform where it is filled in: another platform's people and channels are typed as text there.
 */
export function formFields(schema: JsonObject, initial: JsonObject, platform: string): readonly FormField[] {
  return Object.keys(propertiesOf(schema)).map((name) =>
    formField(schema, name, Object.hasOwn(initial, name) ? initial[name] : undefined, platform),
  );
}

function formField(schema: JsonObject, name: string, given: Json | undefined, platform: string): FormField {
  const field = fieldOf(schema, name);
  const type = fieldType(field, platform);
  const start = given ?? field.default;
  const hint = hintOf(field, type);
  return {
    id: name,
    label: typeof field.title === 'string' ? field.title : name,
    type,
    required: isRequired(schema, name) && field.default === undefined,
    ...(hint !== undefined && { hint }),
    ...(start !== undefined && start !== null && { initial: optionText(start) }),
    ...bounds(field, type),
  };
}

function fieldType(field: JsonObject, platform: string): FieldType {
  if (optionsOf(field).length > 0) return 'select';
  switch (typesOf(field)[0]) {
    case 'number':
      return 'number';
    case 'integer':
      return 'integer';
    case 'boolean':
      return 'boolean';
    case 'array':
      return optionsOf(itemsOf(field)).length > 0 ? 'multiselect' : 'text';
    case 'object':
      return 'multiline';
    default:
      return textType(field, formatOf(field.format), platform);
  }
}

/** Longest text that still gets a single line. */
const singleLineMaxChars = 200;

function textType(field: JsonObject, format: InputFormat | undefined, platform: string): FieldType {
  if (format?.field && (format.platform ?? platform) === platform) return format.field;
  if (format) return 'text';
  const isLong = typeof field.maxLength === 'number' && field.maxLength > singleLineMaxChars;
  // JSON Schema's word for a text that is a document of its own.
  const isDocument = typeof field.contentMediaType === 'string' && field.contentMediaType.startsWith('text/');
  return isLong || isDocument ? 'multiline' : 'text';
}

function hintOf(field: JsonObject, type: FieldType): string | undefined {
  if (typeof field.description === 'string') return field.description;
  switch (typesOf(field)[0]) {
    case 'array':
      // Chosen from a list, nothing is separated.
      return type === 'text' ? 'A list, separated by commas' : undefined;
    case 'object':
      return 'As JSON';
    default: {
      const wanted = type === 'text' ? formatOf(field.format)?.wanted : undefined;
      return wanted && wanted.charAt(0).toUpperCase() + wanted.slice(1);
    }
  }
}

type Bounds = Pick<FormField, 'options' | 'minLength' | 'maxLength' | 'min' | 'max'>;

/** What a form can hold a value to while it is filled in; everything is checked when it is sent. */
function bounds(field: JsonObject, type: FieldType): Bounds {
  switch (type) {
    case 'select':
      return { options: optionsOf(field).map(optionText) };
    case 'multiselect':
      return { options: optionsOf(itemsOf(field)).map(optionText) };
    case 'text':
    case 'multiline':
      return {
        ...(typeof field.minLength === 'number' && { minLength: field.minLength }),
        ...(typeof field.maxLength === 'number' && { maxLength: field.maxLength }),
      };
    case 'number':
      // A form has no words for "more than"; that is seen when it is sent.
      return range(
        [field.minimum, field.exclusiveMinimum].filter(isNumber),
        [field.maximum, field.exclusiveMaximum].filter(isNumber),
      );
    case 'integer':
      return range(
        [
          ...[field.minimum].filter(isNumber).map(Math.ceil),
          ...[field.exclusiveMinimum].filter(isNumber).map((bound) => Math.floor(bound) + 1),
        ],
        [
          ...[field.maximum].filter(isNumber).map(Math.floor),
          ...[field.exclusiveMaximum].filter(isNumber).map((bound) => Math.ceil(bound) - 1),
        ],
      );
    default:
      return {};
  }
}

function range(lower: readonly number[], upper: readonly number[]): Bounds {
  return {
    ...(lower.length > 0 && { min: Math.max(...lower) }),
    ...(upper.length > 0 && { max: Math.min(...upper) }),
  };
}

function isNumber(value: Json | undefined): value is number {
  return typeof value === 'number';
}

function itemsOf(field: JsonObject): JsonObject {
  return isJsonObject(field.items) ? field.items : {};
}
