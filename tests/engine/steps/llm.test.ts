import { describe, expect, it } from 'vitest';
import { llm } from '../../../src/engine/steps/llm.ts';
import { begin, faults, missing } from './turn.ts';

const data = { input: { topic: 'tea' }, a: { text: '{{input.topic}} $&', json: {} } };

describe('llm', () => {
  it('asks the default agent', () => {
    expect(begin(llm, { prompt: 'About {{input.topic}}.' }, data)).toEqual({
      kind: 'agent',
      call: {
        kind: 'prompt',
        agent: 'default',
        prompt: [
          { kind: 'text', text: 'About ' },
          { kind: 'value', text: 'tea' },
          { kind: 'text', text: '.' },
        ],
      },
    });
  });

  it('asks the one that is named, told something beforehand', () => {
    expect(begin(llm, { prompt: 'Hi', system: 'Rhyme.', preset: 'poet' }, data)).toMatchObject({
      call: { agent: 'poet', system: 'Rhyme.' },
    });
  });

  it('C46: does not expand what a value holds', () => {
    expect(begin(llm, { prompt: '{{a.text}}' }, data)).toMatchObject({
      call: { prompt: [{ kind: 'value', text: '{{input.topic}} $&' }] },
    });
  });

  it('makes a call that is the same for the same values only, whatever they read like', () => {
    const called = (prompt: string, topic: string) =>
      JSON.stringify(begin(llm, { prompt }, { input: { topic } }));
    expect(called('On {{input.topic}}.', 'tea')).toBe(called('On {{input.topic}}.', 'tea'));
    const others = [
      called('On {{input.topic}}.', 'tea'),
      called('On {{input.topic}}.', 'coffee'),
      called('On tea.', 'tea'),
      called('On {{input.topic}}', 'tea.'),
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  it('C44: fails without a value', () => {
    expect(begin(llm, { prompt: '{{b.text}}' }, data)).toEqual(missing('{{b.text}}'));
  });

  it('says what it needs, reads and writes', () => {
    const config = llm.schema.parse({ prompt: '{{a.text}}', writes: 'poem' });
    expect(llm.agents?.(config)).toEqual([{ name: 'default', at: 'preset' }]);
    expect(llm.references(config)).toMatchObject([{ lookup: ['a', 'text'], at: ['prompt'] }]);
    expect(llm.writes?.(config)).toBe('poem');
    const output = { text: 'Here: {"a":1}', json: {} };
    expect(llm.written?.({ output, config, chooses: false })).toEqual({ a: 1 });
  });

  it('hands on the schema that the reply must match', () => {
    const writes = { type: 'object' };
    expect(begin(llm, { prompt: 'Hi' }, data, { writes })).toMatchObject({ call: { writes } });
  });

  it.each([
    [{}, 'prompt: '],
    [{ prompt: 'x'.repeat(20_001) }, 'prompt: '],
    [{ prompt: 'x', tools: [] }, ': Unrecognized key: "tools"'],
  ])('refuses %#', (step, fault) => {
    expect(faults(llm, step).join('\n')).toContain(fault);
  });
});
