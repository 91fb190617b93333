import { describe, expect, test } from 'vitest';
import { literal, md, value } from '../../../src/engine/prose.ts';
import { compose, parseMarkdown, splitMarkdown } from '../../../src/render/markdown/index.ts';

const filled = (length: number, part: string) => part.repeat(Math.ceil(length / part.length));

const bombs: readonly (readonly [what: string, make: (length: number) => string])[] = [
  ['stars around a letter', (n) => `${'*'.repeat(n / 2)}a${'*'.repeat(n / 2)}`],
  ['lines around a letter', (n) => `${'_'.repeat(n / 2)}a${'_'.repeat(n / 2)}`],
  ['nested emphasis', (n) => '*a '.repeat(n / 6) + ' a*'.repeat(n / 6)],
  ['nested bold text', (n) => '**a '.repeat(n / 8) + ' a**'.repeat(n / 8)],
  ['nested both', (n) => '*a _a '.repeat(n / 12) + ' a_ a*'.repeat(n / 12)],
  ['mixed marks', (n) => filled(n, '*_~')],
  ['underlined headings', (n) => filled(n, 'a\n===\n')],
  ['headings', (n) => filled(n, '# a\n')],
  ['a wide table', (n) => ['|a', '|-', '|b'].map((cell) => `${cell.repeat(n / 6)}|\n`).join('')],
  ['a tall table', (n) => `|a|\n|-|\n${filled(n, '|b|\n')}`],
  ['list items', (n) => filled(n, '- a\n')],
  ['loose list items', (n) => filled(n, '- a\n\n')],
  ['tasks', (n) => filled(n, '- [ ] a\n')],
  ['nested lists', (n) => filled(n, '- - - - a\n')],
  ['quotes', (n) => filled(n, '> a\n\n')],
  ['paragraphs', (n) => filled(n, 'a\n\n')],
  ['bold words', (n) => filled(n, '**a**b')],
  ['accents', (n) => `a${'\u0301'.repeat(n)}`],
];

/** Seconds of the processor, over four times what is needed: other processes must not make a test fail. */
const budgets = [
  [4_000, 2],
  [20_000, 6],
] as const;

describe.each(budgets)('%i characters are composed, read and split in %i s', (length, seconds) => {
  test.each(bombs)('%s', (_, make) => {
    const text = make(length);
    const before = process.cpuUsage();
    for (const prose of length > 4_000 ? [[md(text)]] : [[md(text)], [value(text)], [literal(text)]]) {
      const markdown = compose(prose);
      parseMarkdown(markdown);
      for (const part of splitMarkdown(markdown, ({ length }) => length <= 2_000)) {
        expect(part.length).toBeLessThanOrEqual(2_000);
      }
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(seconds);
  });
});
