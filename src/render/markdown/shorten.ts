import { wholeGraphemes } from './graphemes.ts';

/**
 * Plain text of at most `maxLength` UTF-16 units; when something is cut, by whole visible characters, it ends in `…`.
 * Half characters become U+FFFD.
 */
export function shorten(anyText: string, maxLength: number): string {
  const text = anyText.toWellFormed();
  if (text.length <= maxLength) return text;
  return maxLength < 1 ? '' : `${wholeGraphemes(text, maxLength - 1).trimEnd()}…`;
}
