import type { types } from '@slack/bolt';
import type { Table } from 'mdast';
import { inlineElements, textElement } from './inline.ts';
import { limits } from './limits.ts';
import { elementsText } from './words.ts';

/** A table as Slack's own; undefined when it is too large for that. */
export function tableBlock(table: Table): types.TableBlock | undefined {
  const columns = columnsOf(table);
  if (columns > limits.tableColumns || table.children.length > limits.tableRows) return undefined;
  let textLength = 0;
  const rows = table.children.map((row) =>
    Array.from({ length: columns }, (_, column): types.RichTextBlock => {
      const elements = inlineElements(row.children[column]?.children ?? []);
      textLength += elementsText(elements).length;
      // A cell without characters makes Slack refuse the whole message.
      const content = elements.length === 0 ? [textElement(' ')] : elements;
      return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: content }] };
    }),
  );
  if (textLength > limits.tableText) return undefined;
  const settings = Array.from({ length: columns }, (_, column) => ({
    align: table.align?.[column] ?? 'left',
  }));
  const isPlain = settings.every(({ align }) => align === 'left');
  return { type: 'table', rows, ...(isPlain ? {} : { column_settings: settings }) };
}

/** Widest column that others are lined up with: one long cell must not blow up the whole table. */
const COLUMN_MAX = 40;

/** A table as lines of monospaced text, its columns lined up. */
export function tableText(table: Table): string {
  const rows = table.children.map((row) =>
    row.children.map((cell) => elementsText(inlineElements(cell.children)).replace(/\s+/g, ' ').trim()),
  );
  const widths = Array.from({ length: columnsOf(table) }, (_, column) =>
    Math.min(COLUMN_MAX, Math.max(1, ...rows.map((row) => widthOf(row[column] ?? '')))),
  );
  const [head = [], ...body] = rows.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? '', width, table.align?.[column] ?? 'left'))
      .join(' | ')
      .trimEnd(),
  );
  return [head, widths.map((width) => '-'.repeat(width)).join('-|-'), ...body].join('\n');
}

function columnsOf(table: Table): number {
  return Math.max(1, ...table.children.map((row) => row.children.length));
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns a text takes: East Asian characters and pictures take two. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;

function padded(text: string, width: number, align: 'left' | 'right' | 'center'): string {
  const missing = Math.max(0, width - widthOf(text));
  const before = align === 'left' ? 0 : align === 'right' ? missing : missing >> 1;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}
