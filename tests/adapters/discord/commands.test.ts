import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CommandScope,
  commandDefinitions,
  definitionDigest,
} from '../../../src/adapters/discord/command-definitions.ts';
import { choicesFrom, readCommand, readFocus } from '../../../src/adapters/discord/command-input.ts';
import { type Offer, offerOf } from '../../../src/adapters/discord/offer.ts';
import type { FormField } from '../../../src/engine/post.ts';
import type { Menu, MenuFlow, MenuWord } from '../../../src/ports/chat.ts';
import { checkBody } from '../../fakes/discord/check.ts';
import { anyField, anyText, field } from './fields.ts';

function word(name: string, more: Partial<MenuWord> = {}): MenuWord {
  return { name, summary: `Does ${name}.`, options: [], ...more };
}

const run = word('run', {
  summary: 'Starts a flow here.',
  options: [
    { name: 'flow', summary: 'Which flow', required: true, completes: true },
    { name: 'input', summary: 'Its input', required: false, completes: false },
  ],
});

function flow(fields: readonly FormField[], more: Partial<MenuFlow> = {}): MenuFlow {
  return { flow: 'release', command: 'release', summary: 'Makes a release.', fields, ...more };
}

const menuOf = (flows: readonly MenuFlow[], words: readonly MenuWord[] = [run]): Menu => ({ words, flows });
const offer = (flows: readonly MenuFlow[], words?: readonly MenuWord[]): Offer =>
  offerOf(menuOf(flows, words), '/flow');

/** The definitions, which Discord takes. */
function define(offered: Offer, scope: CommandScope = 'global') {
  const body = commandDefinitions(offered, scope);
  expect(checkBody(scope === 'guild' ? 'guild commands' : 'commands', body)).toEqual([]);
  expect(body.length).toBeLessThanOrEqual(101);
  for (const command of body) expect(charactersOf(command)).toBeLessThanOrEqual(8_000);
  return body;
}

/** All names, descriptions and values, as Discord counts them. */
function charactersOf(part: unknown): number {
  if (Array.isArray(part)) return part.reduce((sum: number, one) => sum + charactersOf(one), 0);
  if (typeof part !== 'object' || part === null) return 0;
  return Object.entries(part).reduce((sum, [key, value]) => {
    const isCounted = key === 'name' || key === 'description' || key === 'value';
    return sum + (isCounted ? String(value).length : charactersOf(value));
  }, 0);
}

/** The options of the flow's own command. */
function optionsOf(fields: readonly FormField[]): readonly object[] {
  const [, command] = define(offer([flow(fields)]));
  return command && 'options' in command ? (command.options ?? []) : [];
}

describe('what Discord is given', () => {
  test('is a command with a subcommand for each word, one for each flow, and an entry in the menu of messages', () =>
    expect(define(offer([flow([])]))).toEqual([
      {
        type: 1,
        name: 'flow',
        description: 'Flows: start them, see how they run, answer them.',
        integration_types: [0],
        contexts: [0, 1],
        options: [
          {
            type: 1,
            name: 'run',
            description: 'Starts a flow here.',
            options: [
              { type: 3, name: 'flow', description: 'Which flow', required: true, autocomplete: true },
              { type: 3, name: 'input', description: 'Its input', required: false },
            ],
          },
        ],
      },
      {
        type: 1,
        name: 'release',
        description: 'Makes a release.',
        integration_types: [0],
        contexts: [0, 1],
        options: [],
      },
      { type: 3, name: 'Use this message', integration_types: [0], contexts: [0, 1] },
    ]));

  test('says nothing of where commands work when they are those of one server', () => {
    for (const command of define(offer([flow([])]), 'guild')) {
      expect(command).not.toHaveProperty('contexts');
      expect(command).not.toHaveProperty('integration_types');
    }
  });

  test('has the same digest until something changes', () => {
    const digest = definitionDigest(define(offer([flow([field('text')])])));
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(definitionDigest(define(offer([flow([field('text')])])))).toBe(digest);
    expect(definitionDigest(define(offer([flow([field('text', { hint: 'y' })])])))).not.toBe(digest);
    expect(definitionDigest([{ type: 3, name: 'a' }])).toBe(definitionDigest([{ name: 'a', type: 3 }]));
  });
});

