import type { Json } from './json.ts';
import { utcMinute } from './utc.ts';

/**
 * Text on its way to people, in pieces that remember where they came from. `render/markdown` turns the pieces
 * into Markdown: only `markdown` pieces can format, and nothing in any piece can mention anybody.
 *
 * - `markdown`: written in the flow file or by Flowbot itself; its Markdown counts.
 * - `value`: data. Alone in its paragraph it is Markdown; inside a line it is literal text.
 * - `literal`: always literal text (names, titles, what people typed).
 * - `person`: the address of a person or role, shown as the name that people of the platform know, and never a mention.
 * - `time`: an instant in ISO 8601 with `Z`, shown in the reader's own time zone where the platform can, else in UTC.
 */
export type ProsePiece =
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'person'; readonly text: string }
  | { readonly kind: 'time'; readonly text: string };

/** Text for people as pieces, in order. */
export type Prose = readonly ProsePiece[];

/** A piece written by Flowbot or the flow's author. */
export const md = (text: string): ProsePiece => ({ kind: 'markdown', text });
/** A piece that must be shown exactly as it is. */
export const literal = (text: string): ProsePiece => ({ kind: 'literal', text });
/** A piece that names a person or role by address. */
export const person = (address: string): ProsePiece => ({ kind: 'person', text: address });
/** A piece that names an instant (epoch ms). */
export const time = (atMs: number): ProsePiece => ({ kind: 'time', text: new Date(atMs).toISOString() });
/** A piece that came from data. */
export const value = (text: string): ProsePiece => ({ kind: 'value', text });

/** How data reads as text: text as it is, everything else as compact JSON. */
export function asText(data: Json): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}

/** The beginning of a text, at most `maxChars` UTF-16 units, cut between whole visible characters. */
export function beginning(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A little more than is kept is enough to see where the last visible character ends.
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(
    text.slice(0, maxChars + 200),
  );
  return text.slice(0, graphemes.containing(maxChars)?.index ?? 0);
}

/** The same for people: where it is not all of the text it ends with `…`, which counts. */
export function beginningOf(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${beginning(text, maxChars - 1)}…`;
}

/**
 * The beginning of a text for people, at most `maxChars` long and cut between whole visible characters, with a note
 * about it on top; the text itself when it is short enough. The note stands on top because a cut may leave a code
 * block open, and a note below would be swallowed by it.
 *
 * @param note Markdown. No count in it: what a reader would count is slow to find out for a text of many megabytes.
 */
export function cutProse(
  prose: Prose,
  maxChars: number,
  note = '_This is too long: only its beginning is shown._',
): Prose {
  if (proseLength(prose) <= maxChars) return prose;
  const kept: ProsePiece[] = [];
  let room = maxChars;
  for (const piece of prose) {
    const text = beginning(piece.text, room);
    if (text !== '') kept.push({ ...piece, text });
    if (text.length < piece.text.length) break;
    room -= text.length;
  }
  return [md(`${note}\n\n`), ...kept];
}

/** A text for people as it reads without formatting, people by their addresses. */
export function textOf(prose: Prose): string {
  return prose.map(({ kind, text }) => (kind === 'time' ? utcMinute(Date.parse(text)) : text)).join('');
}

/** How long a text for people is, in UTF-16 units. */
export function proseLength(prose: Prose): number {
  return prose.reduce((sum, piece) => sum + piece.text.length, 0);
}
