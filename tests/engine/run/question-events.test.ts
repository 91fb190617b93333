import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { textOf } from '../../../src/engine/prose.ts';
import { carriedFingerprint } from '../../../src/engine/run/fingerprint.ts';
import { ana, ask, bo, cy, type Driven, drive, get, home, post } from './drive.ts';

const hour = 3_600_000;
const there = { ...home, conversation: 'C0APPROVALS' };
const two = { users: ['slack:U0CY', 'slack:U0BO'] };
const lead: JsonObject = { escalateTo: { users: ['slack:U0LEAD'] } };
const leader = { platform: 'slack', id: 'U0LEAD', name: 'Lea' };

function asking(step: JsonObject, start: Parameters<typeof drive>[1] = {}): Driven {
  return drive({ name: 'Release', steps: { review: { ...ask, title: 'Ship?', ...step }, end: post } }, start);
}

const alerts = (run: Driven) => run.alerts.map(({ prose }) => textOf(prose));

describe('a question goes to others', () => {
  it('after its time: they may answer, too, and are told', () => {
    const run = asking({ approvers: two, ...lead, escalateAfter: '2h', remindAfter: null });
    expect(run.refusal('r1.1', 'approve', { by: leader })).toBe(
      'Only slack:U0CY, slack:U0BO may answer this.',
    );
    run.wait(2 * hour);
    expect(run.card('question/r1.1/escalation')).toBe(
      '⏫ Nobody has decided yet: **Ship?**. Now slack:U0LEAD may answer, too. The buttons are on its card.',
    );
    expect(run.cards.get('question/r1.1/escalation')).toMatchObject({ notify: ['U0LEAD'] });
    expect(run.card('question/r1.1')).toContain('Waiting for slack:U0CY, slack:U0BO, or slack:U0LEAD.');
    expect(run.refusal('r1.1', 'approve')).toBeUndefined();
    run.answer('review', 'approve', '', leader);
    expect(run.card('question/r1.1/escalation')).toBe('⏰ **Ship?**: **✅ Approved** by Lea.');
    expect(run.steps.end).toBe('running');
  });

  it('where the conversation is asked, from elsewhere as well', () => {
    const run = asking({ ...lead, escalateAfter: '2h' });
    run.wait(2 * hour);
    expect(run.refusal('r1.1', 'approve', { by: leader, place: there })).toBeUndefined();
    expect(run.refusal('r1.1', 'approve', { place: there })).toContain('Only people of the conversation');
  });

  it('where each is needed, one of them stands in for one who is missing', () => {
    const run = asking({ approvers: two, quorum: 'each', ...lead, escalateAfter: '2h' });
    run.wait(2 * hour);
    run.answer('review', 'approve', '', leader);
    expect(run.card('question/r1.1')).toContain('Still missing: slack:U0BO.');
    run.answer('review', 'approve', '', cy);
    expect(run.steps.review).toBe('done');
  });

  it('not twice, and not once it is decided', () => {
    const run = asking({ approvers: two, ...lead, escalateAfter: '2h' });
    run.wait(2 * hour);
    expect(run.fire('question/r1.1/escalate')).toBe(false);
  });
});

