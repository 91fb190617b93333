import { FILE_TEXT_MAX_CHARS, NOTES_MAX_CHARS, SHOWN_MAX_CHARS } from '../limits.ts';
import type { PostContent } from '../post.ts';
import { textFile } from '../post-file.ts';
import {
  beginning,
  cutProse,
  literal,
  md,
  type Prose,
  type ProsePiece,
  proseLength,
  value,
} from '../prose.ts';
import { MARKS_MAX, reveal } from '../reveal.ts';
import type { Ask } from '../steps/step-type.ts';

const NOT_RUN = '(This step did not run on this path, so it has no output.)';

/** What a question asks about, for its card: the notes and what is shown, as far as there is room; nothing hides in it. */
export function shownContent(ask: Ask): Prose {
  const { notes, show } = ask;
  const marks = new Set<string>();
  const prose: ProsePiece[] = [];
  const rest = restOf(ask);
  if (notes.length > 0) {
    const note = `_This is too long for a card: its beginning is shown. ${rest}_`;
    prose.push(md('\n\n'), ...cutProse(notes, NOTES_MAX_CHARS, note).map(revealed));
  }
  let room = SHOWN_MAX_CHARS;
  for (const { name, text } of show) {
    prose.push(md('\n\n**'), literal(name), md('**\n\n'), ...shownText(text));
  }
  if (marks.size === 0) return prose;
  return [...prose, md('\n\n⚠️ '), literal([...marks].slice(0, MARKS_MAX).join(' '))];

  /** As far as there is room for it with its labels. */
  function shownText(text: string | null): Prose {
    if (text === null) return [md(NOT_RUN)];
    if (text.trim() === '') return [md('(empty)')];
    const looked = beginning(text, room === 0 ? 0 : SHOWN_MAX_CHARS);
    const { text: labelled } = revealed(value(looked));
    const shown = beginning(labelled, room);
    room -= shown.length;
    if (shown.length === labelled.length && looked.length === text.length) return [value(shown)];
    return [value(shown), md(`\n\n_The rest is too long for a card. ${rest}_`)];
  }

  /** Markdown is the flow's own. */
  function revealed(piece: ProsePiece): ProsePiece {
    if (piece.kind === 'markdown') return piece;
    const { text, marks: found } = reveal(piece.text);
    for (const mark of found) marks.add(mark);
    return { ...piece, text };
  }
}

/** All that is asked about as a file, when the card shows only a part of it: a post of its own, because files can't be edited. */
export function wholeCard(step: string, ask: Ask): PostContent | undefined {
  if (fitsOnCard(ask)) return undefined;
  return { prose: [], buttons: [], notify: [], files: [textFile(`${step}.md`, wholeText(ask))] };
}

function fitsOnCard({ show, notes }: Ask): boolean {
  if (shownLength(show) > SHOWN_MAX_CHARS || proseLength(notes) > NOTES_MAX_CHARS) return false;
  const revealed = show.map(({ name, text }) => ({ name, text: text && reveal(text).text }));
  return shownLength(revealed) <= SHOWN_MAX_CHARS;
}

function shownLength(show: Ask['show']): number {
  return show.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
}

const CUT = '\n\n(The rest does not fit into this file.)';

/** As much as a file has room for: what does not get into it is not looked at, because that takes long. */
function wholeText(ask: Ask): string {
  let room = FILE_TEXT_MAX_CHARS;
  const text = sections(ask, (part) => {
    const kept = beginning(part, room);
    room -= kept.length;
    return reveal(kept).text;
  });
  if (text.length <= FILE_TEXT_MAX_CHARS && wholeLength(ask) <= FILE_TEXT_MAX_CHARS) return text;
  return `${beginning(text, FILE_TEXT_MAX_CHARS)}${CUT}`;
}

function wholeLength(ask: Ask): number {
  return sections(ask, () => '').length + proseLength(ask.notes) + shownLength(ask.show);
}

/** Notes and outputs as one text. @param shown what becomes of each piece */
function sections({ notes, show }: Ask, shown: (text: string) => string): string {
  return [
    ...(notes.length > 0 ? [notes.map(({ text }) => shown(text)).join('')] : []),
    ...show.map(({ name, text }) => `# ${name}\n\n${text === null ? NOT_RUN : shown(text)}`),
  ].join('\n\n');
}

/** Where the rest of a content is that a card has no room for. */
function restOf(ask: Ask): string {
  const length = fitsOnCard(ask) ? 0 : wholeLength(ask);
  return length > FILE_TEXT_MAX_CHARS
    ? `The file below has only the first ${FILE_TEXT_MAX_CHARS.toLocaleString('en')} characters of ${length.toLocaleString('en')}.`
    : 'All of it is in the file below.';
}
