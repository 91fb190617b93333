import { describe, expect, test } from 'vitest';
import { md } from '../../../../src/engine/prose.ts';
import { visibleText } from '../../../fakes/discord/reading.ts';
import { render, textOf } from './shown.ts';

const long = 'word '.repeat(13).trim();

describe('a table', () => {
  test('that fits on a phone is lined up', () =>
    expect(textOf([md('| name | n |\n|---|--:|\n| **a** | 1 |\n| [b](http://c.d) | 20 |')])).toBe(
      [
        '```',
        'name           |  n',
        '---------------|---',
        'a              |  1',
        'b (http://c.d) | 20',
        '```',
      ].join('\n'),
    ));

  test('that is wider is a list, with what each column is called', () =>
    expect(textOf([md(`| *name* | about | |\n|-|-|-|\n| a | ${long} | x |\n| **b** | | |`)])).toBe(
      [`- ***name*:** a`, `  **about:** ${long}`, '  x', '- ***name*:** **b**'].join('\n'),
    ));

  test('that is wide and has only a head is all there', () =>
    expect(textOf([md(`| a | ${long} |\n|-|-|`)])).toBe(`- a\n  ${long}`));

  test('calls nobody, and ends no code block', () => {
    for (const cell of ['@everyone', '<@100000000000000002>', '` ``` `', '</flow:400000000000000001>']) {
      expect(visibleText(textOf([md(`| a |\n|-|\n| ${cell} |`)]))).toContain(cell.replace(/^` | `$/g, ''));
      expect(visibleText(textOf([md(`| a |\n|-|\n| ${cell} ${long} |`)]))).toContain(
        cell.replace(/^` | `$/g, ''),
      );
    }
  });

  test('in a quote or list is a table still', () => {
    expect(textOf([md('> | a |\n> |-|\n> | b |')])).toBe('> ```\n> a\n> -\n> b\n> ```');
    expect(textOf([md(`- x\n\n  | a |\n  |-|\n  | ${long} |`)])).toBe(`- x\n  - **a:** ${long}`);
  });

  test('over several messages has each row once and its head in each', () => {
    const rows = Array.from({ length: 600 }, (_, index) => `row ${index}`);
    const parts = render([
      md(`|name|n|\n|-|-|\n${rows.map((row) => `|${row}|${'x'.repeat(20)}|`).join('\n')}`),
    ]);
    expect(parts.length).toBeGreaterThan(1);
    const lines = parts.map(({ text }) => visibleText(text).split('\n'));
    for (const [head, rule] of lines)
      expect([head, rule]).toEqual([
        expect.stringMatching(/^name *\| n$/),
        expect.stringMatching(/^-+\|-+$/),
      ]);
    expect(lines.flatMap(([, , ...body]) => body.map((line) => line.split(' | ')[0]?.trim()))).toEqual(rows);
  });
});
