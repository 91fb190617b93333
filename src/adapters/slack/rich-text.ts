import type { types } from '@slack/bolt';
import type { Heading, List, ListItem, Root, RootContent, Table } from 'mdast';
import { type InlineElement, inlineElements, joined, textElement } from './inline.ts';
import { limits } from './limits.ts';
import { Page, type RichTextList } from './page.ts';
import { tableAsText, tableBlock } from './table.ts';

/** The blocks of a Markdown tree of `parseMarkdown`. Whatever is in the tree, they mention nobody. */
export function messageBlocks(tree: Root): types.KnownBlock[] {
  return blocksOf(tree, 'top');
}

/** The same as rich text only: no headers, dividers and tables. */
export function richTextBlocks(tree: Root): types.KnownBlock[] {
  return blocksOf(tree, 'inside');
}

function blocksOf(tree: Root, level: Place['level']): types.KnownBlock[] {
  const page = new Page();
  for (const node of tree.children) addNode(page, node, { level, quotes: 0, indent: 0, apart: true });
  return page.blocks;
}

/** Where a node stands. */
interface Place {
  /** Only at the top can Slack's own headers, dividers and tables stand. */
  readonly level: 'top' | 'inside';
  /** How many quotes are around it. */
  readonly quotes: number;
  /** How many lists are around it. */
  readonly indent: number;
  /** It belongs to nothing that stands before it. */
  readonly apart: boolean;
}

function addNode(page: Page, node: RootContent, place: Place): void {
  switch (node.type) {
    case 'paragraph':
      addText(page, inlineElements(node.children), place);
      break;
    case 'heading':
      addHeading(page, node, place);
      break;
    case 'blockquote':
      node.children.forEach((child, index) => {
        const inside: Place = { ...place, level: 'inside', quotes: place.quotes + 1 };
        addNode(page, child, index === 0 ? inside : { ...inside, apart: false });
      });
      break;
    case 'list':
      addList(page, node, place);
      break;
    case 'code':
      addPreformatted(page, node.value, place);
      break;
    case 'thematicBreak':
      if (place.level === 'top') page.block({ type: 'divider' });
      else addText(page, [textElement('———')], place);
      break;
    case 'table':
      addTable(page, node, place);
      break;
    default:
      // The neutral tree holds nothing else.
      break;
  }
}

function addText(page: Page, elements: InlineElement[], place: Place): void {
  if (elements.length === 0) return;
  if (place.quotes === 0) page.part({ type: 'rich_text_section', elements }, place.apart);
  else page.part({ type: 'rich_text_quote', elements: quoted(elements, place.quotes - 1) }, place.apart);
}

/** Text with a mark before each line for each quote that Slack cannot show: it has no quotes in quotes. */
function quoted(elements: InlineElement[], depth: number): InlineElement[] {
  if (depth === 0) return elements;
  const marks = '> '.repeat(depth);
  const lines = elements.map((element) =>
    element.type === 'text' ? { ...element, text: element.text.replaceAll('\n', `\n${marks}`) } : element,
  );
  return joined([textElement(marks), ...lines]);
}

function addHeading(page: Page, { children }: Heading, place: Place): void {
  const [only, ...others] = inlineElements(children);
  const isPlain = only?.type === 'text' && only.style === undefined && others.length === 0;
  // Whether Slack decodes `&lt;` in plain text is not known: such a heading would perhaps read wrong.
  const isHeader =
    isPlain && only.text.length <= limits.header && only.text.trim() !== '' && !/[&<>]/.test(only.text);
  if (place.level === 'top' && isHeader) {
    page.block({ type: 'header', text: { type: 'plain_text', text: only.text, emoji: false } });
  } else addText(page, inlineElements(children, { bold: true }), place);
}

function addPreformatted(page: Page, text: string, place: Place): void {
  if (text.trim() === '') return;
  page.part(
    {
      type: 'rich_text_preformatted',
      elements: [textElement(text)],
      ...(place.quotes > 0 ? { border: 1 } : {}),
    },
    place.apart,
  );
}

function addTable(page: Page, table: Table, place: Place): void {
  // Slack takes one table a message.
  const isFirst = !page.blocks.some(({ type }) => type === 'table');
  const block = place.level === 'top' && isFirst ? tableBlock(table) : undefined;
  if (block) page.block(block);
  else addPreformatted(page, tableAsText(table), place);
}

/**
 * Slack's lists are flat: a nested one follows with a greater indentation, and the outer one goes on behind it with its
 * numbers. What else an item holds stands between them.
 */
function addList(page: Page, list: List, place: Place): void {
  const start = list.start ?? 1;
  // Slack counts from 1 upwards; a list that begins at 0 carries its numbers as text.
  const isNumbered = list.ordered === true && start > 0;
  let open: RichTextList | undefined;
  list.children.forEach((item, index) => {
    const number = list.ordered === true && !isNumbered ? `${start + index}. ` : '';
    const { lead, rest } = readItem(item, number);
    const section: types.RichTextSection = { type: 'rich_text_section', elements: lead };
    if (open !== undefined && page.endsWith(open)) open.elements.push(section);
    else {
      open = {
        type: 'rich_text_list',
        style: isNumbered ? 'ordered' : 'bullet',
        elements: [section],
        ...(place.indent > 0 ? { indent: Math.min(place.indent, limits.listIndent) } : {}),
        ...(isNumbered && start + index > 1 ? { offset: start + index - 1 } : {}),
        ...(place.quotes > 0 ? { border: 1 } : {}),
      };
      page.part(open, place.apart && index === 0);
    }
    const inside: Place = { ...place, level: 'inside', indent: place.indent + 1, apart: false };
    for (const node of rest) addNode(page, node, inside);
  });
}

/** What stands in the line of an item, and what stands below it. */
function readItem(
  { children, checked }: ListItem,
  number: string,
): { readonly lead: InlineElement[]; readonly rest: readonly RootContent[] } {
  const box = typeof checked === 'boolean' ? (checked ? '☑ ' : '☐ ') : '';
  const lead: InlineElement[] = [textElement(box + number)];
  let taken = 0;
  for (const node of children) {
    if (node.type !== 'paragraph' && node.type !== 'heading') break;
    const style = node.type === 'heading' ? { bold: true } : {};
    lead.push(textElement(taken === 0 ? '' : '\n'), ...inlineElements(node.children, style));
    taken += 1;
  }
  const elements = joined(lead);
  return { lead: elements.length === 0 ? [textElement(' ')] : elements, rest: children.slice(taken) };
}
