import { describe, expect, it, test } from 'vitest';
import { checkTogether } from '../../../src/engine/flow/check-together.ts';
import { planOf, post, read } from './faults.ts';

/** A flow of a file with the commands it answers to, each in some conversations or all. */
function filed(
  id: string,
  ...commands: readonly (string | { command: string; in?: string[]; slash?: boolean })[]
) {
  const triggers = commands.map((one) => ({
    type: 'command',
    ...(typeof one === 'string' ? { command: one } : one),
  }));
  return { file: `flows/${id}.flow.yaml`, plan: planOf({ id, triggers, steps: { say: post } }) };
}

const inside = (command: string, ...places: string[]) => ({ command, in: places });
const clashes = (...flows: Parameters<typeof checkTogether>[0]) =>
  checkTogether(flows).map((fault) => `${fault.file}: ${read(fault)}`);

describe('flows beside each other', () => {
  it('are fine with ids and commands of their own', () => {
    expect(clashes(filed('one', 'go'), filed('two', 'stop'), filed('three'))).toEqual([]);
  });

  test.each(['release', 'Release', 'RELEASE'])('may not share an id: release and %s', (id) => {
    const first = { ...filed('release'), file: 'a.yaml' };
    expect(clashes(first, filed(id), filed('other'))).toEqual([
      `flows/${id}.flow.yaml: duplicate-flow at id: The id ${id} is used by a.yaml and by flows/${id}.flow.yaml. Give one of them another id.`,
    ]);
  });

  it('C71 may not share a command, and the fault names both files', () => {
    expect(clashes(filed('one', 'go'), filed('two', 'stop', 'GO'))).toEqual([
      'flows/two.flow.yaml: duplicate-command at triggers.1.command: The command go starts one (flows/one.flow.yaml) and two (flows/two.flow.yaml) in the same conversation. Give one of them another command, or other conversations under in:.',
    ]);
  });

  test.each<[string[], string[], boolean]>([
    [['slack:#a'], ['slack:#a'], true],
    [['slack:#a'], ['slack:#b', 'slack:#A'], true],
    [['slack:#a'], ['slack:#b'], false],
    [['slack:#a'], ['discord:#a'], false],
    [['slack:#a'], ['#a'], true],
    [['#a'], ['discord:Home/#a'], true],
    [['discord:#a'], ['discord:Home/#a'], true],
    [['discord:Home/#a'], ['discord:home/#a'], true],
    [['discord:Home/#a'], ['discord:Away/#a'], false],
    [['discord:Home/#a'], ['slack:#a'], false],
    [['slack:C0ABC'], ['slack:C0ABC'], true],
    [['slack:C0ABC'], ['slack:C0DEF'], false],
  ])('share a command of %j and %j: %s', (one, other, clash) => {
    const flows = [filed('one', inside('go', ...one)), filed('two', inside('go', ...other))];
    expect(clashes(...flows)).toHaveLength(clash ? 1 : 0);
    expect(clashes(...flows.toReversed())).toHaveLength(clash ? 1 : 0);
  });

  test.each([
    [true, true, 1],
    [true, false, 0],
    [false, true, 0],
    [false, false, 0],
  ])('share a command in other conversations, as slash commands %s and %s: %s', (one, other, count) => {
    const flows = [
      filed('one', { ...inside('go', 'slack:#a'), slash: one }),
      filed('two', { ...inside('go', 'discord:#b'), slash: other }),
    ];
    expect(clashes(...flows)).toEqual(
      Array.from(
        { length: count },
        () =>
          'flows/two.flow.yaml: duplicate-command at triggers.0.command: The slash command /go starts one (flows/one.flow.yaml) and two (flows/two.flow.yaml), and it is offered in every conversation. Give one of them another command, or leave out slash: in one of them.',
      ),
    );
  });

  it('may take for a slash command what another one has as a word', () => {
    expect(
      clashes(filed('one', inside('go', '#a')), filed('two', { ...inside('go', '#b'), slash: true })),
    ).toEqual([]);
  });

  it('share it also where one of them names no conversation: that means all', () => {
    expect(clashes(filed('one', 'go'), filed('two', inside('go', 'slack:#a')))).toHaveLength(1);
  });
});
