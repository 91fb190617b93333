import { describe, expect, test } from 'vitest';
import { hasTwinIn, looksOf } from '../../src/engine/lookalikes.ts';

const letters = Array.from({ length: 0x2_0000 }, (_, code) => String.fromCodePoint(code)).filter((sign) =>
  /\p{L}/u.test(sign),
);

describe('letters that look like Latin ones', () => {
  test('are of the script they are listed under, and never plain', () => {
    const alike = letters.flatMap((letter) => {
      const looks = looksOf(letter);
      return looks.kind === 'alike' ? [{ letter, script: looks.script }] : [];
    });
    expect(alike.length).toBeGreaterThan(150);
    for (const { letter, script } of alike) {
      expect(letter).toMatch(new RegExp(`^\\p{Script=${script}}$`, 'u'));
      expect(letter).not.toMatch(/[\0-\x7F]/);
    }
  });

  test.each([
    ['a', { kind: 'latin' }],
    ['ß', { kind: 'latin' }],
    ['ñ', { kind: 'latin' }],
    ['а', { kind: 'alike', script: 'Cyrillic' }],
    ['ё', { kind: 'alike', script: 'Cyrillic' }],
    ['ж', { kind: 'own', script: 'Cyrillic' }],
    ['й', { kind: 'own', script: 'Cyrillic' }],
    ['Ω', { kind: 'own', script: 'Greek' }],
    ['字', { kind: 'own', script: 'other' }],
    ['ｐ', { kind: 'styled' }],
    ['𝗮', { kind: 'styled' }],
    ['ℓ', { kind: 'styled' }],
    ['\u212A', { kind: 'styled' }],
    ['\u02B9', { kind: 'neutral' }],
  ])('%s', (letter, looks) => {
    expect(looksOf(letter)).toEqual(looks);
  });

  test.each([
    ['Cyrillic', 'o', true],
    ['Cyrillic', 'ö', true],
    ['Cyrillic', 'z', false],
    ['Greek', 'm', false],
    ['other', 'o', false],
  ])('%s has a twin of %s: %s', (script, letter, has) => {
    expect(hasTwinIn(script, letter)).toBe(has);
  });
});
