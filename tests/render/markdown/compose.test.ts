import fc from 'fast-check';
import type { Paragraph, PhrasingContent, RootContent } from 'mdast';
import { describe, expect, test } from 'vitest';
import { literal, md, type Prose, value } from '../../../src/engine/prose.ts';
import { compose, parseMarkdown } from '../../../src/render/markdown/index.ts';
import { textOf } from '../../../src/render/markdown/tree.ts';
import { anyLine } from './arbitraries.ts';

/** What a reader is to see of a literal text in a paragraph. */
function shown(text: string): string {
  return text
    .replaceAll('\0', '\uFFFD')
    .replace(/\r\n|\r/g, '\n')
    .replace(/^\n+|\n+$/g, '');
}

/** The inline nodes of the first paragraph, heading, or cell, however deep it stands. */
function inlinesOf(nodes: readonly (RootContent | PhrasingContent)[]): PhrasingContent[] {
  const last = nodes.at(-1);
  switch (last?.type) {
    case undefined:
      return [];
    case 'paragraph':
    case 'heading':
    case 'tableCell':
      return last.children;
    case 'list':
    case 'listItem':
    case 'blockquote':
    case 'table':
    case 'tableRow':
      return inlinesOf(last.children);
    default:
      throw new Error(`No text in ${last?.type}`);
  }
}

function read(prose: Prose): PhrasingContent[] {
  const { children } = parseMarkdown(compose(prose));
  expect(children.length).toBeLessThanOrEqual(1);
  return inlinesOf(children);
}

describe('what becomes of a piece', () => {
  const cases: readonly (readonly [what: string, prose: Prose, markdown: string])[] = [
    ['Markdown formats', [md('# Hi *there*')], '# Hi *there*'],
    [
      'a value alone in its paragraph is Markdown',
      [md('Notes:\n\n'), value('- a\n- **b**')],
      'Notes:\n\n- a\n- **b**',
    ],
    ['also in a list item', [md('1. '), value('## a\n\nb'), md('\n2. c')], '1. ## a\n\n   b\n2. c'],
    ['also in a quote', [md('> '), value('```\nx\n```')], '> ```\n> x\n> ```'],
    ['a blank value leaves nothing', [md('a\n\n'), value(' \n'), md('\n\nb')], 'a\n\nb'],
    ['inside a line it is text', [md('By **'), value('_x_ & <b>'), md('**!')], 'By **\\_x\\_ & \\<b>**!'],
    ['two values in a paragraph are text', [value('*a*'), value('*b*')], '\\*a\\*\\*b\\*'],
    ['a literal is text even alone', [literal('# *a*')], '\\# \\*a\\*'],
    ['it begins no list', [value('1'), md('. x')], '1\\. x'],
    ['its lines are lines', [md('a '), value('b\r\n- c\nd'), md(' e')], 'a b\\\n\\- c\\\nd e'],
    ['but one line in a heading', [md('## '), value('a\nb')], '## a b'],
    ['and in a table', [md('| a |\n|---|\n| '), value('b|\nc'), md(' |')], '| a |\n| - |\n| b\\| c |'],
    [
      'in a link label it is text',
      [md('['), value('Q1 <live> & co](x)'), md('](https://a.b/?c=1&d=2#e)')],
      '[Q1 \\<live> & co\\](x)](https://a.b/?c=1\\&d=2#e)',
    ],
    [
      'in an address it is encoded',
      [md('[a](https://a.b/'), value('c/d?e=ü)'), md(')')],
      '[a](https://a.b/c%2Fd%3Fe%3D%C3%BC\\))',
    ],
    ['an address may be a value', [md('[a]('), value('https://a.b/c?d'), md(')')], '[a](https://a.b/c?d)'],
    ['but not any', [md('[a]('), value('javascript:alert(1)'), md(')')], 'a (javascript%3Aalert(1))'],
    ['inline code takes it as it is', [md('`'), value('a`*b*``'), md('`')], '``` a`*b*`` ```'],
    [
      'a fence takes it as it is',
      [md('```py\n'), value('x\n```\ny'), md('\n```')],
      '````py\nx\n```\ny\n````',
    ],
    ['its HTML is text', [value('<script>\n\nx')], '\\<script>\\\n\\\nx'],
    ['HTML of the author is text too', [md('a<br>b')], 'a\\<br>b'],
    [
      'it is filled in once',
      [md('a '), value('{{b}} $& $1'), md(' '), value('zq0x0z zq1x')],
      'a {{b}} $& $1 zq0x0z zq1x',
    ],
    [
      'a task keeps its box',
      [md('- [x] '), value('*a*'), md('\n- [ ] **'), literal('b'), md('**')],
      '- [x] *a*\n- [ ] **b**',
    ],
    ['a literal makes no task', [md('- '), literal('[x] a')], '- \\[x] a'],
    ['nor does a value in a line', [md('- '), value('[x]'), md(' a')], '- \\[x] a'],
    ['nor one alone in its item', [md('- '), value('[x] a')], '- \\[x] a'],
    ['nor a mark in a box', [md('- ['), literal('x'), md('] a')], '- \\[x] a'],
    ['a box before a list stays as text', [md('- [x] '), value('- a\n- b')], '- \\[x]\n  - a\n  - b'],
    ['and so does one before nothing', [md('- [ ] '), value(' ')], '- \\[ ]'],
    ['an empty value leaves no marks', [md('a **'), value(''), md('** `'), value(''), md('` b')], 'a   b'],
    [
      'references of the author are resolved',
      [md('[a][r] '), value('[b][r]'), md('\n\n[r]: https://a.b')],
      '[a](https://a.b) \\[b]\\[r]',
    ],
  ];
  test.each(cases)('%s', (_, prose, markdown) => expect(compose(prose)).toBe(markdown));

  test('C46 a NUL is shown as the sign for it', () =>
    expect(compose([md('a '), value('b\0c')])).toBe('a b\uFFFDc'));
});

