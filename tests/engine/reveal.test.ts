import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MARKS_MAX, reveal } from '../../src/engine/reveal.ts';

const withoutLabels = (text: string): string => text.replaceAll(/⟦[^⟧]*⟧/g, '');

describe('what hides in a text is shown', () => {
  test.each([
    ['text that runs backwards', 'file\u202Egpj.exe', 'file⟦U+202E⟧gpj.exe'],
    ['isolates', 'a \u2066b\u2069', 'a ⟦U+2066⟧b⟦U+2069⟧'],
    ['direction marks', 'a\u200E\u200F\u061C', 'a⟦U+200E⟧⟦U+200F⟧⟦U+061C⟧'],
    ['a zero-width space', 'rm -rf /\u200Btmp', 'rm -rf /⟦U+200B⟧tmp'],
    ['the same many times', `a${'\u200B'.repeat(3)}b`, 'a⟦U+200B ×3⟧b'],
    ['a soft hyphen', 'ap\u00ADproved', 'ap⟦U+00AD⟧proved'],
    ['joiners of nothing', 'a\u200Cb\u200Dc\u2060d', 'a⟦U+200C⟧b⟦U+200D⟧c⟦U+2060⟧d'],
    ['invisible mathematics', 'f\u2061(x)\u2062y', 'f⟦U+2061⟧(x)⟦U+2062⟧y'],
    ['a byte-order mark inside', 'a\uFEFFb', 'a⟦U+FEFF⟧b'],
    ['fillers', '\u115F\u1160\u3164\uFFA0\u180E', '⟦U+115F⟧⟦U+1160⟧⟦U+3164⟧⟦U+FFA0⟧⟦U+180E⟧'],
    ['words of tags', 'ok\u{E0068}\u{E0069}', 'ok⟦U+E0068⟧⟦U+E0069⟧'],
    ['tags behind a flag that is none', '🏴\u{E0068}\u{E0069}\u{E007F}', '🏴⟦U+E0068⟧⟦U+E0069⟧⟦U+E007F⟧'],
    ['variation selectors', 'a\uFE0Fb\u{E0100}c\uFE01', 'a⟦U+FE0F⟧b⟦U+E0100⟧c⟦U+FE01⟧'],
    ['a second selector of an emoji', '❤\uFE0F\uFE0F', '❤\uFE0F⟦U+FE0F⟧'],
    ['a joiner with nothing behind it', '👩\u200D!', '👩⟦U+200D⟧!'],
    ['a joiner behind a mark that Arabic has too', 'a\u0308\u200Cb', 'a\u0308⟦U+200C⟧b'],
    ['two joiners in a row', 'می\u200C\u200Cخواهم', 'می\u200C⟦U+200C⟧خواهم'],
    ['controls', 'a\u0000\u001B[2K\u0085\u007F', 'a⟦U+0000⟧⟦U+001B⟧[2K⟦U+0085⟧⟦U+007F⟧'],
    ['a return without a new line', 'safe\revil', 'safe⟦U+000D⟧evil'],
    ['line separators', 'a\u2028b\u2029', 'a⟦U+2028⟧b⟦U+2029⟧'],
    ['half a character', 'a\uD800b', 'a⟦U+D800⟧b'],
    ['what looks like a label', 'a⟦U+202E⟧', 'a⟦U+27E6⟧U+202E⟧'],
  ])('%s', (_, text, shown) => {
    expect(reveal(text).text).toBe(shown);
    expect(reveal(text).marks).not.toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['plain text', 'Publish 1.2? It costs $5 & takes 3 days.\n\tYes: ok\r\n'],
    ['accents', 'Zażółć gęślą jaźń, Ærø, café, cafe\u0301, naïve, ıssız, ŁÓDŹ'],
    ['a byte-order mark in front', '\uFEFFHello'],
    ['emoji', 'Step1️⃣ infoℹ️ 👍 👍🏽 ❤️ ☎︎ ©️ 1️⃣ #️⃣ 👩🏽‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ 👁️‍🗨️ 🧑🏻‍❤️‍💋‍🧑🏿 🇩🇪'],
    [
      'flags of tags',
      '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}',
    ],
    ['Persian', 'می\u200Cخواهم کتاب\u200Cها'],
    ['Arabic with number signs', 'مرحبا \u0601١٢'],
    ['Hindi and Sinhala', 'क्\u200Dष क्\u200Cष ශ්\u200Dරී'],
    ['Hebrew', 'שלום עולם'],
    ['Mongolian', 'ᠠ\u180B'],
    ['Russian', 'Привет, мир! Не со мной, а у нее; он и ее сын. ТО — НЕ ОНО, а ВОТ.'],
    ['Ukrainian', 'Слава Україні і її людям'],
    ['Serbian', 'То је сада ово, са њом'],
    ['Greek', 'Γεια σου Κόσμε, για να και ο άνθρωπος'],
    ['Armenian', 'Բարեւ աշխարհ'],
    ['Japanese', 'テスト用のＷｅｂサイト、ＡＢＣとABCテスト案'],
    ['full width alone', 'Ｗｅｂ'],
    ['Chinese and Korean', '你好，世界 안녕하세요'],
    ['Greek letters in Japanese', 'α線とβテスト'],
    ['units and formulas', '10 μm, 5 kΩ, ΔT, ΔHf, πr², 2ⁿ, 1ª, nº, x ∈ ℝ, Ⅳ, 300 K'],
    ['words of two scripts with a hyphen', 'IT-отдел и web-сайт'],
  ])('%s stays as it is', (_, text) => {
    expect(reveal(text)).toEqual({ text, marks: [] });
  });
});

