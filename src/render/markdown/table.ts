import type { Table, TableCell } from 'mdast';

/** Widest column that others are lined up with: one long cell must not blow up the whole table. */
const COLUMN_MAX = 40;

/** A table as lines of monospaced text, its columns lined up; `cellText` = what a cell reads as. */
export function tableText(table: Table, cellText: (cell: TableCell) => string): string {
  const rows = table.children.map((row) =>
    row.children.map((cell) => cellText(cell).replace(/\s+/g, ' ').trim()),
  );
  const columns = Math.max(1, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(COLUMN_MAX, Math.max(1, ...rows.map((row) => textWidth(row[column] ?? '')))),
  );
  const [head = [], ...body] = rows.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? '', width, table.align?.[column] ?? 'left'))
      .join(' | ')
      .trimEnd(),
  );
  return [head, widths.map((width) => '-'.repeat(width)).join('-|-'), ...body].join('\n');
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns a text takes: East Asian characters and pictures take two. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;

function padded(text: string, width: number, align: 'left' | 'right' | 'center'): string {
  const missing = Math.max(0, width - textWidth(text));
  const before = align === 'left' ? 0 : align === 'right' ? missing : missing >> 1;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}
