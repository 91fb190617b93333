import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type Arrow,
  following,
  preceding,
  reach,
  reachFromEach,
  remembered,
  sortSteps,
} from '../../../src/engine/flow/graph.ts';

const arrows = (...written: string[]): readonly Arrow[] =>
  written.map((one) => ({ from: one.charAt(0), to: one.charAt(1) }));

describe('neighbours', () => {
  it('are known of every step, in both directions', () => {
    expect([...following(['a', 'b', 'c'], arrows('ab', 'ac'))]).toEqual([
      ['a', ['b', 'c']],
      ['b', []],
      ['c', []],
    ]);
    expect(preceding(['a', 'b', 'c'], arrows('ac', 'bc')).get('c')).toEqual(['a', 'b']);
  });
});

describe('what can be reached', () => {
  it('includes where one begins, and copes with circles', () => {
    const next = following(['a', 'b', 'c', 'd'], arrows('ab', 'bc', 'ca'));
    expect(reach(['a'], next)).toEqual(new Set(['a', 'b', 'c']));
    expect(reach(['d', 'b'], next)).toEqual(new Set(['a', 'b', 'c', 'd']));
    expect(reachFromEach(next)('d')).toEqual(new Set(['d']));
  });

  it('is worked out once for each step', () => {
    let count = 0;
    const work = remembered((step) => {
      count += 1;
      return step.length;
    });
    expect([work('abc'), work('abc'), work('d')]).toEqual([3, 3, 1]);
    expect(count).toBe(2);
  });
});

describe('sorted steps', () => {
  it('keep the order they are written in where they can', () => {
    expect(sortSteps(['c', 'a', 'b'], arrows('ab'))).toEqual({ order: ['c', 'a', 'b'] });
    expect(sortSteps(['c', 'a', 'b'], arrows('ab', 'bc'))).toEqual({ order: ['a', 'b', 'c'] });
  });

  test.each([
    [['aa'], 'aa'],
    [['ab', 'ba'], 'aba'],
    [['ab', 'bc', 'cd', 'db'], 'bcdb'],
    [['ab', 'bc', 'cb', 'cd'], 'bcb'],
    [['dc', 'cb', 'bd', 'ba'], 'bdcb'],
  ])('name a circle from its first step: %j', (written, cycle) => {
    expect(sortSteps(['a', 'b', 'c', 'd'], arrows(...written)).cycle).toEqual([...cycle]);
  });

  const steps = [...'abcdefgh'];
  const anyArrows = fc.array(fc.record({ from: fc.constantFrom(...steps), to: fc.constantFrom(...steps) }), {
    maxLength: 20,
  });

  test('every arrow leads forwards, or there is a circle of arrows', () => {
    fc.assert(
      fc.property(anyArrows, (some) => {
        const { order, cycle } = sortSteps(steps, some);
        const isArrow = (from: string | undefined, to: string) =>
          some.some((arrow) => arrow.from === from && arrow.to === to);
        if (cycle) {
          expect(cycle[0]).toBe(cycle.at(-1));
          for (const [index, step] of cycle.slice(1).entries())
            expect(isArrow(cycle[index], step)).toBe(true);
        } else {
          expect([...order].sort()).toEqual(steps);
          for (const { from, to } of some) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
        }
      }),
    );
  });
});