describe('words with letters of others are followed by those', () => {
  test.each([
    ['a Cyrillic letter', 'Pay pаypal now', 'Pay pаypal⟦а U+0430⟧ now'],
    ['several', 'https://gооglе.com', 'https://gооglе⟦о U+043E, е U+0435⟧.com'],
    ['a whole word that looks Latin', 'раур', 'раур⟦р U+0440, а U+0430, у U+0443⟧'],
    ['a short one without Russian around it', 'асе of spades', 'асе⟦а U+0430, с U+0441, е U+0435⟧ of spades'],
    ['a long one with Russian around it', 'Платите на РАУСАХ', /^Платите на РАУСАХ⟦.*⟧$/],
    ['one Latin letter among those', 'раураl', 'раураl⟦р U+0440, а U+0430, у U+0443⟧'],
    ['a Latin letter in a Russian word', 'Мoсква', 'Мoсква⟦o U+006F⟧'],
    ['a letter that looks like none', 'Facebooк', 'Facebooк⟦к U+043A⟧'],
    ['Greek', 'αpple Gοοd', 'αpple⟦α U+03B1⟧ Gοοd⟦ο U+03BF⟧'],
    ['Greek with an accent', 'pάypal', 'pάypal⟦ά U+03AC⟧'],
    ['Armenian', 'gօօgle', 'gօօgle⟦օ U+0585⟧'],
    ['Cherokee', 'ᎪPPLE', 'ᎪPPLE⟦Ꭺ U+13AA⟧'],
    ['Lisu alone', 'ꓮꓑꓑꓡꓰ', 'ꓮꓑꓑꓡꓰ⟦ꓮ U+A4EE, ꓑ U+A4D1, ꓡ U+A4E1, ꓰ U+A4F0⟧'],
    ['full width among others', 'payｐal', 'payｐal⟦ｐ U+FF50⟧'],
    ['mathematics among others', 'p𝗮ypal', 'p𝗮ypal⟦𝗮 U+1D5EE⟧'],
    ['phonetic letters', 'ɡoogle', 'ɡoogle⟦ɡ U+0261⟧'],
    ['with a sign of no script among them', 'раура\u02B9', 'раура\u02B9⟦р U+0440, а U+0430, у U+0443⟧'],
    ['with a letter of a third script among them', 'раураლ', 'раураლ⟦р U+0440, а U+0430, у U+0443⟧'],
    ['parted by what hides', 'p\u200Bа\u200Bypal', 'p⟦U+200B⟧а⟦U+200B⟧ypal⟦а U+0430⟧'],
    ['more letters than can be named', 'аесохрух', /^аесохрух⟦(. U\+\w{4}, ){5}and more⟧$/],
  ])('%s', (_, text, shown) => {
    const { text: seen, marks } = reveal(text);
    if (typeof shown === 'string') expect(seen).toBe(shown);
    else expect(seen).toMatch(shown);
    expect(marks).not.toEqual([]);
  });
});

