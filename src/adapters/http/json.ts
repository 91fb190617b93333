import { parseExact } from '../../engine/data/exact-json.ts';
import type { Json } from '../../engine/json.ts';

/** Deeper JSON could overflow the stack of whatever walks it later. */
const MOST_LEVELS = 200;

/**
 * Parses JSON that a stranger wrote. Integers that a number can't hold exactly, and numbers too large for one,
 * become text. Says why when it is no JSON or nested too deeply, without quoting it; never throws.
 */
export function parseJson(text: string): { readonly body: Json; readonly bodyFault?: string } {
  if (isTooDeep(text)) {
    return { body: null, bodyFault: `The JSON of the answer is nested deeper than ${MOST_LEVELS} levels.` };
  }
  try {
    return { body: parseExact(text) };
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

/** Position of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
