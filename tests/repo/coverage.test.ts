import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/coverage.md'), 'utf8');

/** Rows of its tables, without their heads. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| there |'))
  .map((line) => ({
    line,
    cells: line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  }));

/** Tests as the page names them: a file and a title. */
const shown = rows.flatMap(({ cells: [, , proof = ''] }) =>
  [...proof.matchAll(/`([^`]+)` “([^”]+)”/g)].map(([, file = '', title = '']) => ({ file, title })),
);

describe('the page about coverage', () => {
  test('has four cells in each row', () => {
    expect(rows.filter(({ cells }) => cells.length !== 4).map(({ line }) => line)).toEqual([]);
  });

  test('names a test in each row, or says which issue brings one', () => {
    const bare = rows.filter(({ cells: [, , proof = '', remark = ''] }) => {
      const rest = proof.replaceAll(/`[^`]+` “[^”]+”(?:; )?/g, '');
      return rest !== '' || (proof === '' && !/(?:next|later) issue/.test(remark));
    });
    expect(bare.map(({ line }) => line)).toEqual([]);
  });

  test('names files and titles that are there', () => {
    const lost = shown.filter(({ file, title }) => {
      const path = join(ROOT, file.endsWith('.yaml') ? file : `tests/${file}.test.ts`);
      return !existsSync(path) || !holds(readFileSync(path, 'utf8'), title);
    });
    expect(lost).toEqual([]);
  });
});

/** Whether a test file has this title: as the text that is its name, not in passing. */
function holds(source: string, title: string): boolean {
  return [`'${title}'`, `"${title}"`, `\`${title}\``, `name: ${title}\n`].some((name) =>
    source.includes(name),
  );
}
