import type {
  BlockContent,
  Definition,
  Image,
  ImageReference,
  LinkReference,
  List,
  Nodes,
  PhrasingContent,
  RootContent,
  Table,
} from 'mdast';
import { syntaxTree } from './syntax.ts';
import { readTimes } from './time.ts';
import { type Document, literalInlines, rewrite, textOf, tidy } from './tree.ts';

/** Quotes and lists inside each other; deeper ones are taken apart, their content stays. */
const BLOCK_DEPTH_MAX = 16;
/** Bold, italic and struck text inside each other; deeper text loses the formatting. */
const INLINE_DEPTH_MAX = 6;

/**
 * Reads Markdown from anybody into a tree that is safe to render. It never throws, and makes only these nodes:
 * `paragraph heading blockquote list listItem code thematicBreak table tableRow tableCell`, and inline
 * `text emphasis strong delete inlineCode break link time`, all without positions.
 *
 * - HTML is text. An image is a link with its description, or else its address, as the label.
 * - References are resolved; titles of links are left out.
 * - Links lead to `http:`, `https:` and `mailto:` only; of any other the label stays, with the address behind it.
 * - Times are those that `compose` has written; in the label of a link they are text.
 */
export function parseMarkdown(markdown: string): Document {
  return rewrite(readMarkdown(markdown), { inline: checkLink });
}

/** As `parseMarkdown`, but links may lead anywhere. */
export function readMarkdown(markdown: string): Document {
  const tree = syntaxTree(markdown);
  const place: Place = { definitions: new Map(), depth: 0, inLink: false };
  collectDefinitions(tree, place.definitions);
  return { type: 'root', children: readBlocks(tree.children, place) };
}

/** A link that leads to the web or a mailbox as it is, any other as text; any other node as it is. */
export function checkLink(node: PhrasingContent): PhrasingContent[] {
  if (node.type !== 'link') return [node];
  const url = node.url.replace(/[\s<>\\\p{Cc}]/gu, encodeURIComponent);
  const label = node.children.length > 0 ? node.children : literalInlines(url);
  if (isAddress(url)) return [{ ...node, url, children: label }];
  return url === '' || textOf(label) === url ? label : tidy([...label, ...literalInlines(` (${url})`)]);
}

/** Whether a link may lead there. */
export function isAddress(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s<>\p{Cc}]+$/iu.test(url);
}

interface Place {
  readonly definitions: Map<string, Definition>;
  /** How many blocks, or how many spans, are around the nodes. */
  readonly depth: number;
  readonly inLink: boolean;
}

function collectDefinitions(node: Nodes, definitions: Map<string, Definition>): void {
  if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
  if ('children' in node) for (const child of node.children) collectDefinitions(child, definitions);
}

function readBlocks(nodes: readonly RootContent[], place: Place): BlockContent[] {
  return nodes.flatMap((node) => readBlock(node, place));
}

function readBlock(node: RootContent, place: Place): BlockContent[] {
  const inside = { ...place, depth: place.depth + 1 };
  const text = { ...place, depth: 0 };
  switch (node.type) {
    case 'paragraph':
      return [{ type: 'paragraph', children: readInlines(node.children, text) }];
    case 'heading':
      return [{ type: 'heading', depth: node.depth, children: readInlines(node.children, text) }];
    case 'blockquote': {
      const children = readBlocks(node.children, inside);
      return place.depth < BLOCK_DEPTH_MAX ? [{ type: 'blockquote', children }] : children;
    }
    case 'list': {
      const list = readList(node, inside);
      return place.depth < BLOCK_DEPTH_MAX
        ? [list]
        : list.children.flatMap((item) => readBlocks(item.children, inside));
    }
    case 'table':
      return [readTable(node, text)];
    case 'code':
      return [{ type: 'code', lang: node.lang ?? null, meta: node.meta ?? null, value: node.value }];
    case 'thematicBreak':
      return [{ type: 'thematicBreak' }];
    case 'html':
      return [{ type: 'paragraph', children: literalInlines(node.value) }];
    default:
      return [];
  }
}

function readList(node: List, place: Place): List {
  return {
    type: 'list',
    ordered: node.ordered ?? false,
    start: node.start ?? null,
    spread: node.spread ?? false,
    children: node.children.map((item) => ({
      type: 'listItem',
      checked: item.checked ?? null,
      spread: item.spread ?? false,
      children: readBlocks(item.children, place),
    })),
  };
}

function readTable(node: Table, place: Place): Table {
  return {
    type: 'table',
    align: node.align ?? [],
    children: node.children.map((row) => ({
      type: 'tableRow',
      children: row.children.map((cell) => ({
        type: 'tableCell',
        children: readInlines(cell.children, place),
      })),
    })),
  };
}

function readInlines(nodes: readonly PhrasingContent[], place: Place): PhrasingContent[] {
  return tidy(nodes.flatMap((node) => readInline(node, place)));
}

function readInline(node: PhrasingContent, place: Place): PhrasingContent[] {
  switch (node.type) {
    case 'text': {
      const nodes = readTimes(node.value);
      return place.inLink ? [{ type: 'text', value: textOf(nodes) }] : nodes;
    }
    case 'inlineCode':
      return [{ type: 'inlineCode', value: node.value }];
    case 'break':
      return [{ type: 'break' }];
    case 'html':
      return literalInlines(node.value);
    case 'emphasis':
    case 'strong':
    case 'delete': {
      const children = readInlines(node.children, { ...place, depth: place.depth + 1 });
      return place.depth < INLINE_DEPTH_MAX ? [{ type: node.type, children }] : children;
    }
    case 'link':
      return [
        { type: 'link', url: node.url, children: readInlines(node.children, { ...place, inLink: true }) },
      ];
    case 'linkReference':
      return readReference(node, readInlines(node.children, { ...place, inLink: true }), place);
    case 'image':
      return readImage(node, node.url, place);
    case 'imageReference':
      return readReference(node, literalInlines(node.alt ?? ''), place);
    default:
      return [];
  }
}

function readImage(node: Image, url: string, place: Place): PhrasingContent[] {
  const label = literalInlines(node.alt || url);
  return place.inLink ? label : [{ type: 'link', url, children: label }];
}

function readReference(
  node: LinkReference | ImageReference,
  label: PhrasingContent[],
  { definitions, inLink }: Place,
): PhrasingContent[] {
  const url = definitions.get(node.identifier)?.url;
  return url === undefined || inLink ? label : [{ type: 'link', url, children: label }];
}
