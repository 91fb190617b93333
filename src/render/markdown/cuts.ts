import type { Code, Nodes, PhrasingContent, Table, Text } from 'mdast';
import { graphemeBorders } from './graphemes.ts';
import {
  type Container,
  containersOf,
  contentStart,
  fenceOf,
  lineStartOf,
  nextLineOf,
  type Outline,
  spanOf,
} from './outline.ts';

/** How good a place to cut is, best first. */
export const Rank = { end: 0, block: 1, item: 2, nested: 3, line: 4, sentence: 5, space: 6 } as const;
export type Rank = (typeof Rank)[keyof typeof Rank];

/** A place to cut: what is before `end` stays in the part, the next part begins at `next`. */
export interface Cut {
  readonly end: number;
  readonly next: number;
  readonly rank: Rank;
}

/**
 * The places where a text can be cut without tearing a word, a link, inline code or a `<…>` token, ascending. Between
 * `end` and `next` are only white space, quote marks, and the backslash of a hard break.
 */
export function findCuts({ text, tree }: Outline): Cut[] {
  const cuts: Cut[] = [];
  const isBorder = graphemeBorders(text);
  walk(tree, { text, around: [], add: (cut) => isBorder(cut.end) && isBorder(cut.next) && cuts.push(cut) });
  return cuts;
}

interface Walk {
  readonly text: string;
  /** The nodes around, outermost first. */
  readonly around: readonly Nodes[];
  add(cut: Cut): void;
}

function walk(node: Nodes, at: Walk): void {
  const inside = { ...at, around: node.type === 'root' ? [] : [...at.around, node] };
  switch (node.type) {
    case 'root':
      walkBlocks(node.children, inside, Rank.block);
      break;
    case 'blockquote':
    case 'list':
    case 'listItem':
      walkBlocks(node.children, inside, depthOf(inside) > 1 ? Rank.nested : Rank.item);
      break;
    case 'table':
      walkTable(node, inside);
      break;
    case 'code':
      walkCode(node, inside);
      break;
    case 'paragraph':
    case 'heading':
    case 'tableCell':
      walkInlines(node.children, inside);
      break;
    case 'html':
      walkWords(node, inside);
      break;
    default:
      break;
  }
}

function depthOf({ around }: Walk): number {
  return around.filter((node) => node.type === 'blockquote' || node.type === 'listItem').length;
}

function walkBlocks(children: readonly Nodes[], at: Walk, rank: Rank): void {
  const containers = containersOf(at.around);
  children.forEach((child, index) => {
    const before = children[index - 1];
    if (before !== undefined) {
      const { start } = spanOf(child);
      const next = Math.min(start, contentStart(at.text, lineStartOf(at.text, start), containers));
      const from = spanOf(before).start;
      const end = from + at.text.slice(from, spanOf(before).end).trimEnd().length;
      // A heading at the end of a part has lost what it is about.
      at.add({ end, next, rank: before.type === 'heading' ? Rank.sentence : rank });
    }
    walk(child, at);
  });
}

function walkTable(table: Table, at: Walk): void {
  table.children.forEach((row, index) => {
    const before = table.children[index - 1];
    // Before the first row of the body is the line that makes it a table.
    if (before !== undefined && index > 1) {
      at.add({ end: spanOf(before).end, next: spanOf(row).start, rank: Rank.item });
    }
    for (const cell of row.children) walk(cell, { ...at, around: [...at.around, row] });
  });
}

function walkCode(code: Code, at: Walk): void {
  const { text } = at;
  const containers = containersOf(at.around);
  const fence = fenceOf(text, code, containers);
  const { start, end } = fence ?? spanOf(code);
  let filled: number | undefined;
  let blankBefore = false;
  for (let line = start; line < end; line = nextLineOf(text, line)) {
    // The first line of indented code has its containers' marks before it.
    const from = line === start && fence === undefined ? line : contentStart(text, line, containers);
    const words = text.slice(from, Math.min(nextLineOf(text, line), end)).trimEnd();
    if (words === '') {
      blankBefore = true;
      continue;
    }
    if (filled !== undefined) {
      at.add({ end: filled, next: from, rank: blankBefore ? Rank.nested : Rank.line });
    }
    for (const { index, 0: gap } of words.matchAll(/(?<=\S)[ \t]+/g)) {
      at.add({ end: from + index, next: from + index + gap.length, rank: Rank.space });
    }
    filled = from + words.length;
    blankBefore = false;
  }
}

function walkInlines(nodes: readonly PhrasingContent[], at: Walk): void {
  for (const node of nodes) {
    if (node.type === 'text') walkWords(node, at);
    else if (node.type === 'break') addLineCut(spanOf(node).start, at);
    else if (node.type === 'emphasis' || node.type === 'strong' || node.type === 'delete') {
      walkInlines(node.children, at);
    }
  }
}

/** White space, the end of a sentence that no space follows, and what must stay whole although it has spaces. */
const GAPS =
  /<[^<>\s][^<>\r\n]{0,200}>|([ \t\u3000]*(?:\r\n|\n|\r))|([ \t\u3000]+)|(?<=[。！？])(?=[^\s。！？])/g;

function walkWords(node: Text | Extract<Nodes, { type: 'html' }>, at: Walk): void {
  const { start, end } = spanOf(node);
  const words = at.text.slice(start, end);
  const gaps = new RegExp(GAPS);
  for (let gap = gaps.exec(words); gap !== null; gap = gaps.exec(words)) {
    const [whole, line, space] = gap;
    const from = start + gap.index;
    if (line !== undefined) {
      gaps.lastIndex = Math.max(addLineCut(from, at) - start, gaps.lastIndex);
    } else if (space !== undefined || whole === '') {
      const sentence = /[.!?…。！？]["'”’)\]*_]*$/.test(at.text.slice(Math.max(start, from - 4), from));
      at.add({ end: from, next: from + whole.length, rank: sentence ? Rank.sentence : Rank.space });
      if (whole === '') gaps.lastIndex += 1;
    }
  }
}

/** Adds the cut at the line break at `end`, and returns where the next line begins. */
function addLineCut(end: number, { text, around, add }: Walk): number {
  const containers: readonly Container[] = containersOf(around);
  let next = contentStart(text, nextLineOf(text, end), containers);
  while (text[next] === ' ' || text[next] === '\t') next += 1;
  add({ end, next, rank: Rank.line });
  return next;
}
