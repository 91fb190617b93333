import type { Code, ListItem, Nodes, Root } from 'mdast';
import { syntaxTree } from './syntax.ts';

/** A quote or list item around a place of a text, outermost first. */
export interface Container {
  readonly kind: 'quote' | 'item';
  /** Columns of white space with which further lines of an item begin. */
  readonly width: number;
  readonly start: number;
  readonly end: number;
}

/** A Markdown text with its structure, for cutting it. All places are offsets in UTF-16 units. */
export interface Outline {
  readonly text: string;
  readonly tree: Root;
  /** The nodes that a place is strictly inside of, outermost first, without the root. */
  nodesAt(offset: number): readonly Nodes[];
}

/** The structure of a text. */
export function outlineOf(text: string): Outline {
  const tree = syntaxTree(text);
  clip(tree, text, text.length);
  return { text, tree, nodesAt: (offset) => nodesAt(tree, offset) };
}

/** First offset of a node, and the offset behind it. */
export function spanOf(node: Nodes): { readonly start: number; readonly end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

/** Makes nodes end before what follows them: the parser lets items with unclosed code reach into the next line. */
function clip(node: Nodes, text: string, end: number): void {
  if (node.position !== undefined) node.position.end.offset = Math.min(spanOf(node).end, end);
  if (!('children' in node)) return;
  node.children.forEach((child, index) => {
    const next = node.children[index + 1];
    const overlaps = next !== undefined && spanOf(child).end > spanOf(next).start;
    const lineStart = overlaps ? lineStartOf(text, spanOf(next).start) : text.length;
    clip(child, text, overlaps ? text.slice(0, lineStart).trimEnd().length : spanOf(node).end);
  });
}

function nodesAt(root: Root, offset: number): Nodes[] {
  const path: Nodes[] = [];
  let node: Nodes | undefined = root;
  while (node !== undefined && 'children' in node) {
    node = childAt(node.children, offset);
    if (node !== undefined) path.push(node);
  }
  return path;
}

function childAt(children: readonly Nodes[], offset: number): Nodes | undefined {
  let low = 0;
  let high = children.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const child = children[middle];
    if (child === undefined) return undefined;
    const { start, end } = spanOf(child);
    if (offset <= start) high = middle - 1;
    else if (offset >= end) low = middle + 1;
    else return child;
  }
  return undefined;
}

/** The containers among nodes. An indented fence counts as one: its lines lose as much indentation as it has. */
export function containersOf(nodes: readonly Nodes[]): Container[] {
  const containers: Container[] = [];
  let column = 1;
  for (const node of nodes) {
    const at = node.position?.start.column ?? 1;
    if (node.type === 'blockquote') {
      containers.push({ kind: 'quote', width: 0, ...spanOf(node) });
      column = at + 2;
    } else if (node.type === 'listItem') {
      const child = node.children[0]?.position?.start;
      const sameLine = child !== undefined && child.line === node.position?.start.line;
      const content = sameLine ? child.column - boxWidth(node) : at + 2;
      containers.push({ kind: 'item', width: Math.max(0, content - column), ...spanOf(node) });
      column = content;
    } else if (node.type === 'code' && at > column) {
      containers.push({ kind: 'item', width: at - column, ...spanOf(node) });
    }
  }
  return containers;
}

/** How far the parser has moved the beginning of a task's content behind its box. */
function boxWidth({ checked, children: [first] }: ListItem): number {
  if (typeof checked !== 'boolean' || first?.type !== 'paragraph') return 0;
  // A paragraph that begins with something formatted is left where it was.
  const isMoved = first.position?.start.offset === first.children[0]?.position?.start.offset;
  return isMoved ? '[x] '.length : 0;
}

/** Where the content of a line begins, behind the quote marks and the indentation of its containers. */
export function contentStart(text: string, lineStart: number, containers: readonly Container[]): number {
  let at = lineStart;
  for (const { kind, width } of containers) {
    if (kind === 'quote') {
      QUOTE_MARK.lastIndex = at;
      const mark = QUOTE_MARK.exec(text);
      if (mark === null) return at;
      at += mark[0].length;
    } else {
      for (let column = 0; column < width && (text[at] === ' ' || text[at] === '\t'); at += 1) {
        column += text[at] === '\t' ? 4 : 1;
      }
    }
  }
  return at;
}

const QUOTE_MARK = / {0,3}>[ \t]?/y;

/** Where the line of a place begins. */
export function lineStartOf(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

/** Where the next line begins; the end of the text when there is none. */
export function nextLineOf(text: string, offset: number): number {
  LINE_END.lastIndex = offset;
  const found = LINE_END.exec(text);
  return found === null ? text.length : found.index + found[0].length;
}

const LINE_END = /\r\n|\n|\r/g;

/** The fence of a code block: its opening marks, what is said behind them, and where the lines of code are. */
export interface Fence {
  readonly marks: string;
  readonly info: string;
  readonly start: number;
  readonly end: number;
  readonly closed: boolean;
}

/** The fence of a code block; undefined when the code is only indented. */
export function fenceOf(text: string, node: Code, containers: readonly Container[]): Fence | undefined {
  if (!fences.has(node)) fences.set(node, readFence(text, node, containers));
  return fences.get(node);
}

/** Those that were read: a cut is looked for at every character, and a block may be as long as the text. */
const fences = new WeakMap<Code, Fence | undefined>();

function readFence(text: string, node: Code, containers: readonly Container[]): Fence | undefined {
  const span = spanOf(node);
  const opening = /^(`{3,}|~{3,})([^\r\n]*)/.exec(text.slice(span.start, span.end));
  const marks = opening?.[1];
  if (opening === null || marks === undefined) return undefined;
  const start = Math.min(nextLineOf(text, span.start), span.end);
  const lastLine = lineStartOf(text, span.end);
  const last = text.slice(contentStart(text, lastLine, containers), span.end).trim();
  const closed = lastLine >= start && last.startsWith(marks) && last === marks.charAt(0).repeat(last.length);
  return { marks, info: opening[2]?.trim() ?? '', start, end: closed ? lastLine : span.end, closed };
}
