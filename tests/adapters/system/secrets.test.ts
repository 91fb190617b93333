import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const secret = 'p"ä/ss+wörd 1';
const token = 'ghp_A1b2/G7h8&k<ö>';
/** As JSON that escapes every character. */
const jsonOf = (text: string) =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
/** As an address that encodes every byte. */
const percentOf = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
const secrets = createSecrets(
  new Map([
    ['PASSWORD', secret],
    ['PIN', '123'],
    ['LONG', 'abcdefgh'],
    ['INSIDE', 'bcde'],
    ['OVERLAP', 'ghijkl'],
    ['ODD', '$& $1 (.*)'],
  ]),
);

describe('the guard of secrets', () => {
  test('knows values and names', () => {
    expect(secrets.get('PIN')).toBe('123');
    expect(secrets.get('nope')).toBeUndefined();
    expect(secrets.names()).toEqual(['INSIDE', 'LONG', 'ODD', 'OVERLAP', 'PASSWORD', 'PIN']);
  });

  test.each([
    ['raw', `x ${secret} y`, 'x [secret] y'],
    ['twice', `${secret}${secret}`, '[secret][secret]'],
    ['inside JSON', JSON.stringify({ a: secret }), '{"a":"[secret]"}'],
    ['inside JSON inside JSON', JSON.stringify(JSON.stringify([secret])), '"[\\"[secret]\\"]"'],
    ['in an address', `https://x/?q=${encodeURIComponent(secret)}&r=1`, 'https://x/?q=[secret]&r=1'],
    ['in an address, in lower case', 'q=p%22%c3%a4%2fss%2bw%c3%b6rd%201', 'q=[secret]'],
    ['in a form', new URLSearchParams({ q: secret, r: '1' }).toString(), 'q=[secret]&r=1'],
    ['as base64', `Basic ${base64(secret)}`, 'Basic [secret]'],
    ['as base64 without padding', base64(secret).replace(/=+$/, ''), '[secret]'],
    ['as base64url', Buffer.from(secret).toString('base64url'), '[secret]'],
    ['a secret with signs that mean something in patterns', 'is $& $1 (.*)!', 'is [secret]!'],
    ['overlapping secrets', 'x abcdefghijkl y', 'x [secret] y'],
    ['a secret inside another', 'abcdefgh bcde', '[secret] [secret]'],
    ['a short one, which occurs by chance', 'room 123', 'room 123'],
    ['nothing', 'nothing to hide', 'nothing to hide'],
  ])('hides a secret that stands %s', (_where, text, hidden) => {
    expect(secrets.redact(text)).toBe(hidden);
  });

  test.each([
    ['JSON of PHP', '"ghp_A1b2\\/G7h8&k<\\u00f6>"'],
    ['JSON of Python', JSON.stringify(token).replace('ö', '\\u00f6')],
    ['JSON of Python, in capitals', JSON.stringify(token).replace('ö', '\\u00F6')],
    ['JSON of Go', '"ghp_A1b2/G7h8\\u0026k\\u003cö\\u003e"'],
    ['JSON inside JSON', '"\\"ghp_A1b2\\\\/G7h8\\\\u0026k<\\\\u00f6>\\""'],
    ['JSON that escapes everything', jsonOf(token)],
    ['an address that encodes everything', percentOf(token)],
    ['an address that encodes everything, in small letters', percentOf(token).toLowerCase()],
    ['an address inside an address', encodeURIComponent(encodeURIComponent(token))],
    ['HTML', 'ghp_A1b2&#x2F;G7h8&amp;k&lt;ö&gt;'],
    ['HTML with decimal numbers', 'ghp_A1b2&#47;G7h8&#038;k&#60;&#246;&#62;'],
    ['base64 in lines', base64(token).replace(/.{7}(?=.)/g, '$&\r\n')],
    ['base64 in lines inside JSON', JSON.stringify(base64(token).replace(/.{7}(?=.)/g, '$&\n'))],
    ['base64 inside an address', encodeURIComponent(base64(token))],
    ['small letters', token.toLowerCase()],
  ])('hides a secret in %s', (_where, text) => {
    const hidden = createSecrets(new Map([['TOKEN', token]])).redact(`<${text}>`);
    expect(hidden).toMatch(/^<["\\]*\[secret\]["\\]*>$/);
  });

  test.each(['menu menu', '100 of 100%', 'this & that &'])('hides all of %j, escaped', (value) => {
    const guard = createSecrets(new Map([['A', value]]));
    const html = value.replaceAll('&', '&amp;');
    for (const text of [jsonOf(value), percentOf(value), html]) expect(guard.redact(text)).toBe('[secret]');
  });

  test('leaves a short secret in another case alone, which occurs by chance', () => {
    expect(createSecrets(new Map([['A', 'Room']])).redact('Room room')).toBe('[secret] room');
  });

  test('hides any secret in any spelling', () => {
    const spellings = [String, JSON.stringify, jsonOf, percentOf, base64, encodeURIComponent];
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 8 }),
        fc.constantFrom(...spellings),
        (value, spelling) => {
          const hidden = createSecrets(new Map([['A', value]])).redact(`<${spelling(value)}>`);
          expect(hidden).toMatch(/^<"?\[secret\]"?>$/);
        },
      ),
    );
  });

  test('hides all of a secret of 20,000 characters', () => {
    const long = Array.from({ length: 2_000 }, (_, at) => `line ${1000 + at}\n`).join('');
    const guard = createSecrets(new Map([['KEY', long]]));
    for (const spelling of [String, JSON.stringify, percentOf, base64]) {
      expect(guard.redact(`<${spelling(long)}>`)).toMatch(/^<"?(\[secret\])+"?>$/);
    }
  });

  test.each(['\\', 'ghp_A1b2', '%67', '&#00', '\\u0067', 'Z2hw ', 'a', ' '])(
    'a text of 2 MB of %j is looked through at once',
    (unit) => {
      const guard = createSecrets(
        new Map(Array.from({ length: 10 }, (_, at) => [`S${at}`, `${token}${at}`])),
      );
      const text = unit.repeat(2_000_000 / unit.length);
      const before = process.cpuUsage();
      expect(guard.redact(text)).toBe(text);
      const { user } = process.cpuUsage(before);
      expect(user / 1_000).toBeLessThan(2_000);
    },
  );

  test('gives back the very data in which there is nothing to hide', () => {
    const data = { list: [{ a: 1, b: null }], text: 'nothing' };
    expect(secrets.redact(data)).toBe(data);
    expect(secrets.redact({ data, text: secret }).data).toBe(data);
  });

  test('hides it in every text of any data, keys too, and keeps the rest', () => {
    const data = { list: [secret, 1, null, true], [`key ${secret}`]: { deep: `x${secret}` }, n: 123 };
    expect(secrets.redact(data)).toEqual({
      list: ['[secret]', 1, null, true],
      'key [secret]': { deep: 'x[secret]' },
      n: 123,
    });
  });

  test('hides it in the base64 of any longer text', () => {
    const long = 'a long enough secret';
    const guard = createSecrets(new Map([['A', long]]));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        const hidden = guard.redact(base64(`${before}${long}${after}`));
        expect(hidden).toContain('[secret]');
        expect(Buffer.from(hidden.replace('[secret]', ''), 'base64').toString()).not.toContain('long enough');
      }),
    );
  });

  test('leaves nothing of a secret, wherever it stands', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ') });
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4 }), { maxLength: 4 }),
        text,
        (all, text) => {
          const guard = createSecrets(new Map(all.map((value, index) => [`S${index}`, value])));
          const hidden = guard.redact(text);
          for (const value of all) expect(hidden.replaceAll('[secret]', '|')).not.toContain(value);
          expect(guard.redact(hidden.replaceAll('[secret]', '|'))).toBe(hidden.replaceAll('[secret]', '|'));
        },
      ),
    );
  });

  test('does not touch data when there is nothing to hide', () => {
    const data = { a: [1] };
    expect(createSecrets(new Map()).redact(data)).toBe(data);
  });
});
