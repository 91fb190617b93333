import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTokens } from '../src/config-tokens.ts';
import { tokenNames } from './config-tokens.ts';

const secret = 'abcdefghijklmnopqrstuv';

describe('FLOWBOT_TOKENS', () => {
  test.each<[string, string, readonly string[]]>([
    ['nothing', '', []],
    ['one', `ci runner ${secret}`, ['ci runner']],
    [
      'several, by lines and commas',
      `a viewer ${secret}, b admin ${secret}2\n\nc approver ${secret}3`,
      ['a viewer', 'b admin', 'c approver'],
    ],
    [
      'one for a person, and a remark',
      `# for Ana\nana approver ${secret} slack:U0ANA`,
      ['ana approver slack:U0ANA'],
    ],
  ])('%s', (_, setting, read) => {
    expect(tokenNames(setting)).toEqual(read);
  });

  test.each<[string, string, string]>([
    ['a name that is none', `CI runner ${secret}`, 'entry 1: begin with a name of lower-case letters'],
    [
      'a role that is misspelt',
      `ci runer ${secret}`,
      'entry 1 (ci): behind the name comes the role; did you mean runner?',
    ],
    ['no role', 'ci', 'entry 1 (ci): behind the name comes the role; write one of viewer, runner'],
    [
      'a token that is too short',
      'ci runner short',
      'entry 1 (ci): behind the role comes the token: at least 22',
    ],
    ['a person that is none', `ci runner ${secret} ana`, 'entry 1 (ci): the last word is no person'],
    ['too much', `ci runner ${secret} slack:U0ANA x`, 'entry 1 (ci): there is too much'],
    ['a name twice', `ci runner ${secret}, ci viewer ${secret}2`, 'two tokens called ci'],
    ['a token twice', `a runner ${secret}, b viewer ${secret}`, 'the same token twice'],
  ])('%s is refused, and no token is quoted', (_, setting, why) => {
    const faults = tokenNames(setting).join('\n');
    expect(faults).toContain(why);
    expect(faults).not.toContain(secret);
  });

  test('they may come from a file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'flowbot-tokens-')), 'tokens');
    writeFileSync(file, `ci runner ${secret}\n`);
    expect(readTokens({ FLOWBOT_TOKENS_FILE: file }).tokens).toEqual([
      { name: 'ci', role: 'runner', secret },
    ]);
  });
});