test.each<[what: string, prose: Prose, markdown: string]>([
  ['a value', [md('a '), value('cut \ud83d')], 'a cut \ufffd'],
  ['a value alone', [value('cut \ud83d')], 'cut \ufffd'],
  ['a literal', [literal('\ude80 cut')], '\ufffd cut'],
  ['the text of the author', [md('*\ud83d*')], '*\ufffd*'],
  ['an address', [md('[a](https://a.b/'), value('\ud83d'), md(')')], '[a](https://a.b/%EF%BF%BD)'],
  ['two halves of two pieces', [md('x\ud83d'), literal('\ude80')], 'x\ufffd\ufffd'],
])('half a character in %s becomes U+FFFD', (_, prose, markdown) => expect(compose(prose)).toBe(markdown));

test('a character next to bold spaces stays whole', () =>
  expect(compose([literal('🚀'), md('**'), literal(' b '), md('**'), literal('🚀')])).toBe(
    '&#x1F680;**&#x20;b&#x20;**&#x1F680;',
  ));

describe('a literal reads exactly as it is', () => {
  const places: readonly (readonly [before: string, after: string, line: 'lines' | 'one line'])[] = [
    ['', '', 'lines'],
    ['**', '**', 'lines'],
    ['_', '_', 'lines'],
    ['~~', '~~', 'lines'],
    ['- ', '', 'lines'],
    ['> ', '', 'lines'],
    ['# ', '', 'one line'],
    ['[', '](http://x.y)', 'lines'],
  ];
  test.each(places)('between %j and %j', (before, after, kind) => {
    fc.assert(
      fc.property(anyLine, (text) => {
        const lines = shown(text);
        const expected = kind === 'lines' ? lines : lines.replaceAll('\n', ' ');
        const empty = before === '[' ? 'http://x.y' : '';
        expect(textOf(read([md(before), literal(text), md(after)]))).toBe(expected || empty);
      }),
      { numRuns: 300 },
    );
  });

  test('in a cell, but for white space at its edges', () => {
    fc.assert(
      fc.property(anyLine, (text) => {
        const cell = read([md('| a |\n|---|\n| '), literal(text), md(' |')]);
        expect(textOf(cell)).toBe(
          shown(text)
            .replaceAll('\n', ' ')
            .replace(/^[ \t]+|[ \t]+$/g, ''),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('and alone it is nothing but text', () => {
    fc.assert(
      fc.property(anyLine, (text) => {
        for (const node of read([literal(text)])) expect(['text', 'break']).toContain(node.type);
      }),
      { numRuns: 500 },
    );
  });

  test('in a fence every character is there', () => {
    fc.assert(
      fc.property(anyLine, (text) => {
        const { children } = parseMarkdown(compose([md('```py\n'), value(text), md('\n```')]));
        const expected = text.replace(/\r\n|\r/g, '\n').replaceAll('\0', '\uFFFD');
        expect(children).toEqual([{ type: 'code', lang: 'py', meta: null, value: expected }]);
      }),
      { numRuns: 300 },
    );
  });

  test('in inline code every character is there', () => {
    fc.assert(
      fc.property(anyLine, (text) => {
        const code = read([md('a `'), value(text), md('`')]).find((node) => node.type === 'inlineCode');
        expect(code?.value ?? '').toBe(text.replace(/\r\n|[\r\n]/g, ' ').replaceAll('\0', '\uFFFD'));
      }),
      { numRuns: 300 },
    );
  });
});

test('what is composed composes to itself', () => {
  fc.assert(
    fc.property(anyLine, (text) => {
      const once = compose([md(text)]);
      expect(compose([md(once)])).toBe(once);
    }),
    { numRuns: 300 },
  );
});

test('C05 a label from a value shows its text, and the link keeps both parameters', () => {
  const markdown = compose([md('['), value('Q1 <live> & co'), md('](https://example.com/r?a=1&b=2#x)')]);
  const [paragraph] = parseMarkdown(markdown).children;
  expect(paragraph).toEqual<Paragraph>({
    type: 'paragraph',
    children: [
      {
        type: 'link',
        url: 'https://example.com/r?a=1&b=2#x',
        children: [{ type: 'text', value: 'Q1 <live> & co' }],
      },
    ],
  });
});
