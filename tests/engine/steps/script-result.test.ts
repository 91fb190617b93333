import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ScriptReport, scriptResult } from '../../../src/engine/steps/script.ts';

const ended = (stdout: string, exitCode = 0, stderr = ''): ScriptReport => ({
  kind: 'ended',
  exitCode,
  stdout,
  stderr,
});
const resultOf = (report: ScriptReport) => scriptResult('make', report);

function outputOf(report: ScriptReport) {
  const result = resultOf(report);
  if (result.kind !== 'done') throw new Error(result.failure.message);
  return result.output;
}

function failureOf(report: ScriptReport) {
  const result = resultOf(report);
  if (result.kind !== 'failed') throw new Error('It went well.');
  return result.failure;
}

describe('what a script printed', () => {
  it.each<[string, string, object]>([
    ['C47: nothing', '', {}],
    ['a word', 'ok', {}],
    ['a JSON object', '{"a": 1, "b": [null]}', { a: 1, b: [null] }],
    ['a JSON object with space around it', '\n {"a": ""} \n', { a: '' }],
    ['C56: null', 'null', {}],
    ['C56: the text "null"', '"null"', {}],
    ['a list', '[1]', {}],
    ['two objects', '{"a":1}\n{"b":2}', {}],
    ['a log that ends with an object', 'done\n{"a":1}', {}],
    ['half an object', '{"a":', {}],
  ])('is its text, and an object its fields: %s', (_, stdout, json) => {
    expect(outputOf(ended(stdout))).toEqual({
      text: stdout.replace(/\n+$/, ''),
      json: { ...json, exitCode: 0 },
    });
  });

  it('keeps its text without the line breaks at its end, as a shell does', () => {
    expect(outputOf(ended('  a\n\nb\r\n\n')).text).toBe('  a\n\nb');
    expect(outputOf(ended('\n')).text).toBe('');
  });

  it('keeps numbers that a number can not hold', () => {
    const stdout =
      '{"id":123456789012345678901,"big":1e999,"n":1.5,"even":10000000000000000,"t":"123456789012345678901"}';
    expect(outputOf(ended(stdout)).json).toEqual({
      id: '123456789012345678901',
      big: '1e999',
      n: 1.5,
      even: 10_000_000_000_000_000,
      t: '123456789012345678901',
      exitCode: 0,
    });
  });

  it('may have any field but the one that every script has', () => {
    expect(Object.keys(outputOf(ended('{"__proto__":{"exitCode":7},"constructor":1}')).json)).toEqual([
      '__proto__',
      'constructor',
      'exitCode',
    ]);
    expect(failureOf(ended('{"exitCode":0}'))).toEqual({
      code: 'script-output',
      message: 'The script "make" printed a field "exitCode", which every script has: give it another name.',
      retry: 'never',
    });
  });

  it('is refused when it nests too deeply to be kept', () => {
    const deep = `{"a":${'['.repeat(600)}${']'.repeat(600)}}`;
    expect(failureOf(ended(deep))).toMatchObject({ code: 'output-too-large', retry: 'never' });
    const deepest = `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
    expect(resultOf(ended(deepest)).kind).toBeDefined();
  });
});

describe('a script that failed', () => {
  it('says its code and the end of what it said', () => {
    expect(failureOf(ended('', 3, 'first\nlast\n\n'))).toEqual({
      code: 'script-exit',
      message: 'The script "make" ended with exit code 3. It said:\nfirst\nlast',
      retry: 'allowed',
    });
    expect(failureOf(ended('out', 1, ' \n')).message).toBe('The script "make" ended with exit code 1.');
  });

  it('shows what can not be seen', () => {
    expect(failureOf(ended('', 1, '\u001b[31mred\u0000 \u202Egnp')).message).toContain(
      'It said:\n⟦U+001B⟧[31mred⟦U+0000⟧ ⟦U+202E⟧gnp',
    );
  });

  it('quotes no more than 2,000 characters, in whole lines where it can', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index} of what it said`).join('\n');
    const said = failureOf(ended('', 1, lines)).message.split('It said:\n')[1] ?? '';
    expect(said).toMatch(/^…\nline \d+ of what it said\n/);
    expect(said).toMatch(/line 499 of what it said$/);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 9_000, size: 'max' }), (stderr) => {
        const quoted = failureOf(ended('', 1, stderr))
          .message.split(' It said:\n')
          .slice(1)
          .join();
        expect(quoted.length).toBeLessThanOrEqual(2_000);
        expect(quoted.isWellFormed()).toBe(true);
        expect(quoted.replaceAll('\r\n', '\n')).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });

  it.each([
    ['missing', 'never'],
    ['start', 'never'],
    ['busy', 'allowed'],
    ['timeout', 'allowed'],
    ['too-large', 'never'],
    ['encoding', 'never'],
    ['killed', 'allowed'],
    ['aborted', 'never'],
  ] as const)('because of %s is tried again: %s', (reason, retry) => {
    expect(failureOf({ kind: 'failed', reason, message: 'Why.', stderr: 'x' })).toEqual({
      code: `script-${reason}`,
      message: 'Why. It said:\nx',
      retry,
    });
  });
});
