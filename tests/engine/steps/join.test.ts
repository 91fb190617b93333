import { describe, expect, it } from 'vitest';
import { join } from '../../../src/engine/steps/join.ts';
import type { Branch } from '../../../src/engine/steps/step-type.ts';
import { begin, faults } from './turn.ts';

const branch = (name: string, fate: Branch['fate'], text?: string): Branch => ({
  step: name.toLowerCase(),
  name,
  fate,
  output: text === undefined ? undefined : { text, json: {} },
});

const joined = (onFailure: string, ...branches: Branch[]) => begin(join, { onFailure }, {}, { branches });

describe('join', () => {
  it('puts each completed branch under a heading with its name, in the order of the edges', () => {
    const start = joined(
      'stop',
      branch('B\nside', 'live', 'two\n'),
      branch('Off', 'dead', 'old'),
      branch('A', 'live', 'one'),
    );
    expect(start).toEqual({
      kind: 'done',
      exit: 'done',
      output: { text: '## B side\n\ntwo\n\n## A\n\none', json: {} },
    });
  });

  it('goes on with the survivors when it may', () => {
    expect(joined('continue', branch('A', 'live', 'one'), branch('B', 'tainted'))).toMatchObject({
      kind: 'done',
      output: { text: '## A\n\none' },
    });
  });

  it('fails without a survivor, naming each branch that failed', () => {
    expect(joined('continue', branch('A', 'tainted'), branch('B', 'tainted'), branch('C', 'dead'))).toEqual({
      kind: 'failed',
      failure: {
        code: 'branches-failed',
        message: 'None of the branches "A", "B" completed.',
        retry: 'never',
      },
    });
  });

  it('stops by default', () => {
    const branches = [branch('A', 'live', 'one'), branch('B', 'tainted')];
    expect(begin(join, {}, {}, { branches })).toMatchObject({
      kind: 'failed',
      failure: { message: 'The branch "B" did not complete.' },
    });
  });

  it('makes at most a million characters', () => {
    const rest = '## A\n\n\n\n## B\n\n'.length;
    const made = (size: number) =>
      joined('stop', branch('A', 'live', 'x'.repeat(500_000)), branch('B', 'live', 'x'.repeat(size)));
    expect(made(500_000 - rest)).toMatchObject({ kind: 'done' });
    expect(made(500_001 - rest)).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'output-too-large',
        message: expect.stringContaining('1,000,000 characters'),
        retry: 'never',
      },
    });
  });

  it('knows two policies', () => {
    expect(faults(join, { onFailure: 'ignore' })).toEqual([expect.stringContaining('onFailure: ')]);
  });
});
