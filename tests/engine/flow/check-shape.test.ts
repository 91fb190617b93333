import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { ask, back, check, faultsOf, get, join, planOf, post, text } from './faults.ts';

/** A flow of steps that only need to be there: names that begin with `ask`, `check`, `join` are of that type. */
function flow(names: string, edges: readonly Json[]): JsonObject {
  const steps = names.split(' ').map((id) => {
    const type = id.startsWith('ask')
      ? ask
      : id.startsWith('check')
        ? check
        : id.startsWith('join')
          ? join
          : get;
    return [id, type] as const;
  });
  return { steps: Object.fromEntries(steps), edges };
}

describe('where a flow begins', () => {
  it('is the one step that no edge leads to', () => {
    expect(planOf(flow('b a', ['a -> b'])).roots).toEqual(['a']);
    expect(planOf(flow('a', [])).roots).toEqual(['a']);
  });

  it('is every step that start leads to', () => {
    expect(planOf(flow('a b c', ['start -> a', 'start -> b', 'a -> c'])).roots).toEqual(['a', 'b']);
  });

  it('a forgotten edge never runs a step early', () => {
    expect(faultsOf(flow('a b c d', ['a -> b', 'c -> d']))).toEqual([
      'roots at edges: The flow begins in several places: a, c. Lead an edge to all but one of them, or say what is meant: "start -> a", "start -> c".',
    ]);
  });

  test.each([
    [
      'somewhere else as well',
      flow('a b', ['start -> a', 'start -> b', 'a -> b']),
      ['start at edges.1: start leads to b, but other edges lead there too. Remove one of the two.'],
    ],
    [
      'where nothing leads on',
      flow('a b c', ['start -> a', 'b -> c']),
      [
        'unreachable at steps.b: No way leads from the beginning of the flow to b, so it can never run. Add an edge such as "a -> b", or remove the step.',
        'unreachable at steps.c: No way leads from the beginning of the flow to c, so it can never run. Add an edge such as "a -> c", or remove the step.',
      ],
    ],
    [
      'twice',
      flow('a', ['start -> a', 'start -> a']),
      [
        'duplicate-edge at edges.1: The edge start -> a is written twice. Keep one of them; several conditions can stand in one when:.',
      ],
    ],
    [
      'on a condition',
      flow('a', [{ from: 'start', to: 'a', when: { step: 'start', path: 'text', is: 'x' } }]),
      ["start at edges.0.when: start -> a only says where the flow begins; it can't have when. Remove it."],
    ],
    [
      'as a send-back',
      flow('a', [back('start', 'a')]),
      [
        "start at edges.0.sendBack: start -> a only says where the flow begins; it can't have sendBack. Remove it.",
      ],
    ],
  ])('is not %s', (_, written, expected) => {
    expect(faultsOf(written)).toEqual(expected);
  });
});

describe('a circle', () => {
  it('is named as it is walked, at the edge that leads back to its first step', () => {
    expect(faultsOf(flow('a b c d', ['a -> b', 'b -> c', 'c -> d', 'd -> b']))).toEqual([
      'cycle at edges.3: The steps b -> c -> d -> b run in a circle. Give the edge that leads back { …, sendBack: true }, or remove it.',
    ]);
  });

  it('of one step is one too', () => {
    expect(faultsOf(flow('a b', ['a -> b', 'b -> b']))[0]).toMatch(/^cycle at edges.1: The steps b -> b run/);
  });

  it('of the whole flow does not also complain that nothing can be reached', () => {
    expect(faultsOf(flow('a b', ['a -> b', 'b -> a']))).toHaveLength(1);
  });

  it('does not hide another, nor that steps are left out', () => {
    const faults = faultsOf(flow('root a b c d', ['root -> a', 'a -> b', 'b -> a', 'c -> d', 'd -> c']));
    expect(faults.map((fault) => fault.split(/ run |\. /)[0])).toEqual([
      'cycle at edges.2: The steps a -> b -> a',
      'cycle at edges.4: The steps c -> d -> c',
      'roots at edges: The flow begins in several places: root, c',
    ]);
  });

  it('of many steps is named in part', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `s${index}`);
    const [fault] = faultsOf(flow(ids.join(' '), [[...ids, 's0'].join(' -> ')]));
    expect(fault).toContain(
      'The steps s0 -> s1 -> s2 -> s3 -> s4 -> s5 -> s6 -> s7 -> s8 -> s9 -> … -> s0 run in',
    );
  });

  it('is fine when it is meant', () => {
    expect(faultsOf(flow('a ask', ['a -> ask', back('ask.rejected', 'a')]))).toEqual([]);
  });
});

describe('a Join', () => {
  test.each([
    ['only one edge leads', flow('a join', ['a -> join'])],
    ['no edge leads', { steps: { join } }],
    ['only one edge leads', { steps: { a: get, join } }],
  ])('needs two branches: %s', (found, written) => {
    expect(faultsOf(written)).toEqual([
      `join-branches at steps.join: join joins branches, but ${found} to it. Lead at least two edges to it.`,
    ]);
  });

  it('may have two exits of one step as its branches', () => {
    expect(faultsOf(flow('check join', ['check.yes -> join', 'check.no -> join']))).toEqual([]);
  });
});

