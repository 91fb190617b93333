import { beforeEach, describe, expect, test } from 'vitest';
import type { Person, Place } from '../../src/engine/people.ts';
import { cardIn, createDesk, type Desk, onlyRun, type Side } from './desk.ts';
import { asking, review } from './flows.ts';

const flows = {
  review,
  ops: asking('ops', 'approvers: { users: ["red:U0ANA", "blue:U0ANA"], roles: [ops] }'),
  two: asking('two', 'approvers: { users: ["red:U0BO", "blue:U0BO", "blue:U0CY"] }, quorum: 2'),
  each: asking('each', 'approvers: { users: ["blue:U0BO"], roles: ["red:ops"] }, quorum: each'),
  guests: asking('guests', 'allowGuests: true'),
  guest: asking('guest', 'approvers: { users: ["red:U0GUS"] }'),
  crowd: asking('crowd', 'quorum: 1'),
};

/** Bo on red is Bo on blue; Ana has a second account on each platform. */
const people = [
  ['red:U0BO', 'blue:U0BO'],
  ['red:U0ANA', 'red:U0ANA2', 'blue:U0ANA'],
];

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk(flows, undefined, people);
  for (const side of [desk.red, desk.blue]) side.platform.setRole('ops', [side.cy]);
});

const questionOf = async () => (await desk.store.run('k000000001'))?.state.questions['k000000001.1'];
const refusals = async () =>
  (await desk.store.audit({ run: 'k000000001', limit: 100 })).flatMap(({ entry }) =>
    entry?.type === 'question.refused' ? [entry] : [],
  );

describe('a quorum over two platforms', () => {
  test('counts one person once, whichever of their accounts they use', async () => {
    const { red, blue } = desk;
    const { id } = await red.say(red.ana, '!two');
    await red.flow(red.bo, 'approve k000000001');
    expect((await blue.flow(blue.bo, 'approve k000000001')).text).toBe(
      'You have answered “Approve” already; others have to answer, too.',
    );
    expect((await onlyRun(desk)).status).toBe('waiting');
    expect((await cardIn(red, id, 'May we?')).text).toContain('- Bo: Approve');
    expect((await blue.flow(blue.cy, 'approve k000000001')).text).toBe('Recorded: approve.');
    expect((await onlyRun(desk)).status).toBe('succeeded');
    expect((await cardIn(red, id, 'May we?')).text).toContain('Approved by Bo and Cy.');
  });

  test('takes what somebody says last, from any account', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!two');
    await red.flow(red.bo, 'approve k000000001');
    await desk.pass(1);
    expect((await blue.flow(blue.bo, 'reject k000000001 no, wait')).text).toBe('Recorded: reject.');
    expect(await onlyRun(desk)).toMatchObject({ status: 'rejected' });
    expect((await questionOf())?.answers).toMatchObject([{ action: 'reject', by: { platform: 'blue' } }]);
  });

  test('of each needs everybody: a person of the other platform, and somebody with the role of this one', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!each');
    // The account that is named is on blue; the role is looked up on red.
    await red.flow(red.bo, 'approve k000000001');
    expect((await onlyRun(desk)).status).toBe('waiting');
    expect((await blue.flow(blue.cy, 'approve k000000001')).text).toContain('may answer this');
    await red.flow(red.cy, 'approve k000000001');
    expect((await onlyRun(desk)).status).toBe('succeeded');
  });
});

test.each<[string, (desk: Desk) => readonly [Side, Person]]>([
  ['the same', ({ red }) => [red, red.ana]],
  ['a second', ({ red }) => [red, { platform: 'red', id: 'U0ANA2', name: 'Ana (2)' }]],
  ['the other platform’s', ({ blue }) => [blue, blue.ana]],
])('who started it may not answer by %s account', async (_, who) => {
  await desk.red.say(desk.red.ana, '!ops');
  const [side, person] = who(desk);
  side.platform.setStanding(person, 'member');
  expect((await side.flow(person, 'approve k000000001')).text).toBe(
    'You started this run, so somebody else has to answer.',
  );
  expect((await onlyRun(desk)).status).toBe('waiting');
});

