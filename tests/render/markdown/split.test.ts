import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';
import { parseMarkdown, splitMarkdown } from '../../../src/render/markdown/index.ts';
import { cutMarkdown } from '../../../src/render/markdown/split.ts';
import { anyText, documents } from './arbitraries.ts';

const upTo = (limit: number) => (part: string) => part.length <= limit;
const limits = fc.oneof(
  fc.integer({ min: 1, max: 60 }),
  fc.integer({ min: 20, max: 400 }),
  fc.integer({ min: 200, max: 2_000 }),
);

/** Where a text may be cut: between visible characters, and inside of those that are longer than the limit. */
function bordersOf(text: string, limit: number): Set<number> {
  const borders = new Set([0, text.trimEnd().length]);
  for (const { segment, index } of new Intl.Segmenter('en').segment(text)) {
    let at = index;
    for (const codePoint of segment.length > limit ? segment : [segment]) {
      at += codePoint.length;
      borders.add(at);
    }
  }
  return borders;
}

/** The promises of `splitMarkdown`, checked for one text and limit. */
function checkParts(anything: string, limit: number): void {
  const text = anything.toWellFormed();
  if (!anything.isWellFormed())
    expect(splitMarkdown(anything, upTo(limit))).toEqual(splitMarkdown(text, upTo(limit)));
  const pieces = cutMarkdown(text, upTo(limit));
  const borders = bordersOf(text, limit);
  // Fences apart: what an item ended must be ended by marks when the item's own are in another part.
  const squeezed = (words: string) => words.replace(/[\s>`~]/g, '');
  let at = 0;
  for (const { start, end, part } of pieces) {
    expect(text.slice(at, start)).toMatch(/^[\s>]*(\\(\r\n|\n|\r))?[\s>]*$/);
    expect([borders.has(start), borders.has(end)]).toEqual([true, true]);
    expect(part.trim()).not.toBe('');
    expect(squeezed(part)).toContain(squeezed(text.slice(start, end)));
    expect(part.isWellFormed()).toBe(true);
    if (part.length > limit) expect([...part]).toHaveLength(1);
    at = end;
  }
  expect(text.slice(at).trim()).toBe('');
}

describe('nothing is lost, nothing is torn, every part fits', () => {
  test('in well-formed Markdown', () => {
    fc.assert(
      fc.property(documents, limits, fc.boolean(), (text, limit, windows) =>
        checkParts(windows ? text.replaceAll('\n', '\r\n') : text, limit),
      ),
      { numRuns: 50 },
    );
  });

  test('in any text', () => {
    fc.assert(fc.property(anyText, limits, checkParts), { numRuns: 300 });
  });
});

/** What a reader sees, with the borders of code, quotes and bold text, without white space. */
function look(node: Nodes): string {
  if (node.type === 'code') return `{${node.value}}`;
  if (node.type === 'inlineCode') return `‹${node.value}›`;
  if (node.type === 'text') return node.value;
  const inside = 'children' in node ? node.children.map(look).join('') : '';
  if (node.type === 'strong') return `⟦${inside}⟧`;
  return node.type === 'blockquote' ? `«${inside}»` : inside;
}

/** The same where something ends and begins again at once. */
function healed(text: string): string {
  const once = text.replace(/\s/g, '').replace(/\}\{|›‹|⟧⟦|»«/g, '');
  return once === text ? text : healed(once);
}

test('the parts, read one after the other, look like the whole', () => {
  // Items that begin with an empty line are read in too many ways.
  const regular = documents.filter((text) => !/[-.] *\n/.test(text));
  fc.assert(
    fc.property(regular, fc.integer({ min: 340, max: 900 }), (text, limit) => {
      const parts = splitMarkdown(text, upTo(limit));
      expect(healed(parts.map((part) => look(parseMarkdown(part))).join(''))).toBe(
        healed(look(parseMarkdown(text))),
      );
    }),
    { numRuns: 120 },
  );
});

describe('where a text is cut', () => {
  test.each<[what: string, text: string, limit: number, parts: string[]]>([
    ['not at all when it fits', 'a\n\nb', 10, ['a\n\nb']],
    ['a blank text has no parts', ' \n\n', 10, []],
    ['between blocks', 'aaa bbb\n\nccc ddd', 12, ['aaa bbb', 'ccc ddd']],
    ['not behind a heading', 'aaa bbb\n\n# cc\n\nddd', 15, ['aaa bbb', '# cc\n\nddd']],
    ['between list items', '- aa aa\n- bb bb\n- cc cc', 16, ['- aa aa\n- bb bb', '- cc cc']],
    ['between lines', 'aa aa\nbb bb\ncc cc', 13, ['aa aa\nbb bb', 'cc cc']],
    ['between sentences', 'Aa bb. Cc dd ee', 11, ['Aa bb.', 'Cc dd ee']],
    ['between words', 'aaaa bbbb cccc', 10, ['aaaa bbbb', 'cccc']],
    ['in a word when it must', 'aaaaabbbbbcc', 5, ['aaaaa', 'bbbbb', 'cc']],
    ['not in a link', 'aa [b b](http://c.d) e', 19, ['aa', '[b b](http://c.d) e']],
    ['not in inline code', 'aaa `b b b` c', 9, ['aaa', '`b b b` c']],
    ['not in a token', 'aaa <#C12|b cc> d', 14, ['aaa', '<#C12|b cc> d']],
    ['between tasks', '- [x] aa bb\n- [ ] cc dd', 14, ['- [x] aa bb', '- [ ] cc dd']],
    [
      'a task goes on without its box',
      '- [x] aa bb\n\n      cc cc\n      dd',
      16,
      ['- [x] aa bb', '    cc cc\n    dd'],
    ],
    ['bold text is bold in both parts', 'a **bb cc dd** e', 12, ['a **bb cc**', '**dd** e']],
    [
      'a list item goes on without its indentation',
      '- aa\n  - bb bb\n\n    cc cc',
      15,
      ['- aa\n  - bb bb', 'cc cc'],
    ],
    ['a quote goes on as a quote', '> aa bb\n> cc dd', 10, ['> aa bb', '> cc dd']],
    [
      'a table gets its head again',
      '|a|\n|-|\n|bb|\n|cc|\n|dd|',
      18,
      ['|a|\n|-|\n|bb|\n|cc|', '|a|\n|-|\n|dd|'],
    ],
    ['a new part begins no list by accident', 'aaa bbb - ccc', 8, ['aaa bbb', '\\- ccc']],
    ['a hard break at the cut goes', 'aaaa\\\nbbbb', 6, ['aaaa', 'bbbb']],
    ['code keeps its indentation', '```\na\n  b\n```', 11, ['```\na\n```', '```\n  b\n```']],
    [
      'a fence in a quote',
      '> ```js\n> aa\n> bb\n> ```',
      20,
      ['> ```js\n> aa\n> ```', '> ```js\n> bb\n> ```'],
    ],
    ['a fence in a list', '- ```js\n  aa\n  bb\n  ```', 18, ['- ```js\n  aa\n  ```', '```js\nbb\n```']],
    ['between code points when a visible character is too long', 'e\u0301\u0302', 2, ['e\u0301', '\u0302']],
    ['a code point that does not fit stands alone', '🚀🚀', 1, ['🚀', '🚀']],
    ['half characters are replaced', 'a \ud83d b', 3, ['a \ufffd', 'b']],
  ])('%s', (_, text, limit, parts) => expect(splitMarkdown(text, upTo(limit))).toEqual(parts));
});

describe('C07 a code block over the limit of a platform', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}: ${'x'.repeat(18)}`);
  const text = `Here is the code.\nIt is long:\n\n\`\`\`py\n${lines.join('\n')}\n\`\`\`\n\nThat is all.`;
  const parts = splitMarkdown(text, upTo(2_000));

  test('is closed and opened again with its language, within the limit', () => {
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(2_000);
      expect(part.match(/^```/gm)?.length ?? 0).toBe(2);
      expect(part).toContain('```py\n');
    }
  });

  test('and the parts without the repairs are the original', () => {
    const joined = parts.join('\n').replaceAll('\n```\n```py\n', '\n');
    expect(joined).toBe(text);
  });
});

describe('C08 the closing fence counts', () => {
  const tags = ['ts', 'x'.repeat(300)];
  const cases = tags.flatMap((tag) =>
    [1_996, 1_997, 1_998, 1_999, 2_000].map((length) => [tag.length, length, tag] as const),
  );
  test.each(cases)('tag of %i characters, a line that ends at %i', (_, length, tag) => {
    const opening = `\`\`\`${tag}\n`;
    const first = 'a'.repeat(990);
    const second = 'b'.repeat(length - opening.length - first.length - 1);
    const text = `${opening}${first}\n${second}\n${'c'.repeat(900)}\n${'d'.repeat(900)}\n${'e'.repeat(900)}\n\`\`\``;
    const parts = splitMarkdown(text, upTo(2_000));
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(2_000);
      expect(part).toMatch(/^```[a-z]+\n[^`]*\n```$/);
    }
    expect(parts[0]?.startsWith(opening)).toBe(true);
    const again = `\`\`\`${tag.slice(0, 20)}\n`;
    for (const part of parts.slice(1)) expect(part.startsWith(again)).toBe(true);
    const joined = [parts[0], ...parts.slice(1).map((part) => part.slice(again.length))].join('\n');
    expect(joined.replace(/\n```(?=\n)/g, '').replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
  });
});

describe('C10 a cut at the limit keeps visible characters whole', () => {
  test.each([
    ['a rocket', '🚀'],
    ['a family', '👩‍👩‍👧‍👦'],
    ['a flag', '🇩🇪'],
    ['a letter with an accent', 'e\u0301'],
  ])('%s', (_, symbol) => {
    for (const shift of symbol.split('').keys()) {
      const before = 'a'.repeat(2_000 - shift);
      const parts = splitMarkdown(`${before}${symbol}${'b'.repeat(50)}`, upTo(2_000));
      expect(parts.join('')).toBe(`${before}${symbol}${'b'.repeat(50)}`);
      for (const part of parts) expect(part.isWellFormed() && part.length <= 2_000).toBe(true);
      expect(parts.some((part) => part.includes(symbol))).toBe(true);
    }
  });
});

describe('60,000 characters', () => {
  const sentence = 'The **quick** brown [fox](http://x.y) jumps `over` the _lazy_ dog. ';
  test.each([
    ['of paragraphs', `${sentence.repeat(8)}\n\n`.repeat(110)],
    ['of one line', sentence.repeat(900)],
    ['of list items', `- ${sentence}\n`.repeat(850)],
    ['of code', `\`\`\`py\n${'x = 1\n'.repeat(10_000)}\`\`\``],
    ['of a table', `|a|b|\n|-|-|\n${'|foo bar baz|quux zorp|\n'.repeat(2_400)}`],
    ['of one word', 'a'.repeat(60_000)],
    ['of one link', `[${'a b '.repeat(15_000)}](http://x)`],
    ['of quote marks', '>'.repeat(60_000)],
  ])('%s need few measurements and little time', (_, text) => {
    let calls = 0;
    const before = process.cpuUsage().user;
    const parts = splitMarkdown(text, (part) => {
      calls += 1;
      return part.length <= 2_000;
    });
    expect(calls).toBeLessThan(parts.length * 20);
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(4);
  });
});
