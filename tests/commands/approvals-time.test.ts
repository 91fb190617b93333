import { beforeEach, describe, expect, test } from 'vitest';
import type { MessageRef, Person, Place } from '../../src/engine/people.ts';
import { cardIn, createDesk, type Desk, onlyRun, type Side } from './desk.ts';
import { asking, review } from './flows.ts';

const flows = {
  review,
  hour: asking('hour', 'expiresAfter: 1h'),
  hourly: asking('hourly', 'approvers: { users: ["red:U0BO"] }, expiresAfter: 3h, remindAfter: 1h'),
  nobody: asking('nobody', 'approvers: { users: ["red:U0BO"], roles: [ghosts] }'),
  pair: asking(
    'pair',
    'approvers: { users: ["red:U0BO", "red:U0CY"] }, quorum: 2, escalateTo: { users: ["red:U0ADA"] }',
  ),
  late: asking(
    'late',
    'approvers: { users: ["red:U0BO"] }, escalateTo: { users: ["red:U0CY"] }, escalateAfter: 2h',
  ),
  there: asking('there', 'to: "red:#general"'),
  across: asking('across', 'to: "blue:#general"'),
  lost: asking('lost', 'to: "red:#nowhere"'),
};
const hour = 3_600_000;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk(flows);
});

const questionOf = async () => (await desk.store.run('k000000001'))?.state.questions['k000000001.1'];
const directOf = (person: Person): Place => ({ platform: person.platform, conversation: `D-${person.id}` });
const told = async (side: Side, person: Person) =>
  (await side.posts(directOf(person))).map(({ text }) => text);
const click = (id: string, person: Person, message: MessageRef, button: string) =>
  ({ type: 'click', id, atMs: 0, person, message, button }) as const;

/** Lets the bot keep events, and handle none of them until the function that it gives is called. */
function standStill(): () => void {
  const { standing } = desk.red.platform.chat;
  const { promise, resolve } = Promise.withResolvers<void>();
  desk.red.platform.chat.standing = async (person, place) => {
    await promise;
    return standing(person, place);
  };
  return resolve;
}

describe('C64: the time of receipt decides', () => {
  test('C64: the last moment counts, the deadline itself does not', async () => {
    const { red } = desk;
    await red.say(red.ana, '!hour');
    const deadlineMs = (await questionOf())?.expiry?.atMs ?? 0;
    await desk.pass(deadlineMs - desk.clock.now());
    expect((await red.flow(red.bo, 'approve k000000001')).text).toBe(
      'This question expired at 2026-01-05 10:00 UTC.',
    );
  });

  test('C64: a click that was received in time counts, however late it is handled', async () => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!hour');
    const card = await cardIn(red, id, 'May we?');
    const deadlineMs = (await questionOf())?.expiry?.atMs ?? 0;
    await desk.pass(deadlineMs - desk.clock.now() - 10);
    const goOn = standStill();
    const { answer } = await desk.inbound.receive(click('C1', red.bo, card.ref, card.buttons[0]?.id ?? ''));
    await desk.pass(30_000);
    expect((await questionOf())?.state.status).toBe('open');
    goOn();
    expect(await answer).toEqual({ kind: 'none' });
    await desk.pass(90_000);
    expect(await questionOf()).toMatchObject({
      state: { status: 'answered', atMs: deadlineMs - 10 },
    });
    expect(await onlyRun(desk)).toMatchObject({ status: 'succeeded' });
    expect((await cardIn(red, id, 'May we?')).text).toContain('Approved by Bo');
  });

  test('C64: also when the process dies with it, and the next one starts long after', async () => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!hour');
    const card = await cardIn(red, id, 'May we?');
    await desk.pass(hour - (desk.clock.now() % hour) - 10);
    standStill();
    await desk.inbound.receive(click('C1', red.bo, card.ref, card.buttons[0]?.id ?? ''));
    desk.clock.pass(2 * hour);
    desk = await desk.restart();
    await desk.pass(5_000);
    expect(await questionOf()).toMatchObject({ state: { status: 'answered' } });
    expect(await onlyRun(desk)).toMatchObject({ status: 'succeeded' });
  });

  test('C64: what is never handled holds it up for a minute, and nothing else', async () => {
    const { red, blue } = desk;
    const { id } = await red.say(red.ana, '!hour');
    const card = await cardIn(red, id, 'May we?');
    await desk.pass(hour - 10);
    standStill();
    await desk.inbound.receive(click('C1', red.bo, card.ref, card.buttons[0]?.id ?? ''));
    await blue.say(blue.ana, '!review');
    await desk.pass(50_000);
    expect((await questionOf())?.state.status).toBe('open');
    await desk.pass(20_000);
    expect((await questionOf())?.state.status).toBe('expired');
    expect((await cardIn(red, id, 'May we?')).text).toContain('Expired');
  });

  test('C64: a card that is decided is never shown as expired, nor the other way round', async () => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!hour');
    await red.flow(red.bo, 'approve k000000001');
    await desk.pass(2 * hour);
    const card = await cardIn(red, id, 'May we?');
    expect(card.text).toContain('Approved by Bo');
    expect(card.text).not.toContain('xpired');
  });
});

