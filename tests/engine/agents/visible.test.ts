import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible } from '../../../src/engine/agents/visible.ts';
import { reveal } from '../../../src/engine/reveal.ts';

const england = '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}';

describe('what can be seen of a text', () => {
  it.each([
    ['text that runs backwards', 'file\u202Egpj.exe \u2066b\u2069\u200F', 'filegpj.exe b'],
    ['zero-width characters', 'ig\u200Bnore\u2060 \uFEFFa\u200Cll\u200D', 'ignore all'],
    ['words of tags', 'ok\u{E0001}\u{E0068}\u{E0069}', 'ok'],
    ['tags behind a flag that is none', '🏴\u{E0068}\u{E007F}', '🏴'],
    ['selectors that spell out bytes', '😀\uFE0F\uFE01\u{E0100}\u{E01EF}', '😀\uFE0F'],
    ['a joiner with nothing behind it', '👩\u200D!', '👩!'],
    ['fillers', '\u115F\u3164\u00AD\u180E', ''],
    ['escapes of a terminal', '\u001B[31mred\u001B[0m\u009B2K\u0000\b\u007F', '[31mred[0m2K'],
    ['selector of nothing', '\u180B\u180B ᠠ\u180B\u180C', ' ᠠ\u180B'],
    ['half a character', 'a\uD800b\uDC00', 'a\uFFFDb\uFFFD'],
    ['every end of a line', 'a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh\ti', 'a\nb\nc\nd\ne\nf\ng\nh\ti'],
  ])('has no %s', (_, text, seen) => {
    expect(visible(text)).toBe(seen);
  });

  it.each([
    ['plain text', 'Publish 1.2? $5 & <b>\n\tYes ⟦ok⟧'],
    ['accents', 'Zażółć gęślą jaźń, cafe\u0301'],
    ['emoji', `1️⃣ ℹ️ 👍🏽 ❤️ ☎︎ 👩🏽‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ 👁️‍🗨️ 🇩🇪 ${england}`],
    ['Persian, Arabic and Hebrew', 'می\u200Cخواهم \u0601١٢ שלום'],
    ['Hindi and Sinhala', 'क्\u200Dष ශ්\u200Dරී'],
    ['Mongolian', 'ᠠ\u180B'],
    ['letters that look like others', 'Pay pаypal, Привет, 你好, ＡＢＣ'],
  ])('has all of %s', (_, text) => {
    expect(visible(text)).toBe(text);
  });

  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '👩',
      '🏴',
      '1',
      '⃣',
      '\uFE0F',
      '\u200D',
      '\u200C',
      '\u200B',
      'क',
      'ᠠ',
      '\u180B',
      '\u{E0067}',
      '\uD800',
      '\r',
      '⟦',
    ),
  );

  it('is what cards for people show, too: nothing in it is labelled as hidden, and seeing it again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 12 }), (texts) => {
        const seen = visible(texts.join(''));
        expect(visible(seen)).toBe(seen);
        const { marks } = reveal(seen);
        expect(marks.filter((mark) => /change the order|Invisible|Control/.test(mark))).toEqual([]);
      }),
    );
  });
});
