import { expect, test } from 'vitest';
import { rulesOf } from '../../../src/adapters/workspaces/ignore-rules.ts';

test.each([
  ['', '*.log\n/dist\n# note\n\n!keep.log', '*.log\n/dist\n!keep.log'],
  ['docs', '*.log', '/docs/**/*.log'],
  ['docs', '/dist', '/docs/dist'],
  ['docs/api', 'out/', '/docs/api/**/out/'],
  ['docs', 'a/b', '/docs/a/b'],
  ['docs', '!a/b', '!/docs/a/b'],
  ['odd [x]', 'a', '/odd\\ \\[x\\]/**/a'],
])('in %j, %j becomes %j at the top', (folder, text, rules) => {
  expect(rulesOf([{ folder, text }])).toBe(rules);
});

test('rules of inner folders come last, where they count', () => {
  expect(
    rulesOf([
      { folder: 'a/b', text: '!x' },
      { folder: '', text: 'x' },
      { folder: 'a', text: 'y' },
    ]),
  ).toBe('x\n/a/**/y\n!/a/b/**/x');
});
