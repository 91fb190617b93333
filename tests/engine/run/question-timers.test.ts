import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { isOverdue, REMIND_AFTER_MS, timerOf, timersOf } from '../../../src/engine/run/question-timers.ts';
import { ask, bo, type Driven, drive, home, pay, post } from './drive.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

function asking(
  step: JsonObject = {},
  flow: JsonObject = {},
  start: Parameters<typeof drive>[1] = {},
): Driven {
  return drive({ ...flow, steps: { review: { ...ask, ...step }, end: post } }, start);
}

function reminders(run: Driven): readonly string[] {
  return [...run.cards.keys()].filter((key) => key.includes('/reminder/'));
}

describe('people are reminded', () => {
  test.each<[string, JsonObject, JsonObject, Parameters<typeof drive>[1], number | undefined]>([
    ['after 12 hours where nobody says otherwise', {}, {}, {}, REMIND_AFTER_MS],
    ['as the host says', {}, {}, { remindAfterMs: hour }, hour],
    ['as the flow says rather', {}, { humanReminder: '2h' }, { remindAfterMs: hour }, 2 * hour],
    ['as the step says rather', { remindAfter: '3h' }, { humanReminder: '2h' }, {}, 3 * hour],
    ['never, as the step says', { remindAfter: null }, { humanReminder: '2h' }, {}, undefined],
    ['never, as the flow says', {}, { humanReminder: null }, { remindAfterMs: hour }, undefined],
    ['never, as the host says', {}, {}, { remindAfterMs: null }, undefined],
    ['after 25 days (C35)', { remindAfter: '25d' }, {}, {}, 25 * day],
  ])('%s', (_, step, flow, start, afterMs) => {
    const run = asking(step, flow, start);
    expect([...run.timers.values()]).toEqual(afterMs === undefined ? [] : [run.atMs + afterMs]);
    if (afterMs === undefined) return;
    run.wait(afterMs - 1);
    expect(reminders(run)).toEqual([]);
    run.wait(1);
    expect(reminders(run)).toEqual(['question/r1.1/reminder/1']);
  });

  it('again and again, five times at most', () => {
    const run = asking({ remindAfter: '1h', approvers: { users: ['slack:U0BO', 'discord:7'] } });
    run.wait(3 * hour);
    expect(reminders(run)).toHaveLength(3);
    run.wait(30 * day);
    expect(reminders(run)).toHaveLength(5);
    expect(run.timers.size).toBe(0);
    expect(run.card('question/r1.1/reminder/5')).toBe(
      '⏰ Still waiting for slack:U0BO, discord:7: **Review before continuing**, asked 2027-01-31 09:00 UTC. The buttons are on its card.',
    );
    expect(run.cards.get('question/r1.1/reminder/5')).toMatchObject({ notify: ['U0BO'], buttons: [] });
    expect(run.card('question/r1.1')).toContain('Reminded 5 times, last 2027-01-31 14:00 UTC.');
  });

  it('once after a time in which nothing ran', () => {
    const run = asking({ remindAfter: '1h' });
    run.atMs += 50 * hour;
    run.wait(0);
    expect(reminders(run)).toHaveLength(1);
    expect([...run.timers.values()]).toEqual([run.atMs + hour]);
  });

  it('once by a timer, however often it fires', () => {
    const run = asking({ remindAfter: '1h' });
    run.wait(hour);
    expect(run.fire('question/r1.1/remind/0')).toBe(false);
    expect(reminders(run)).toHaveLength(1);
  });

  it('not of what is over: after a long time in which nothing ran it expires at once', () => {
    const run = asking({ remindAfter: '1h', expiresAfter: '2h' });
    run.atMs += 5 * hour;
    run.wait(0);
    expect(reminders(run)).toEqual([]);
    expect(run.questionOf('r1.1').state.status).toBe('expired');
    expect(run.timers.size).toBe(0);
  });

  it('of an unknown outcome, too', () => {
    const run = drive({ steps: { pay } });
    run.lose('pay');
    run.wait(12 * hour);
    expect(run.card('question/r1.1/reminder/1')).toContain(
      '⏰ Still waiting for somebody here: **“pay” may or',
    );
  });

  it('only where the question stands', () => {
    const run = asking({ remindAfter: '1h', to: 'slack:#approvals' });
    run.wait(hour);
    expect(reminders(run)).toEqual([]);
    run.checked('review', [], { ...home, conversation: 'C0APPROVALS' });
    run.wait(hour);
    const card = run.effects.find((effect) => effect.kind === 'card' && effect.post.includes('/reminder/'));
    expect(card).toMatchObject({ place: { conversation: 'C0APPROVALS' } });
  });
});

