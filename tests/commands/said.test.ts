import { beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/table.ts';
import type { Place } from '../../src/engine/people.ts';
import { createDesk, type Desk, runsOf, type Side } from './desk.ts';
import { echo, named, review } from './flows.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ echo, review, named });
});

/** What the bot answers to a message in words, in its thread. */
async function answers(side: Side, text: string, place: Place = side.here): Promise<readonly string[]> {
  const message = await side.say(side.ana, text, place);
  const thread = await side.posts({ ...place, thread: message.id });
  return thread.filter(({ files }) => files.length === 0).map((post) => post.text);
}

describe.each(['red', 'blue'] as const)('said to the bot on %s', (name) => {
  test.each(['@flowbot help', '@flowbot', '@Flowbot  !HELP please', '@flowbot !'])(
    '%j shows what it can do, in the thread',
    async (text) => {
      const [answer, ...more] = await answers(desk[name], text);
      expect(answer).toMatch(/^What I can do:/);
      expect(answer).toContain('/flow help: Shows this.');
      expect(more).toEqual([]);
    },
  );

  test.each([
    ['list', /^- Echo \(!echo or \/flow run echo\)/],
    ['status', /^There are no such runs here\.$/],
    ['runs failed', /^There are no such runs here\.$/],
    ['runs nope', /^“nope” is neither a flow nor a status\./],
    ['approvals', /^Nothing waits for an answer here\.$/],
    ['whoami', /^You are Ana/],
  ])('%s shows the same as after /flow', async (typed, shown) => {
    expect(await answers(desk[name], `@flowbot ${typed}`)).toEqual([expect.stringMatching(shown)]);
  });
});

test.each(COMMANDS.filter(({ looksOnly }) => !looksOnly).map((command) => command.name))(
  '%s, which does something, is not done by what is said',
  async (word) => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    const before = await desk.store.journal('k000000001');
    expect(await answers(red, `@flowbot ${word} k000000001`)).toEqual([
      `“${word}” is a word of the chat command: type /flow ${word}.`,
    ]);
    expect(await desk.store.journal('k000000001')).toEqual(before);
    expect(await runsOf(desk)).toHaveLength(1);
  },
);

test('C13: one message is answered once, however often it is delivered', async () => {
  const { red } = desk;
  const message = await red.say(red.ana, '@flowbot help');
  await red.platform.redeliver();
  await desk.settle();
  expect(await red.posts({ ...red.here, thread: message.id })).toHaveLength(1);
});

test('without a mention the same words are talk', async () => {
  expect(await answers(desk.red, 'help')).toEqual([]);
  expect(await answers(desk.red, '!help')).toEqual([]);
});

describe('what other conversations hold', () => {
  const direct: Place = { platform: 'red', conversation: 'D-U0ANA' };
  beforeEach(async () => {
    // In #releases, where it asks Ana and Bo.
    await desk.red.say(desk.red.bo, '!named');
  });

  test('is not shown where everybody reads the answer', async () => {
    const { red } = desk;
    expect(await answers(red, '@flowbot approvals', red.elsewhere)).toEqual([
      'Nothing waits for an answer here.',
    ]);
    const byAda = await red.say(red.ada, '@flowbot status k000000001', red.elsewhere);
    const byBo = await red.say(red.bo, '@flowbot status k000000001', red.elsewhere);
    for (const { id } of [byAda, byBo]) {
      expect(await red.posts({ ...red.elsewhere, thread: id })).toMatchObject([
        { text: 'There is no run k000000001 here.' },
      ]);
    }
  });

  test('is shown there itself, and in a direct conversation to those whom it concerns', async () => {
    const { red } = desk;
    const waits = '- k000000001.1 May we? (named), waits for you';
    expect(await answers(red, '@flowbot approvals')).toEqual([waits]);
    expect(await answers(red, '@flowbot approvals', direct)).toEqual([waits]);
    expect(await answers(red, '@flowbot status k000000001')).toEqual([
      expect.stringContaining('Named is waiting'),
    ]);
  });

  test('files that could not be loaded are not shown to everybody by an admin’s question', async () => {
    const { red } = desk;
    desk.load({ broken: 'steps: { say: { type: shout } }' });
    const message = await red.say(red.ada, '@flowbot list');
    expect(await red.posts({ ...red.here, thread: message.id })).toMatchObject([
      { text: 'There are no flows yet.' },
    ]);
  });
});
