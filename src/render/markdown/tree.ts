import type { BlockContent, ListItem, PhrasingContent, Root, RootContent } from 'mdast';

/** A document of blocks. */
export interface Document extends Root {
  children: BlockContent[];
}

/** What `rewrite` puts in the place of nodes. */
export interface Rewriting {
  /** What stands for a block; undefined = the block itself, with its content rewritten. */
  readonly block?: (node: RootContent) => BlockContent[] | undefined;
  /** What stands for an inline node, whose own children are rewritten already. */
  readonly inline: (node: PhrasingContent) => PhrasingContent[];
}

/**
 * A copy of a tree that `readMarkdown` made, rewritten. Neighbouring texts become one, hard breaks at the edge of a
 * paragraph or span go, and what has no content left goes too.
 */
export function rewrite(tree: Root, { block, inline }: Rewriting): Document {
  const blocks = (nodes: readonly RootContent[]): BlockContent[] =>
    nodes.flatMap((node) => block?.(node) ?? rewriteBlock(node));

  const rewriteBlock = (node: RootContent): BlockContent[] => {
    switch (node.type) {
      case 'paragraph': {
        const children = inlines(node.children);
        return children.length === 0 ? [] : [{ ...node, children }];
      }
      case 'heading': {
        const children = oneLine(inlines(node.children));
        return children.length === 0 ? [] : [{ ...node, children }];
      }
      case 'blockquote':
        return [{ ...node, children: blocks(node.children) }];
      case 'list': {
        const items = node.children.map((item) => {
          const content = blocks(item.children);
          return {
            ...item,
            ...boxed(item, content),
            spread: item.spread || content.length > item.children.length,
          };
        });
        return [{ ...node, children: items }];
      }
      case 'table': {
        const rows = node.children.map((row) => ({
          ...row,
          children: row.children.map((cell) => ({ ...cell, children: oneLine(inlines(cell.children)) })),
        }));
        return [{ ...node, children: rows }];
      }
      case 'code':
      case 'thematicBreak':
        return [node];
      default:
        return [];
    }
  };

  const inlines = (nodes: readonly PhrasingContent[]): PhrasingContent[] =>
    tidy(nodes.flatMap((node) => rewriteInline(node)));

  const rewriteInline = (node: PhrasingContent): PhrasingContent[] => {
    switch (node.type) {
      case 'emphasis':
      case 'strong':
      case 'delete': {
        const children = inlines(node.children);
        return children.length === 0 ? [] : inline({ ...node, children });
      }
      case 'link':
        return inline({ ...node, children: inlines(node.children) });
      default:
        return inline(node);
    }
  };

  return { type: 'root', children: blocks(tree.children) };
}

/** The box of a task stands before words. An item that has lost them, or never had any, keeps it as text. */
function boxed({ checked }: ListItem, children: BlockContent[]): Pick<ListItem, 'checked' | 'children'> {
  if (typeof checked !== 'boolean' || children[0]?.type === 'paragraph')
    return { checked: checked ?? null, children };
  const box: BlockContent = {
    type: 'paragraph',
    children: [{ type: 'text', value: checked ? '[x]' : '[ ]' }],
  };
  return { checked: null, children: [box, ...children] };
}

/**
 * A text exactly as it is, as inline nodes: each of its line breaks is a hard break. Only NUL, which no Markdown can
 * hold, becomes U+FFFD.
 */
export function literalInlines(text: string): PhrasingContent[] {
  return text
    .replaceAll('\0', '\uFFFD')
    .split(/\r\n|\r|\n/)
    .flatMap((line, index): PhrasingContent[] => {
      const words: PhrasingContent[] = line === '' ? [] : [{ type: 'text', value: line }];
      return index === 0 ? words : [{ type: 'break' }, ...words];
    });
}

/** The text of inline nodes, without their formatting. */
export function textOf(nodes: readonly PhrasingContent[]): string {
  return nodes
    .map((node) => {
      if ('children' in node) return textOf(node.children);
      if (node.type === 'break') return '\n';
      return 'value' in node ? node.value : '';
    })
    .join('');
}

/** Inline nodes with neighbouring texts joined, and without hard breaks at the edges, where none can be written. */
export function tidy(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const full = nodes.filter((node) => node.type !== 'text' || node.value !== '');
  const first = full.findIndex((node) => node.type !== 'break');
  const last = full.findLastIndex((node) => node.type !== 'break');
  const joined: PhrasingContent[] = [];
  for (const node of first < 0 ? [] : full.slice(first, last + 1)) {
    const before = joined.at(-1);
    if (node.type === 'text' && before?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', value: before.value + node.value };
    } else joined.push(node);
  }
  return joined;
}

/** The same with spaces for line breaks: what headings and cells of tables can hold. */
function oneLine(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  return tidy(
    nodes.map((node): PhrasingContent => {
      switch (node.type) {
        case 'break':
          return { type: 'text', value: ' ' };
        case 'text':
          return { type: 'text', value: node.value.replaceAll('\n', ' ') };
        case 'emphasis':
        case 'strong':
        case 'delete':
        case 'link':
          return { ...node, children: oneLine(node.children) };
        default:
          return node;
      }
    }),
  );
}