describe('a question expires', () => {
  it('C35 after thirty days, and not a moment before', () => {
    const run = asking({ expiresAfter: '30d', remindAfter: null });
    expect(run.card('question/r1.1')).toContain('Open until 2027-03-02 09:00 UTC.');
    run.wait(30 * day - 1);
    expect(run.questionOf('r1.1').state.status).toBe('open');
    run.wait(minute);
    expect(run.questionOf('r1.1').state).toEqual({ status: 'expired', atMs: Date.UTC(2027, 2, 2, 9) });
  });

  it('and ends the run when nothing is wired, like a rejection', () => {
    const run = asking({ expiresAfter: '1h' });
    run.wait(2 * hour);
    expect(run.state).toMatchObject({ status: 'rejected', reason: '"review" was not decided in time.' });
    expect(run.steps.end).toBe('skipped');
    expect(run.state.outputs.review).toMatchObject({
      text: 'expired',
      json: { decision: 'expired', feedback: '', by: '', values: {}, files: [], answers: [] },
    });
  });

  it('and goes on by the edge from expired', () => {
    const run = drive({
      steps: { review: { ...ask, expiresAfter: '1h' }, end: post, late: post },
      edges: ['review.approved -> end', 'review.expired -> late'],
    });
    run.wait(2 * hour);
    expect(run.steps).toEqual({ review: 'done', end: 'skipped', late: 'running' });
  });

  it('by the exit that the flow names, with the values that count then', () => {
    const form = { type: 'object', properties: { days: { type: 'integer', default: 3 } } };
    const run = asking({
      form,
      expiresAfter: '1h',
      onExpire: { exit: 'approved', values: { note: 'in time' } },
    });
    run.wait(2 * hour);
    expect(run.steps.end).toBe('running');
    expect(run.state.outputs.review).toMatchObject({
      text: 'approved',
      json: { decision: 'approved', by: '', values: { note: 'in time', days: 3 } },
    });
  });

  it('by a rejection that ends the run', () => {
    const run = asking({ expiresAfter: '1h', onExpire: 'rejected' });
    run.wait(2 * hour);
    expect(run.state).toMatchObject({ status: 'rejected', reason: '"review" was not decided in time.' });
  });

  it('also when some have answered; who they were is kept', () => {
    const run = asking({ expiresAfter: '1h', quorum: 2 });
    run.answer('review', 'approve', 'Fine.', bo);
    run.wait(2 * hour);
    expect(run.state.outputs.review?.json).toMatchObject({
      decision: 'expired',
      answers: [{ action: 'approve', by: 'Bo', id: 'slack:U0BO' }],
    });
  });

  it('never once it is decided, by whatever timer', () => {
    const run = asking({ expiresAfter: '1h', remindAfter: '10m' });
    run.wait(30 * minute);
    run.answer('review', 'approve');
    expect(run.timers.size).toBe(0);
    run.atMs += day;
    for (const timer of ['expire', 'remind/3', 'escalate'])
      expect(run.fire(`question/r1.1/${timer}`)).toBe(false);
  });
});

describe('the timers of a question', () => {
  it('are known by what they are for', () => {
    const { timers } = asking({
      remindAfter: '1h',
      escalateTo: { users: ['slack:U0CY'] },
      escalateAfter: '2h',
      expiresAfter: '3h',
    });
    expect([...timers.keys()].map((key) => timerOf('r1.1', key))).toEqual(['remind', 'escalate', 'expire']);
    expect(timerOf('r1.1', 'question/r1.10/expire')).toBeUndefined();
    expect(timerOf('r1.1', 'review/1/1/retry')).toBeUndefined();
  });

  it('are those that its state says, and it is overdue only when nobody’s answer can still be on its way', () => {
    const run = asking({ remindAfter: '1h', expiresAfter: '3h' });
    const question = run.questionOf('r1.1');
    expect(timersOf(question).map(({ key }) => key)).toEqual([...run.timers.keys()]);
    expect(isOverdue(question, run.atMs + 3 * hour)).toBe(false);
    expect(isOverdue(question, run.atMs + 3 * hour + 1000)).toBe(true);
  });
});
