import { beforeEach, describe, expect, test } from 'vitest';
import { cardIn, createDesk, type Desk, onlyRun } from './desk.ts';
import { named, nap, review, twoQuestions } from './flows.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ review, nap, named, both: twoQuestions });
});

describe.each(['red', 'blue'] as const)('an approval on %s', (name) => {
  test('is answered by its buttons', async () => {
    const side = desk[name];
    const { id } = await side.say(side.ana, '!review');
    const card = await cardIn(side, id, 'Is it good?');
    expect((await side.press(side.bo, card.ref, 'Approve')).text).toBe('');
    expect(await onlyRun(desk)).toMatchObject({ status: 'succeeded' });
    const after = await cardIn(side, id, 'Is it good?');
    expect(after.buttons).toEqual([]);
    expect(after.text).toContain('Approved by Bo');
  });

  test('is rejected with a comment through a form', async () => {
    const side = desk[name];
    const { id } = await side.say(side.ana, '!review');
    const card = await cardIn(side, id, 'Is it good?');
    const { form } = await side.press(side.bo, card.ref, 'Reject');
    if (!form) throw new Error('no form');
    expect(form).toMatchObject({ title: 'Reject', fields: [{ id: 'feedback', required: false }] });
    await side.send(side.bo, form, { feedback: 'not yet' });
    const run = await desk.store.run((await onlyRun(desk)).id);
    expect(run?.state).toMatchObject({ status: 'rejected', feedback: { ask: 'not yet' } });
  });

  test.each([
    ['approve k000000001', 'succeeded', ''],
    ['approve K000000001  looks\n\ngood', 'succeeded', 'looks\n\ngood'],
    ['approve k000000001.1 fine', 'succeeded', 'fine'],
    ['reject k000000001 “not yet”', 'rejected', '“not yet”'],
    ['answer k000000001 Approve why not', 'succeeded', 'why not'],
  ])('is answered by /flow %s', async (typed, status, feedback) => {
    const side = desk[name];
    await side.say(side.ana, '!review');
    expect((await side.flow(side.bo, typed)).text).toMatch(/^Recorded: (approve|reject)\.$/);
    const run = await desk.store.run((await onlyRun(desk)).id);
    expect(run?.state).toMatchObject({ status, feedback: { ask: feedback } });
  });

  test('whoever comes too late hears who was faster and when, and keeps what they wrote', async () => {
    const side = desk[name];
    const { id } = await side.say(side.ana, '!review');
    const card = await cardIn(side, id, 'Is it good?');
    const { form } = await side.press(side.bo, card.ref, 'Reject');
    if (!form) throw new Error('no form');
    await side.press(side.ana, card.ref, 'Approve');
    const late = await side.send(side.bo, form, { feedback: 'wait: one more thing' });
    const sentence = 'Ana has already answered “Approve” at 2026-01-05 09:00 UTC.';
    expect(late.text).toBe(`${sentence}\n\nWhat you wrote:\n\n> wait: one more thing`);
    expect((await side.flow(side.bo, 'reject k000000001')).text).toBe(sentence);
    expect((await side.flow(side.bo, 'reject k000000001.1')).text).toBe(sentence);
    expect((await side.pressId(side.bo, 'answer:k000000001.1:approve')).text).toBe(sentence);
    expect((await onlyRun(desk)).status).toBe('succeeded');
  });
});

