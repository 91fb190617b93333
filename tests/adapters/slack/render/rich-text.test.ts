import type { types } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { messageBlocks } from '../../../../src/adapters/slack/rich-text.ts';
import { blocksText } from '../../../../src/adapters/slack/words.ts';
import { parseMarkdown } from '../../../../src/render/markdown/index.ts';
import { expectTaken } from './slack-rules.ts';

function blocks(markdown: string): types.KnownBlock[] {
  const made = messageBlocks(parseMarkdown(markdown));
  expectTaken({ text: 'x', blocks: made, notify: [] });
  return made;
}

/** The elements of the only block, which is rich text. */
function elements(markdown: string): types.RichTextBlockElement[] {
  const [block, ...others] = blocks(markdown);
  expect(others).toEqual([]);
  expect(block?.type).toBe('rich_text');
  return block?.type === 'rich_text' ? block.elements : [];
}

const text = (words: string, style?: object) => ({ type: 'text', text: words, ...(style ? { style } : {}) });
const section = (...all: (string | object)[]) => ({
  type: 'rich_text_section',
  elements: all.map((one) => (typeof one === 'string' ? text(one) : one)),
});
const bullets = (...items: string[]) => ({
  type: 'rich_text_list',
  style: 'bullet',
  elements: items.map((item) => section(item)),
});
const numbers = (...items: string[]) => ({ ...bullets(...items), style: 'ordered' });
const quote = (...all: string[]) => ({ type: 'rich_text_quote', elements: all.map((one) => text(one)) });
const code = (words: string) => ({ type: 'rich_text_preformatted', elements: [text(words)] });

describe('words', () => {
  test.each<[what: string, markdown: string, elements: object[]]>([
    ['a paragraph', 'a', [section('a')]],
    ['paragraphs have an empty line between them', 'a\n\nb', [section('a\n\nb')]],
    ['lines are lines', 'a\nb\\\nc', [section('a\nb\nc')]],
    [
      'styles combine',
      '**a *b ~~c `d`~~***',
      [
        section(
          text('a ', { bold: true }),
          text('b ', { bold: true, italic: true }),
          text('c ', { bold: true, italic: true, strike: true }),
          text('d', { bold: true, italic: true, strike: true, code: true }),
        ),
      ],
    ],
    [
      'characters of other syntaxes are characters',
      '\\*a\\* _ ~5 ~6 &amp; <b> :x:',
      [section('*a* _ ~5 ~6 & <b> :x:')],
    ],
    ['a rule in a quote is a line', '> a\n>\n> ---', [quote('a\n\n———')]],
    ['code is as it was, without its language', '```py\n  a *b*\n```', [code('  a *b*')]],
    ['an empty code block is nothing', 'a\n\n```\n```', [section('a')]],
    ['a quote', '> a\n> b', [quote('a\nb')]],
    ['two quotes stay two', '> a\n\n> b', [quote('a'), section('\n'), quote('b')]],
    ['a quote in a quote has marks', '> a\n> > b\n> > c', [quote('a\n\n> b\n> c')]],
    [
      'a list in a quote has its border',
      '> a\n> - b\n>\n> c',
      [quote('a'), { ...bullets('b'), border: 1 }, quote('c')],
    ],
    [
      'words around other parts have lines',
      'a\n\n```\nb\n```\n\nc',
      [section('a\n'), code('b'), section('\nc')],
    ],
    ['two code blocks are apart', '```\na\n```\n\n```\nb\n```', [code('a'), section('\n'), code('b')]],
  ])('%s', (_, markdown, expected) => expect(elements(markdown)).toEqual(expected));
});

