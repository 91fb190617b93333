import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { ask, faultsOf, post } from '../flow/faults.ts';

const approvers = { users: ['slack:U0BO', 'slack:U0CY'] };
const form = { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] };

function faults(step: JsonObject): readonly string[] {
  return faultsOf({ steps: { review: { ...ask, ...step }, end: post } });
}

describe('what can be wrong with an approval', () => {
  test.each<[string, JsonObject, string]>([
    ['a form that is no schema', { form: { type: 'objekt' } }, 'steps.review.form.type: '],
    ['a form that is no object', { form: { type: 'string' } }, 'steps.review.form'],
    [
      'a form that no answer takes',
      { form, actions: [{ id: 'approve', form: false }, { id: 'reject' }] },
      'approval at steps.review.form: No action takes the form. Write form: true at an action, or remove the form.',
    ],
    [
      'two buttons that say the same',
      {
        actions: [
          { id: 'approve', label: 'Yes' },
          { id: 'reject', label: 'yes ' },
        ],
      },
      'approval at steps.review.actions: Two answers have the same label. Say on each button what it stands for.',
    ],
    [
      'more answers than people',
      { approvers, quorum: 3 },
      'approval at steps.review.quorum: 3 answers are needed, and 2 may answer. Name more people, or ask for fewer answers.',
    ],
    [
      'more answers than people, one of them listed twice',
      { approvers: { users: ['slack:U0BO', 'slack:U0BO'] }, quorum: 2 },
      'approval at steps.review.quorum: 2 answers are needed, and 1 may answer. Name more people, or ask for fewer answers.',
    ],
    [
      'all of nobody',
      { quorum: 'all' },
      'approval at steps.review.quorum: “all” needs people to count. Name them under approvers:, or write a number.',
    ],
    [
      'all of a role',
      { quorum: 'all', approvers: { roles: ['leads'] } },
      'approval at steps.review.quorum: Nobody can say who all the people of a role are. Write each: every person named, and somebody of every role.',
    ],
    [
      'a time to escalate without anybody to go to',
      { escalateAfter: '1h' },
      'approval at steps.review.escalateAfter: It does not say who may answer then. Name them under escalateTo:.',
    ],
    [
      'people to go to, and nothing that leads there',
      { escalateTo: approvers },
      'approval at steps.review.escalateTo: It never comes to that: everybody in the conversation is asked. Write escalateAfter: as well, or name approvers:.',
    ],
    [
      'an escalation after the end',
      { escalateTo: approvers, escalateAfter: '1h', expiresAfter: '60m' },
      'approval at steps.review.escalateAfter: The question has expired by then. Write less than expiresAfter:.',
    ],
    [
      'an end that never comes',
      { onExpire: 'approved' },
      'approval at steps.review.onExpire: The question never expires. Write expiresAfter: as well, or remove it.',
    ],
    [
      'an end by an exit that is not there',
      { expiresAfter: '1h', onExpire: 'aproved' },
      'approval at steps.review.onExpire: This approval has no exit "aproved". Did you mean "approved"?',
    ],
    [
      'an end by the name of an action',
      { expiresAfter: '1h', onExpire: { exit: 'nowhere' } },
      'approval at steps.review.onExpire: This approval has no exit "nowhere". Use one of: approved, rejected, expired.',
    ],
    [
      'an end that leaves the form empty',
      { expiresAfter: '1h', onExpire: 'approved', form },
      'approval at steps.review.onExpire.values: What counts as filled in does not fit the form: reason is missing. Give every value that the form needs.',
    ],
  ])('%s', (_, step, fault) => {
    const found = faults(step);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(fault);
  });

  test.each<[string, JsonObject]>([
    ['as many answers as people', { approvers, quorum: 2 }],
    ['all of the people named', { approvers, quorum: 'all' }],
    ['a number of people of a role', { approvers: { roles: ['leads'] }, quorum: 5 }],
    ['each person and role', { approvers: { ...approvers, roles: ['leads'] }, quorum: 'each' }],
    ['two of the conversation', { quorum: 2 }],
    ['people for those who leave', { approvers, escalateTo: { roles: ['leads'] } }],
    ['an end that rejects, without values', { expiresAfter: '1h', onExpire: 'rejected', form }],
    [
      'an end that fills the form in',
      { expiresAfter: '30d', onExpire: { exit: 'approved', values: { reason: '-' } }, form },
    ],
  ])('nothing about %s', (_, step) => {
    expect(faults(step)).toEqual([]);
  });

  it('tells everything at once', () => {
    expect(faults({ quorum: 'all', escalateAfter: '1h', onExpire: 'approved' })).toHaveLength(3);
  });
});

describe('an answer of its own', () => {
  const actions = [{ id: 'approve' }, { id: 'hold' }, { id: 'reject' }];
  const steps = { review: { ...ask, actions }, end: post };

  it('must lead somewhere', () => {
    const fault =
      'exit-unwired at steps.review: No edge leaves review by hold, so that answer would lead nowhere. Write an edge such as "review.hold -> …", or remove the action.';
    expect(faultsOf({ steps })).toEqual([fault]);
    expect(faultsOf({ steps, edges: ['review.approved -> end'] })).toEqual([fault]);
    expect(faultsOf({ steps, edges: ['review.approved -> end', 'review.hold -> end'] })).toEqual([]);
  });

  it('may also send work back', () => {
    const back = { from: 'review.hold', to: 'draft', sendBack: true };
    const edges = ['draft -> review', 'review.approved -> end', back];
    expect(faultsOf({ steps: { draft: post, ...steps }, edges })).toEqual([]);
  });

  it('leads to the next step when no edges are written and it comes first, and nowhere from the last', () => {
    const only = { ...ask, actions: [{ id: 'ship' }, { id: 'reject' }] };
    expect(faultsOf({ steps: { review: only, end: post } })).toEqual([]);
    expect(faultsOf({ steps: { begin: post, review: only } })).toEqual([]);
    expect(
      faultsOf({ steps: { review: only, end: post }, edges: ['start -> review', 'start -> end'] }),
    ).toEqual([expect.stringContaining('exit-unwired at steps.review: No edge leaves review by ship')]);
  });

  it('is looked for only once all edges are known', () => {
    expect(faultsOf({ steps, edges: ['review.approved -> end', 'review.hold -> nowhere'] })).toEqual([
      expect.stringContaining('unknown-step'),
    ]);
  });

  it('is not the only thing that can be plain: an edge from an approval names its exit', () => {
    expect(faultsOf({ steps: { review: ask, end: post }, edges: ['review -> end'] })).toEqual([
      'exit-missing at edges.0: review -> end does not say by which exit it leaves. Write review.approved or review.rejected.',
    ]);
  });
});
