import { expect, it, test } from 'vitest';
import { schemaProblems } from '../../../src/engine/data/schema-problems.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';

const notes: JsonObject = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string' },
    score: { type: 'number' },
    lines: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } } } },
  },
};

test.each<[string, Json, readonly string[]]>([
  ['data that matches', { title: 'v2', score: 1 }, []],
  ['a field that is missing', {}, ["it must have required property 'title'"]],
  ['a field of another type', { title: 'v2', score: 'high' }, ['score must be a number']],
  ['a field deep inside', { title: 'v2', lines: [{}, { text: 1 }] }, ['lines.1.text must be text']],
  ['no object at all', 'v2', ['it must be an object']],
  ['nothing', null, ['it must be an object']],
])('%s', (_, data, problems) => {
  expect(schemaProblems(notes, data)).toEqual(problems);
});

it('tells eight problems at most, each once', () => {
  const schema: JsonObject = { type: 'array', items: { type: 'string' } };
  expect(
    schemaProblems(
      schema,
      Array.from({ length: 20 }, (_, index) => index),
    ),
  ).toHaveLength(8);
});

it('tells the first problem only of data that is large: it could have millions', () => {
  const schema: JsonObject = { type: 'array', items: { type: 'string' } };
  expect(schemaProblems(schema, Array<number>(300_000).fill(1))).toEqual(['0 must be text']);
  expect(schemaProblems(schema, Array<string>(300_000).fill('a'))).toEqual([]);
});

it('leaves the data as it is', () => {
  const schema: JsonObject = { type: 'object', properties: { a: { type: 'string', default: 'x' } } };
  const data = Object.freeze({});
  expect(schemaProblems(schema, data)).toEqual([]);
  expect(data).toEqual({});
});
