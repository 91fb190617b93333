import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
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

  it('stand for one edge each when they leave a list of steps, and their rules read the step they leave', () => {
    const plan = planOf({
      steps: { root: get, a: get, b: get, end: post },
      edges: ['root -> a', 'root -> b', { from: ['a', 'b.failed'], to: 'end', when: { path: 'n', is: 1 } }],
    });
    expect(plan.edges.slice(2)).toMatchObject([
      { from: 'a', exit: 'done', to: 'end', when: { rules: [{ step: 'a' }] } },
      { from: 'b', exit: 'failed', to: 'end', when: { rules: [{ step: 'b' }] } },
    ]);
  });

  it('take one rule with op for a list of one rule about the step they leave', () => {
    const edgesOf = (when: JsonObject) =>
      planOf({ steps: { a: get, b: post }, edges: [{ from: 'a', to: 'b', when }] }).edges;
    expect(edgesOf({ path: 'confidence', op: 'gte', value: 0.5 })).toEqual(
      edgesOf({ all: [{ step: 'a', path: 'json.confidence', atLeast: 0.5 }] }),
    );
  });

  test.each([
    [
      'draft.score > 3',
      'unknown-path at edges.0.when: draft.score does not say what to take of the step draft. Write draft.text, or a field such as draft.json.score.',
    ],
    [
      'draf.json.score > 3',
      'unknown-step at edges.0.when: draf.json.score: there is no step "draf". Did you mean "draft"?',
    ],
    [
      'publish.json.url == "x"',
      'never-before at edges.0.when: publish.json.url: publish can never have run before draft. Lead edges from publish to draft, or read an earlier step.',
    ],
    [
      'input.version == "1"',
      'unknown-input at edges.0.when: input.version: the flow has no input. Declare it under input:.',
    ],
    [
      'secrets.TOKEN == "x"',
      "secret-place at edges.0.when: secrets.TOKEN: a secret can't stand here, where people or other systems would see it. Secrets can stand in the headers and the body of http steps.",
    ],
    [
      'size(draft.text)',
      'value at edges.0.when: edges[0].when: The expression gives a value of type int, not true or false. Compare it with something, such as size(draft.text) > 0.',
    ],
  ])('can not say when: %s', (when, fault) => {
    const edges = [{ from: 'draft', to: 'review', when }, 'review.approved -> publish'];
    expect(faultsOf({ steps, edges })).toEqual([fault]);
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
