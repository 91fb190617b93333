import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest, suggest } from '../../../src/engine/flow/nearest.ts';

test.each([
  ['trigers', 'triggers'],
  ['Steps', 'steps'],
  ['stpes', 'steps'],
  ['maxround', 'maxRounds'],
  ['colour', undefined],
  ['', undefined],
])('%j most likely means %j', (word, expected) => {
  expect(nearest(word, ['steps', 'triggers', 'maxRounds', 'output'])).toBe(expected);
});

test('where nothing is near, all that is allowed is named', () => {
  expect(suggest('zzz', ['done', 'failed'])).toBe('Use one of: done, failed.');
  expect(suggest('don', ['done', 'failed'])).toBe('Did you mean "done"?');
  expect(suggest('x', [])).toBe('Nothing can stand here.');
  expect(suggest('c', ['a', 'b'])).toBe('Use one of: a, b.');
});

test('the nearest is the one with the fewest changes, the first of several', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 8 }), (wanted, candidates) => {
      const near = candidates
        .map((candidate) => ({ candidate, changes: changes(wanted, candidate) }))
        .filter(
          ({ candidate, changes }) =>
            changes <=
            Math.max(Math.min(length(wanted, candidate) - 1, 1), Math.floor(length(wanted, candidate) / 3)),
        )
        .toSorted((a, b) => a.changes - b.changes);
      expect(nearest(wanted, candidates)).toBe(near[0]?.candidate);
    }),
    { numRuns: 2000 },
  );
});

function length(one: string, other: string): number {
  return Math.max(one.length, other.length);
}

/** The same distance in its plainest form. */
function changes(from: string, to: string): number {
  if (from === '' || to === '') return from.length + to.length;
  const [a, b] = [from.slice(1), to.slice(1)];
  const swap =
    from.length > 1 && from[0] === to[1] && from[1] === to[0] ? changes(from.slice(2), to.slice(2)) + 1 : 99;
  if (from[0] === to[0]) return Math.min(changes(a, b), swap);
  return Math.min(changes(a, b) + 1, changes(from, b) + 1, changes(a, to) + 1, swap);
}
