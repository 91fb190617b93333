import type { List, PhrasingContent, RootContent, Table } from 'mdast';
import { parseMarkdown } from './parse.ts';
import { textOf } from './tree.ts';

/**
 * Markdown as plain text, for terminals and notifications: formatting marks go, lists, quotes and tables keep theirs,
 * and an address stands behind its label. Blocks have an empty line between them. It is not Markdown any more.
 */
export function plainText(markdown: string): string {
  return blocksText(parseMarkdown(markdown).children);
}

function blocksText(blocks: readonly RootContent[], between = '\n\n'): string {
  return blocks.map(blockText).join(between);
}

function blockText(node: RootContent): string {
  switch (node.type) {
    case 'paragraph':
    case 'heading':
      return inlineText(node.children);
    case 'blockquote':
      return indent(blocksText(node.children), '> ', '> ');
    case 'list':
      return listText(node);
    case 'table':
      return rowsText(node);
    case 'code':
      return node.value;
    case 'thematicBreak':
      return '---';
    default:
      return '';
  }
}

function listText(list: List): string {
  const items = list.children.map((item, index) => {
    const box = typeof item.checked === 'boolean' ? (item.checked ? '[x] ' : '[ ] ') : '';
    const mark = `${list.ordered ? `${(list.start ?? 1) + index}.` : '-'} `;
    const content = blocksText(item.children, item.spread ? '\n\n' : '\n');
    return indent(box + content, mark, ' '.repeat(mark.length));
  });
  return items.join(list.spread ? '\n\n' : '\n');
}

function rowsText(table: Table): string {
  return table.children
    .map((row) => row.children.map((cell) => inlineText(cell.children)).join(' | '))
    .join('\n');
}

/** Inline nodes as plain text: an address stands behind its label. */
export function inlineText(nodes: readonly PhrasingContent[]): string {
  return nodes
    .map((node) => {
      if (node.type !== 'link') return 'children' in node ? inlineText(node.children) : textOf([node]);
      const label = textOf(node.children);
      return label === node.url || `mailto:${label}` === node.url ? label : `${label} (${node.url})`;
    })
    .join('');
}

/** A text with `first` before its first line and `rest` before every other one. */
function indent(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, index) => ((index === 0 ? first : rest) + line).trimEnd())
    .join('\n');
}