test('somebody with a linked account answers where their account is that has the role', async () => {
  const { red, blue } = desk;
  red.platform.setRole('ops', [red.bo]);
  await red.say(red.ana, '!ops');
  expect((await blue.flow(blue.bo, 'approve k000000001')).text).toBe('Recorded: approve.');
});

test('an account that has left gives no right to those that are linked to it', async () => {
  const { red, blue } = desk;
  desk.load({ ...flows, left: asking('left', 'approvers: { users: ["red:U0BO", "blue:U0CY"] }') });
  await red.say(red.ana, '!left');
  red.platform.setStanding(red.bo, 'gone');
  expect((await blue.flow(blue.bo, 'approve k000000001')).text).toMatch(/^Only .+ may answer this\.$/);
  red.platform.setStanding(red.bo, 'unknown');
  expect((await blue.flow(blue.bo, 'approve k000000001')).text).toContain("can't be reached");
  expect((await onlyRun(desk)).status).toBe('waiting');
  red.platform.setStanding(red.bo, 'member');
  expect((await blue.flow(blue.bo, 'approve k000000001')).text).toBe('Recorded: approve.');
});

describe('guests', () => {
  const guest: Person = { platform: 'red', id: 'U0GUS', name: 'Gus' };

  test.each([
    ['review', 'Guests may not answer this.'],
    ['guests', 'Recorded: approve.'],
    ['guest', 'Recorded: approve.'],
  ])('of !%s hear: %s', async (flow, told) => {
    await desk.red.say(desk.red.ana, `!${flow}`);
    expect((await desk.red.flow(guest, 'approve k000000001')).text).toBe(told);
  });

  test('who become members may answer, and the other way round', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    red.platform.setStanding(red.bo, 'guest');
    expect((await red.flow(red.bo, 'approve k000000001')).text).toBe('Guests may not answer this.');
    red.platform.setStanding(guest, 'member');
    expect((await red.flow(guest, 'approve k000000001')).text).toBe('Recorded: approve.');
  });

  test('nobody answers while nobody can tell what they are; it is done as soon as somebody can', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    red.platform.setStanding(red.bo, 'unknown');
    expect((await red.flow(red.bo, 'approve k000000001')).text).toContain("can't be reached at the moment");
    expect((await onlyRun(desk)).status).toBe('waiting');
    red.platform.setStanding(red.bo, 'member');
    await desk.pass(60_000);
    expect((await onlyRun(desk)).status).toBe('succeeded');
  });
});

