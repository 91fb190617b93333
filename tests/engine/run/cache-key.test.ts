import { expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { drive, get } from './drive.ts';

function keyOf(step: JsonObject, more: JsonObject = {}): string | undefined {
  const call = drive({ ...more, steps: { a: { ...step, cache: true } } }).calls.get('a');
  return call?.kind === 'http' ? call.cache : undefined;
}

it('is there only where results are kept', () => {
  expect(keyOf(get)).toMatch(/^[0-9a-f]{64}$/);
  expect(drive({ steps: { a: get } }).calls.get('a')).not.toHaveProperty('cache');
});

test.each<[string, JsonObject, JsonObject]>([
  ['another address', { ...get, url: 'https://api.example.com/other' }, {}],
  ['another query', { ...get, query: { q: 'x' } }, {}],
  ['another time limit', { ...get, timeout: '7s' }, {}],
  ['another flow', get, { id: 'other' }],
])('%s is another key', (_, step, more) => {
  expect(keyOf(step, more)).not.toBe(keyOf(get));
});

test.each<[string, JsonObject, JsonObject]>([
  ['another name of the step', { ...get, name: 'Fetch' }, {}],
  ['another number of attempts', { ...get, attempts: 3 }, {}],
  ['another name of the flow', get, { name: 'Notes' }],
])('%s is the same key', (_, step, more) => {
  expect(keyOf(step, more)).toBe(keyOf(get));
});
