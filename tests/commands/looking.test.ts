import { beforeEach, describe, expect, test } from 'vitest';
import { runChatCommand } from '../../src/commands/table.ts';
import { createDesk, type Desk, onlyRun } from './desk.ts';
import { echo, nap, review } from './flows.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ echo, review, nap });
});

describe('/flow status', () => {
  test('shows where a run is and what is open, to people of its conversation', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    const { text, buttons } = await red.flow(red.cy, 'status K000000001');
    expect(text).toContain('Review is waiting');
    expect(text).toContain('Open: Is it good? (k000000001.1)');
    expect(buttons).toEqual([]);
    expect((await red.flow(red.ana, 'status k000000001')).buttons.map((one) => one.label)).toEqual([
      'Cancel',
    ]);
  });

  test('comes with a picture, also where it is said to the bot', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    const picture = { name: 'review.png', alt: 'Review is waiting' };
    expect((await red.flow(red.cy, 'status k000000001')).files).toEqual([picture]);
    const { id } = await red.say(red.cy, '@flowbot status k000000001');
    expect(await red.posts({ ...red.here, thread: id })).toMatchObject([
      { text: expect.stringContaining('Review is waiting'), files: [] },
      { files: [picture] },
    ]);
  });

  test('is for those who are there, who started it, and admins; to others the run does not exist', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!review');
    expect((await red.flow(red.ana, 'status k000000001', red.elsewhere)).text).toContain('Review is waiting');
    expect((await red.flow(red.ada, 'status k000000001', red.elsewhere)).text).toContain('Review is waiting');
    const unknown = (await red.flow(red.cy, 'status k999999999', red.elsewhere)).text;
    expect(unknown).toBe('There is no run k999999999 here.');
    for (const command of ['status', 'cancel', 'retry']) {
      expect((await red.flow(red.cy, `${command} k000000001`, red.elsewhere)).text).toBe(
        'There is no run k000000001 here.',
      );
    }
    expect((await blue.flow(blue.ana, 'status k000000001')).text).toBe('There is no run k000000001 here.');
  });

  test('without a run shows what is under way here', async () => {
    const { red } = desk;
    await red.say(red.ana, '!echo');
    await red.say(red.ana, '!review');
    expect((await red.flow(red.bo, 'status')).text).toBe(
      '- k000000002 review: waiting, started 2026-01-05 09:00 UTC by Ana',
    );
    expect((await red.flow(red.bo, 'status', red.elsewhere)).text).toBe('There are no such runs here.');
  });

  test('gives programs the whole run', async () => {
    const { red } = desk;
    await red.say(red.ana, '!echo hi');
    const caller = { person: { platform: 'cli', id: 'root', name: 'root' }, event: 'x', atMs: 0 };
    const { data } = await runChatCommand(desk.bot, caller, 'status k000000001');
    expect(data).toMatchObject({ id: 'k000000001', status: 'succeeded', output: 'Got: hi', reason: null });
  });
});

describe('/flow runs', () => {
  beforeEach(async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!echo');
    await red.say(red.bo, '!review');
    await blue.say(blue.ana, '!echo');
  });

  test.each([
    ['runs', ['k000000002', 'k000000001']],
    ['runs echo', ['k000000001']],
    ['runs ECHO succeeded', ['k000000001']],
    ['runs open', ['k000000002']],
    ['runs succeeded waiting', ['k000000002', 'k000000001']],
    ['runs failed', []],
  ])('/flow %s lists those of this conversation, newest first', async (typed, ids) => {
    const { text } = await desk.red.flow(desk.red.cy, typed);
    expect([...text.matchAll(/^- (k\d+)/gm)].map(([, id]) => id)).toEqual(ids);
  });

  test('a word that is neither a flow nor a status says so', async () => {
    expect((await desk.red.flow(desk.red.ana, 'runs nope')).text).toBe(
      '“nope” is neither a flow nor a status. Statuses: open, queued, running, waiting, attention, succeeded, failed, rejected, cancelled.',
    );
  });

  test('the command line of the host sees all', async () => {
    const caller = { person: { platform: 'cli', id: 'root', name: 'root' }, event: 'x', atMs: 0 };
    const { data } = await runChatCommand(desk.bot, caller, 'runs');
    expect(data).toHaveLength(3);
  });
});

describe('/flow cancel', () => {
  test.each([
    ['the one who started it', 'ana'],
    ['an admin', 'ada'],
  ] as const)('by %s ends a run, and its question', async (_who, person) => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!review');
    expect((await red.flow(red[person], 'cancel k000000001')).text).toBe('Run k000000001 is cancelled.');
    expect((await onlyRun(desk)).status).toBe('cancelled');
    const [card] = (await red.posts({ ...red.here, thread: id })).filter((post) =>
      post.text.startsWith('Is it'),
    );
    expect(card?.buttons).toEqual([]);
    expect((await red.flow(red.bo, 'approve k000000001')).text).toContain('This question is closed.');
  });

  test('by others is refused, by command and by button', async () => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!review');
    const refused = 'Only Ana, who started run k000000001, or an admin may cancel it.';
    expect((await red.flow(red.bo, 'cancel k000000001')).text).toBe(refused);
    const [card] = await red.posts({ ...red.here, thread: id });
    if (!card) throw new Error('no card');
    expect((await red.press(red.bo, card.ref, 'Cancel')).text).toBe(refused);
    expect((await red.press(red.ana, card.ref, 'Cancel')).text).toBe('Run k000000001 is cancelled.');
  });

  test('of a run that has ended says how it ended', async () => {
    const { red } = desk;
    await red.say(red.ana, '!echo');
    expect((await red.flow(red.ana, 'cancel k000000001')).text).toBe(
      'Run k000000001 has already ended: succeeded.',
    );
    expect((await red.flow(red.ana, 'cancel')).text).toBe('Say which run to cancel.');
  });
});
