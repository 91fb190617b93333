import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/engine/json.ts';
import { decision } from '../../../src/engine/steps/decision.ts';
import { begin, faults, missing } from './turn.ts';

const data = { input: { options: ['red', 'blue'], topic: 'tea' } };

describe('decision', () => {
  it('offers what stands in the flow', () => {
    expect(
      begin(decision, { prompt: 'For {{input.topic}}?', options: ['red', '{{input.topic}}'] }, data),
    ).toEqual({
      kind: 'agent',
      call: {
        kind: 'decision',
        agent: 'default',
        prompt: [
          { kind: 'text', text: 'For ' },
          { kind: 'value', text: 'tea' },
          { kind: 'text', text: '?' },
        ],
        options: ['red', 'tea'],
        mode: 'choose',
      },
    });
  });

  it('offers a list that comes from data, as the flow wants it decided', () => {
    const step = {
      prompt: 'Which?',
      options: '{{input.options}}',
      mode: 'score',
      minConfidence: 0.5,
      preset: 'judge',
    };
    expect(begin(decision, step, data)).toMatchObject({
      call: { agent: 'judge', options: ['red', 'blue'], mode: 'score', minConfidence: 0.5 },
    });
  });

  it('offers what can be seen of them', () => {
    const options = [' r\u200Bed\u202E', '👩‍💻', 'می\u200Cخواهم'];
    expect(
      begin(decision, { prompt: 'Which?', options: '{{input.options}}' }, { input: { options } }),
    ).toMatchObject({ call: { options: ['red', '👩‍💻', 'می\u200Cخواهم'] } });
  });

  it.each<[Json, string]>([
    ['red', 'they are no list.'],
    [{}, 'they are no list.'],
    [[], 'there are 0 of them.'],
    [Array.from({ length: 65 }, (_, index) => `o${index}`), 'there are 65 of them.'],
    [['red', 1], 'number 2 is no text.'],
    [['red', ' '], 'number 2 is no text.'],
    [['x'.repeat(201)], 'number 1 has 201 characters.'],
    [['red', 'blue', 'red'], 'number 3 is there twice.'],
    [['red', 're\u200Bd '], 'number 2 is there twice.'],
    [['\u{E0041}'], 'number 1 is no text.'],
  ])('fails with the options %j', (options, problem) => {
    expect(
      begin(decision, { prompt: 'Which?', options: '{{input.options}}' }, { input: { options } }),
    ).toEqual({
      kind: 'failed',
      failure: {
        code: 'bad-options',
        message: `the options must be a list of 1 to 64 different texts of at most 200 characters, but ${problem}`,
        retry: 'never',
      },
    });
  });

  it.each([
    [{ prompt: '{{b.text}}', options: ['a'] }, '{{b.text}}'],
    [{ prompt: 'x', options: '{{b.json.list}}' }, '{{b.json.list}}'],
  ])('C44: fails without a value', (step, source) => {
    expect(begin(decision, step, data)).toEqual(missing(source));
  });

  it('says what it needs and reads', () => {
    const config = decision.schema.parse({ prompt: '{{a.text}}', options: ['{{b.text}}'] });
    expect(decision.agents?.(config)).toEqual([{ name: 'default', at: 'preset' }]);
    expect(decision.references(config)).toMatchObject([
      { lookup: ['a', 'text'], at: ['prompt'] },
      { lookup: ['b', 'text'], at: ['options', 0] },
    ]);
  });

  it.each([
    [{ prompt: 'x', options: ['a'], minConfidence: 2 }, 'minConfidence: '],
    [{ prompt: 'x', options: ['a'], mode: 'guess' }, 'mode: '],
  ])('refuses %#', (step, fault) => {
    expect(faults(decision, step).join('\n')).toContain(fault);
  });
});
