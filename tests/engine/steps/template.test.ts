import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { Output } from '../../../src/engine/steps/step-type.ts';
import { template } from '../../../src/engine/steps/template.ts';
import { begin, faults, missing } from './turn.ts';

const sized = (text: string): JsonObject => ({ text, json: { k: text } });

const data = { a: { text: 'hi', json: { list: [1, 2], none: null } } };

describe('template', () => {
  it.each<[unknown, unknown]>([
    [{ text: '{{a.text}} {{a.json.list}}' }, { text: 'hi [1,2]', json: {} }],
    [{ data: { items: '{{a.json.list}}' } }, { text: '{"items":[1,2]}', json: { items: [1, 2] } }],
    [{ data: '{{a.json.list}}' }, { text: '[1,2]', json: { value: [1, 2] } }],
    [{ data: '{{a.json.none}}' }, { text: 'null', json: { value: null } }],
    [{ data: 'n: {{a.text}}' }, { text: 'n: hi', json: { value: 'n: hi' } }],
    [{ data: null }, { text: 'null', json: { value: null } }],
    [{ text: '' }, { text: '', json: {} }],
  ])('makes of %j', (written, output) => {
    expect(begin(template, written, data)).toEqual({ kind: 'done', exit: 'done', output });
  });

  it('fails when a value is missing', () => {
    expect(begin(template, { text: '{{b.text}}' }, data)).toEqual(missing('{{b.text}}'));
    expect(begin(template, { data: ['{{a.json.x}}'] }, data)).toEqual(missing('{{a.json.x}}'));
  });

  const tooLarge = {
    kind: 'failed',
    failure: {
      code: 'output-too-large',
      message: expect.stringContaining('more than 1,000,000 characters'),
      retry: 'never',
    },
  };

  it.each<[unknown, number]>([
    [{ text: '{{a.text}}{{a.text}}' }, 500_000],
    [{ text: '{{a.json}}' }, 999_992],
    [{ data: ['{{a.text}}', '{{a.text}}'] }, 499_996],
    [{ data: '{{a.json}}' }, 999_992],
    [{ data: { key: 'x{{a.text}}' } }, 999_989],
  ])('makes at most a million characters of %j', (written, chars) => {
    const made = (size: number) => begin(template, written, { a: sized('x'.repeat(size)) });
    expect(made(chars)).toMatchObject({ kind: 'done' });
    expect(made(chars + 1)).toEqual(tooLarge);
  });

  it.each<[string, unknown, (output: Output) => JsonObject]>([
    ['text', { text: '{{a.text}}{{a.text}}' }, ({ text, json }) => ({ text, json })],
    ['data', { data: { l: '{{a.json}}', r: '{{a.json}}' } }, ({ text, json }) => ({ text, json })],
    ['depth', { data: { l: '{{a.json}}' } }, ({ text, json }) => ({ text, json })],
  ])('stops %s that grows from step to step', (_, written, next) => {
    let a: JsonObject = sized('hello');
    for (let round = 0; round < 600; round++) {
      const start = begin(template, written, { a });
      if (start.kind !== 'done') return expect(start).toEqual(tooLarge);
      a = next(start.output);
    }
    throw new Error('It never stopped.');
  });

  it('names the place of what it reads', () => {
    expect(template.references(template.schema.parse({ data: { k: ['x', '{{a.text}}'] } }))).toEqual([
      { lookup: ['a', 'text'], at: ['data', 'k', 1], source: '{{a.text}}', optional: false },
    ]);
    expect(template.references(template.schema.parse({ text: '{{a.text}}' }))).toHaveLength(1);
  });

  it.each([
    [{}, 'There is nothing to make'],
    [{ text: 'x', data: 1 }, 'Both text: and data:'],
    [{ data: { k: ['{{#x}}'] } }, 'data.k.0: {{#x}} is a block'],
    [{ text: 1.1 }, 'text: '],
  ])('refuses %j', (written, fault) => {
    expect(faults(template, written)).toEqual([expect.stringContaining(fault)]);
  });
});
