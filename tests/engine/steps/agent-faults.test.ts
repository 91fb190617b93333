import { expect, test } from 'vitest';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary, type Library } from '../../../src/engine/library.ts';
import { read } from '../flow/faults.ts';

const library: Library = {
  ...bareLibrary,
  schemas: new Map<string, JsonObject>([
    ['ticket', { type: 'object', required: ['title', 'size'] }],
    ['word', { type: 'string' }],
    ['words', { type: 'array' }],
    ['either', { type: ['null', 'string'] }],
    ['any', {}],
  ]),
};
const agent: JsonObject = { type: 'agent', agent: 'writer', task: 'Write.' };
const llm: JsonObject = { type: 'llm', prompt: 'Write.' };
const open: JsonObject = { ...agent, reply: { format: 'json' } };
const fields = (...names: readonly string[]): JsonObject => ({
  ...agent,
  reply: { format: 'json', fields: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
});

test.each<[string, JsonObject, string, string | undefined]>([
  ['text', agent, 'word', undefined],
  ['text', agent, 'ticket', undefined],
  ['text', llm, 'either', undefined],
  ['text', llm, 'any', undefined],
  ['an object', open, 'ticket', undefined],
  ['fields', fields('title', 'size', 'more'), 'ticket', undefined],
  [
    'text',
    llm,
    'words',
    'No reply can match the schema words: a reply is text, or an object in it. Name another schema.',
  ],
  [
    'an object',
    open,
    'word',
    'No reply can match the schema word: the reply is an object. Name another schema.',
  ],
  [
    'fields',
    fields('title'),
    'ticket',
    'The schema ticket needs size, which the reply has no field for. Add it to the fields, or remove fields:.',
  ],
])('a reply of %s that must match a schema: %j %s', (_, step, writes, fault) => {
  const { faults } = compile({ steps: { write: { ...step, writes } } }, 'flow', library);
  expect(faults.map(read)).toEqual(fault === undefined ? [] : [`writes at steps.write.writes: ${fault}`]);
});