const choice = (name: string) => ({ name, value: name });
const many = Array.from({ length: 26 }, (_, index) => `o${index}`);

describe('each kind of field has its option', () => {
  test.each<[what: string, field: FormField, option: object]>([
    [
      'text',
      field('text', { minLength: 2, maxLength: 9_000 }),
      { type: 3, description: 'X', min_length: 2, max_length: 6000 },
    ],
    ['longer text', field('multiline', { hint: 'All of it' }), { type: 3, description: 'All of it' }],
    [
      'number',
      field('number', { min: 0.5, max: 1e300, label: 'Size' }),
      { type: 10, description: 'Size', min_value: 0.5 },
    ],
    [
      'whole number',
      field('integer', { min: 0.5, max: 9.5 }),
      { type: 4, description: 'X', min_value: 1, max_value: 9 },
    ],
    ['a number that cannot be', field('integer', { min: 5, max: 1 }), { type: 4, description: 'X' }],
    ['yes or no', field('boolean'), { type: 5, description: 'X' }],
    [
      'one of several',
      field('select', { options: ['a', 'b', 'a'] }),
      { type: 3, description: 'X', choices: [choice('a'), choice('b')] },
    ],
    [
      'one of more than Discord lists',
      field('select', { options: many }),
      { type: 3, description: 'X', autocomplete: true },
    ],
    [
      'one of some that are too long',
      field('select', { options: ['a', 'x'.repeat(101)] }),
      { type: 3, description: 'X', autocomplete: true },
    ],
    [
      'one of some that read alike',
      field('select', { options: ['a', 'A'] }),
      { type: 3, description: 'X', autocomplete: true },
    ],
    [
      'some of several',
      field('multiselect', { options: ['a', 'b'], label: 'Labels' }),
      { type: 3, description: 'Labels (Separated by commas)' },
    ],
    ['date', field('date', { label: 'When' }), { type: 3, description: 'When (2026-11-30)' }],
    ['time', field('time', { label: 'At' }), { type: 3, description: 'At (09:30)' }],
    [
      'date and time',
      field('datetime', { label: 'Start', hint: 'h'.repeat(100) }),
      { type: 3, description: `Start: ${'h'.repeat(69)}… (2026-11-30T09:30:00Z)` },
    ],
    ['person', field('user'), { type: 6, description: 'X' }],
    ['channel', field('channel'), { type: 7, description: 'X' }],
    ['role', field('role'), { type: 8, description: 'X' }],
    ['files', field('files'), { type: 11, description: 'X' }],
  ])('%s', (_, one, option) => expect(optionsOf([one])).toEqual([{ name: 'x', required: false, ...option }]));

  test('with a name that Discord takes and no other has, what is required first', () =>
    expect(
      optionsOf([
        field('text', { id: 'Version' }),
        field('text', { id: 'version' }),
        field('text', { id: `${'Long'.repeat(10)}A`, required: true }),
        field('text', { id: `${'Long'.repeat(10)}B` }),
      ]),
    ).toMatchObject([
      { name: 'long'.repeat(8), required: true },
      { name: 'version' },
      { name: 'version-2' },
      { name: `${'long'.repeat(7)}l-2` },
    ]));

  test('and those beyond 25 are left out, which the command says', () => {
    const fields = Array.from({ length: 30 }, (_, index) =>
      field('text', { id: `f${index}`, required: index === 29 }),
    );
    const [, command] = define(offer([flow(fields, { summary: 's'.repeat(200) })]));
    expect(command).toMatchObject({ description: `${'s'.repeat(69)}… It takes more than fits here.` });
    const options = optionsOf(fields);
    expect(options).toHaveLength(25);
    expect(options[0]).toMatchObject({ name: 'f29', required: true });
  });

  test('choices for which a command has no room are offered as somebody types', () => {
    const long = Array.from({ length: 25 }, (_, index) => `${index}`.padEnd(60, 'x'));
    const options = optionsOf(
      ['a', 'b', 'c'].map((id) => field('select', { id, options: id === 'c' ? ['y', 'n'] : long })),
    );
    expect(options.map((option) => ('choices' in option ? 'choices' : 'autocomplete'))).toEqual([
      'choices',
      'autocomplete',
      'choices',
    ]);
  });
});

