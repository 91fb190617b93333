import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { FEEDBACK_MAX_CHARS } from '../../../src/engine/limits.ts';
import type { Person, Place } from '../../../src/engine/people.ts';
import {
  ana,
  ask,
  bo,
  Driven,
  drive,
  eve,
  type How,
  home,
  pay,
  planOf,
  post,
  startedOutside,
} from './drive.ts';

const boOnDiscord: Person = { platform: 'discord', id: 'U0BO', name: 'Bo' };
const elsewhere: Place = { platform: 'slack', conversation: 'C0OTHER' };
const thread: Place = { ...home, thread: '17.1' };

function asking(more: JsonObject = {}): Driven {
  return drive({ steps: { review: { ...ask, ...more }, end: post } });
}

function why(run: Driven, action: string, how: How = {}): string | undefined {
  return run.refusal('r1.1', action, how);
}

const named = { approvers: { users: ['slack:U0BO', 'discord:D1'] } };
const onlyNamed = 'Only slack:U0BO, discord:D1 may answer this.';
const onlyHere = 'Only people of the conversation where this is asked may answer it.';
const notYourself = 'You started this run, so somebody else has to answer.';

describe('C61 who may answer', () => {
  test.each<[string, JsonObject, { by?: Person; place?: Place | null }, string | undefined]>([
    ['somebody in the conversation', {}, {}, undefined],
    ['somebody in its thread', {}, { place: thread }, undefined],
    ['somebody in another conversation', {}, { place: elsewhere }, onlyHere],
    [
      'the same conversation id on another platform',
      {},
      { place: { ...home, platform: 'discord' } },
      onlyHere,
    ],
    ['the command line of the host', {}, { place: null }, undefined],
    ['the one who started the run', {}, { by: ana }, undefined],
    ['the one who started it, when that is not allowed', { allowRequester: false }, { by: ana }, notYourself],
    [
      'the one who started it, from the command line',
      { allowRequester: false },
      { by: ana, place: null },
      notYourself,
    ],
    ['an approver', named, {}, undefined],
    ['an approver, from elsewhere', named, { place: elsewhere }, undefined],
    ['somebody with the name of an approver', named, { by: eve }, onlyNamed],
    ['an account with the id of an approver on another platform', named, { by: boOnDiscord }, onlyNamed],
    ['an approver of the other platform', named, { by: { ...boOnDiscord, id: 'D1' } }, undefined],
    ['the command line of the host, not named', named, { by: eve, place: null }, onlyNamed],
    ['an approver who started the run', { approvers: { users: ['slack:U0ANA'] } }, { by: ana }, notYourself],
    [
      'the same when it is allowed',
      { approvers: { users: ['slack:U0ANA'] }, allowRequester: true },
      { by: ana },
      undefined,
    ],
  ])('%s', (_, step, how, expected) => {
    expect(why(asking(step), 'approve', how)).toBe(expected);
  });

  const roles = { approvers: { users: ['slack:U0BO'], roles: ['leads', 'slack:S0OPS'] } };
  const held = (...held: string[]) => ({ held, unsure: [] });
  const onlyRoles = 'Only slack:U0BO, @leads, slack:@S0OPS may answer this';

  test.each<[string, How, string | undefined]>([
    ['somebody with a role', { roles: held('@leads') }, undefined],
    ['somebody with a role, from elsewhere', { roles: held('slack:@S0OPS'), place: elsewhere }, undefined],
    ['somebody without', {}, `${onlyRoles}.`],
    ['somebody with other roles', { roles: held('@others', 'leads') }, `${onlyRoles}.`],
    [
      'somebody of whom nobody can tell',
      { roles: { held: [], unsure: ['@leads'] } },
      `${onlyRoles}, and I could not find out whether you are one of them.`,
    ],
    ['the one who started the run, with a role', { by: ana, roles: held('@leads') }, notYourself],
  ])('%s', (_, how, expected) => {
    expect(why(asking(roles), 'approve', { by: eve, ...how })).toBe(expected);
  });

  it('nobody in chat, when the run has no conversation', () => {
    const run = new Driven(planOf({ steps: { review: ask } }), startedOutside);
    expect(why(run, 'approve')).toBe(onlyHere);
    expect(why(run, 'approve', { place: null })).toBeUndefined();
  });
});

describe('an answer that counts', () => {
  it('is an event with the trimmed comment, and moves the run', () => {
    const run = asking();
    expect(run.judge('r1.1', 'reject', { feedback: '  Too long.\n' })).toEqual({
      kind: 'counts',
      event: {
        type: 'question.answered',
        atMs: run.atMs,
        question: 'r1.1',
        action: 'reject',
        feedback: 'Too long.',
        by: bo,
      },
    });
    run.answer('review', 'approve', 'Nice.');
    expect(run.state.outputs.review).toEqual({
      text: 'approved: Nice.',
      json: {
        decision: 'approved',
        feedback: 'Nice.',
        by: 'Bo',
        values: {},
        files: [],
        answers: [
          {
            action: 'approve',
            feedback: 'Nice.',
            by: 'Bo',
            id: 'slack:U0BO',
            at: '2027-01-31T09:00:00.000Z',
            values: {},
          },
        ],
        covers: run.questionOf('r1.1').covers,
      },
    });
    expect(run.steps.end).toBe('running');
  });

  it('without a comment leaves an empty feedback', () => {
    const run = asking();
    run.answer('review', 'approve');
    expect(run.state.outputs.review).toMatchObject({
      text: 'approved',
      json: { decision: 'approved', feedback: '', by: 'Bo' },
    });
  });
});

