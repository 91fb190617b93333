import type { Json } from '../json.ts';

/** Only text like this can hold a number that changes when it is read: a long one, or one with a large exponent. */
const LONG_NUMBER = /\d{16}|\de\+?\d{3}/i;

/**
 * Parses JSON that a stranger wrote. Integers that a number can't hold exactly, and numbers too large for one, become text:
 * they may be ids. Throws when it is no JSON, or nested so deeply that it can't be walked.
 */
export function parseExact(text: string): Json {
  return LONG_NUMBER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

function exactly(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  if (!Number.isFinite(value)) return source;
  if (Number.isSafeInteger(value) || /[.e]/i.test(source)) return value;
  return BigInt(source) === BigInt(value) ? value : source;
}
