import { insideTimes } from './time.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Where the characters that a reader sees begin, ascending, and the end of the text. A time counts as one of them. */
export function graphemeStarts(text: string): number[] {
  const inside = insideTimes(text);
  const starts = Array.from(segmenter.segment(text), ({ index }) => index);
  return [...starts.filter((start) => !inside.has(start)), text.length];
}

/** The longest beginning of a text with at most `maxLength` UTF-16 units that cuts no visible character. */
export function wholeGraphemes(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return text.slice(0, segmenter.segment(text).containing(Math.max(0, maxLength))?.index ?? 0);
}

/** Tells whether a place of this text is between two visible characters. */
export function graphemeBorders(text: string): (offset: number) => boolean {
  const segments = segmenter.segment(text);
  return (offset) => {
    // Between two ASCII characters no look-up is needed, except in CRLF.
    const around = text.slice(Math.max(0, offset - 1), offset + 1);
    if (/^[\0-\x7f]*$/.test(around)) return around !== '\r\n';
    const found = segments.containing(offset);
    return found === undefined || found.index === offset;
  };
}
