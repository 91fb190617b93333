import type { InputProblem } from './input-check.ts';

/** One `key=value` as a person typed it. */
export interface Pair {
  readonly key: string;
  readonly value: string;
}

const quotes = ['"“”„‟«»', "'‘’‚‛"];
const invisible = /[\u00AD\u200B-\u200D\u2060\uFEFF]/g;
const leadingDashes = /^[-\u2010-\u2015\u2212]+/;

/**
 * Reads `key=value` pairs the way phones write them: any kind of quotes around a value, any kind of dashes in
 * front of a key, any kind of space between them. What stands inside a value stays as it was typed; a quoted
 * value ends at a quote that a space or the end follows.
 */
export function readPairs(text: string): {
  readonly pairs: readonly Pair[];
  readonly problems: readonly InputProblem[];
} {
  const pairs: Pair[] = [];
  const problems: InputProblem[] = [];
  const stray: string[] = [];
  let at = 0;
  while (at < text.length) {
    const word = wordAt(text, at);
    const equals = word.indexOf('=');
    const key = word.slice(0, equals).replace(invisible, '').replace(leadingDashes, '');
    if (word.replace(invisible, '') === '') {
      at += Math.max(1, word.length);
    } else if (equals < 0 || key === '') {
      stray.push(word.replace(invisible, ''));
      at += word.length;
    } else {
      const value = valueAt(text, at + equals + 1);
      if (value.text === undefined)
        problems.push({ field: key, message: `${key} has a quote that is never closed` });
      else pairs.push({ key, value: value.text });
      at = value.end;
    }
  }
  if (stray.length > 0) problems.push({ field: '', message: straySentence(stray) });
  return { pairs, problems };
}

/** Writes a pair so that `readPairs` reads it back, unless its value mixes both kinds of quotes with spaces. */
export function writePair({ key, value }: Pair): string {
  const isPlain = /^\S+$/.test(value) && !quotes.some((signs) => signs.includes(value.charAt(0)));
  if (isPlain) return `${key}=${value}`;
  const family = quotes.find((signs) => !endsEarly(value, signs)) ?? quotes[0] ?? '';
  const sign = family.charAt(0);
  return `${key}=${sign}${value}${sign}`;
}

/** Whether a value holds a quote that would end it before its last character. */
function endsEarly(value: string, family: string): boolean {
  return [...value].some((sign, at, all) => family.includes(sign) && /^[\s\u200B]$/.test(all[at + 1] ?? ''));
}

function wordAt(text: string, from: number): string {
  const rest = text.slice(from, from + 65_536);
  return /^\S*/.exec(rest)?.[0] ?? '';
}

/** The value that begins at a position, and where it ends; no text = its quote is never closed. */
function valueAt(text: string, from: number): { readonly text: string | undefined; readonly end: number } {
  const family = quotes.find((signs) => signs.includes(text.charAt(from) || ' '));
  if (family === undefined) {
    const word = wordAt(text, from);
    return { text: word, end: from + word.length };
  }
  for (let end = from + 1; end < text.length; end++) {
    if (!family.includes(text.charAt(end))) continue;
    const after = text.slice(end + 1, end + 2);
    if (after === '' || /[\s\u200B]/.test(after)) return { text: text.slice(from + 1, end), end: end + 1 };
  }
  return { text: undefined, end: text.length };
}

function straySentence(stray: readonly string[]): string {
  const shown = stray
    .slice(0, 3)
    .map((word) => JSON.stringify(word.length > 40 ? `${word.slice(0, 39)}…` : word));
  const more = stray.length > 3 ? ' and more' : '';
  return `${shown.join(', ')}${more} is not written as key=value; values with spaces need quotes`;
}