describe('C29 those asked are looked at', () => {
  it('before anybody waits for them, and at each reminder', () => {
    const run = asking({ approvers: two, remindAfter: '12h' });
    expect(run.checks.get('r1.1')).toMatchObject({
      key: 'question/r1.1/check/0',
      named: ['slack:U0CY', 'slack:U0BO'],
    });
    run.checked('review');
    expect(run.checks.size).toBe(0);
    run.wait(12 * hour);
    expect(run.checks.get('r1.1')).toMatchObject({ key: 'question/r1.1/check/1' });
  });

  it('too few are left: it goes to others at once, and admins hear it', () => {
    const run = asking({ approvers: two, quorum: 2, ...lead, remindAfter: '12h', expiresAfter: '2d' });
    run.checked('review');
    expect(run.alerts).toEqual([]);
    run.wait(12 * hour);
    run.checked('review', ['slack:U0CY']);
    expect(alerts(run)).toEqual([
      'Run `r1` of Release asks “Ship?” (step review). These can’t answer: slack:U0CY (is not there). Too few of its approvers can answer to decide it, so it goes to slack:U0LEAD.',
    ]);
    expect(run.card('question/r1.1/escalation')).toMatch(/^⏫ Too few of those asked can answer: \*\*Ship\?/);
    expect(run.card('question/r1.1')).toContain('⚠️ slack:U0CY is not there and can’t answer.');
    run.answer('review', 'approve', '', bo);
    run.answer('review', 'approve', '', leader);
    expect(run.steps.review).toBe('done');
  });

  it('the only one has left, and there are no others: admins have to mend it', () => {
    const run = asking({ approvers: { users: ['slack:U0CY'] } });
    run.checked('review', ['slack:U0CY']);
    expect(alerts(run)).toEqual([
      'Run `r1` of Release asks “Ship?” (step review). These can’t answer: slack:U0CY (is not there). Too few of its approvers can answer to decide it. Cancel the run, and mend the flow before it is started again.',
    ]);
    expect(run.card('question/r1.1')).toContain('⚠️ Too few of those asked can answer to decide this.');
  });

  it('enough are left: admins hear who is missing, once, and nobody else is asked', () => {
    const run = asking({ approvers: { ...two, roles: ['leads'] }, ...lead, remindAfter: '1h' });
    run.checked('review', ['@leads']);
    run.wait(hour);
    run.checked('review', ['@leads']);
    expect(alerts(run)).toEqual([
      'Run `r1` of Release asks “Ship?” (step review). These can’t answer: @leads (there is no such role).',
    ]);
    expect(run.card('question/r1.1')).toContain('⚠️ @leads: there is no such role.');
    expect(run.cards.has('question/r1.1/escalation')).toBe(false);
    run.wait(hour);
    run.checked('review');
    expect(run.card('question/r1.1')).not.toContain('⚠️');
  });

  it('the requester does not count where they may not answer', () => {
    const approvers = { users: ['slack:U0ANA', 'slack:U0BO'] };
    const run = asking({ approvers, quorum: 2, ...lead }, { person: ana });
    run.checked('review');
    expect(alerts(run)).toEqual([
      'Run `r1` of Release asks “Ship?” (step review). Too few of its approvers can answer to decide it, so it goes to slack:U0LEAD.',
    ]);
    const allowed = asking({ approvers, quorum: 2, ...lead, allowRequester: true }, { person: ana });
    allowed.checked('review');
    expect(allowed.alerts).toEqual([]);
  });

  it('a look that nobody waits for any more changes nothing', () => {
    const run = asking({ approvers: two, ...lead, escalateAfter: '1h' });
    const event = {
      type: 'question.checked',
      question: 'r1.1',
      check: 'question/r1.1/check/0',
      missing: [],
    } as const;
    run.wait(hour);
    expect(run.send({ ...event, atMs: run.atMs })).toBe(false);
    expect(run.checks.get('r1.1')?.named).toEqual(['slack:U0CY', 'slack:U0BO', 'slack:U0LEAD']);
    run.answer('review', 'approve');
    expect(run.checks.size).toBe(0);
    expect(run.send({ ...event, check: 'question/r1.1/check/1', atMs: run.atMs })).toBe(false);
  });
});