describe('the sentences about it', () => {
  test('say what was found, each once', () => {
    expect(reveal('pаypal \u202E\u200Bpаypal\u202D\u200B\u0007 ⟦').marks).toEqual([
      'Characters that change the order in which text is shown are in it: U+202E, U+202D.',
      'Invisible characters are in it: U+200B.',
      'Control characters are in it: U+0007.',
      'Signs with which labels begin are in it: U+27E6.',
      '“pаypal” has letters that look like others: а (U+0430).',
    ]);
  });

  test('are few and short', () => {
    const words = Array.from({ length: 50 }, (_, index) => `pаypal${index}`).join(' ');
    const { marks } = reveal(`${words} ${'аb'.repeat(500)}`);
    expect(marks).toHaveLength(MARKS_MAX);
    expect(marks.at(-1)).toBe('And 42 more words like that.');
    const [long = ''] = reveal('аb'.repeat(500)).marks;
    expect(long).toMatch(/^“(аb){19}а…”/);
  });
});

const hostile = fc.constantFrom(
  ...[
    '\u202E',
    '\u200B',
    '\u200D',
    '\u200C',
    '\uFE0F',
    '\uFEFF',
    '\u{E0067}',
    '\u{E007F}',
    '\u{E0100}',
    '\u0000',
  ],
  ...['🏴', '👩', '🏽', '❤', '1', '\u20E3', 'a', 'а', 'ά', 'ж', 'ｐ', '𝗮', 'م', 'क', '्', '\u0301', '⟦', '⟧'],
  ...['\r', '\n', ' ', '\uD800', '\uDC00', '\u3164', '\u180B', 'ᠠ', 'U+202E'],
);
const hostileText = fc.array(hostile, { maxLength: 40 }).map((signs) => signs.join(''));

describe('whatever the text is', () => {
  test('taking the labels away gives the text without what hides in it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        // By characters: half of one is no beginning of a whole one.
        const rest = [...withoutLabels(reveal(text).text)];
        const isHidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}⟦]/u;
        let at = 0;
        for (const sign of text) {
          if (rest[at] === sign) at += 1;
          else expect(sign).toMatch(isHidden);
        }
        expect(at).toBe(rest.length);
      }),
      { numRuns: 2000 },
    );
  });

  test('nothing stays that hides, outside of emoji and of scripts that need it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const { text: shown, marks } = reveal(text);
        expect(withoutLabels(shown)).not.toMatch(/[\u202E\u200B\u3164\0⟦]|\u{E0100}|(?!^)\uFEFF|\r(?!\n)/u);
        expect(shown.isWellFormed()).toBe(true);
        expect(marks.length > 0).toBe(shown !== text);
      }),
      { numRuns: 2000 },
    );
  });

  test('60,000 hostile characters are read to their end', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (signs) => {
        const unit = signs.join('');
        const text = unit.repeat(Math.floor(60_000 / unit.length));
        const { text: shown, marks } = reveal(text);
        // No sign becomes longer than its label and that of a word of one letter.
        expect(shown.length).toBeLessThan(text.length * 30);
        expect(marks.length).toBeLessThanOrEqual(MARKS_MAX);
      }),
      { numRuns: 15 },
    );
  });
});
