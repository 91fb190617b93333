import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';
import { md } from '../../../src/engine/prose.ts';
import { compose, parseMarkdown, plainText } from '../../../src/render/markdown/index.ts';
import { anyText } from './arbitraries.ts';

function all(node: Nodes): Nodes[] {
  return [node, ...('children' in node ? node.children.flatMap(all) : [])];
}

const kinds = new Set(
  'root paragraph heading blockquote list listItem code thematicBreak table tableRow tableCell text emphasis strong delete inlineCode break link'.split(
    ' ',
  ),
);

test('any text becomes a tree of the promised nodes, whose links lead to the web or a mailbox', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const node of all(parseMarkdown(text))) {
        expect(kinds).toContain(node.type);
        if (node.type === 'link') expect(node.url).toMatch(/^(https?:\/\/|mailto:)[^\s<>\\]+$/i);
      }
    }),
    { numRuns: 300 },
  );
});

describe('what a reader sees', () => {
  test.each([
    ['HTML as text', 'a <b>c</b>', 'a <b>c</b>'],
    ['a block of HTML as text', '<div>\n  <!here>\n</div>', '<div>\n  <!here>\n</div>'],
    ['a picture as a link', '![a cat](https://a.b/c.png)', 'a cat (https://a.b/c.png)'],
    ['a picture without description', '![](https://a.b/c.png)', 'https://a.b/c.png'],
    ['a picture in a link', '[![a cat](https://a.b/c.png)](https://d.e)', 'a cat (https://d.e)'],
    [
      'a link by reference',
      '[a][r] [r] ![c][r]\n\n[r]: https://a.b "title"',
      'a (https://a.b) r (https://a.b) c (https://a.b)',
    ],
    [
      'the address of a link that leads elsewhere',
      '[click](javascript:x) [b](/docs)',
      'click (javascript:x) b (/docs)',
    ],
    ['a bare address once', 'see https://a.b/c and me@x.y', 'see https://a.b/c and me@x.y'],
    ['the boxes of tasks', '- [x] a\n- [X] b\n- [ ] **c**\n- [] d', '- [x] a\n- [x] b\n- [ ] c\n- [] d'],
    ['a footnote as it was written', 'a[^1]\n\n[^1]: Some note.', 'a[^1]\n\n[^1]: Some note.'],
  ])('%s', (_, markdown, text) => expect(plainText(markdown)).toBe(text));

  test('an address cannot hide behind a backslash', () =>
    expect(plainText('[a](<https://good.example\\\\@evil.example>)')).toContain(
      'https://good.example%5C@evil.example',
    ));
});

test('tasks are known as such, links and other brackets are not taken for them', () => {
  const markdown = '- [x] a\n- [ ] b\n- [x](https://y.z) c\n- \\[x] d\n- e';
  const items = all(parseMarkdown(markdown)).flatMap((node) =>
    node.type === 'listItem' ? [node.checked] : [],
  );
  expect(items).toEqual([true, false, null, null, null]);
});

describe('hostile text', () => {
  const repeated = [
    ...['>', '> ', '- ', '+ ', '1. ', '> + ', '- a\n+ b\n', '> a\n\n', '- a\n# b\n'],
    ...[
      '[',
      '![',
      '[a',
      '[a](',
      'a]',
      '[]',
      '*',
      '*a ',
      '**a ',
      '_a',
      '*a_ ',
      'a**b c* ',
      '~a ',
      '~a~~b ',
      '`a',
    ],
    ...[
      '<',
      '<a ',
      '<!--',
      '[a](b "',
      '[^1]',
      'a@b.c ',
      'http://a.b ',
      'www.',
      'a.',
      '&amp;',
      '\\',
      '|',
      '|a\n|-\n',
    ],
  ].map((part) => [JSON.stringify(part), part.repeat(5_000)] as const);
  const nested = [
    ['labels', `${'['.repeat(5_000)}a${'](x)'.repeat(5_000)}`],
    ['pictures', `${'!['.repeat(5_000)}a${'](x)'.repeat(5_000)}`],
    ['emphasis', `${'*a **b '.repeat(2_500)}${'c** d* '.repeat(2_500)}`],
    ['lists', Array.from({ length: 150 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['lazy lines', `- a\n${'b\n'.repeat(8_000)}`],
    ['words after a bracket', `[${'a b '.repeat(8_000)}`],
  ] as const;

  // The processor time of this process: other processes must not make a test fail.
  test.each([...repeated, ...nested])(
    '%s is read and written in a second or so, not in quadratic time',
    (_, text) => {
      const before = process.cpuUsage().user;
      compose([md(text)]);
      expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(4);
    },
  );

  test('quotes too deep end in text, nothing is lost', () => {
    const text = plainText(`${'>'.repeat(100)} end`);
    expect(text.replace(/[>\s]/g, '')).toBe('end');
    expect(text.match(/>/g)?.length).toBeGreaterThan(80);
  });

  test('deep marks of a code block stay as they are', () =>
    expect(plainText(`\`\`\`\n${'> '.repeat(60)}x\n\`\`\``)).toBe(`${'> '.repeat(60)}x`));
});
