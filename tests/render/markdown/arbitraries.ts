import fc from 'fast-check';

/** What a cut must not tear, and ordinary words. */
const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('word', 'a', 'snake_case', 'End.', 'Why?', '1.', '-', '#', '日本語。', '='),
  },
  { weight: 2, arbitrary: fc.constantFrom('👩‍👩‍👧‍👦', '🇩🇪🇫🇷', 'e\u0301', '🚀', '\u0301', '\u0600', 'ก็') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('**bold words**', '*it*', '~~no~~', '`a b`', '[x y](http://a.b/c?d=1&e=2)'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('<@U1>', '<!subteam^S1|a b>', '&amp;', '\\*', 'https://a.b/c', '<b>'),
  },
);

function words(max: number): fc.Arbitrary<string> {
  return fc.array(word, { minLength: 1, maxLength: max }).map((all) => all.join(' '));
}

const codeLines = fc
  .array(fc.oneof(words(6), fc.constant(''), fc.constant('    deep = [')), { maxLength: 12 })
  .map((lines) => lines.join('\n'));

function indent(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : rest) + line)
    .join('\n');
}

/** Well-formed Markdown: paragraphs, headings, fences and rules, and lists and quotes of them, several deep. */
export const documents: fc.Arbitrary<string> = fc.letrec<{ blocks: string; block: string }>((tie) => ({
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 6 }).map((blocks) => blocks.join('\n\n')),
  block: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: words(60) },
    { weight: 1, arbitrary: words(5).map((text) => `## ${text}`) },
    { weight: 3, arbitrary: fc.tuple(codeLines, fc.constantFrom('', 'py')).map(fenced) },
    { weight: 1, arbitrary: codeLines.map((code) => `~~~~\n${code}\n~~~~`) },
    { weight: 1, arbitrary: fc.constant('---') },
    { weight: 2, arbitrary: items(tie('blocks'), () => '- ') },
    { weight: 1, arbitrary: items(tie('blocks'), (index) => `${index + 9}. `) },
    { weight: 1, arbitrary: tie('blocks').map((text) => indent(`[x] a ${text}`, '- ', '  ')) },
    { weight: 2, arbitrary: tie('blocks').map((text) => indent(text, '> ', '> ')) },
  ),
})).blocks;

function fenced([code, language]: [string, string]): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

function items(blocks: fc.Arbitrary<string>, mark: (index: number) => string): fc.Arbitrary<string> {
  return fc
    .array(blocks, { minLength: 1, maxLength: 4 })
    .map((all) =>
      all.map((text, index) => indent(text, mark(index), ' '.repeat(mark(index).length))).join('\n'),
    );
}

/** Anything that people and models write: broken Markdown, lone marks, Windows line ends, half characters. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...'*_~`[]()<>#+-=|:\\&;.!"\' \n\t1aA@/{}$^') },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          ...['\r\n', '\n\n', '```', '\n```py\n', '\n> ', '\n- ', '\n    ', '](', '~~~', '  ', '\n|-|\n'],
          ...['{{x}}', '$&', '$1', 'www.a.b', 'http://a.b', 'a@b.c@d.e', '\uFEFF', '\0', '\u00a0'],
          ...['\ud83d', '\ude80', `a${'\u0301'.repeat(80)}`],
        ),
      },
      { weight: 2, arbitrary: word },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
    ),
    { maxLength: 300 },
  )
  .map((pieces) => pieces.join(''));

/** The same, short: for properties that hold of any few characters. */
export const anyLine: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...'*_~`[]()<>#+-=|:\\&;.!"\' \n\r\t1aA@/{}$^') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '\r\n',
          'http://a.b',
          'www.a.b',
          'a@b.c',
          '&amp;',
          '{{x}}',
          '$&',
          '\0',
          '\uFEFF',
        ),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 2 }) },
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''));
