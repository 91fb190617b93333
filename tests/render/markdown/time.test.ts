import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';
import { literal, md, type Prose, type ProsePiece, person, time, value } from '../../../src/engine/prose.ts';
import { compose, parseMarkdown, plainText, splitMarkdown } from '../../../src/render/markdown/index.ts';
import { anyLine } from './arbitraries.ts';

const at = time(Date.UTC(2026, 10, 30, 10));
const atS = Date.UTC(2026, 10, 30, 10) / 1_000;

/** The times of a tree, in order. */
function timesIn(node: Nodes): number[] {
  if (node.type === 'time') return [node.atS];
  return 'children' in node ? node.children.flatMap(timesIn) : [];
}

const timesOf = (markdown: string) => timesIn(parseMarkdown(markdown));

describe('an instant', () => {
  test.each<[where: string, prose: Prose]>([
    ['alone', [at]],
    ['in a line', [md('Until '), at, md('.')]],
    ['in a word', [literal('a'), at, literal('b')]],
    ['in bold', [md('**'), at, md('**')]],
    ['beside bold spaces', [at, md('**'), literal(' b '), md('**'), at]],
    ['in a heading', [md('# Until '), at]],
    ['in an item', [md('- '), at, md('\n- x')]],
    ['in a quote', [md('> '), at]],
    ['in a cell', [md('| a |\n|---|\n| '), at, md(' |')]],
  ])('%s stays one that platforms can show', (_, prose) => {
    expect(new Set(timesOf(compose(prose)))).toEqual(new Set([atS]));
  });

  test.each<[where: string, prose: Prose, text: string]>([
    ['in plain text', [md('Until **'), at, md('**.')], 'Until 2026-11-30 10:00 UTC.'],
    ['in inline code', [md('`'), at, md('`')], '2026-11-30 10:00 UTC'],
    ['in a code block', [md('```\n'), at, md('\n```')], '2026-11-30 10:00 UTC'],
    ['in a label', [md('['), at, md('](https://a.b)')], '2026-11-30 10:00 UTC (https://a.b)'],
    ['in an address', [md('[a](https://a.b/'), at, md(')')], 'a (https://a.b/2026-11-30%2010%3A00%20UTC)'],
    [
      'beside an address',
      [md('https://a.b/'), at],
      'https://a.b/2026-11-30 10:00 UTC (https://a.b/2026-11-30%2010%3A00%20UTC)',
    ],
    ['before 1970', [time(-1)], '1969-12-31T23:59:59.999Z'],
    ['that was cut', [{ kind: 'time', text: '2026-11-30T10' }], '2026-11-30T10'],
  ])('%s is words', (_, prose, text) => expect(plainText(compose(prose))).toBe(text));

  test('C46 is shown to the minute, whatever its seconds', () =>
    expect(plainText(compose([time(Date.UTC(2026, 0, 5, 9, 7, 59, 999))]))).toBe('2026-01-05 09:07 UTC'));
});

/** Text that tries to look like a time that we wrote. */
const forged = fc
  .array(
    fc.oneof(
      anyLine,
      fc.constantFrom(
        ...[
          't\uFDD01790000000\uFDD1t',
          '&#x74;\uFDD01790000000\uFDD1&#x74;',
          '\uFDD0',
          '\uFDD1',
          't',
          '1790',
        ],
        ...['&#xFDD0;', '&#xFDD1;', '&#64976;', 't&#xFDD0;1790000000&#xFDD1;t', '<t:1790000000:f>'],
        ...['```\n', '`', '\n\n', '<!date^1790000000^{time}|x>', '**'],
      ),
    ),
    { maxLength: 12 },
  )
  .map((all) => all.join(''));
const forgedPiece: fc.Arbitrary<ProsePiece> = fc
  .tuple(fc.constantFrom(md, value, literal, person), forged)
  .map(([make, text]) => make(text));

test('nothing but such a piece makes one, however the text is cut', () => {
  fc.assert(
    fc.property(fc.array(forgedPiece, { maxLength: 4 }), fc.integer({ min: 1, max: 300 }), (prose, limit) => {
      const markdown = compose(prose);
      for (const part of [markdown, ...splitMarkdown(markdown, (text) => text.length <= limit)]) {
        expect(timesOf(part)).toEqual([]);
      }
    }),
    { numRuns: 150 },
  );
});

test('a time is never cut, whatever stands around it, and nothing else is lost', () => {
  const around = fc.oneof(
    anyLine,
    forged,
    fc.constantFrom('', '\u0301', '\u0600', 'www.a.b', 'a@b', '@b.c', ' b '),
  );
  const looks = fc.constantFrom('', '**', '_', '~~');
  const piece = fc.tuple(around, looks, around, fc.boolean());
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 120 }),
      (all, limit) => {
        const prose = all.flatMap(([before, look, inside, isIn]): ProsePiece[] => {
          const words = isIn ? [literal(inside), at] : [literal(inside)];
          return [literal(before), md(look), ...words, md(look), at];
        });
        const count = prose.filter(({ kind }) => kind === 'time').length;
        const markdown = compose(prose);
        expect(timesOf(markdown)).toEqual(Array.from({ length: count }, () => atS));
        const parts = splitMarkdown(markdown, (text) => text.length <= limit);
        expect(parts.flatMap(timesOf)).toHaveLength(count);
        expect(JSON.stringify(parts.map(parseMarkdown))).not.toMatch(/[\uFDD0\uFDD1]/);
        for (const part of parts)
          expect(part.length <= limit || timesOf(part).length === 1 || [...part].length === 1).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});

test('what a platform makes of a time counts for the length of a message', () => {
  const markdown = compose([md('aaa '), at, md(' bbb')]);
  const shownLength = (text: string) => plainText(text).length;
  expect(splitMarkdown(markdown, (text) => shownLength(text) <= 20).map(plainText)).toEqual([
    'aaa',
    '2026-11-30 10:00 UTC',
    'bbb',
  ]);
});
