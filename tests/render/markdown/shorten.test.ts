import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shorten } from '../../../src/render/markdown/index.ts';

describe('C10 shorten', () => {
  test.each([
    ['what fits stays', 'Deploy 🚀', 9, 'Deploy 🚀'],
    ['a rocket at the edge goes whole', 'Deploy 🚀 now', 9, 'Deploy…'],
    ['a family goes whole', 'Go 👩‍👩‍👧‍👦 go', 12, 'Go…'],
    ['a flag goes whole', 'a🇩🇪🇫🇷b', 8, 'a🇩🇪…'],
    ['an accent stays with its letter', 'cafe\u0301s', 5, 'caf…'],
    ['room for the sign alone', 'abc', 1, '…'],
    ['half a character is replaced', 'cut \ud83d', 9, 'cut \ufffd'],
    ['no room', 'abc', 0, ''],
  ])('%s', (_, text, maxLength, expected) => expect(shorten(text, maxLength)).toBe(expected));

  test('never longer, always well formed, a beginning of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, maxLength) => {
        const short = shorten(text, maxLength);
        expect(short.length).toBeLessThanOrEqual(maxLength);
        expect(short.isWellFormed()).toBe(true);
        expect(text.startsWith(short.replace(/…$/, ''))).toBe(true);
      }),
    );
  });
});
