import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandOf } from '../../src/commands/conversation.ts';
import { firstWord, shown, words } from '../../src/commands/typed.ts';

const nbsp = '\u00A0';
const zwsp = '\u200B';
const rtl = '\u200F';

describe('the first word', () => {
  test.each([
    ['', '', ''],
    ['   ', '', ''],
    [zwsp, '', ''],
    ['Release', 'release', ''],
    ['release 1.2', 'release', '1.2'],
    [`release${nbsp}1.2`, 'release', '1.2'],
    ['release\t\u30001.2', 'release', '1.2'],
    [`${rtl}release${zwsp} 1.2 ${rtl}`, 'release', '1.2'],
    ['\uFEFFre\u00ADlease 1.2', 'release', '1.2'],
    ['release\nfirst line\n\n  second  line\n', 'release', 'first line\n\n  second  line'],
    ['deploy\u2013eu “now”', 'deploy-eu', '“now”'],
    ['deploy\u2014eu', 'deploy-eu', ''],
    ['CAFE\u0301 x', 'caf\u00e9', 'x'],
    ['run `code`  ', 'run', '`code`'],
  ])('C11: of %j is %j, followed by %j', (text, word, rest) => {
    expect(firstWord(text)).toEqual({ word, rest });
  });

  test('agrees with a simple specification, whatever is typed', () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('!', 'release', ' ', nbsp, zwsp, rtl, '\n', '“', '—', '👩‍👩‍👧‍👦', '\u2066', '\u0130'),
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const text = parts.join('');
        const { word, rest } = firstWord(text);
        const [expected = ''] = words(text);
        expect(word).toBe(expected);
        expect(word).not.toMatch(/\p{White_Space}/u);
        expect(text).toContain(rest);
        expect(words(rest)).toEqual(words(text).slice(1));
      }),
    );
  });

  test('is found at once in 100,000 spaces and 100,000 letters', () => {
    const spaces = `x${' '.repeat(100_000)}y${' '.repeat(100_000)}z`;
    const startMs = performance.now();
    expect(firstWord(spaces).word).toBe('x');
    expect(firstWord('x'.repeat(100_000)).word).toHaveLength(100_000);
    expect(words(spaces)).toEqual(['x', 'y', 'z']);
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });
});

describe('the command of a message', () => {
  const said = (text: string, toBot = false) => commandOf('!', { text, toBot });

  test.each([
    ['!release 1.2', 'release', '1.2'],
    ['  !ReLease   1.2', 'release', '1.2'],
    [`${rtl}!${zwsp}release${nbsp}1.2`, 'release', '1.2'],
    ['!releases', 'releases', ''],
    ['!release\n**bold**\n\n- list', 'release', '**bold**\n\n- list'],
    ['!release “1.2” – now', 'release', '“1.2” – now'],
    ['!deploy "unclosed', 'deploy', '"unclosed'],
  ])('%j is %j', (text, word, rest) => {
    expect(said(text)).toEqual({ word, rest });
  });

  test.each([
    'release 1.2',
    'please !release 1.2',
    'please do not deploy',
    'pack deploy x url=a/deploy',
    '!',
    '! release',
    '!!',
    '!?',
    '`!release 1.2`',
    '```\n!release\n```',
    '> !release',
    '¡release',
    '',
    zwsp,
  ])('C71: %j holds none', (text) => {
    expect(said(text)).toBeUndefined();
  });

  test.each([
    ['release 1.2', 'release', '1.2'],
    ['!release 1.2', 'release', '1.2'],
    ['Release', 'release', ''],
    ['', '', ''],
    ['!', '', ''],
  ])('after a mention %j is %j', (text, word, rest) => {
    expect(said(text, true)).toEqual({ word, rest });
  });

  test('a prefix of several signs works, dashes too', () => {
    expect(commandOf('—>', { text: '-> x', toBot: false })).toBeUndefined();
    expect(commandOf('—>', { text: '—>Release x', toBot: false })).toEqual({ word: 'release', rest: 'x' });
    expect(commandOf('+!', { text: '+release', toBot: false })).toBeUndefined();
  });

  test('follows a simple rule, whatever is typed', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((rest) => `!${rest}`),
    );
    fc.assert(
      fc.property(text, fc.boolean(), (text, toBot) => {
        const [first = ''] = words(text);
        const typed = said(text, toBot);
        if (toBot) expect(typed?.word).toBe(first.replace(/^!/, ''));
        else if (/^![\p{L}\p{N}]/u.test(first)) expect(typed?.word).toBe(first.slice(1));
        else expect(typed).toBeUndefined();
      }),
    );
  });
});

describe('what is repeated to people', () => {
  test('C10: long words are cut between visible characters', () => {
    const family = '👩‍👩‍👧‍👦';
    expect(shown('short')).toBe('short');
    expect(shown(family.repeat(41))).toBe(`${family.repeat(39)}…`);
    expect(shown('x'.repeat(40_000))).toBe(`${'x'.repeat(39)}…`);
  });
});
