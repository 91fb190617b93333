import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { Person } from '../../../src/engine/people.ts';
import { carriedFingerprint } from '../../../src/engine/run/fingerprint.ts';
import type { KeptFile } from '../../../src/engine/run/state.ts';
import { ana, ask, bo, cy, type Driven, drive, eve, get, type How, home, post, started } from './drive.ts';

const hour = 3_600_000;
const day = 24 * hour;

function asking(step: JsonObject = {}, start: Parameters<typeof drive>[1] = {}): Driven {
  return drive({ steps: { review: { ...ask, ...step }, end: post } }, start);
}

const both = { approvers: { users: ['slack:U0BO'], roles: ['ops'] } };
const onlyThem = 'Only slack:U0BO, @ops may answer this.';
const ops = { held: ['@ops'], unsure: [] };
const anaOnDiscord: Person = { platform: 'discord', id: '7', name: 'Ana' };
const here = 'Only people of the conversation where this is asked may answer it.';
const notYourself = 'You started this run, so somebody else has to answer.';
const noGuests = 'Guests may not answer this.';
const left = 'This account has left or was deactivated, so it may not answer this.';

describe('C61 every way in is under one rule', () => {
  test.each<[string, JsonObject, How, string | undefined]>([
    ['a stranger in the channel', both, { by: eve }, onlyThem],
    ['a stranger from the command line', both, { by: eve, place: null }, onlyThem],
    ['a guest in the channel', {}, { standing: 'guest' }, noGuests],
    ['a guest, where the flow lets them', { allowGuests: true }, { standing: 'guest' }, undefined],
    ['a guest who is named in person', both, { standing: 'guest' }, undefined],
    ['a guest who has a role', both, { by: eve, standing: 'guest', roles: ops }, noGuests],
    [
      'a guest who has a role, where the flow lets them',
      { ...both, allowGuests: true },
      { by: eve, standing: 'guest', roles: ops },
      undefined,
    ],
    [
      'a guest whom nobody named, where the flow lets guests',
      { ...both, allowGuests: true },
      { by: eve, standing: 'guest' },
      onlyThem,
    ],
    ['a bot', {}, { standing: 'bot' }, 'Only people may answer this.'],
    ['a bot that is named', both, { standing: 'bot' }, 'Only people may answer this.'],
    ['a bot, where guests may', { allowGuests: true }, { standing: 'bot' }, 'Only people may answer this.'],
    ['an approver whose account is gone', both, { standing: 'gone' }, left],
    ['somebody with the role', both, { by: eve, roles: ops }, undefined],
    ['somebody who was removed from it a minute ago', both, { by: eve }, onlyThem],
    [
      'somebody of whom nobody can tell',
      both,
      { by: eve, roles: { held: [], unsure: ['@ops'] } },
      'Only slack:U0BO, @ops may answer this, and I could not find out whether you are one of them.',
    ],
    ['the requester', {}, { by: ana }, undefined],
    ['the requester among those named', both, { by: ana, roles: ops }, notYourself],
    [
      'the requester by a linked account',
      both,
      { by: anaOnDiscord, also: ['slack:U0ANA'], roles: ops },
      notYourself,
    ],
    [
      'the second account of an approver, linked',
      both,
      { by: anaOnDiscord, also: ['slack:U0BO'] },
      undefined,
    ],
    [
      'the second account of an approver, not linked',
      both,
      { by: { ...anaOnDiscord, id: 'U0BO' } },
      onlyThem,
    ],
    ['somebody elsewhere', {}, { place: { ...home, conversation: 'C0OTHER' } }, here],
  ])('%s', (_, step, how, why) => {
    const run = asking(step);
    expect(run.refusal('r1.1', 'approve', how)).toBe(why);
    // A refusal leaves it open for whoever may.
    expect(run.questionOf('r1.1').state).toEqual({ status: 'open' });
  });

  it('whoever had it run first is its requester, however often somebody repeats it', () => {
    const run = asking(both, { person: cy, requesters: [ana] });
    expect(run.refusal('r1.1', 'approve', { by: ana, roles: ops })).toBe(notYourself);
    expect(run.refusal('r1.1', 'approve', { by: cy, roles: ops })).toBe(notYourself);
    expect(run.refusal('r1.1', 'approve')).toBeUndefined();
  });

  it('and stays so in every round', () => {
    const run = drive({
      steps: { draft: get, review: { ...ask, ...both }, end: post },
      edges: [
        'draft -> review',
        'review.approved -> end',
        { from: 'review.rejected', to: 'draft', sendBack: true },
      ],
    });
    run.done('draft');
    run.answer('review', 'reject');
    run.done('draft');
    expect(run.refusal('r1.2', 'approve', { by: ana, roles: ops })).toBe(notYourself);
    expect(run.refusal('r1.1', 'approve')).toBe('Bo has already answered “Reject” at 2027-01-31 09:00 UTC.');
  });

  it('outsiders learn only who may answer, whatever became of the question', () => {
    const run = asking({ ...both, expiresAfter: '1h' });
    run.wait(2 * hour);
    expect(run.refusal('r1.1', 'approve')).toBe('This question expired at 2027-01-31 10:00 UTC.');
    expect(run.refusal('r1.1', 'approve', { by: eve })).toBe(onlyThem);
  });

  test('nobody who is not named, has no role for sure and is linked to nobody ever gets through', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('U0EVE', 'u0bo', 'U0BO ', '@ops', 'ops'),
        fc.constantFrom('discord', 'slack', 'slack:U0BO'),
        fc.boolean(),
        fc.constantFrom('member', 'guest', 'bot', 'gone'),
        (id, platform, isHere, standing) => {
          const how: How = {
            by: { platform, id, name: 'Bo' },
            standing,
            place: isHere ? home : null,
            roles: { held: ['@others'], unsure: ['@ops'] },
          };
          expect(asking(both).refusal('r1.1', 'approve', how)).toBeDefined();
        },
      ),
    );
  });
});

