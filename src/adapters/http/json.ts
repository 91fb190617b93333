import type { Json } from '../../engine/json.ts';

/** Deeper JSON could overflow the stack of whatever walks it later. */
const MOST_LEVELS = 200;

/** Only text like this can hold a number that changes when it is read: a long one, or one with a large exponent. */
const LONG_NUMBER = /\d{16}|\de\+?\d{3}/i;

/**
 * Parses JSON that a stranger wrote. Integers that a number can't hold exactly, and numbers too large for one,
 * become text. Says why when it is no JSON or nested too deeply, without quoting it; never throws.
 */
export function parseJson(text: string): { readonly body: Json; readonly bodyFault?: string } {
  if (isTooDeep(text)) {
    return { body: null, bodyFault: `The JSON of the answer is nested deeper than ${MOST_LEVELS} levels.` };
  }
  try {
    const body: Json = JSON.parse(text);
    // A second pass is cheap, and only sound on what has just proved to be valid.
    return { body: LONG_NUMBER.test(text) ? JSON.parse(quoteInexact(text)) : body };
  } catch (error) {
    const [place = ''] = / at position \d+/.exec(String(error)) ?? [];
    return { body: null, bodyFault: `The answer says it is JSON, but it is not valid JSON${place}.` };
  }
}

function isTooDeep(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === OPEN_LIST || char === OPEN_OBJECT) level++;
    else if (char === CLOSE_LIST || char === CLOSE_OBJECT) level--;
    if (level > MOST_LEVELS) return true;
  }
  return false;
}

/** The same valid JSON, with quotes around each number that would change. */
function quoteInexact(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    if (char !== MINUS && !isDigit(char)) continue;
    const end = endOfNumber(text, at);
    const number = text.slice(at, end);
    if (!isExact(number)) {
      parts.push(text.slice(done, at), '"', number, '"');
      done = end;
    }
    at = end - 1;
  }
  return parts.join('') + text.slice(done);
}

function isExact(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) || /[.e]/i.test(number)) return true;
  return BigInt(number) === BigInt(value);
}

/** Position of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Position after the number that begins at `start`. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789.eE+-'.includes(text.charAt(at))) at++;
  return at;
}

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;

const QUOTE = 0x22;
const MINUS = 0x2d;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