describe('an edge that sends work back', () => {
  test.each([
    ['a step after it', 'b', 'c'],
    ['a step beside it', 'b', 'x'],
  ])('does not lead to %s', (_, from, to) => {
    expect(faultsOf(flow('a b c x', ['a -> b -> c', 'a -> x', back(from, to)]))).toEqual([
      `send-back-target at edges.2: ${from} can't send work back to ${to}, which does not come before it. Send it back to a step on the way to ${from}.`,
    ]);
  });

  it('covers its target and everything after it', () => {
    const plan = planOf(
      flow('a b ask c x', ['a -> b -> ask', 'ask.approved -> c', 'a -> x', back('ask.rejected', 'b')]),
    );
    expect(plan.edges[4]).toEqual({
      from: 'ask',
      exit: 'rejected',
      to: 'b',
      sendBack: { maxRounds: 10, feedback: false, stretch: ['b', 'ask', 'c'] },
    });
    expect(plan.steps.get('ask')).toMatchObject({ incoming: [1], outgoing: [2], sendBacks: [4] });
    expect(plan.steps.get('b')).toMatchObject({ incoming: [0], sendBacks: [] });
  });

  const chain = ['a -> b -> c -> d -> e'];
  test.each([
    ['inside each other', [back('d', 'b'), back('e', 'a')]],
    ['inside each other, with one end in common', [back('d', 'b'), back('d', 'a')]],
    ['inside each other, to the same step', [back('c', 'a'), back('d', 'a')]],
    ['the same by two exits', [back('d', 'b'), back('d.failed', 'b')]],
    ['apart', [back('b', 'a'), back('e', 'd')]],
    ['a step back to itself, inside', [back('c', 'c'), back('d', 'b')]],
  ])('may lie beside others: %s', (_, backs) => {
    const conditional = backs.map((edge) => ({ ...edge, when: { path: 'text', is: 'no' } }));
    expect(faultsOf(flow('a b c d e', [...chain, ...conditional]))).toEqual([]);
  });

  test.each([
    [
      'in a row',
      flow('a b c d e', [...chain, back('c', 'a'), back('d', 'b')]),
      'd -> b overlaps with c -> a',
    ],
    [
      'from two branches to where they part',
      flow('a ask1 ask2', ['a -> ask1', 'a -> ask2', back('ask1.rejected', 'a'), back('ask2.rejected', 'a')]),
      'ask2 -> a overlaps with ask1 -> a',
    ],
    [
      'from where branches meet to each of them',
      flow('a b c d', ['a -> b -> d', 'a -> c -> d', back('d', 'b'), back('d', 'c')]),
      'd -> c overlaps with d -> b',
    ],
  ])('may not overlap with others in part: %s', (_, written, which) => {
    const faults = faultsOf(written).filter((fault) => fault.startsWith('send-back'));
    expect(faults).toEqual([
      expect.stringContaining(`The send-back ${which}: some steps belong to both, others to one of them.`),
    ]);
  });

  it('leaves nothing to edges of the same exit, and a warning says so', () => {
    const edges = ['a -> ask', 'ask.approved -> b', back('ask.rejected', 'a'), 'ask.rejected -> c'];
    expect(faultsOf(flow('a ask b c', edges))).toEqual([
      'warning never-taken at edges.3: ask.rejected -> c is never taken: that exit sends work back to a. Lead it from another exit, or say under when: of the send-back when it is to be taken.',
    ]);
    const sometimes = { ...back('ask.rejected', 'a'), when: { path: 'feedback', isEmpty: false } };
    expect(faultsOf(flow('a ask b c', edges.with(2, sometimes)))).toEqual([]);
  });
});

describe('what is missing because an edge could not be made out', () => {
  it('is not reported a second time', () => {
    expect(
      faultsOf(flow('fetch draft join', ['fetch -> draft', 'fetch -> entirelyDifferent', 'draft -> join'])),
    ).toEqual([
      'unknown-step at edges.1: There is no step "entirelyDifferent". Use one of: fetch, draft, join.',
    ]);
  });

  it('is taken for what was most likely meant', () => {
    expect(
      faultsOf({
        steps: { fetch: get, draft: text('x'), say: post },
        edges: ['fetch -> draf', 'drat -> say'],
      }),
    ).toEqual([
      'unknown-step at edges.0: There is no step "draf". Did you mean "draft"?',
      'unknown-step at edges.1: There is no step "drat". Did you mean "draft"?',
    ]);
  });
});

describe('two send-backs', () => {
  it('may lie one inside the other or apart, but never overlap in part', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const chain = names.slice(1).map((name, index) => `${names[index]} -> ${name}`);
    const span = fc
      .tuple(fc.nat(5), fc.nat(5))
      .map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
    fc.assert(
      fc.property(span, span, ([from = 0, to = 0], [start = 0, end = 0]) => {
        fc.pre(from !== start || to !== end);
        const backs = [
          back(`${names[to]}.failed`, `${names[from]}`),
          back(`${names[end]}.failed`, `${names[start]}`),
        ];
        const isApart = to < start || end < from;
        const isNested = (from <= start && end <= to) || (start <= from && to <= end);
        const faults = faultsOf(flow(names.join(' '), [...chain, ...backs]));
        expect(faults.map((fault) => fault.split(' ')[0])).toEqual(
          isApart || isNested ? [] : ['send-back-overlap'],
        );
      }),
    );
  });
});