describe('C32 a question with a conversation of its own', () => {
  const there = { platform: 'slack', conversation: 'C0APPROVALS' };

  it('can not be answered in chat before it stands there, and then only there', () => {
    const run = asking({ to: 'slack:#approvals' });
    expect(run.cards.has('question/r1.1')).toBe(false);
    for (const place of [home, there]) expect(run.refusal('r1.1', 'approve', { place })).toBe(here);
    run.checked('review', [], there);
    expect(run.card('question/r1.1')).toContain('**Review before continuing**');
    expect(run.refusal('r1.1', 'approve')).toBe(here);
    expect(run.refusal('r1.1', 'approve', { place: there })).toBeUndefined();
  });
});

describe('C64 one clock decides: when an answer was received', () => {
  const minute = 60_000;

  it('one from before the deadline counts, also when it is handled after it', () => {
    const run = asking({ expiresAfter: '1h' });
    run.atMs += hour + 20;
    expect(run.refusal('r1.1', 'approve', { agoMs: 21 })).toBeUndefined();
    run.answer('review', 'approve', '', bo, { agoMs: 30 });
    expect(run.steps.review).toBe('done');
    run.wait(day);
    expect(run.questionOf('r1.1').state).toMatchObject({ status: 'answered', action: 'approve' });
  });

  it.each([0, 1, 20, 30 * minute])('one that comes %i ms after it never does', (lateMs) => {
    const run = asking({ expiresAfter: '1h' });
    run.atMs += hour + lateMs;
    const said = 'This question expired at 2027-01-31 10:00 UTC.';
    expect(run.refusal('r1.1', 'approve')).toBe(said);
    run.wait(minute);
    expect(run.questionOf('r1.1').state).toMatchObject({
      status: 'expired',
      atMs: run.state.startedAtMs + hour,
    });
    expect(run.refusal('r1.1', 'approve')).toBe(said);
  });

  test('whatever comes when, it is decided or expired, and stays so', () => {
    const times = fc.array(fc.integer({ min: 0, max: 2 * hour }), { maxLength: 6 });
    fc.assert(
      fc.property(times, (offsets) => {
        const run = asking({ expiresAfter: '1h', quorum: 2 });
        const beganMs = run.atMs;
        let inTime = 0;
        for (const [index, offset] of [...offsets].sort((one, other) => one - other).entries()) {
          run.wait(beganMs + offset - run.atMs);
          const by = { platform: 'slack', id: `U${index}`, name: 'Somebody' };
          const verdict = run.judge('r1.1', 'approve', { by });
          if (inTime < 2) expect(verdict.kind).toBe(offset < hour ? 'counts' : 'refused');
          if (verdict.kind !== 'counts') continue;
          run.send(verdict.event);
          inTime += 1;
        }
        run.wait(3 * hour);
        expect(run.questionOf('r1.1').state.status).toBe(inTime >= 2 ? 'answered' : 'expired');
      }),
    );
  });
});