describe('lists', () => {
  const indented = (list: object, indent: number) => ({ ...list, indent });
  test.each<[what: string, markdown: string, elements: object[]]>([
    ['bullets', '- a\n- b', [bullets('a', 'b')]],
    ['numbers', '1. a\n2. b', [numbers('a', 'b')]],
    ['numbers that begin at 3', '3. a\n4. b', [{ ...numbers('a', 'b'), offset: 2 }]],
    ['numbers that begin at 0 are words', '0. a\n1. b', [bullets('0. a', '1. b')]],
    [
      'numbers go on behind a nested list',
      '1. a\n   - b\n2. c',
      [numbers('a'), indented(bullets('b'), 1), { ...numbers('c'), offset: 1 }],
    ],
    [
      'numbers go on behind code of an item',
      '1. a\n   ```\n   b\n   ```\n2. c',
      [numbers('a'), code('b'), { ...numbers('c'), offset: 1 }],
    ],
    [
      'what an item holds stays in order',
      '- a\n\n  b\n\n  > c\n\n  d\n- e',
      [bullets('a\nb'), quote('c'), section('\nd\n'), bullets('e')],
    ],
    ['an item without words', '- \n- a', [bullets(' ', 'a')]],
    ['a list in a list at once', '- - a', [bullets(' '), indented(bullets('a'), 1)]],
    ['two lists are apart', '- a\n\n* b', [bullets('a'), section('\n'), bullets('b')]],
    ['tasks have boxes', '- [x] a\n- [ ] b\n- c', [bullets('☑ a', '☐ b', 'c')]],
    [
      'a heading in an item is bold',
      '- # a',
      [{ type: 'rich_text_list', style: 'bullet', elements: [section(text('a', { bold: true }))] }],
    ],
  ])('%s', (_, markdown, expected) => expect(elements(markdown)).toEqual(expected));

  test('the twelfth level stands where the ninth does', () => {
    const markdown = Array.from({ length: 12 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n');
    const indents = elements(markdown).map((one) => ('indent' in one ? one.indent : 0));
    expect(indents).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8]);
  });
});

describe('headings and rules', () => {
  const header = (words: string) => ({
    type: 'header',
    text: { type: 'plain_text', text: words, emoji: false },
  });
  const bold = (words: string) => ({
    type: 'rich_text',
    elements: [section(text(words, { bold: true }))],
  });
  test.each<[what: string, markdown: string, blocks: object[]]>([
    ['a short one is a header', '## a b', [header('a b')]],
    ['one of 150 characters too', `# ${'a'.repeat(150)}`, [header('a'.repeat(150))]],
    ['a longer one is bold text', `# ${'a'.repeat(151)}`, [bold('a'.repeat(151))]],
    ['one with brackets is bold text', '# a &lt;!here&gt;', [bold('a <!here>')]],
    ['a rule', '---', [{ type: 'divider' }]],
  ])('%s', (_, markdown, expected) => expect(blocks(markdown)).toEqual(expected));

  test('one with a link keeps the link', () =>
    expect(blocks('# a [b](https://c.d)')).toEqual([
      {
        type: 'rich_text',
        elements: [
          section(text('a ', { bold: true }), {
            type: 'link',
            url: 'https://c.d',
            text: 'b',
            style: { bold: true },
          }),
        ],
      },
    ]));
});