describe('what Discord does not take is left out, and said', () => {
  test.each<[string, command: string, sentence: string]>([
    ['too long', 'x'.repeat(33), `it takes none called "${'x'.repeat(33)}"`],
    ['with marks that are no letters', 'cafe\u0301\u0301', 'it takes none called'],
    ['in capitals', 'Release', 'it takes none called "Release"'],
    ['the chat command itself', 'flow', 'there is a command flow already'],
  ])('a command that is %s', (_, command, sentence) => {
    const offered = offer([flow([], { command }), flow([], { flow: 'other', command: 'other' })]);
    expect(offered.flows.map(({ flow }) => flow.flow)).toEqual(['other']);
    expect(offered.faults).toEqual([expect.stringContaining('The flow release has no command of its own')]);
    expect(offered.faults[0]).toContain(sentence);
    expect(define(offered)).toHaveLength(3);
  });

  test('a command that another flow has already', () => {
    const offered = offer([flow([]), flow([], { flow: 'other' })]);
    expect(offered.flows).toHaveLength(1);
    expect(offered.faults).toEqual([
      'The flow other has no command of its own on Discord: there is a command release already. Choose another command.',
    ]);
  });

  test('more commands than 100', () => {
    const flows = Array.from({ length: 120 }, (_, index) =>
      flow([], { flow: `f${index}`, command: `f${index}` }),
    );
    const offered = offer(flows);
    expect(define(offered)).toHaveLength(101);
    expect(offered.faults).toHaveLength(21);
    expect(offered.faults[0]).toContain('it takes no more than 100 commands');
  });

  test('a chat command of such a name', () => {
    const offered = offerOf(menuOf([]), '/Flow Bot');
    expect(define(offered)).toHaveLength(1);
    expect(offered.faults[0]).toContain('Discord takes no command called /Flow Bot.');
  });

  test('words for which the command has no room', () => {
    const options = Array.from({ length: 25 }, (_, index) => ({ ...run.options[0], name: `o${index}` }));
    const words = Array.from({ length: 30 }, (_, index) =>
      word(`w${index}`, {
        options: options.map(({ name }) => ({
          name,
          summary: 's'.repeat(100),
          required: true,
          completes: false,
        })),
      }),
    );
    const offered = offer([], [...words, run]);
    expect(offered.words.map(({ word }) => word.name)).toEqual(['w0', 'w1', 'run']);
    expect(offered.faults).toHaveLength(28);
    define(offered);
  });
});

