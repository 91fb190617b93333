import type { Nodes, Table } from 'mdast';
import { wholeGraphemes } from './graphemes.ts';
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
import { syntaxTree } from './syntax.ts';

/** Longest words behind a fence that are repeated when its code goes on in another part, in UTF-16 units. */
const REPEATED_INFO_MAX = 20;

/**
 * What a part that begins at `start` needs before its text, so that it reads as what it goes on with: quote marks,
 * the fence, the head of the table when there is room for it, the marks of bold and the like.
 */
export function openingAt(outline: Outline, start: number, hasRoom: (head: string) => boolean): string {
  const nodes = outline.nodesAt(start);
  const containers = containersOf(nodes);
  const quotes = quotesOf(containers);
  const leaf = nodes.findLast(
    (node) => node.type === 'code' || node.type === 'table' || node.type === 'paragraph',
  );
  if (leaf?.type === 'code') return quotes + openingOfCode(outline, start, containers, quotes);
  const head = leaf?.type === 'table' ? headOf(outline.text, leaf, containers, quotes) : '';
  const marks = nodes.map((node) => marksOf(outline.text, node, start).opening).join('');
  const shield = leaf?.type === 'paragraph' && marks === '' ? shieldFor(outline.text, start) : '';
  return (hasRoom(head) ? head : '') + quotes + marks + shield;
}

/** What a part from `start` to `end` needs behind its text: the marks of bold and the like, the fence. */
export function closingAt(outline: Outline, start: number, end: number): string {
  // One back, to be inside of a code block that nobody closed.
  const before = outline.nodesAt(end - 1);
  const code = before.at(-1);
  if (code?.type === 'code') {
    const containers = containersOf(before);
    const fence = fenceOf(outline.text, code, containers);
    const open = fence !== undefined && end >= fence.start && (end < spanOf(code).end || !fence.closed);
    return open ? `\n${indentOf(containers, start)}${fence.marks}` : '';
  }
  return outline
    .nodesAt(end)
    .map((node) => marksOf(outline.text, node, end).closing)
    .reverse()
    .join('');
}

/**
 * The text of a part, without the indentation of the list items it goes on with: it would be read as code. A part
 * that begins outside of lists is the text as it is.
 */
export function bodyOf(outline: Outline, start: number, end: number): string {
  const { text } = outline;
  const containers = containersOf(outline.nodesAt(start));
  if (!containers.some(({ kind }) => kind === 'item')) return text.slice(start, end);
  let at = Math.min(nextLineOf(text, start), end);
  let body = text.slice(start, at);
  let depth = containers.length;
  while (at < end) {
    const lineStart = at;
    at = Math.min(nextLineOf(text, lineStart), end);
    const open = containers.filter((container) => lineStart < container.end);
    const from = Math.min(contentStart(text, lineStart, open), at);
    // The end of an item ends its code, and lets another follow at once. Without the item both must be said.
    if (open.length < depth) body += `${quotesOf(open)}${unclosedFence(outline, lineStart)}\n`;
    depth = open.length;
    body += text.slice(lineStart, from).replace(/[^>]/g, '').replaceAll('>', '> ') + text.slice(from, at);
  }
  return body;
}

function openingOfCode(
  { text, nodesAt }: Outline,
  start: number,
  containers: readonly Container[],
  quotes: string,
): string {
  const code = nodesAt(start).at(-1);
  if (code?.type !== 'code') return '';
  const fence = fenceOf(text, code, containers);
  if (fence !== undefined) {
    const ofLine = start > spanOf(code).start + fence.marks.length;
    if (start < fence.start) return ofLine ? fence.marks : '';
    return `${fence.marks}${wholeGraphemes(fence.info, REPEATED_INFO_MAX).trimEnd()}\n${quotes}`;
  }
  // In the middle of a line of indented code.
  return start === contentStart(text, lineStartOf(text, start), containers) ? '' : '    ';
}

/** The marks of the code block that ends before an offset, if neither its own marks nor the end of a quote end it. */
function unclosedFence({ text, nodesAt }: Outline, offset: number): string {
  const nodes = nodesAt(text.slice(0, offset).trimEnd().length - 1);
  const code = nodes.at(-1);
  const containers = containersOf(nodes);
  const fence = code?.type === 'code' ? fenceOf(text, code, containers) : undefined;
  const ended = containers.some(({ kind, end }) => kind === 'quote' && end <= offset);
  return fence === undefined || fence.closed || ended ? '' : fence.marks;
}

function quotesOf(containers: readonly Container[]): string {
  return containers.map(({ kind }) => (kind === 'quote' ? '> ' : '')).join('');
}

function headOf(text: string, table: Table, containers: readonly Container[], quotes: string): string {
  const { start } = spanOf(table);
  const second = nextLineOf(text, start);
  const third = nextLineOf(text, second);
  const head = [text.slice(start, second), text.slice(contentStart(text, second, containers), third)];
  return head.map((line) => `${quotes}${line.trim()}\n`).join('');
}

/** The marks around the content of an inline node, when a place is inside of that content. */
function marksOf(
  text: string,
  node: Nodes,
  offset: number,
): { readonly opening: string; readonly closing: string } {
  const { start, end } = spanOf(node);
  const content = contentOf(text, node);
  if (content === undefined || offset <= content.start || offset >= content.end)
    return { opening: '', closing: '' };
  return { opening: text.slice(start, content.start), closing: text.slice(content.end, end) };
}

function contentOf(text: string, node: Nodes): { readonly start: number; readonly end: number } | undefined {
  const { start, end } = spanOf(node);
  switch (node.type) {
    case 'inlineCode': {
      const ticks = /^`+/.exec(text.slice(start, end))?.[0].length ?? 0;
      return { start: start + ticks, end: end - ticks };
    }
    case 'link':
    case 'linkReference':
      if (text[start] !== '[') return undefined;
      break;
    case 'emphasis':
    case 'strong':
    case 'delete':
      break;
    default:
      return undefined;
  }
  const first = node.children[0];
  const last = node.children.at(-1);
  return first && last && { start: spanOf(first).start, end: spanOf(last).end };
}

/** Longest line that is looked at for what it would begin, in UTF-16 units: no label may be longer. */
const SHIELDED_MAX = 1_000;

/** Words that would begin a list, a heading or the like, now that they begin a part, get a backslash. */
function shieldFor(text: string, start: number): string {
  if (!/[!-/:-@[-`{-~]/.test(text.charAt(start))) return '';
  const line = text.slice(start, Math.min(nextLineOf(text, start), start + SHIELDED_MAX));
  return syntaxTree(line).children[0]?.type === 'paragraph' ? '' : '\\';
}

function indentOf(containers: readonly Container[], start: number): string {
  return containers
    .map((container) => {
      if (container.kind === 'quote') return '> ';
      return container.start < start ? '' : ' '.repeat(container.width);
    })
    .join('');
}
