import type { types } from '@slack/bolt';
import type { Table } from 'mdast';
import { tableText } from '../../render/markdown/index.ts';
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

/** A table as lines of monospaced text. */
export function tableAsText(table: Table): string {
  return tableText(table, (cell) => elementsText(inlineElements(cell.children)));
}

function columnsOf(table: Table): number {
  return Math.max(1, ...table.children.map((row) => row.children.length));
}
