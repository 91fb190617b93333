import { describe, expect, test } from 'vitest';
import { checkBody } from './check.ts';
import { many } from './check-samples.ts';

const command = (more: object = {}) => ({ name: 'flow', description: 'Runs flows', ...more });
const words = (more: object = {}) => ({ type: 3, name: 'version', description: 'Which one', ...more });
const sub = (...options: object[]) => ({ type: 1, name: 'run', description: 'Runs one', options });
const withOptions = (...options: object[]) => [command({ options })];
const choice = (name: string, value = name) => ({ name, value });
const long = 'x'.repeat(101);

describe('commands', () => {
  test.each([
    ['options', withOptions(words({ required: true }), words({ name: 'größe', autocomplete: true }))],
    ['choices', withOptions(words({ choices: many(25, (n) => choice(`${n}`)) }))],
    [
      'subcommands',
      withOptions(sub(words()), { type: 2, name: 'all', description: 'More', options: [sub()] }),
    ],
    [
      'where and for whom',
      [command({ contexts: [0], integration_types: [0], default_member_permissions: '0' })],
    ],
    ['a menu entry of the same name', [command(), { type: 3, name: 'flow' }]],
    ['none', []],
  ])('%s: accepted', (_, commands) => {
    expect(checkBody('commands', commands)).toEqual([]);
  });

  test.each([
    ['a capital letter', [command({ name: 'Flow' })], '0.name'],
    ['a space in a name', [command({ name: 'my flow' })], '0.name'],
    ['a name of 33', [command({ name: 'x'.repeat(33) })], '0.name'],
    ['a bad name of an option', withOptions(words({ name: 'a.b' })), '0.options.0.name'],
    ['a bad name below a subcommand', withOptions(sub(words({ name: 'a.b' }))), '0.options.0.options.0.name'],
    ['no description', [{ name: 'flow' }], '0.description'],
    ['a description of 101', [command({ description: long })], '0.description'],
    ['a menu entry with a description', [{ type: 3, name: 'Run', description: 'x' }], '0.description'],
    ['a command twice', [command(), command()], '1.name'],
    ['101 commands', many(101, (n) => command({ name: `c${n}` })), ''],
    ['16 menu entries', many(16, (n) => ({ type: 3, name: `c${n}` })), ''],
    ['permissions as a number', [command({ default_member_permissions: 0 })], '0.default_member_permissions'],
    ['26 options', withOptions(...many(26, (n) => words({ name: `o${n}` }))), '0.options'],
    ['an option of no kind', withOptions(words({ type: 99 })), '0.options.0.type'],
    ['an option twice', withOptions(words(), words()), '0.options.1.name'],
    [
      'a required option behind',
      withOptions(words(), words({ name: 'b', required: true })),
      '0.options.1.required',
    ],
    ['a subcommand beside an option', withOptions(sub(), words()), '0.options'],
    ['26 choices', withOptions(words({ choices: many(26, (n) => choice(`${n}`)) })), '0.options.0.choices'],
    [
      'a choice named by 101',
      withOptions(words({ choices: [choice(long, 'x')] })),
      '0.options.0.choices.0.name',
    ],
    ['a choice of 101', withOptions(words({ choices: [choice('x', long)] })), '0.options.0.choices.0.value'],
    [
      'a choice twice',
      withOptions(words({ choices: [choice('x'), choice('x')] })),
      '0.options.0.choices.1.name',
    ],
    [
      'choices and autocomplete',
      withOptions(words({ autocomplete: true, choices: [choice('x')] })),
      '0.options.0.autocomplete',
    ],
    [
      'longer at least than at most',
      withOptions(words({ min_length: 3, max_length: 2 })),
      '0.options.0.min_length',
    ],
    ['no list', { commands: [] }, ''],
  ])('%s: refused', (_, commands, path) => {
    expect(checkBody('commands', commands).map((fault) => fault.path)).toContain(path);
  });

  test('8,000 characters are accepted, 8,001 refused', () => {
    const name = (n: number) => String.fromCharCode(97 + n);
    const choices = many(3, (n) => choice(`${n}`, 'y'.repeat(100)));
    // 22 of 101 characters, and the 303 of the choices of 19: 7,983 with the name of the command
    const options = many(22, (n) =>
      words({ name: name(n), description: 'x'.repeat(100), ...(n < 19 && { choices }) }),
    );
    const described = (chars: number) => [command({ options, description: 'd'.repeat(chars) })];
    expect(checkBody('commands', described(17))).toEqual([]);
    expect(checkBody('commands', described(18))).toMatchObject([{ path: '0' }]);
    const translated = { description_localizations: { de: 'd'.repeat(18) } };
    expect(
      checkBody(
        'commands',
        described(17).map((each) => ({ ...each, ...translated })),
      ),
    ).toMatchObject([{ path: '0' }]);
  });

  test('what only commands for everywhere have', () => {
    expect(checkBody('guild commands', [command()])).toEqual([]);
    expect(checkBody('guild commands', [command({ contexts: [0] })])).toMatchObject([{ path: '0.contexts' }]);
  });
});
