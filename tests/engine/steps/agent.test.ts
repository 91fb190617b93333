import { describe, expect, it } from 'vitest';
import { agent } from '../../../src/engine/steps/agent.ts';
import { begin, faults } from './turn.ts';

const written = { agent: 'writer', task: 'Write.' };
const turn = { flow: { name: 'Release' }, name: 'Draft' };

describe('agent', () => {
  it('asks its agent for a text', () => {
    expect(begin(agent, written, {}, turn)).toEqual({
      kind: 'agent',
      call: {
        kind: 'task',
        agent: 'writer',
        prompt: { flow: 'Release', step: 'Draft', task: 'Write.', inputs: [] },
        reply: { format: 'text' },
      },
    });
  });

  it('hands on what the flow says, what a reviewer asked, whole inputs, fields and the choice', () => {
    const fields = { notes: { type: 'string', description: 'Markdown.' }, tags: { type: 'list' } };
    const choose = { among: ['a', 'b'], min: 1, max: 1 };
    const outputs = new Map([
      ['changes', { name: 'Changes', output: { text: 'all of it', json: { n: 1 } } }],
    ]);
    expect(
      begin(
        agent,
        { ...written, inputs: ['changes', 'extra'], reply: { format: 'json', fields } },
        {},
        {
          flow: { name: 'Release', instructions: 'Be short.' },
          name: 'Draft',
          review: 'Shorter.',
          choose,
          stepOutput: (id) => outputs.get(id) ?? { name: 'Extra', output: undefined },
        },
      ),
    ).toEqual({
      kind: 'agent',
      call: {
        kind: 'task',
        agent: 'writer',
        prompt: {
          flow: 'Release',
          step: 'Draft',
          instructions: 'Be short.',
          task: 'Write.',
          review: 'Shorter.',
          inputs: [
            { name: 'Changes', text: 'all of it' },
            { name: 'Extra', text: null },
          ],
        },
        reply: { format: 'json', fields },
        choose,
      },
    });
  });

  it('carries no more of an input than its agent will read', () => {
    const stepOutput = () => ({ name: 'Long', output: { text: 'x'.repeat(50_000), json: {} } });
    expect(begin(agent, { ...written, inputs: ['long'] }, {}, { ...turn, stepOutput })).toMatchObject({
      call: { prompt: { inputs: [{ text: 'x'.repeat(40_000), leftOut: 10_000 }] } },
    });
  });

  it('says what it needs, reads and writes', () => {
    const config = agent.schema.parse({ ...written, inputs: ['changes'], writes: 'notes' });
    expect(agent.agents?.(config)).toEqual([{ name: 'writer', at: 'agent' }]);
    expect(agent.writes?.(config)).toBe('notes');
    expect(agent.references(config)).toMatchObject([
      { lookup: ['changes'], at: ['inputs', 0], optional: true },
    ]);
  });

  it.each([
    ['the object in its text', { text: '```json\n{"a":1}\n```', json: {} }, 'text', false, { a: 1 }],
    ['its text', { text: 'plain', json: {} }, 'text', false, 'plain'],
    ['its fields', { text: 'x', json: { a: 1, choice: 2 } }, 'json', false, { a: 1, choice: 2 }],
    ['its fields without the pick', { text: 'x', json: { a: 1, choice: ['b'] } }, 'json', true, { a: 1 }],
  ])('holds %s against a schema', (_, output, format, chooses, data) => {
    const config = agent.schema.parse({ ...written, reply: { format } });
    expect(agent.written?.({ output, config, chooses })).toEqual(data);
  });

  it('hands on the schema that the reply must match', () => {
    expect(begin(agent, written, {}, { ...turn, writes: { type: 'object' } })).toMatchObject({
      call: { writes: { type: 'object' } },
    });
  });

  it.each([
    [{ task: 'x' }, 'agent: '],
    [{ agent: 'writer' }, 'task: '],
    [{ ...written, task: 'x'.repeat(20_001) }, 'task: '],
    [{ ...written, task: 'Write {{a.text}}' }, 'task: a task is fixed text, without placeholders.'],
    [{ ...written, reply: { fields: { a: { type: 'string' } } } }, 'reply: only JSON replies have fields.'],
    [{ ...written, reply: { format: 'json', fields: { 'user-name': { type: 'string' } } } }, 'reply.fields'],
    [{ ...written, reply: { format: 'json', fields: { a: { type: 'date' } } } }, 'reply.fields.a.type: '],
    [{ ...written, inputs: Array.from({ length: 17 }, (_, index) => `s${index}`) }, 'inputs: '],
    [{ ...written, access: 'all' }, ': Unrecognized key: "access"'],
  ])('refuses %#', (step, fault) => {
    expect(faults(agent, step).join('\n')).toContain(fault);
  });
});
