import type { BlockContent, Code, List, PhrasingContent, Table, TableRow } from 'mdast';
import { inlineText, tableText, textWidth } from '../../render/markdown/index.ts';
import { limits } from './limits.ts';

/**
 * What stands for a table, which Discord does not have: lined up as code when that fits on a phone, else a list with
 * an item for each row and a line for each of its cells, with what the column is called.
 */
export function simpleTable(table: Table): Code | List {
  const text = tableText(table, ({ children }) => inlineText(children));
  const isNarrow = text.split('\n').every((line) => textWidth(line) <= limits.tableWidth);
  return isNarrow ? { type: 'code', lang: null, meta: null, value: text } : tableList(table);
}

function tableList({ children: [head, ...body] }: Table): List {
  const rows = body.length > 0 ? body.map((row) => labelled(row, head)) : [labelled(head)];
  return {
    type: 'list',
    ordered: false,
    spread: false,
    children: rows
      .filter((cells) => cells.length > 0)
      .map((cells) => ({ type: 'listItem', spread: false, children: [paragraph(cells)] })),
  };
}

/** The cells of a row that say something, each with what its column is called. */
function labelled(row: TableRow | undefined, head?: TableRow): PhrasingContent[][] {
  return (row?.children ?? []).flatMap(({ children }, column) => {
    if (inlineText(children).trim() === '') return [];
    const label = head?.children[column]?.children ?? [];
    if (inlineText(label).trim() === '') return [children];
    const name: PhrasingContent = { type: 'strong', children: [...label, { type: 'text', value: ':' }] };
    return [[name, { type: 'text', value: ' ' }, ...children]];
  });
}

function paragraph(cells: readonly PhrasingContent[][]): BlockContent {
  return {
    type: 'paragraph',
    children: cells.flatMap((cell, index): PhrasingContent[] =>
      index === 0 ? cell : [{ type: 'break' }, ...cell],
    ),
  };
}