test.each(['red', 'blue'] as const)('C32: a click the moment the card appears on %s counts', async (name) => {
  const { platform, bo, ana, here, say } = desk[name];
  const { post } = platform.chat;
  const answers: unknown[] = [];
  platform.chat.post = async (place, part, key) => {
    const outcome = await post(place, part, key);
    if (outcome.kind === 'posted' && key.startsWith('question/')) {
      const { buttons = [] } = (await platform.messages(outcome.message)).at(-1) ?? {};
      const event = click('C1', bo, outcome.message, buttons[0]?.id ?? '');
      answers.push(await (await desk.inbound.receive(event)).answer);
    }
    return outcome;
  };
  const { id } = await say(ana, '!review', here);
  expect(answers).toEqual([{ kind: 'none' }]);
  expect(await onlyRun(desk)).toMatchObject({ status: 'succeeded' });
  await desk.settle();
  expect(await cardIn(desk[name], id, 'Is it good?')).toMatchObject({ buttons: [] });
});

describe('C29: approvers who can’t answer', () => {
  test('admins hear in their own conversation of a role that does not exist', async () => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!nobody');
    const [alert, ...more] = await told(red, red.ada);
    expect(more).toEqual([]);
    expect(alert).toContain('k000000001');
    expect(alert).toContain('@ghosts (there is no such role)');
    expect((await cardIn(red, id, 'May we?')).text).toContain('@ghosts: there is no such role.');
    expect((await red.flow(red.bo, 'approve k000000001')).text).toBe('Recorded: approve.');
  });

  test('C29: when too few are left it goes at once to whom it goes next, and admins hear it', async () => {
    const { red } = desk;
    red.platform.setStanding(red.cy, 'gone');
    const { id } = await red.say(red.ana, '!pair');
    expect((await told(red, red.ada)).join()).toContain('Cy (is not there)');
    const thread = await red.posts({ ...red.here, thread: id });
    expect(thread.some(({ text }) => text.includes('Now Ada may answer, too.'))).toBe(true);
    await red.flow(red.bo, 'approve k000000001');
    expect((await onlyRun(desk)).status).toBe('waiting');
    expect((await red.flow(red.ada, 'approve k000000001')).text).toBe('Recorded: approve.');
    expect((await onlyRun(desk)).status).toBe('succeeded');
  });

  test('C29: who leaves later is found out with the next reminder, and told once', async () => {
    const { red } = desk;
    await red.say(red.ana, '!hourly');
    expect(await told(red, red.ada)).toEqual([]);
    red.platform.setStanding(red.bo, 'gone');
    await desk.pass(hour);
    expect((await told(red, red.ada)).join()).toContain('Bo (is not there)');
    await desk.pass(hour);
    expect(await told(red, red.ada)).toHaveLength(1);
  });

  test('before its time somebody else may not answer, then they may', async () => {
    const { red } = desk;
    await red.say(red.ana, '!late');
    expect((await red.flow(red.cy, 'approve k000000001')).text).toBe('Only Bo may answer this.');
    await desk.pass(2 * hour);
    expect((await red.flow(red.cy, 'approve k000000001')).text).toBe('Recorded: approve.');
  });
});

describe('a question that is asked elsewhere', () => {
  test.each<[string, (desk: Desk) => Side]>([
    ['there', ({ red }) => red],
    ['across', ({ blue }) => blue],
  ])(
    '!%s: has its card there, and the people there answer it, not those of the run’s home',
    async (flow, at) => {
      const { red } = desk;
      const side = at(desk);
      await red.say(red.ana, `!${flow}`);
      await desk.settle();
      const [card] = await side.posts(side.elsewhere);
      if (!card) throw new Error('no card');
      expect(card.text).toContain('May we?');
      expect((await red.flow(red.bo, 'approve k000000001')).text).toBe(
        'Only people of the conversation where this is asked may answer it.',
      );
      expect((await side.flow(side.bo, 'approvals', side.elsewhere)).text).toContain('May we?');
      expect((await red.flow(red.bo, 'approvals')).text).toBe('Nothing waits for an answer here.');
      expect((await side.press(side.bo, card.ref, 'Approve')).text).toBe('');
      expect((await onlyRun(desk)).status).toBe('succeeded');
      expect((await side.posts(side.elsewhere))[0]?.text).toContain('Approved by Bo');
    },
  );

  test('of a conversation that is not there fails its step, and says why', async () => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!lost');
    expect(await onlyRun(desk)).toMatchObject({ status: 'failed' });
    const run = await desk.store.run('k000000001');
    expect(run?.state.reason).toContain('#nowhere');
    expect(await desk.store.openQuestions(9)).toEqual([]);
    expect(
      (await red.posts({ ...red.here, thread: id })).flatMap(({ buttons }) => buttons),
    ).not.toContainEqual(expect.objectContaining({ label: 'Approve' }));
  });
});