describe('links', () => {
  const link = (url: string, label?: string, style?: object) => ({
    type: 'link',
    url,
    ...(label === undefined ? {} : { text: label }),
    ...(style ? { style } : {}),
  });
  const bad = 'https://evil.example/';
  test.each<[what: string, markdown: string, elements: (string | object)[]]>([
    ['a label', '[a](https://b.c)', [link('https://b.c', 'a')]],
    ['a bare address', 'https://b.c/d', [link('https://b.c/d')]],
    ['a mail address', 'a@b.cd', [link('mailto:a@b.cd', 'a@b.cd')]],
    [
      'a label in two styles',
      '[a **b**](https://c.d)',
      [link('https://c.d', 'a '), link('https://c.d', 'b', { bold: true })],
    ],
    ['a label that is the address', '[b.c](https://www.b.c/d)', [link('https://www.b.c/d', 'b.c')]],
    ['a label that is another address', `[good.com](${bad})`, ['good.com (', link(bad), ')']],
    ['with a path', `[https://good.com/a?b](${bad})`, ['https://good.com/a?b (', link(bad), ')']],
    [
      'with a name before it',
      `[https://good.com@evil.example](${bad})`,
      ['https://good.com@evil.example (', link(bad), ')'],
    ],
    ['in wide letters', `[ｇｏｏｄ．ｃｏｍ](${bad})`, ['ｇｏｏｄ．ｃｏｍ (', link(bad), ')']],
    ['with invisible letters', `[go\u200bod.com](${bad})`, ['go\u200bod.com (', link(bad), ')']],
    ['a number of a machine', `[http://10.0.0.1/a](${bad})`, ['http://10.0.0.1/a (', link(bad), ')']],
    ['with more words', `[https://good.com log in](${bad})`, ['https://good.com log in (', link(bad), ')']],
    ['a version is no address', `[v1.2.10](${bad})`, [link(bad, 'v1.2.10')]],
    ['another mailbox', '[boss@a.bc](mailto:x@y.zz)', ['boss@a.bc (', link('mailto:x@y.zz'), ')']],
    ['a label that cannot be seen', `[\u200b](${bad})`, ['\u200b (', link(bad), ')']],
    ['a word with a dot and more words', `[see a.bc now](${bad})`, [link(bad, 'see a.bc now')]],
    ['an address that no browser reads', '[a](https://[)', ['a (https://[)']],
  ])('%s', (_, markdown, expected) => expect(elements(markdown)).toEqual([section(...expected)]));

  test('an address longer than Slack takes is words', () => {
    const url = `https://a.b/${'c'.repeat(3_000)}`;
    expect(elements(`[d](${url})`)).toEqual([section(`d (${url})`)]);
  });
});

describe('tables', () => {
  const cell = (...all: (string | object)[]) => ({ type: 'rich_text', elements: [section(...all)] });
  const small = '| a | b |\n|---|--:|\n| **c** |  |\n| d | e | f |';

  test('are tables, blank and missing cells filled, aligned as they were', () =>
    expect(blocks(small)).toEqual([
      {
        type: 'table',
        rows: [
          [cell('a'), cell('b'), cell(' ')],
          [cell(text('c', { bold: true })), cell(' '), cell(' ')],
          [cell('d'), cell('e'), cell('f')],
        ],
        column_settings: [{ align: 'left' }, { align: 'right' }, { align: 'left' }],
      },
    ]));

  test('the second of a message is lined up text', () =>
    expect(blocks(`${small}\n\nx\n\n| name | n |\n|---|--:|\n| 日本 | 5 |\n| \`a\` | 10 |`).at(-1)).toEqual({
      type: 'rich_text',
      elements: [section('x\n'), code('name |  n\n-----|---\n日本 |  5\na    | 10')],
    }));

  test.each([
    ['21 columns', `${'|a'.repeat(21)}|\n${'|-'.repeat(21)}|`],
    ['101 rows', `|a|\n|-|\n${'|b|\n'.repeat(100)}`],
    ['in a list', '- x\n\n  |a|\n  |-|\n  |b|'],
    ['in a quote', '> |a|\n> |-|\n> |b|'],
  ])('so is one of %s', (_, markdown) => {
    const types = blocks(markdown).flatMap((block) =>
      block.type === 'rich_text' ? block.elements.map(({ type }) => type) : block.type,
    );
    expect(types.at(-1)).toBe('rich_text_preformatted');
  });

  test('one long cell does not widen all rows', () => {
    const rows = '|b|c|\n'.repeat(50);
    const json = JSON.stringify(
      blocks(`> |a|a|\n> |-|-|\n> |${'x'.repeat(2_000)}|d|\n> ${rows.trim().replaceAll('\n', '\n> ')}`),
    );
    expect(json.length).toBeLessThan(6_000);
  });
});

test('read as plain text, blocks have their marks and addresses', () =>
  expect(
    blocksText(
      blocks(
        '# a\n\nb\n\n- c\n  3. [d **e**](https://f.g)\n- [x] h\n\n> i\n>\n> - j\n\n```\nk\n```\n\n|l|m|\n|-|-|\n|n||\n\n---',
      ),
    ),
  ).toBe('a\n\nb\n• c\n  3. d e (https://f.g)\n• ☑ h\n\n> i\n> • j\n\nk\n\nl | m\nn |  \n\n———'));
