import { expect, test } from 'vitest';
import { Recent } from '../../../src/render/markdown/recent.ts';

function counted() {
  const recent = new Recent();
  const made: string[] = [];
  const get = (key: string, result = key.toUpperCase()) =>
    recent.get(key, () => {
      made.push(key);
      return result;
    });
  return { made, get };
}

test('the same text is made once', () => {
  const { made, get } = counted();
  expect([get('a'), get('b'), get('a')]).toEqual(['A', 'B', 'A']);
  expect(made).toEqual(['a', 'b']);
});

test('of more than a hundred, the one used longest ago is made again', () => {
  const { made, get } = counted();
  for (let index = 0; index < 100; index += 1) get(`n${index}`);
  for (const key of ['n0', 'n100', 'n0', 'n1']) get(key);
  expect(made.slice(100)).toEqual(['n100', 'n1']);
});

test('what is larger than the room is returned and not kept', () => {
  const { made, get } = counted();
  const large = 'x'.repeat(1_000_000);
  expect([get('a', large), get('a', large), get('b'), get('b')]).toEqual([large, large, 'B', 'B']);
  expect(made).toEqual(['a', 'a', 'b']);
});
