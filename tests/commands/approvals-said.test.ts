import { beforeEach, describe, expect, test } from 'vitest';
import { createDesk, type Desk, onlyRun, type Side } from './desk.ts';
import { review, twoQuestions } from './flows.ts';

const elsewhere = `
triggers: [{ type: command, command: there }]
steps: { ask: { type: approval, title: May we?, to: "red:#general" } }
`;
const press = (title: string) =>
  `A message does not count as an answer: press a button on the card of ${title}.`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ review, both: twoQuestions, there: elsewhere });
});

/** What the bot has told people in a thread that they should do. */
async function hints(side: Side, thread: string, place = side.here): Promise<readonly string[]> {
  const posts = await side.posts({ ...place, thread });
  return posts.map(({ text }) => text).filter((text) => text.includes('does not count'));
}

describe.each(['red', 'blue'] as const)('in the thread of a question on %s', (name) => {
  test.each(['approved', 'LGTM 👍', 'ja, passt', '@Bo approved', '@flowbot approved', ':+1:', 'no'])(
    '%j does not count; who says it hears once where to press',
    async (text) => {
      const side = desk[name];
      const { id } = await side.say(side.ana, '!review');
      await side.say(side.bo, text, { ...side.here, thread: id });
      expect(await hints(side, id)).toEqual([press('Is it good?')]);
      await side.platform.redeliver();
      await side.say(side.cy, text, { ...side.here, thread: id });
      await side.say(side.bo, 'approved', { ...side.here, thread: id });
      expect(await hints(side, id)).toHaveLength(1);
      expect((await onlyRun(desk)).status).toBe('waiting');
      expect((await desk.store.journal('k000000001')).map(({ type }) => type)).toEqual(['run.started']);
    },
  );

  test.each(['what does approved mean?', 'I would approve this once the tests pass again', 'hello'])(
    '%j is talk, and is not kept',
    async (text) => {
      const side = desk[name];
      const { id } = await side.say(side.ana, '!review');
      const kept = await keeping(() => side.say(side.bo, text, { ...side.here, thread: id }));
      expect(await hints(side, id)).toEqual([]);
      expect(kept).toEqual([]);
    },
  );
});

/** What the store keeps of events meanwhile. */
async function keeping(work: () => Promise<unknown>): Promise<readonly string[]> {
  const kept: string[] = [];
  const { receive } = desk.store;
  desk.store.receive = (delivery) => {
    kept.push(delivery.id);
    return receive(delivery);
  };
  await work();
  desk.store.receive = receive;
  return kept;
}

test('of several questions each is told of once, the newest that is open first', async () => {
  const { red } = desk;
  const { id } = await red.say(red.ana, '!both');
  const thread = { ...red.here, thread: id };
  await red.say(red.bo, 'approved', thread);
  expect(await hints(red, id)).toEqual([press('Is it safe?')]);
  await red.flow(red.bo, 'approve k000000001.2');
  await red.say(red.bo, 'approved', thread);
  expect(await hints(red, id)).toEqual([press('Is it safe?'), press('Is there budget?')]);
  await red.flow(red.bo, 'approve k000000001.1');
  await red.say(red.bo, 'approved', thread);
  expect(await hints(red, id)).toHaveLength(2);
});

test('under a card that is asked elsewhere it is told there', async () => {
  const { red } = desk;
  const { id } = await red.say(red.ana, '!there');
  const [card] = await red.posts(red.elsewhere);
  const thread = card?.ref.id ?? '';
  await red.say(red.bo, 'approved', { ...red.here, thread: id });
  expect(await hints(red, id)).toEqual([]);
  await red.say(red.bo, 'approved', { ...red.elsewhere, thread });
  expect(await hints(red, thread, red.elsewhere)).toEqual([press('May we?')]);
});

test('elsewhere the same words mean anything: nothing is told, nothing is kept', async () => {
  const { red, blue } = desk;
  await red.say(red.ana, '!review');
  const other = await red.say(red.ana, 'shall we have lunch');
  const kept = await keeping(async () => {
    await red.say(red.bo, 'approved');
    await red.say(red.bo, 'approved', red.elsewhere);
    await red.say(red.bo, 'approved', { ...red.here, thread: other.id });
    await blue.say(blue.bo, 'approved', { ...blue.here, thread: other.id });
  });
  expect(kept).toEqual([]);
  expect(await hints(red, other.id)).toEqual([]);
  expect(await red.posts(red.here)).toEqual([]);
  expect((await onlyRun(desk)).status).toBe('waiting');
});

test('in a direct conversation it is told without a thread', async () => {
  const { red } = desk;
  const direct = { platform: 'red', conversation: 'D-U0ANA' };
  await red.say(red.ana, '!review', direct);
  const { id } = await red.say(red.ana, 'approved', direct);
  expect(await hints(red, id, direct)).toEqual([press('Is it good?')]);
  expect((await onlyRun(desk)).status).toBe('waiting');
});
