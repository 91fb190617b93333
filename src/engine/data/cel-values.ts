import type { Json, JsonObject } from '../json.ts';
import { asDecimal } from './compare.ts';

/**
 * Thrown while an expression is worked out, and caught there: whatever part of it is no good, the whole is undecided. The
 * message says why.
 */
export class Undecided extends Error {}

/** Counts work, in units beyond the one that everything takes. Throws `Undecided` when it is too much. */
export type Charge = (units: number) => void;

/** A field of an object that is its own; undefined = it has none. */
export function ownValue(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A list, or undefined. */
export function asList(value: Json): readonly Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** A condition. */
export function asBoolean(value: Json): boolean {
  if (typeof value === 'boolean') return value;
  throw new Undecided(`${kindOf(value)} stands where true or false is needed`);
}

/** A number. */
export function asNumber(value: Json): number {
  if (typeof value === 'number') return value;
  throw new Undecided(`${kindOf(value)} stands where a number is needed`);
}

/** A text. @param what says in the sentence what it is */
export function asText(value: Json, what: string): string {
  if (typeof value === 'string') return value;
  throw new Undecided(`${what} is ${kindOf(value)}, not a text`);
}

/** A number, or a text that is one. */
export function toNumber(value: Json): number {
  const number = typeof value === 'boolean' ? undefined : asDecimal(value);
  if (number === undefined) throw new Undecided(`${kindOf(value)} is no number`);
  return number;
}

/** The result of a sum. */
export function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new Undecided('a sum has no result');
}

/** The kind of a value, for a sentence. */
export function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    default:
      return 'an object';
  }
}
