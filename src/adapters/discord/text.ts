import type { Code, Heading, List, ListItem, Root, RootContent } from 'mdast';
import { gap } from './escape.ts';
import { inlineMarkdown } from './inline.ts';
import { limits } from './limits.ts';
import { simpleTable } from './table.ts';

/** A Markdown tree of `parseMarkdown` as Discord Markdown. Whatever is in the tree, it mentions nobody. */
export function messageText(tree: Root): string {
  return blockLines(tree.children, { quotes: 0, lists: 0 })
    .map(({ text }) => text)
    .join('\n');
}

/** A line of a message. */
interface Line {
  readonly text: string;
  /** It means something only where a line begins, and lists don't indent it: a line of a code block or quote. */
  readonly fixed?: true;
}

/** How many quotes and lists are around a node. */
interface Place {
  readonly quotes: number;
  readonly lists: number;
}

function blockLines(nodes: readonly RootContent[], place: Place): Line[] {
  const simple = nodes.map((node) => (node.type === 'table' ? simpleTable(node) : node));
  let before: RootContent | undefined;
  const lines: Line[] = [];
  for (const node of simple) {
    const own = linesOf(node, place);
    if (own.length === 0) continue;
    if (before !== undefined && isApart(before, node, place)) lines.push({ text: '' });
    lines.push(...own);
    before = node;
  }
  return lines;
}

/** Whether an empty line stands between two blocks. Discord leaves room around code and headings by itself. */
function isApart(before: RootContent, after: RootContent, { lists }: Place): boolean {
  if (before.type === 'blockquote' && after.type === 'blockquote') return true;
  if (lists > 0 || before.type === 'heading' || before.type === 'code' || after.type === 'code') return false;
  return !(before.type === 'paragraph' && after.type === 'list');
}

function linesOf(node: RootContent, place: Place): Line[] {
  switch (node.type) {
    case 'paragraph':
      return textLines(inlineMarkdown(node.children));
    case 'heading':
      return headingLines(node, place);
    case 'blockquote':
      return quoteLines(blockLines(node.children, { ...place, quotes: place.quotes + 1 }), place);
    case 'list':
      return listLines(node, place);
    case 'code':
      return codeLines(node);
    case 'thematicBreak':
      return [{ text: '———' }];
    default:
      // The neutral tree holds nothing else, and tables are none any more.
      return [];
  }
}

function textLines(text: string): Line[] {
  return text.split('\n').map((line) => ({ text: line }));
}

function headingLines({ depth, children }: Heading, { quotes, lists }: Place): Line[] {
  // Discord knows three sizes, and none where something else begins the line.
  if (depth > 3 || quotes > 1 || lists > 0) return textLines(inlineMarkdown(children, 'strong'));
  const text = inlineMarkdown(children).trim();
  return text === '' ? [] : [{ text: `${'#'.repeat(depth)} ${text}` }];
}

/** Discord has no quotes in quotes: inner ones show their marks. */
function quoteLines(lines: readonly Line[], { quotes }: Place): Line[] {
  if (quotes === 0) return lines.map(({ text }) => ({ text: `> ${text}`, fixed: true }));
  return lines.map((line) => (line.fixed ? line : { text: `\\> ${line.text}` }));
}

function codeLines({ value, lang }: Code): Line[] {
  if (value.trim() === '') return [];
  const language = (lang ?? '').replace(/[^\w+#.-]/g, '').slice(0, limits.codeLanguage);
  // Three backticks would end the block.
  const text = value.replace(/``(?=`)/g, `\`\`${gap}`);
  return [`\`\`\`${language}`, ...text.split('\n'), '```'].map((line) => ({ text: line, fixed: true }));
}

function listLines(list: List, place: Place): Line[] {
  const start = list.start ?? 1;
  const margin = place.lists < limits.listIndent ? '  ' : '';
  return list.children.flatMap((item, index) => {
    const mark = list.ordered === true ? `${start + index}. ` : '- ';
    const [first, ...rest] = itemLines(item, place);
    const lead =
      first === undefined || first.fixed
        ? [{ text: mark }, ...(first ? [first] : [])]
        : [{ text: mark + first.text }];
    return [...lead, ...rest.map((line) => (line.fixed ? line : { text: margin + line.text }))];
  });
}

function itemLines({ children, checked }: ListItem, place: Place): Line[] {
  const box = typeof checked === 'boolean' ? (checked ? '☑ ' : '☐ ') : '';
  const [first, ...rest] = blockLines(children, { ...place, lists: place.lists + 1 });
  if (box === '') return first ? [first, ...rest] : [];
  return [{ text: box + (first?.text ?? '') }, ...rest];
}
