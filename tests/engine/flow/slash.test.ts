import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { faultsOf, planOf, text } from './faults.ts';

const flow = (trigger: JsonObject, more: JsonObject = {}): JsonObject => ({
  triggers: [{ type: 'command', command: 'release', slash: true, ...trigger }],
  steps: { say: text('hello') },
  ...more,
});
const input = (...names: string[]): JsonObject => ({
  input: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
});

describe('a slash command', () => {
  test('is part of the plan', () => {
    expect(planOf(flow({ in: ['#releases'] })).triggers).toEqual([
      { type: 'command', command: 'release', in: ['#releases'], slash: true },
    ]);
    expect(planOf(flow({ slash: false })).triggers).toEqual([{ type: 'command', command: 'release' }]);
  });

  test.each(['release', 'prüfen', 'release-2', '1_2', '発売', 'x'.repeat(32)])('can be /%s', (command) => {
    expect(faultsOf(flow({ command }))).toEqual([]);
  });

  test.each(['x'.repeat(33), 'नमस्ते'])('can’t be /%s, which is a word to type all the same', (command) => {
    expect(faultsOf(flow({ command }))).toEqual([
      `slash-command at triggers.0.command: "${command}" can't be a slash command. Use at most 32 letters, digits, "-" and "_", or leave out slash:.`,
    ]);
    expect(faultsOf(flow({ command, slash: false }))).toEqual([]);
  });

  test('is in lower case, as every command', () => {
    expect(planOf(flow({ command: 'Release' })).triggers).toMatchObject([{ command: 'release' }]);
  });

  test('is the only one of its flow', () => {
    const triggers = [
      { type: 'command', command: 'release', slash: true },
      { type: 'command', command: 'rel' },
      { type: 'command', command: 'publish', slash: true },
    ];
    expect(faultsOf(flow({}, { triggers }))).toEqual([
      'slash-command at triggers.2.slash: /publish is a second slash command beside /release: a flow has one at most. Leave out slash: here. One trigger may name several conversations under in:.',
    ]);
  });
});

describe('the input of a slash command', () => {
  test('has 25 fields without a word', () => {
    expect(faultsOf(flow({}, input(...Array.from({ length: 25 }, (_, at) => `f${at}`))))).toEqual([]);
  });

  test('can have more, with a warning', () => {
    expect(faultsOf(flow({}, input(...Array.from({ length: 26 }, (_, at) => `f${at}`))))).toEqual([
      'warning slash-option at input.properties: /release has room for 25 options, and the input has 26 fields. The last ones can only be given in the form, which opens where something required is missing. Write the fields first that people give most often.',
    ]);
  });

  test.each([
    [['dueDate', 'a_b', 'x'.repeat(32)], 0],
    [['name', 'Name'], 1],
    [['x'.repeat(33)], 1],
  ])('%j: %s warnings', (names, count) => {
    const faults = faultsOf(flow({}, input(...names)));
    expect(faults).toHaveLength(count);
    for (const fault of faults)
      expect(fault).toMatch(
        /^warning slash-option at input\.properties\..*can't be an option of \/release\./,
      );
  });

  test('is not looked at where there is no slash command', () => {
    expect(faultsOf(flow({ slash: false }, input('name', 'Name')))).toEqual([]);
  });

  test('that can’t be read at all has faults of its own only', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (properties) => {
        const faults = faultsOf(
          flow({}, JSON.parse(JSON.stringify({ input: { type: 'object', properties } }))),
        );
        expect(Array.isArray(faults)).toBe(true);
      }),
    );
  });
});
