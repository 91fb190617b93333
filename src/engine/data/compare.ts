import { isJsonObject, type Json } from '../json.ts';
import { asText } from '../prose.ts';
import type { Operator } from './condition.ts';
import type { Lookup } from './scope.ts';

/**
 * Whether a value satisfies an operator. A missing value (null counts as missing) satisfies only `isNot`, `isEmpty`
 * and `exists: false`.
 */
export function compare(operator: Operator, found: Lookup, expected: Json): boolean {
  const actual = found.found ? found.value : null;
  if (actual === null) return onMissing(operator, expected);
  switch (operator) {
    case 'is':
      return trimmed(actual) === trimmed(expected);
    case 'isNot':
      return trimmed(actual) !== trimmed(expected);
    case 'contains':
      return contains(actual, expected);
    case 'greaterThan':
      return inOrder(actual, expected, (a, b) => a > b);
    case 'atLeast':
      return inOrder(actual, expected, (a, b) => a >= b);
    case 'lessThan':
      return inOrder(actual, expected, (a, b) => a < b);
    case 'atMost':
      return inOrder(actual, expected, (a, b) => a <= b);
    case 'exists':
      return expected === true;
    case 'isEmpty':
      return isEmpty(actual) === expected;
    case 'isTrue':
      return says(actual, 'true') === expected;
    case 'isFalse':
      return says(actual, 'false') === expected;
  }
}

/** A number that can be put in order: a finite number, or text that is wholly a decimal (`-12.5`); no exponents. */
export function asDecimal(data: Json): number | undefined {
  if (typeof data !== 'number' && typeof data !== 'string') return undefined;
  if (typeof data === 'string' && !/^-?\d+(?:\.\d+)?$/.test(data.trim())) return undefined;
  const number = Number(data);
  return Number.isFinite(number) ? number : undefined;
}

function onMissing(operator: Operator, expected: Json): boolean {
  switch (operator) {
    case 'isNot':
      return true;
    case 'isEmpty':
      return expected === true;
    case 'exists':
      return expected === false;
    default:
      return false;
  }
}

function contains(actual: Json, expected: Json): boolean {
  if (typeof actual === 'string') return actual.includes(asText(expected));
  if (!Array.isArray(actual)) return false;
  const items: readonly Json[] = actual;
  return items.some((item) => trimmed(item) === trimmed(expected));
}

function inOrder(actual: Json, expected: Json, holds: (a: number, b: number) => boolean): boolean {
  const [a, b] = [asDecimal(actual), asDecimal(expected)];
  return a !== undefined && b !== undefined && holds(a, b);
}

/** Blank is what nobody can see: white space and invisible format characters, such as the zero-width space. */
function isEmpty(data: Json): boolean {
  if (typeof data === 'string') return /^[\s\p{Cf}]*$/u.test(data);
  if (isJsonObject(data)) return Object.keys(data).length === 0;
  return Array.isArray(data) && data.length === 0;
}

function says(data: Json, word: 'true' | 'false'): boolean {
  return trimmed(data) === word;
}

function trimmed(data: Json): string {
  return asText(data).trim();
}
