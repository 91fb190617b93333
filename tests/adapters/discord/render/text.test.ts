import { describe, expect, test } from 'vitest';
import { literal, md, time, value } from '../../../../src/engine/prose.ts';
import { visibleText } from '../../../fakes/discord/reading.ts';
import { textOf } from './shown.ts';

const gap = '\u200b';

describe('Markdown as Discord writes it', () => {
  test.each([
    ['headings, with what follows close to them', '# A\n\n## B\n\nc', '# A\n## B\nc'],
    ['a fourth heading is bold', '#### A *b*', '**A *b***'],
    ['what is bold, italic and struck', '**a** _b_ ~~c~~ ***d***', '**a** *b* ~~c~~ ***d***'],
    ['one look in another', '**a *b* c** *d **e***', '**a *b* c** *d **e***'],
    ['looks that meet', '*a*__b__', `*a*${gap}**b**`],
    ['code', '`a` ``b`c`` `` `d` ``', '`a` ``b`c`` `` `d` ``'],
    ['code with two backticks', '``` a``b ```', `\`\`a\`${gap}\`b\`\``],
    ['code that would end a look stands outside of it', '*a `*` b*', '*a* `*` *b*'],
    ['a code block', '```ts\nlet a = 1;\n\nb();\n```', '```ts\nlet a = 1;\n\nb();\n```'],
    ['a language in the characters it may have', '```a/b"c\nx\n```', '```abc\nx\n```'],
    [
      'a code block with a fence in it',
      '````\n```\nx\n```\n````',
      `\`\`\`\n\`\`${gap}\`\nx\n\`\`${gap}\`\n\`\`\``,
    ],
    ['room around code is Discord’s', 'a\n\n```\nb\n```\n\nc', 'a\n```\nb\n```\nc'],
    ['paragraphs', 'a\nb\n\nc', 'a\nb\n\nc'],
    ['lists', 'x\n\n- a\n- b\n\ny', 'x\n- a\n- b\n\ny'],
    ['lists in lists', '- a\n  1. b\n  2. c\n     - d\n- e', '- a\n  1. b\n  2. c\n    - d\n- e'],
    ['numbers', '7. a\n8. b', '7. a\n8. b'],
    ['tasks', '- [x] a\n- [ ] b', '- ☑ a\n- ☐ b'],
    ['several paragraphs of an item', '- a\n\n  b\n- c', '- a\n  b\n- c'],
    ['headings in lists', '- # a', '- **a**'],
    ['code in lists at the margin', '1. a\n   ```\n   b\n   ```\n2. c', '1. a\n```\nb\n```\n2. c'],
    ['quotes', '> a\n>\n> b\n\nc', '> a\n> \n> b\n\nc'],
    ['quotes one behind the other', '> a\n\n<!-- -->\n\n> b', '> a\n\n\\<!-- -->\n\n> b'],
    ['quotes in quotes show their marks', '> a\n> > # b\n> > - c', '> a\n> \n> \\> **b**\n> \\> - c'],
    ['code in quotes', '> ```\n> a\n>\n> b\n> ```', '> ```\n> a\n> \n> b\n> ```'],
    ['lists in quotes', '> - a\n> - b', '> - a\n> - b'],
    ['a rule', 'a\n\n---\n\nb', 'a\n\n———\n\nb'],
  ])('%s', (_, markdown, expected) => expect(textOf([md(markdown)])).toBe(expected));

  test.each([
    ['with a label', '[the *docs*](https://a.b/c)', '[the *docs*](<https://a.b/c>)'],
    ['in bold text', '**[a](https://a.b) b**', '**[a](<https://a.b>) b**'],
    ['bare', 'see https://a.b/c_d?e=*f', 'see <https://a.b/c_d?e=*f>'],
    ['without a scheme', 'www.a.b', '[www.a.b](<http://www.a.b>)'],
    ['with signs in the address', '[a](<https://a.b/(c*d~e)>)', '[a](<https://a.b/%28c%2Ad%7Ee%29>)'],
    [
      'with a label that says another address',
      '[https://bank.example](https://evil.example/)',
      'https\\://bank.example (<https://evil.example/>)',
    ],
    [
      'with a label that says another domain',
      '[bank.example](https://evil.example/)',
      'bank.example (<https://evil.example/>)',
    ],
    ['with a label that nobody sees', '[\u200b](https://a.b/)', `${gap} (<https://a.b/>)`],
    ['with brackets in the label', '[a \\[b\\] c](https://a.b/)', '[a \\[b] c](<https://a.b/>)'],
    ['with half a bracket in the label', '[a \\[b c](https://a.b/)', 'a \\[b c (<https://a.b/>)'],
    ['to a mailbox', '[write](mailto:a@b.c) or a@b.c', 'write (mailto:a@b.c) or a@b.c'],
    ['to anywhere else', '[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['to nowhere', '[x](https://[)', 'x (https\\://\\[)'],
    ['that are pictures', '![a cat](https://a.b/cat.png)', '[a cat](<https://a.b/cat.png>)'],
  ])('links %s', (_, markdown, expected) => expect(textOf([md(markdown)])).toBe(expected));
});

test('space at the edge of bold text stands outside of it', () =>
  expect(textOf([md('x **'), literal(' a '), md('** y')])).toBe('x  **a**  y'));

test.each([
  ['in a line', [md('until **'), time(1_796_032_800_999), md('**')], 'until **<t:1796032800:f>**'],
  ['in code', [md('`'), time(1_796_032_800_999), md('`')], '`2026-11-30 10:00 UTC`'],
  ['that is only typed', [value('<t:1796032800:f>')], `\\<${gap}t:1796032800:f>`],
] as const)('a time %s', (_, prose, expected) => expect(textOf([...prose])).toBe(expected));

describe('literal text', () => {
  test.each([
    '*a* _b_ **c** __d__ ~~e~~ `f` ||g||',
    '# a\n## b\n-# c\n> d\n>>> e',
    '- a\n* b\n+ c\n  - d\n1. e\n12. f',
    '[a](https://b.c) <https://d.e> https://f.g/h_i_j',
    '```js\nlet a;\n```',
    '\\*a\\* \\\\ \\',
    '¯\\_(ツ)_/¯ ~~~ ~5 a_b_c 2*3*4 a|b #1 - +1',
  ])('reads as it was typed: %j', (text) => {
    const written = textOf([literal(text)]);
    expect(visibleText(written)).toBe(text);
    expect(visibleText(textOf([md('Got: '), value(text), md('!')]))).toBe(`Got: ${text}!`);
  });

  test('ordinary text needs no backslashes', () =>
    expect(textOf([literal('Release 1.2 (of 3) is out - see #7, mail ana@example.com: 100% & done!')])).toBe(
      'Release 1.2 (of 3) is out - see #7, mail ana@example.com: 100% & done!',
    ));

  test('an address in it is text', () => expect(textOf([literal('https://a.b')])).toBe('https\\://a.b'));
});