describe('a conversation of its own', () => {
  it('is found first, and the question is posted there', () => {
    const run = asking({ to: 'slack:#approvals', approvers: two });
    expect(run.checks.get('r1.1')).toMatchObject({ to: 'slack:#approvals' });
    run.checked('review', [], there);
    expect(run.effects).toContainEqual(
      expect.objectContaining({ kind: 'card', post: 'question/r1.1', place: there }),
    );
  });

  it('that is not there fails the step, in words', () => {
    const run = asking({ to: 'slack:#approvals' });
    run.checked('review', [], 'There is no channel #approvals.');
    expect(run.state).toMatchObject({
      status: 'failed',
      reason: '"review" failed: There is no channel #approvals.',
    });
    expect(run.questionOf('r1.1').state).toMatchObject({ status: 'superseded' });
  });

  it('that is found late: people are told then to whom it has gone, and reminded from then on', () => {
    const run = asking({
      to: 'slack:#approvals',
      approvers: two,
      remindAfter: '1h',
      ...lead,
      escalateAfter: '2h',
    });
    run.wait(3 * hour);
    expect([...run.cards.keys()].filter((key) => key.startsWith('question/'))).toEqual([]);
    run.checked('review', [], there);
    expect(run.effects).toContainEqual(
      expect.objectContaining({ kind: 'card', post: 'question/r1.1/escalation', place: there }),
    );
    expect(run.questionOf('r1.1').remind?.times).toBe(0);
    run.wait(hour);
    expect(run.questionOf('r1.1').remind?.times).toBe(1);
  });

  it('that is gone later does not end what people can still answer, nor is it moved', () => {
    const run = asking({ to: 'slack:#approvals', approvers: two, remindAfter: '1h' });
    run.checked('review', ['slack:U0CY'], there);
    run.wait(hour);
    run.checked('review', [], 'There is no channel #approvals.');
    expect(run.questionOf('r1.1')).toMatchObject({ state: { status: 'open' }, place: there });
    expect(run.card('question/r1.1')).toContain('slack:U0CY is not there');
    run.wait(hour);
    run.checked('review', [], home);
    expect(run.questionOf('r1.1').place).toEqual(there);
  });
});

describe('what an open question asks about changes', () => {
  const flow: JsonObject = {
    steps: {
      root: get,
      draft: get,
      side: get,
      review: { ...ask, title: 'Ship?', show: ['draft', 'side'] },
      sign: ask,
    },
    edges: [
      'root -> draft -> review',
      'root -> side -> sign',
      'review.approved -> sign',
      { from: 'sign.rejected', to: 'draft', sendBack: true },
    ],
  };
  const changed = () => {
    const run = drive(flow);
    run.done('root');
    run.done('draft', 'one');
    const before = run.questionOf('r1.1');
    run.done('side', 'two');
    return { run, before };
  };

  it('it is void, its card says so, and a new one is asked', () => {
    const { run } = changed();
    expect(run.questionOf('r1.1').state).toEqual({ status: 'void' });
    expect(run.card('question/r1.1')).toContain(
      '⊘ What this asked about has changed, so answers to it do not count: it is asked anew.',
    );
    expect(run.cards.get('question/r1.1')).toMatchObject({ buttons: [], notify: [] });
    expect(run.question('review')).toBe('r1.2');
    expect(run.card('question/r1.2')).toContain('**side**\n\ntwo');
  });

  it('a button of the old content is refused, and one of the new content counts', () => {
    const { run, before } = changed();
    const covers = carriedFingerprint(before.covers);
    const again = 'What this question asked about has changed: answer at its new card.';
    expect(run.refusal('r1.1', 'approve', { more: { covers } })).toBe(again);
    expect(run.refusal('r1.1', 'approve')).toBe(again);
    expect(run.refusal('r1.2', 'approve', { more: { covers } })).toBe(
      'What you saw is not what this question asks about now: look at its card again.',
    );
    run.answer('review', 'approve');
    expect(run.steps.review).toBe('done');
  });

  it('answers given to the old content do not count for the new one', () => {
    const run = drive({
      ...flow,
      steps: { ...Object(flow.steps), review: { ...ask, quorum: 2, show: ['draft', 'side'] } },
    });
    run.done('root');
    run.done('draft', 'one');
    run.answer('review', 'approve');
    run.done('side', 'two');
    expect(run.questionOf('r1.2').answers).toEqual([]);
    expect(run.questionOf('r1.2').covers).not.toBe(run.questionOf('r1.1').covers);
  });

  it('what it does not show may change', () => {
    const run = drive({ ...flow, steps: { ...Object(flow.steps), review: { ...ask, show: ['draft'] } } });
    run.done('root');
    run.done('draft', 'one');
    run.done('side', 'two');
    expect(run.question('review')).toBe('r1.1');
  });
});
