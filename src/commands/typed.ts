/** What people type, read with forgiveness: phones bend dashes, and pasted text brings characters nobody sees. */

const space = /\p{White_Space}/u;
/** Zero-width characters, direction marks, soft hyphen, byte-order mark. */
const invisible = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]/u;
const everyInvisible = new RegExp(invisible, 'gu');
/** What keyboards make of a hyphen. */
const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu;

/** A word and what follows it. */
export interface Typed {
  /** Lower case, with plain dashes and without invisible characters; `""` when nothing was typed. */
  readonly word: string;
  /** What follows, trimmed, otherwise as typed. */
  readonly rest: string;
}

/** Takes the first word off a text. */
export function firstWord(text: string): Typed {
  const trimmed = trim(text);
  const end = trimmed.search(space);
  if (end < 0) return { word: plainWord(trimmed), rest: '' };
  return { word: plainWord(trimmed.slice(0, end)), rest: trim(trimmed.slice(end)) };
}

/** All words of a text, each as `firstWord` reads it. */
export function words(text: string): readonly string[] {
  return plainWord(text)
    .split(/\p{White_Space}+/u)
    .filter((word) => word !== '');
}

/** Most visible characters of something typed that are repeated to the one who typed it. */
const shownMax = 40;

/** The beginning of what somebody typed, for sentences about it. */
export function shown(typed: string): string {
  // Enough to see where the last visible character ends, however long the text is.
  const visible = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(typed.slice(0, 1_000))];
  if (visible.length <= shownMax) return typed.slice(0, 1_000);
  return `${visible
    .slice(0, shownMax - 1)
    .map(({ segment }) => segment)
    .join('')}…`;
}

function plainWord(word: string): string {
  return word.replace(everyInvisible, '').replace(dashes, '-').normalize('NFC').toLowerCase();
}

/** As loops, because a regular expression for both ends takes long where a text holds many spaces. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charAt(start))) start += 1;
  while (end > start && isBlank(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string): boolean {
  return space.test(character) || invisible.test(character);
}