describe('a command that somebody sent', () => {
  const sub = (name: string, options: readonly object[]) => ({
    type: 1,
    name: 'flow',
    options: [{ type: 1, name, options }],
  });
  const given = (name: string, value: unknown, focused?: boolean) => ({
    type: 3,
    name,
    value,
    ...(focused && { focused }),
  });
  const offered = offer(
    [],
    [run, word('list'), { ...run, name: 'plan', options: [...run.options].reverse() }],
  );

  test.each<[string, data: unknown, text: string]>([
    ['a word', sub('list', []), 'list'],
    [
      'a word with what follows',
      sub('run', [given('flow', 'release'), given('input', 'a=1 b=2')]),
      'run release a=1 b=2',
    ],
    [
      'in the order that is typed',
      sub('run', [given('input', 'a=1'), given('flow', 'release')]),
      'run release a=1',
    ],
    [
      'also when Discord has another',
      sub('plan', [given('flow', 'release'), given('input', 'a=1')]),
      'plan a=1 release',
    ],
    [
      'on one line',
      sub('run', [given('flow', ' release\n'), given('input', 'a=1 \r\n b=2')]),
      'run release a=1 b=2',
    ],
    [
      'a name where only one word can stand',
      sub('run', [given('flow', 'Release  notes'), given('input', 'a=1  b=2')]),
      'run Release-notes a=1  b=2',
    ],
    ['nothing at all', { type: 1, name: 'flow' }, ''],
    ['a word that is not offered any more', sub('old', [given('b', 'x'), given('a', 'y')]), 'old x y'],
  ])('%s', (_, data, text) => expect(readCommand(data, offered)).toEqual({ kind: 'command', text }));

  test('is undefined when there is none of that name', () => {
    expect(readCommand({ type: 1, name: 'release' }, offered)).toBeUndefined();
    expect(readFocus({ type: 1, name: 'release' }, offered)).toBeUndefined();
  });

  const attachment = {
    id: '900000000000000009',
    filename: 'a.txt',
    content_type: 'text/plain',
    size: 3,
    url: 'https://cdn.discordapp.com/a.txt',
  };

  test.each<[string, field: FormField, value: unknown, text: string]>([
    ['text', field('text'), ' a ', ' a '],
    ['a number', field('number'), 1.5, '1.5'],
    ['a very small number', field('number'), 1e-7, '0.0000001'],
    ['a whole number', field('integer'), 3, '3'],
    ['yes', field('boolean'), true, 'true'],
    ['no', field('boolean'), false, 'false'],
    ['a choice', field('select', { options: ['a', 'b'] }), 'b', 'b'],
    ['a choice that was typed', field('select', { options: ['a', 'b'] }), 'c', 'c'],
    [
      'a choice that is too long',
      field('select', { options: ['a', 'x'.repeat(200)] }),
      '#1',
      'x'.repeat(200),
    ],
    ['choices', field('multiselect', { options: ['a', 'b'] }), 'a, b', '["a","b"]'],
    ['a choice with a comma', field('multiselect', { options: ['a, b', 'c'] }), 'a, b', '["a, b"]'],
    ['a date', field('date'), '2026-11-30', '2026-11-30'],
    ['a person', field('user'), '900000000000000002', '900000000000000002'],
    ['a channel', field('channel'), '900000000000000001', '900000000000000001'],
    [
      'a file',
      field('files'),
      attachment.id,
      '[{"id":"900000000000000009","name":"a.txt","type":"text/plain","sizeBytes":3,"url":"https://cdn.discordapp.com/a.txt"}]',
    ],
    ['a file of which nothing came', field('files'), '1', ''],
  ])('of a flow has values as texts: %s', (_, one, value, text) => {
    const data = {
      type: 1,
      name: 'release',
      options: [{ name: 'version', value }],
      resolved: { attachments: { [attachment.id]: attachment } },
    };
    expect(readCommand(data, offer([flow([{ ...one, id: 'Version' }])]))).toEqual({
      kind: 'slash',
      flow: 'release',
      values: { Version: text },
    });
  });

  test('of a flow has only the values that were given, and none that it does not know', () => {
    const data = { type: 1, name: 'release', options: [given('other', 'x')] };
    expect(readCommand(data, offer([flow([field('text')])]))).toEqual({
      kind: 'slash',
      flow: 'release',
      values: {},
    });
  });

  test('is completed where somebody is', () => {
    expect(readFocus(sub('run', [given('flow', 'rel', true)]), offered)).toEqual({
      kind: 'word',
      before: 'run',
      typed: 'run rel',
    });
    expect(readFocus(sub('run', [given('input', '', true), given('flow', 'release')]), offered)).toEqual({
      kind: 'word',
      before: 'run release',
      typed: 'run release ',
    });
    expect(readFocus(sub('run', [given('flow', 'rel')]), offered)).toBeUndefined();
  });

  test('is completed by values that stand where they are', () => {
    const completions = [
      { typed: 'run release', shown: 'Release notes (release)' },
      { typed: 'run report', shown: 'Report' },
      { typed: `run ${'x'.repeat(101)}`, shown: 'Too long' },
      { typed: 'list', shown: 'list' },
      { typed: 'run ', shown: 'Nothing' },
    ];
    expect(choicesFrom(completions, 'run')).toEqual([
      { name: 'Release notes (release)', value: 'release' },
      { name: 'Report', value: 'report' },
    ]);
  });

  test('offers the options of a field: those that begin with what is typed, then those that hold it', () => {
    const long = `${'x'.repeat(100)}stage`;
    const options = ['production', 'pre-stage', 'Stage 1', 'stage 2', long];
    const own = offer([flow([field('select', { options })])]);
    const focus = (typed: string) =>
      readFocus({ type: 1, name: 'release', options: [given('x', typed, true)] }, own);
    expect(focus('STAGE ')).toEqual({
      kind: 'choices',
      choices: [
        choice('Stage 1'),
        choice('stage 2'),
        choice('pre-stage'),
        { name: `${'x'.repeat(99)}…`, value: '#4' },
      ],
    });
    expect(focus('')).toMatchObject({ choices: { length: 5 } });
    expect(focus('z')).toEqual({ kind: 'choices', choices: [] });
  });

  test('offers at most 25 of them', () => {
    const own = offer([flow([field('select', { options: many })])]);
    const focus = readFocus({ type: 1, name: 'release', options: [given('x', 'o', true)] }, own);
    expect(focus).toMatchObject({ choices: { length: 25 } });
  });

  test('may be anything: nothing throws', () => {
    const own = offer([flow([field('select', { options: many }), field('files', { id: 'y' })])], [run]);
    const options = fc.array(
      fc.oneof(
        fc.anything(),
        fc.record({
          name: fc.constantFrom('x', 'y', 'flow', 'run', '__proto__'),
          value: fc.anything(),
          focused: fc.anything(),
          options: fc.anything(),
        }),
      ),
    );
    const data = fc.record({
      name: fc.constantFrom('flow', 'release'),
      options,
      resolved: fc.anything(),
    });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), data), (given) => {
        readCommand(given, own);
        readFocus(given, own);
      }),
    );
  });

  test('gets choices that Discord takes, whatever there is to choose', () => {
    const completion = fc.record({ typed: anyText.map((text) => `run ${text}`), shown: anyText });
    fc.assert(
      fc.property(fc.array(anyText), fc.array(completion), anyText, (options, completions, typed) => {
        const own = offer([flow([field('select', { options })])]);
        const focus = readFocus({ type: 1, name: 'release', options: [given('x', typed, true)] }, own);
        const ofField = focus?.kind === 'choices' ? focus.choices : [];
        for (const choices of [ofField, choicesFrom(completions, 'run')]) {
          expect(checkBody('interaction callback', { type: 8, data: { choices } })).toEqual([]);
        }
      }),
    );
  });
});