describe('who may answer', () => {
  test('people of the conversation; others hear it privately', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    const outside = await red.flow(red.cy, 'approve k000000001', red.elsewhere);
    expect(outside.text).toBe('Only people of the conversation where this is asked may answer it.');
    const otherPlatform = await desk.blue.flow(desk.blue.bo, 'approve k000000001');
    expect(otherPlatform.text).toBe(outside.text);
    expect((await onlyRun(desk)).status).toBe('waiting');
    expect(await red.posts(red.here)).toHaveLength(0);
  });

  test('C61: named people, wherever they are, and nobody with the same id on another platform', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!both');
    const refused = await red.flow(red.cy, 'approve k000000001.1');
    expect(refused.text).toBe('Only Bo, blue:U0BO may answer this.');
    expect((await red.pressId(red.cy, 'answer:k000000001.1:approve')).text).toBe(refused.text);
    expect((await red.flow(red.ada, 'approve k000000001.1')).text).toBe(refused.text);
    expect((await blue.flow({ ...blue.bo, platform: 'green' }, 'approve k000000001.1')).text).toContain(
      'may answer this.',
    );
    expect((await red.flow(red.bo, 'approve k000000001.1', red.elsewhere)).text).toBe('Recorded: approve.');
  });

  test('not the one who started it, when others are named', async () => {
    const { red } = desk;
    await red.say(red.ana, '!named');
    expect((await red.flow(red.ana, 'approve k000000001')).text).toBe(
      'You started this run, so somebody else has to answer.',
    );
    expect((await red.flow(red.bo, 'approve k000000001')).text).toBe('Recorded: approve.');
  });
});

describe('a name that does not lead to one question', () => {
  test.each([
    ['approve', 'Say which run, for example: approve k3x9p2m4tz'],
    ['reject', 'Say which run, for example: reject k3x9p2m4tz'],
    ['answer k000000001', 'Say which run and which answer, for example: answer k3x9p2m4tz again'],
    ['approve nope', 'There is no run or question nope.'],
    ['approve k000000001.7', 'There is no run or question k000000001.7.'],
    ['approve k000000001', 'Run k000000001 has no open question.'],
  ])('/flow %s', async (typed, answer) => {
    await desk.red.say(desk.red.ana, '!nap');
    expect((await desk.red.flow(desk.red.ana, typed)).text).toBe(answer);
  });

  test('a run with several open questions asks for one of them', async () => {
    const { red } = desk;
    await red.say(red.ana, '!both');
    expect((await red.flow(red.bo, 'approve k000000001')).text).toBe(
      'Run k000000001 has several open questions: k000000001.1 (Is there budget?), k000000001.2 (Is it safe?). Name one of them.',
    );
    await red.flow(red.bo, 'approve k000000001.2');
    expect((await red.flow(red.bo, 'approve k000000001')).text).toBe('Recorded: approve.');
    expect((await onlyRun(desk)).status).toBe('succeeded');
  });

  test('an answer that is not offered is refused with those that are', async () => {
    await desk.red.say(desk.red.ana, '!review');
    expect((await desk.red.flow(desk.red.bo, 'answer k000000001 maybe')).text).toBe(
      '“maybe” is not an answer here: approve, reject.',
    );
  });
});

describe('/flow approvals', () => {
  test('lists what is open here, and what waits for you elsewhere', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!both');
    await blue.say(blue.ana, '!review');
    expect((await red.flow(red.ana, 'approvals')).text.split('\n')).toEqual([
      '- k000000001.1 Is there budget? (both), waits for Bo, blue:U0BO',
      '- k000000001.2 Is it safe? (both)',
    ]);
    expect((await red.flow(red.bo, 'approvals', red.elsewhere)).text).toBe(
      '- k000000001.1 Is there budget? (both), waits for you',
    );
    expect((await red.flow(red.cy, 'approvals', red.elsewhere)).text).toBe(
      'Nothing waits for an answer here.',
    );
  });
});

describe('a step whose outcome nobody knows', () => {
  test('is given its output by whoever knows', async () => {
    const order = `
name: Order
triggers: [{ type: manual }]
steps:
  call: { type: http, method: POST, url: "https://shop.example/order" }
output: "{{call.json.number}}"
`;
    desk = await createDesk({ order }, () => ({
      kind: 'failed',
      reason: 'connection',
      message: 'The connection broke.',
      mayHaveArrived: true,
    }));
    const { red } = desk;
    await red.flow(red.ana, 'run order');
    expect((await onlyRun(desk)).status).toBe('attention');
    await red.flow(red.ana, 'answer k000000001 output {"number": 7}');
    const run = await desk.store.run('k000000001');
    expect(run?.state).toMatchObject({ status: 'succeeded', output: 7 });
  });
});
