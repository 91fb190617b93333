import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemaProblems } from '../../../src/engine/data/schema-problems.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';

const schema: JsonObject = { type: 'array', uniqueItems: true };
const isUnique = (list: Json) => schemaProblems(schema, list).length === 0;

test.each<[string, Json, boolean]>([
  ['nothing', [], true],
  ['a text and a number that look alike', [1, '1'], true],
  ['a list and its only item', [[1], 1], true],
  ['texts that join to the same', [['a', 'b'], ['a,b']], true],
  ['a null and a field that is null', [null, { a: null }, {}], true],
  [
    'fields in another order',
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    false,
  ],
  ['one number in two spellings', [1, 1.0], false],
  ['a text twice', ['a', 'b', 'a'], false],
])('items of which each stands once: %s', (_, list, expected) => {
  expect(isUnique(list)).toBe(expected);
});

test('not asked for, every list will do', () => {
  expect(schemaProblems({ type: 'array', uniqueItems: false }, [1, 1])).toEqual([]);
});

test('items are the same when they are equal in depth, and only then', () => {
  const item = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 8 }), (items) => {
      const list: readonly Json[] = JSON.parse(JSON.stringify(items));
      const isTwice = list.some((one, at) =>
        list.slice(0, at).some((other) => isDeepStrictEqual(one, other)),
      );
      expect(isUnique(list)).toBe(!isTwice);
    }),
  );
});

test('a list of strangers does not keep Flowbot busy', () => {
  const list = Array.from({ length: 100_000 }, (_, index) => ({ index }));
  const startMs = performance.now();
  expect(isUnique(list)).toBe(true);
  expect(isUnique([...list, { index: 7 }])).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(8_000);
});
