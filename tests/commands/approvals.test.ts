import { beforeEach, describe, expect, test } from 'vitest';
import { createDesk, type Desk, type Side } from './desk.ts';
import { named, review } from './flows.ts';

const timed = `
name: Timed
triggers: [{ type: command, command: timed }]
steps:
  ask: { type: approval, title: In time?, approvers: { users: ["red:U0BO", "red:U0CY"] }, quorum: 2, expiresAfter: 1h }
`;
const everyOne = `
name: Each
triggers: [{ type: command, command: each }]
steps:
  ask: { type: approval, title: All of you?, approvers: { users: ["red:U0BO", "red:U0CY"], roles: [leads] }, quorum: each }
`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ review, named, timed, each: everyOne }, undefined, [['red:U0ANA', 'blue:U0ANA']]);
  desk.red.platform.setRole('leads', []);
});

const lines = async (side: Side, who: Side['ana'], typed: string, place = side.here) =>
  (await side.flow(who, typed, place)).text.split('\n');

describe('/flow approvals', () => {
  test('shows until when, who has answered, and whom a question waits for; what waits for you first', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    await red.say(red.ana, '!timed');
    await red.say(red.ana, '!each');
    expect(await lines(red, red.bo, 'approvals')).toEqual([
      '- k000000002.1 In time? (timed), waits for you, takes 2 answers that agree, until 2026-01-05 10:00 UTC',
      '- k000000003.1 All of you? (each), waits for you, still missing: Bo, Cy, @leads',
      '- k000000001.1 Is it good? (review)',
    ]);
    await red.flow(red.bo, 'approve k000000002');
    await red.flow(red.bo, 'approve k000000003');
    expect(await lines(red, red.bo, 'approvals')).toEqual([
      '- k000000002.1 In time? (timed), waits for Cy, takes 2 answers that agree, until 2026-01-05 10:00 UTC; answered: Bo (Approve)',
      '- k000000003.1 All of you? (each), waits for Cy, @leads; answered: Bo (Approve)',
      '- k000000001.1 Is it good? (review)',
    ]);
    expect((await lines(red, red.cy, 'approvals'))[0]).toContain('In time? (timed), waits for you');
  });

  test('mine leaves out what waits for others, wherever it is asked', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    await red.say(red.ana, '!timed');
    expect(await lines(red, red.bo, 'approvals mine', red.elsewhere)).toEqual([
      expect.stringMatching(/^- k000000002\.1 In time\? \(timed\), waits for you/),
    ]);
    expect(await lines(red, red.ada, 'approvals mine')).toEqual(['Nothing waits for your answer.']);
  });

  test('a question that names your account on another platform waits for you here, too', async () => {
    const { red, blue } = desk;
    desk.load({
      other: named
        .replaceAll('"red:U0ANA", ', '')
        .replace(', "blue:U0ANA"', '')
        .replace('"blue:U0BO"', '"blue:U0ANA"'),
    });
    await red.say(red.bo, '!named');
    expect((await lines(red, red.ana, 'approvals mine', red.elsewhere))[0]).toContain('waits for you');
    expect((await lines(blue, blue.ana, 'approvals mine'))[0]).toContain('waits for you');
    expect((await red.flow(red.ana, 'approve k000000001', red.elsewhere)).text).toBe('Recorded: approve.');
  });

  test('all is for admins, and only where nobody else reads it', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!review');
    await blue.say(blue.ana, '!review');
    expect(await lines(red, red.ada, 'approvals all', red.elsewhere)).toEqual([
      '- k000000001.1 Is it good? (review)',
      '- k000000002.1 Is it good? (review)',
    ]);
    expect(await lines(red, red.ana, 'approvals all')).toEqual([
      'Only admins may list the questions of every conversation.',
    ]);
    const { id } = await red.say(red.ada, '@flowbot approvals all');
    expect((await red.posts({ ...red.here, thread: id })).map(({ text }) => text)).toEqual([
      'Everybody here would see them: type /flow approvals all.',
    ]);
  });

  test('another word is refused with those that there are', async () => {
    expect(await lines(desk.red, desk.red.ana, 'approvals yours')).toEqual([
      '“yours” is no list of questions: there are mine and all, or nothing for here.',
    ]);
  });

  test('completes the word for those who may use it', async () => {
    const { red } = desk;
    const typed = async (person: Side['ana'], text: string) =>
      (await desk.inbound.complete(text, person, red.here)).map((one) => one.typed);
    expect(await typed(red.ana, 'approvals ')).toEqual(['approvals mine']);
    expect(await typed(red.ada, 'approvals ')).toEqual(['approvals mine', 'approvals all']);
    expect(await typed(red.ada, 'approvals a')).toEqual(['approvals all']);
  });

  test('of very many the first are listed, and how many more there are', async () => {
    const { red } = desk;
    for (let n = 0; n < 23; n += 1) await red.say(red.ana, '!review');
    await red.say(red.ana, '!timed');
    const shown = await lines(red, red.bo, 'approvals');
    expect(shown[0]).toContain('k000000024.1');
    expect(shown).toHaveLength(21);
    expect(shown.at(-1)).toBe('- … and 4 more');
  });
});

test('a person’s own page shows what still waits for them', async () => {
  const { red } = desk;
  await red.say(red.ana, '!timed');
  const waiting = async () => (await desk.inbound.home(red.bo, red.here)).sections[0]?.items.length;
  expect(await waiting()).toBe(1);
  await red.flow(red.bo, 'approve k000000001');
  expect(await waiting()).toBe(0);
});