describe('an answer names what it covers', () => {
  const changed = 'What you saw is not what this question asks about now: look at its card again.';

  it('and is refused when that is another content', () => {
    const run = asking();
    const covers = carriedFingerprint(run.questionOf('r1.1').covers);
    expect(run.refusal('r1.1', 'approve', { more: { covers } })).toBeUndefined();
    expect(run.refusal('r1.1', 'approve', { more: { covers: '0'.repeat(16) } })).toBe(changed);
    expect(run.refusal('r1.1', 'approve', { more: { covers: '' } })).toBe(changed);
    expect(run.refusal('r1.1', 'approve', { more: { covers: covers.slice(0, 8) } })).toBe(changed);
  });
});

describe('where several have to agree', () => {
  const steps = {
    review: { ...ask, quorum: 2, actions: [{ id: 'approve' }, { id: 'hold' }, { id: 'reject' }] },
    end: post,
    later: post,
  };
  const two = () => drive({ steps, edges: ['review.approved -> end', 'review.hold -> later'] });

  it('nobody counts twice, also not by a linked account', () => {
    const run = two();
    run.answer('review', 'approve', 'Fine.');
    run.atMs += 1;
    expect(run.refusal('r1.1', 'approve', { feedback: 'Fine.' })).toBe(
      'You have answered “Approve” already; others have to answer, too.',
    );
    run.answer(
      'review',
      'approve',
      'Again.',
      { platform: 'discord', id: '9', name: 'Bo' },
      { also: ['slack:U0BO'], place: null },
    );
    expect(run.steps.review).toBe('asking');
    expect(run.questionOf('r1.1').answers).toHaveLength(1);
    run.answer('review', 'approve', '', cy);
    expect(run.steps).toMatchObject({ review: 'done', end: 'running', later: 'skipped' });
  });

  it('people may think again until it is decided', () => {
    const run = two();
    run.answer('review', 'approve');
    run.atMs += 1;
    run.answer('review', 'hold', 'Wait.');
    run.answer('review', 'approve', '', cy);
    expect(run.steps.review).toBe('asking');
    run.answer('review', 'hold', 'Yes, wait.', eve);
    expect(run.state.outputs.review).toMatchObject({
      text: 'hold: Bo: Wait.\n\nBo: Yes, wait.',
      json: {
        decision: 'hold',
        by: 'Bo, Bo',
        answers: [{ id: 'slack:U0BO' }, { id: 'slack:U0CY' }, { id: 'slack:U0EVE' }],
      },
    });
    expect(run.steps).toMatchObject({ later: 'running', end: 'skipped' });
  });

  it('an answer given before the latest one of that person is too late', () => {
    const run = two();
    run.atMs += 1000;
    run.answer('review', 'hold');
    expect(run.refusal('r1.1', 'approve', { agoMs: 500 })).toBe('You have answered “Hold” since.');
  });

  it('one who rejects decides alone', () => {
    const run = two();
    run.answer('review', 'approve');
    run.answer('review', 'reject', 'No.', cy);
    expect(run.state).toMatchObject({ status: 'rejected', reason: '"review" was rejected by Cy: No.' });
  });
});

