import type { BlockContent, PhrasingContent, RootContent } from 'mdast';
import type { Prose, ProsePiece } from '../../engine/prose.ts';
import { checkLink, isAddress, parseMarkdown, readMarkdown } from './parse.ts';
import { Recent } from './recent.ts';
import { toText } from './syntax.ts';
import { type Time, timeOf, unmarked } from './time.ts';
import { literalInlines, rewrite } from './tree.ts';

/**
 * Pieces as one Markdown text. `markdown` pieces format. The place of any other piece decides what becomes of it:
 *
 * - A `value` that is all of a paragraph is Markdown itself, as `parseMarkdown` reads it.
 * - Inside a line, and for `literal` pieces everywhere, it is the text as it is: each line break a hard break, a
 *   space in headings and table cells, and nothing at the edge of a paragraph or of formatted text.
 * - In inline code and code blocks it is those characters, in inline code with spaces for line breaks.
 * - As the whole address of a link it is that address if links may lead there; else, and inside an address, it is
 *   percent-encoded.
 *
 * A `time` becomes a node of its own in the text of a paragraph, heading or cell, and everywhere else that time in UTC.
 *
 * A piece can't end what it stands in, and is not looked at for placeholders. HTML in any piece is text. Half
 * characters become U+FFFD: platforms refuse texts with them; and so do the signs that times are written with, so
 * that nothing but a `time` piece can make one. The text is for `parseMarkdown` and `splitMarkdown`: composed again, its
 * times are lost.
 */
export function compose(pieces: Prose): string {
  const prose = pieces.map(({ kind, text }) => ({ kind, text: unmarked(text.toWellFormed()) }));
  return recent.get(JSON.stringify(prose), () => composed(prose));
}

/** A message is composed again, often the same, each time it is edited. */
const recent = new Recent();

function composed(prose: Prose): string {
  const slots = makeSlots(prose);
  const tree = rewrite(readMarkdown(slots.template), {
    block: (node) => fillBlock(node, slots),
    inline: (node) => fillInline(node, slots).flatMap(checkLink),
  });
  return toText(tree);
}

/** A text with a mark in the place of each piece that is not Markdown. */
interface Slots {
  readonly template: string;
  /** The piece whose mark a text consists of. */
  only(text: string): ProsePiece | undefined;
  /** A text in pieces: what was written, and what the marks in it stand for. */
  split(text: string): readonly ({ readonly written: string } | { readonly filled: ProsePiece })[];
}

function makeSlots(prose: Prose): Slots {
  // Letters and digits stand in a text as a word does; the key is nowhere in it, so that no piece can forge a mark.
  const text = prose.map((piece) => piece.text).join('');
  let attempt = 0;
  while (text.includes(`zq${attempt}x`)) attempt += 1;
  const key = `zq${attempt}x`;
  const mark = (index: number) => `${key}${index}z`;
  const marks = new RegExp(`${key}(\\d+)z`);
  return {
    template: prose.map((piece, index) => (piece.kind === 'markdown' ? piece.text : mark(index))).join(''),
    only: (text) => prose.find((_, index) => text === mark(index)),
    split: (text) =>
      text
        .split(marks)
        .map((part, index) =>
          index % 2 === 0
            ? { written: part }
            : { filled: prose[Number(part)] ?? { kind: 'literal', text: '' } },
        ),
  };
}

function fillBlock(node: RootContent, slots: Slots): BlockContent[] | undefined {
  if (node.type === 'code') {
    return [
      {
        ...node,
        lang: node.lang ? oneLine(fill(node.lang, slots)) : null,
        meta: node.meta ? oneLine(fill(node.meta, slots)) : null,
        value: fill(node.value, slots).replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD'),
      },
    ];
  }
  if (node.type !== 'paragraph' || node.children.length !== 1) return undefined;
  const [child] = node.children;
  const piece = child?.type === 'text' ? slots.only(child.value) : undefined;
  return piece?.kind === 'value' ? parseMarkdown(piece.text).children : undefined;
}

function fillInline(node: PhrasingContent, slots: Slots): PhrasingContent[] {
  switch (node.type) {
    case 'text':
      return slots
        .split(node.value)
        .flatMap((part): PhrasingContent[] =>
          'filled' in part ? filledInlines(part.filled) : [{ type: 'text', value: part.written }],
        );
    case 'inlineCode': {
      const value = oneLine(fill(node.value, slots));
      return value === '' ? [] : [{ ...node, value }];
    }
    case 'link': {
      const address = slots.only(node.url)?.text;
      if (address !== undefined && isAddress(address)) return [{ ...node, url: address }];
      return [{ ...node, url: fill(node.url, slots, percentEncode) }];
    }
    default:
      return [node];
  }
}

function filledInlines(piece: ProsePiece): PhrasingContent[] {
  const time = timeIn(piece);
  return time ? [time] : literalInlines(piece.text);
}

function shownText(piece: ProsePiece): string {
  return timeIn(piece)?.value ?? piece.text;
}

function timeIn({ kind, text }: ProsePiece): Time | undefined {
  return kind === 'time' ? timeOf(text) : undefined;
}

function fill(text: string, slots: Slots, encode = (value: string) => value): string {
  return slots
    .split(text)
    .map((part) => ('filled' in part ? encode(shownText(part.filled)) : part.written))
    .join('');
}

function percentEncode(text: string): string {
  return encodeURIComponent(text);
}

function oneLine(text: string): string {
  return text.replace(/\r\n|[\r\n]/g, ' ').replaceAll('\0', '\uFFFD');
}