describe('whatever a menu holds', () => {
  const command = fc.stringMatching(/^[a-zäжß0-9][a-z0-9_-]{0,40}$/);
  const fields = fc.uniqueArray(anyField, { maxLength: 40, selector: ({ id }) => id });
  const flows = fc.uniqueArray(fc.record({ flow: command, command, summary: anyText, fields }), {
    maxLength: 6,
    selector: ({ flow }) => flow,
  });
  const option = fc.record({
    name: fc.stringMatching(/^[a-zA-Z <>]{0,40}$/),
    summary: anyText,
    required: fc.boolean(),
    completes: fc.boolean(),
  });
  const words = fc.array(
    fc.record({ name: command, summary: anyText, options: fc.array(option, { maxLength: 30 }) }),
    { maxLength: 30 },
  );

  test('Discord takes the commands', () => {
    fc.assert(
      fc.property(words, flows, (words, flows) => {
        for (const one of define(offer(flows, words))) {
          if (!('options' in one)) continue;
          const required =
            one.options?.map((option) => 'required' in option && option.required === true) ?? [];
          expect(required).toEqual(required.toSorted((a, b) => Number(b) - Number(a)));
        }
      }),
      { numRuns: 150 },
    );
  });

  test('what is given comes back by its field', () => {
    fc.assert(
      fc.property(fields, (fields) => {
        const offered = offer([flow(fields)]);
        const [own] = offered.flows;
        const options = own?.options.map(({ name }) => ({ name, value: 'v' })) ?? [];
        const read = readCommand({ type: 1, name: 'release', options }, offered);
        expect(read?.kind === 'slash' && Object.keys(read.values).toSorted()).toEqual(
          own?.options.map(({ what }) => what.id).toSorted(),
        );
      }),
    );
  });
});