describe('C19 of several answers the first one wins', () => {
  it('and the others hear who and when', () => {
    const run = asking();
    run.answer('review', 'approve');
    run.wait(60_000);
    expect(why(run, 'reject', { by: eve })).toBe(
      'Bo has already answered “Approve” at 2027-01-31 09:00 UTC.',
    );
  });

  it('also when the run has ended since; outsiders hear only who may answer', () => {
    const run = asking(named);
    run.answer('review', 'reject');
    expect(run.state.status).toBe('rejected');
    expect(why(run, 'approve')).toBe('Bo has already answered “Reject” at 2027-01-31 09:00 UTC.');
    expect(why(run, 'approve', { by: eve })).toContain('may answer this.');
  });
});

describe('an answer is refused', () => {
  it.each(['r1.2', '', 'constructor', '__proto__'])('when there is no such question: %j', (question) => {
    expect(asking().refusal(question, 'approve')).toBe('There is no such question.');
  });

  it('when the run was cancelled', () => {
    const run = asking();
    run.cancel();
    expect(why(run, 'approve')).toBe('This question is closed. Cancelled by Ana.');
  });

  it.each(['', 'approved', 'again', 'x'.repeat(1000)])(
    'when it is none of those that can be given: %j',
    (action) => {
      expect(why(asking(), action)).toBe(`“${action.slice(0, 60)}” is not an answer here: approve, reject.`);
    },
  );

  it('when the comment is too long', () => {
    const run = asking();
    expect(why(run, 'reject', { feedback: 'x'.repeat(FEEDBACK_MAX_CHARS) })).toBeUndefined();
    expect(why(run, 'reject', { feedback: 'x'.repeat(FEEDBACK_MAX_CHARS + 1) })).toBe(
      'The comment has 4001 characters; 4000 are allowed.',
    );
  });

  it('when a comment is needed and there is none', () => {
    const run = asking({ actions: [{ id: 'approve' }, { id: 'reject', comment: 'required' }] });
    expect(why(run, 'reject', { feedback: ' \n' })).toBe('“Reject” needs a comment.');
    expect(why(run, 'reject', { feedback: 'Why not.' })).toBeUndefined();
  });

  it('or counts, whatever is typed, and never throws', () => {
    const run = asking();
    const anything = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(anything, anything, anything, (question, action, feedback) => {
        expect(run.judge(question, action, { feedback }).kind).toBe('refused');
        expect(run.judge('r1.1', 'reject', { feedback }).kind).toBe('counts');
      }),
    );
  });
});

describe('when nobody knows what became of a call', () => {
  const lost = (more: JsonObject = {}) => {
    const run = drive({
      ...more,
      steps: { pay: { ...pay, name: 'Pay', attempts: 2 }, end: { ...post, text: '{{pay.text}}' } },
    });
    run.lose('pay');
    return run;
  };

  it('the run asks, and needs attention', () => {
    const run = lost();
    expect(run.state.status).toBe('attention');
    expect(run.state.questions['r1.1']).toMatchObject({ kind: 'unknown', allowRequester: true });
    expect(run.card('question/r1.1')).toContain('“Pay” may or may not have happened');
    expect(run.card('question/r1.1')).toContain('The connection was lost.');
    expect(why(run, 'approve')).toBe('“approve” is not an answer here: again, output, fail.');
  });

  it('it can run again, as a new attempt', () => {
    const run = lost();
    run.answer('pay', 'again');
    expect(run.calls.get('pay')).toMatchObject({ key: 'pay/1/2', attempt: 2 });
    run.lose('pay');
    run.answer('pay', 'again');
    expect(run.calls.get('pay')).toMatchObject({ key: 'pay/1/3' });
    run.done('pay', 'paid');
    expect(run.calls.get('end')).toMatchObject({ prose: [{ kind: 'value', text: 'paid' }] });
  });

  it.each([
    ['order 7', { text: 'order 7', json: {} }],
    ['{ "id": 7 }', { text: '{ "id": 7 }', json: { id: 7 } }],
    ['[7]', { text: '[7]', json: {} }],
    ['{ "id": ', { text: '{ "id":', json: {} }],
  ])('it can go on with an output that somebody gives: %s', (given, output) => {
    const run = lost();
    run.answer('pay', 'output', given);
    expect(run.state.outputs.pay).toEqual(output);
    expect(run.steps).toEqual({ pay: 'done', end: 'running' });
  });

  it('it can fail the step', () => {
    const run = lost();
    run.answer('pay', 'fail');
    expect(run.state).toMatchObject({
      status: 'failed',
      reason: '"Pay" failed: nobody knows whether it happened, and Bo decided that it failed.',
    });
  });

  it('those answer who may start the flow', () => {
    const run = lost({ allow: { users: ['slack:U0BO'] } });
    expect(why(run, 'again', { by: eve })).toBe('Only slack:U0BO may answer this.');
    expect(why(run, 'again')).toBeUndefined();
  });

  it('outranks waiting: the run shows what is urgent', () => {
    const run = drive({
      steps: { a: { ...pay }, b: ask, c: { ...pay } },
      edges: ['start -> a', 'start -> b', 'start -> c'],
    });
    run.lose('a');
    expect(run.state.status).toBe('attention');
    run.done('c');
    expect(run.state.status).toBe('attention');
    run.answer('a', 'again');
    expect(run.state.status).toBe('running');
    run.done('a');
    expect(run.state.status).toBe('waiting');
  });
});