describe('a form', () => {
  const form = {
    type: 'object',
    properties: {
      budget: { type: 'integer', title: 'Budget', minimum: 1 },
      reason: { type: 'string', default: 'none' },
    },
    required: ['budget'],
  };

  it('says at each field what is wrong with it, and the question stays open', () => {
    const run = asking({ form });
    expect(run.judge('r1.1', 'approve')).toEqual({
      kind: 'unfit',
      problems: [{ field: 'budget', message: 'Budget is missing' }],
    });
    expect(run.judge('r1.1', 'approve', { more: { values: { budget: 'much', reason: 7 } } })).toMatchObject({
      kind: 'unfit',
      problems: [{ field: 'budget' }, { field: 'reason' }],
    });
  });

  it('becomes values that later steps read, with what the form fills in by itself', () => {
    const run = asking({ form });
    run.answer('review', 'approve', '', bo, { more: { values: { budget: 5 } } });
    expect(run.state.outputs.review?.json).toMatchObject({ values: { budget: 5, reason: 'none' } });
  });

  it('does not go with a rejection, unless the flow wants it', () => {
    const run = asking({ form });
    expect(run.refusal('r1.1', 'reject', { more: { values: { budget: 5 } } })).toBe(
      'Nothing is to be filled in with “Reject”.',
    );
    run.answer('review', 'reject');
    expect(run.state.outputs.review?.json).toMatchObject({ decision: 'rejected', values: {} });
    const strict = asking({ form, actions: [{ id: 'approve' }, { id: 'reject', form: true }] });
    expect(strict.judge('r1.1', 'reject').kind).toBe('unfit');
  });

  it('of several who agree, the latest counts; the others are kept with their answers', () => {
    const run = asking({ form, quorum: 2 });
    run.answer('review', 'approve', '', bo, { more: { values: { budget: 5 } } });
    run.answer('review', 'approve', '', cy, { more: { values: { budget: 6 } } });
    expect(run.state.outputs.review?.json).toMatchObject({
      values: { budget: 6 },
      answers: [{ values: { budget: 5 } }, { values: { budget: 6 } }],
    });
  });

  test('never throws, whatever is filled in', () => {
    const run = asking({ form });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (values) => {
        const filled: JsonObject = JSON.parse(JSON.stringify(values));
        expect(['counts', 'unfit']).toContain(
          run.judge('r1.1', 'approve', { more: { values: filled } }).kind,
        );
      }),
    );
  });
});

describe('files', () => {
  const plan: KeptFile = { id: 'f1', name: 'plan.csv', type: 'text/csv', sizeBytes: 100 };
  const attachFiles = { maxFiles: 1, maxBytes: 100, types: ['.csv'] };

  test.each<[string, JsonObject, string, readonly KeptFile[], string | undefined]>([
    ['none', { attachFiles }, 'approve', [], undefined],
    ['one that is taken', { attachFiles }, 'approve', [plan], undefined],
    ['one where none is asked for', {}, 'approve', [plan], 'No files can be attached to this answer.'],
    ['one with a rejection', { attachFiles }, 'reject', [plan], 'No files can be attached to this answer.'],
    ['too many', { attachFiles }, 'approve', [plan, plan], '2 files were sent; 1 file is allowed.'],
    [
      'one that is too large',
      { attachFiles },
      'approve',
      [{ ...plan, sizeBytes: 101 }],
      '“plan.csv” has 101 bytes; 100 bytes are allowed.',
    ],
    [
      'one of another kind',
      { attachFiles },
      'approve',
      [{ ...plan, name: 'plan.exe' }],
      '“plan.exe” is not of an accepted kind: .csv.',
    ],
    [
      'any kind, where the flow says only yes',
      { attachFiles: true },
      'approve',
      [{ ...plan, name: 'plan.exe' }],
      undefined,
    ],
  ])('%s', (_, step, action, files, why) => {
    expect(asking(step).refusal('r1.1', action, { more: { files } })).toBe(why);
  });

  it('of all who agree go to later steps', () => {
    const run = asking({ attachFiles, quorum: 2 });
    run.answer('review', 'approve', '', bo, { more: { files: [plan] } });
    run.answer('review', 'approve', '', cy, { more: { files: [{ ...plan, id: 'f2' }] } });
    expect(run.state.outputs.review?.json.files).toEqual([plan, { ...plan, id: 'f2' }]);
    expect(run.card('question/r1.1')).toContain('- 📎 plan.csv\n- 📎 plan.csv');
  });
});

describe('a run that goes on elsewhere', () => {
  it('tells late answers why they do not count', () => {
    const run = asking({}, started);
    run.cancel();
    expect(run.refusal('r1.1', 'approve')).toBe('This question is closed. Cancelled by Ana.');
  });
});