describe('C61: by every way in the same rule decides', () => {
  type Who = (side: Side) => { readonly person: Person; readonly place?: Place };
  const only = 'Only Ana, blue:U0ANA, @ops may answer this.';
  const outsiders: readonly [string, Who, string][] = [
    ['a stranger', (side) => ({ person: side.ada }), only],
    ['a guest', () => ({ person: { platform: 'red', id: 'U0GUS', name: 'Gus' } }), only],
    [
      'somebody of another organisation',
      () => ({ person: { platform: 'red', id: 'U0FAY', name: 'Fay' } }),
      only,
    ],
    ['a bot', () => ({ person: { platform: 'red', id: 'U0BOT', name: 'other bot' } }), only],
    [
      'somebody with a name that is listed',
      () => ({ person: { platform: 'red', id: 'U0EVE', name: 'Ana' } }),
      only,
    ],
    ['somebody who lost the role', (side) => ({ person: side.bo }), only],
    ['an approver who left', (side) => ({ person: side.cy }), 'This account has left'],
    ['a guest with the role', (side) => ({ person: side.cy }), 'Guests may not answer this.'],
    ['a bot with the role', (side) => ({ person: side.cy }), 'Only people may answer this.'],
    [
      'who started it',
      (side) => ({ person: side.ana }),
      'You started this run, so somebody else has to answer.',
    ],
  ];

  test.each(outsiders)('%s is refused, privately, and it is in the audit', async (what, who, why) => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!ops');
    const { person } = who(red);
    if (what.includes('left')) red.platform.setStanding(person, 'gone');
    if (what.includes('guest with')) red.platform.setStanding(person, 'guest');
    if (what.includes('bot with')) red.platform.setStanding(person, 'bot');
    const card = await cardIn(red, id, 'May we?');
    const before = await red.posts({ ...red.here, thread: id });
    const form = { id: 'answer:k000000001.1:reject', title: 'Reject', fields: [], errors: {} };
    const told = [
      await red.press(person, card.ref, 'Approve'),
      await red.pressId(person, 'answer:k000000001.1:approve'),
      await red.send(person, form, { feedback: '' }),
      await red.flow(person, 'approve k000000001'),
      await red.flow(person, 'reject k000000001.1 no'),
      await red.flow(person, 'answer k000000001 approve', red.elsewhere),
    ];
    for (const { text, form } of told) {
      expect(form).toBeUndefined();
      expect(text).toContain(why);
    }
    expect((await questionOf())?.state.status).toBe('open');
    expect((await questionOf())?.answers).toEqual([]);
    expect(await red.posts({ ...red.here, thread: id })).toEqual(before);
    expect(await red.posts(red.here)).toEqual([]);
    const kept = await refusals();
    expect(kept).toHaveLength(told.length);
    for (const entry of kept)
      expect(entry).toMatchObject({ by: { id: person.id }, question: 'k000000001.1' });
  });

  test('the command line of the host is nobody whom a question names', async () => {
    await desk.red.say(desk.red.ana, '!ops');
    const { runChatCommand } = await import('../../src/commands/table.ts');
    const host = {
      person: { platform: 'host', id: 'root', name: 'root' },
      event: 'E1',
      atMs: desk.clock.now(),
    };
    const reply = await runChatCommand(desk.bot, host, 'approve k000000001');
    expect(reply.ok).toBe(false);
    expect(reply.content.prose.map(({ text }) => text).join('')).toBe(
      'Only red:U0ANA, blue:U0ANA, @ops may answer this.',
    );
    expect((await questionOf())?.state.status).toBe('open');
    expect(await refusals()).toHaveLength(1);
  });

  test('an answer that nobody offers is refused as well, and is in the audit in short', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    await red.pressId(red.bo, `answer:k000000001.1:${'x'.repeat(70)}`);
    expect((await refusals()).map(({ action }) => action)).toEqual(['x'.repeat(60)]);
  });
});

test('500 people press at once: one of them decides, 499 hear who, and hardly anybody is asked about', async () => {
  const { red } = desk;
  const { id } = await red.say(red.ana, '!crowd');
  const card = await cardIn(red, id, 'May we?');
  const button = card.buttons.find(({ label }) => label === 'Approve')?.id ?? '';
  const asked: string[] = [];
  red.platform.chat.standing = async (person) => {
    asked.push(person.id);
    return 'member';
  };
  const crowd = Array.from(
    { length: 500 },
    (_, n): Person => ({ platform: 'red', id: `U${n}`, name: `P${n}` }),
  );
  const taken = await Promise.all(
    crowd.map((person, n) =>
      desk.inbound.receive({ type: 'click', id: `C${n}`, atMs: n, person, message: card.ref, button }),
    ),
  );
  const answers = await Promise.all(taken.map(({ answer }) => answer));
  const refused = answers.filter((answer) => answer.kind === 'private');
  expect(refused).toHaveLength(499);
  expect(answers.filter((answer) => answer.kind === 'none')).toHaveLength(1);
  for (const answer of refused) {
    expect(answer.content.prose.map(({ text }) => text).join('')).toMatch(
      /^P\d+ has already answered “Approve”/,
    );
  }
  await desk.settle();
  expect((await questionOf())?.answers).toHaveLength(1);
  expect((await desk.store.journal('k000000001')).map(({ type }) => type)).toEqual([
    'run.started',
    'question.answered',
  ]);
  expect(asked.length).toBeLessThanOrEqual(16);
});
