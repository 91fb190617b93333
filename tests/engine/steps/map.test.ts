import { describe, expect, it, test } from 'vitest';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { drive } from '../run/drive.ts';

const each = (more: JsonObject): JsonObject => ({
  steps: { each: { type: 'map', over: ['a', 'b'], uses: 'other', ...more } },
});

function inputsOf(more: JsonObject): readonly Json[] {
  return [...drive(each(more)).lanes.values()].map(({ input }) => input);
}

describe('the input of each run', () => {
  test.each<[string, JsonObject, readonly Json[]]>([
    ['is the item', {}, [{ item: 'a' }, { item: 'b' }]],
    ['has the name that the flow gives it', { itemAs: 'file' }, [{ file: 'a' }, { file: 'b' }]],
    [
      'has what is the same for all',
      { with: { to: 'x' } },
      [
        { to: 'x', item: 'a' },
        { to: 'x', item: 'b' },
      ],
    ],
    ['keeps the types of items', { over: [1, { a: null }] }, [{ item: 1 }, { item: { a: null } }]],
  ])('%s', (_, more, inputs) => {
    expect(inputsOf(more)).toEqual(inputs);
  });
});

test.each<[string, JsonObject, string]>([
  ['what is no list', { over: '{{start.json.prompt}}' }, 'not-a-list'],
  ['a list that is missing', { over: '{{start.json.files.0}}' }, 'missing-value'],
  ['more items than may be', { maxItems: 1 }, 'too-many-items'],
  ['a field that is missing', { with: { a: '{{start.json.files.0}}' } }, 'missing-value'],
])('%s fails it before any run starts', (_, more, code) => {
  const run = drive(each(more));
  expect(run.callKeys).toEqual([]);
  expect(run.state.steps.each).toMatchObject({ status: 'failed', failure: { code } });
});

it('the item and another field can not have one name', () => {
  const { plan, faults } = compile(each({ with: { item: 'x' } }), 'flow');
  expect(plan).toBeUndefined();
  expect(faults.map(({ message }) => message).join()).toContain(
    'The item and a field of with: have one name.',
  );
});
