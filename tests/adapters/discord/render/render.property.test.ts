import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';
import { literal, md, type Prose, type ProsePiece, value } from '../../../../src/engine/prose.ts';
import { compose, parseMarkdown, plainText } from '../../../../src/render/markdown/index.ts';
import { anyText, documents } from '../../../render/markdown/arbitraries.ts';
import { hostile } from './hostile.ts';
import { render, wordsOf } from './shown.ts';

/** Words without white space, and without the marks that Discord draws differently. */
function squeezed(text: string): string {
  return text
    .replace(/☑ /g, '[x] ')
    .replace(/☐ /g, '[ ] ')
    .replace(/%(28|29|2A|7E)/g, (code) => decodeURIComponent(code))
    .replace(/[\s>|—•\u200b-]/g, '');
}

function hasTable(node: Nodes): boolean {
  return node.type === 'table' || ('children' in node && node.children.some(hasTable));
}

function checkComplete(prose: Prose): void {
  const expected = squeezed(plainText(compose(prose)));
  const read = squeezed(wordsOf(prose));
  // Marks without words, such as a lone bullet, are shown as they are.
  expect(read === '(empty)' ? '' : read).toBe(/[^\p{Cc}\p{Cf}]/u.test(expected) ? expected : '');
}

const tokens = fc.constantFrom(...hostile);
const tasks = tokens.map((token) => `- [x] ${token}\n- [ ] a`);
const anything = fc.oneof(
  { weight: 3, arbitrary: documents },
  { weight: 2, arbitrary: fc.array(tokens, { maxLength: 30 }).map((all) => all.join(' ')) },
  { weight: 1, arbitrary: tasks },
);
// Tables have their own tests: they read differently as lists.
const pieces: fc.Arbitrary<ProsePiece> = fc
  .tuple(fc.constantFrom(md, value, literal), fc.oneof(anything, anyText))
  .map(([piece, text]) => piece(text));
const posts = fc.array(pieces, { maxLength: 4 }).filter((prose) => !hasTable(parseMarkdown(compose(prose))));

describe('whatever is said comes out whole, in order, within the limits, and calls nobody', () => {
  test('C01 C02 C04, trap 4: tokens of Discord in every syntax', () => {
    for (const token of hostile) {
      for (const place of ['%', '# %', '- %', '> %', '**%**', '*%*', '~~%~~', '[%](https://x.y)', '1. > %']) {
        const [before = '', ...after] = place.split('%');
        checkComplete(after.flatMap((text) => [literal(token), md(text)]).toSpliced(0, 0, md(before)));
        if (!/[\n|]/.test(token)) checkComplete([md(place.replaceAll('%', token))]);
      }
    }
  });

  test('C01: literal text reads exactly as it was typed', () => {
    const sign = fc.constantFrom(...'*_~`[]()<>#+-=|:\\&;.!"\'1aA@/{}$^', ' ', '\n', ...hostile);
    const typed = fc
      .array(fc.oneof(sign, fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 60 })
      // White space around a line or text is nothing that people see.
      .map((all) =>
        all
          .join('')
          .replace(/[^\S\n]+/g, ' ')
          .replace(/ ?\n+ ?/g, '\n')
          .replace(/[\t\f]/g, '')
          .trim(),
      )
      .filter((text) => /[^\p{Cc}\p{Cf}\p{Z}\p{Cs}]/u.test(text));
    fc.assert(
      fc.property(typed, (text) => {
        expect(wordsOf([literal(text)])).toBe(text.replaceAll('\u200b', ''));
      }),
      { numRuns: 300 },
    );
  });

  test('trap 13: short posts of any pieces', () => {
    fc.assert(
      fc.property(posts, (prose) => {
        const parts = render(prose);
        // Text of several messages can be cut inside of what had to stay whole.
        if (parts.length === 1) checkComplete(prose);
      }),
      { numRuns: 60 },
    );
  });

  test('C07 C08, trap 13: texts of up to 60,000 characters', () => {
    const long = fc
      .tuple(fc.array(anything, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1_000, max: 60_000 }))
      .map(([all, length]) => {
        const once = `${all.join('\n\n')}\n\n`;
        return once.repeat(Math.max(1, Math.floor(length / once.length))).slice(0, 60_000);
      })
      .filter((text) => !hasTable(parseMarkdown(text)));
    fc.assert(
      fc.property(long, (text) => checkComplete([md(text)])),
      // Always the same texts: how long one takes differs a lot from text to text.
      { numRuns: 4, endOnFailure: true, seed: 8 },
    );
  });
});
