import { describe, expect, it, test } from 'vitest';
import { ask, back, check, faultsOf, get, planOf, post, text } from './faults.ts';

const steps = { draft: get, review: ask, publish: post };

describe('edges as they are written', () => {
  it('leave by the exit that is named, else by the only one', () => {
    const plan = planOf({
      steps,
      edges: ['draft -> review', 'review.approved -> publish', 'draft.failed -> publish'],
    });
    expect(plan.edges).toEqual([
      { from: 'draft', exit: 'done', to: 'review' },
      { from: 'review', exit: 'approved', to: 'publish' },
      { from: 'draft', exit: 'failed', to: 'publish' },
    ]);
  });

  it('keep what they hold of conditions and rounds', () => {
    const when = { path: 'feedback', contains: 'title' };
    const plan = planOf({
      steps,
      edges: [
        'draft -> review',
        {
          from: 'review.approved',
          to: 'publish',
          when: { any: [when, { step: 'draft', path: 'text', is: 'x' }] },
        },
        back('review.rejected', 'draft', { maxRounds: 3, feedback: true }),
      ],
    });
    expect(plan.edges[1]?.when).toEqual({
      join: 'any',
      rules: [
        { step: 'review', path: ['json', 'feedback'], operator: 'contains', value: 'title' },
        { step: 'draft', path: ['text'], operator: 'is', value: 'x' },
      ],
    });
    expect(plan.edges[2]?.sendBack).toMatchObject({ maxRounds: 3, feedback: true });
  });

  test.each([
    [
      'a step that is not there',
      ['draft -> reveiw', 'review.approved -> publish'],
      ['unknown-step at edges.0: There is no step "reveiw". Did you mean "review"?'],
    ],
    [
      'steps that are not there, at both ends',
      ['draft -> review', 'review.approved -> publish', 'drafd -> publich'],
      [
        'unknown-step at edges.2: There is no step "drafd". Did you mean "draft"?',
        'unknown-step at edges.2: There is no step "publich". Did you mean "publish"?',
      ],
    ],
    [
      'an exit that is not there',
      ['draft -> review', 'review.aproved -> publish'],
      ['unknown-exit at edges.1: review has no exit "aproved". Did you mean "approved"?'],
    ],
    [
      'an exit of another type',
      ['draft.yes -> review', 'review.approved -> publish'],
      ['unknown-exit at edges.0: draft has no exit "yes". Use one of: done, failed.'],
    ],
    [
      'no exit where there are several',
      ['draft -> review -> publish'],
      [
        'exit-missing at edges.0: review -> publish does not say by which exit it leaves. Write review.approved or review.rejected.',
      ],
    ],
    [
      'the same edge twice',
      ['draft -> review', 'draft.done -> review', 'review.approved -> publish'],
      [
        'duplicate-edge at edges.1: The edge draft.done -> review is written twice. Keep one of them; several conditions can stand in one when:.',
      ],
    ],
  ])('are at fault with %s', (_, edges, expected) => {
    expect(faultsOf({ steps, edges })).toEqual(expected);
  });

  it('are at fault one by one when they come from a list', () => {
    const edges = ['draft -> review', { from: ['review', 'draft.no'], to: 'publish' }];
    expect(faultsOf({ steps, edges }).map((fault) => fault.split(':')[0])).toEqual([
      'exit-missing at edges.1',
      'unknown-exit at edges.1',
    ]);
  });

  it('of a step that could not be read are not at fault for that', () => {
    const broken = { ...steps, review: { type: 'aproval' } };
    expect(faultsOf({ steps: broken, edges: ['draft -> review', 'review.approved -> publish'] })).toEqual([
      expect.stringContaining('unknown-type at steps.review.type'),
    ]);
  });
});

describe('without edges', () => {
  it('the steps run in the order they are written, each left by its main exit', () => {
    const plan = planOf({ steps: { a: get, b: check, c: ask, d: text('x'), e: post } });
    expect(plan.edges.map(({ from, exit, to }) => `${from}.${exit} -> ${to}`)).toEqual([
      'a.done -> b',
      'b.yes -> c',
      'c.approved -> d',
      'd.done -> e',
    ]);
    expect(plan.roots).toEqual(['a']);
  });

  it('is not the same as with an empty list of edges', () => {
    expect(faultsOf({ steps: { a: get, b: post }, edges: [] })[0]).toMatch(/^roots at edges: /);
  });
});
