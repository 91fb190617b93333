import { beforeEach, describe, expect, test } from 'vitest';
import type { MessageRef } from '../../src/engine/people.ts';
import { cardIn, createDesk, type Desk, onlyRun, type Side } from './desk.ts';
import { review, twoQuestions } from './flows.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ review, both: twoQuestions });
});

/** Asks, as Ana. */
async function ask(side: Side, typed = '!review'): Promise<MessageRef> {
  return side.say(side.ana, typed);
}

/** The first words of what the bot has written in the thread of a message. */
async function shown(side: Side, { id }: MessageRef): Promise<readonly (string | undefined)[]> {
  const posts = await side.posts({ ...side.here, thread: id });
  return posts.map(({ text }) => text.split('\n')[0]);
}

describe('cards that people delete', () => {
  test('come back, all that are open, and the run’s own card does not', async () => {
    const { red } = desk;
    const root = await ask(red, '!both');
    const posts = await red.posts({ ...red.here, thread: root.id });
    expect(posts).toHaveLength(3);
    for (const { ref } of posts) await red.platform.deleteMessage(ref);
    await desk.settle();
    expect(await shown(red, root)).toEqual(['Is there budget?', 'Is it safe?']);
  });

  test('work as before, and the audit knows each message that was shown', async () => {
    const { red } = desk;
    const root = await ask(red);
    const first = await cardIn(red, root.id, 'Is it good?');
    await red.platform.deleteMessage(first.ref);
    await desk.settle();
    const back = await cardIn(red, root.id, 'Is it good?');
    expect(back).toEqual({ ...first, ref: back.ref });
    await red.press(red.bo, back.ref, 'Approve');
    expect(await onlyRun(desk)).toMatchObject({ status: 'succeeded' });
    const messages = (await desk.store.audit({ limit: 100 })).flatMap(({ entry }) =>
      entry?.type === 'question.shown' ? [entry.message] : [],
    );
    expect(messages).toEqual([first.ref, back.ref, back.ref]);
  });

  test('are those of the platform and conversation where somebody deleted something', async () => {
    const { red, blue, inbound } = desk;
    const here = await ask(red);
    const there = await ask(blue);
    const { ref } = await cardIn(red, here.id, 'Is it good?');
    expect((await cardIn(blue, there.id, 'Is it good?')).ref.id).toBe(ref.id);
    await red.platform.deleteMessage(ref);
    inbound.deleted({ ...ref, conversation: red.elsewhere.conversation });
    await desk.settle();
    expect((await cardIn(red, here.id, 'Is it good?')).ref.id).not.toBe(ref.id);
    expect((await cardIn(blue, there.id, 'Is it good?')).ref.id).toBe(ref.id);
  });

  test('are left alone when nothing is open, or another message is gone', async () => {
    const { red, inbound } = desk;
    const root = await ask(red);
    inbound.deleted(root);
    inbound.deleted({ ...root, id: 'M999999' });
    await desk.settle();
    const card = await cardIn(red, root.id, 'Is it good?');
    await red.press(red.bo, card.ref, 'Approve');
    await red.platform.deleteMessage(card.ref);
    await desk.settle();
    expect(await shown(red, root)).not.toContain('Is it good?');
    expect(desk.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('that can’t be looked for come back with their next change', async () => {
    const { red, store, log } = desk;
    const root = await ask(red);
    const { ref } = await cardIn(red, root.id, 'Is it good?');
    const { openQuestions } = store;
    Object.assign(store, { openQuestions: () => Promise.reject(new Error('the disk is gone')) });
    await red.platform.deleteMessage(ref);
    await desk.settle();
    Object.assign(store, { openQuestions });
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining('Deleted messages') }),
    );
    expect(await shown(red, root)).not.toContain('Is it good?');
    await desk.pass(12 * 3_600_000);
    expect(await shown(red, root)).toContain('Is it good?');
  });

  test('after the stop are not looked for', async () => {
    const { red, inbound } = desk;
    const root = await ask(red);
    const { ref } = await cardIn(red, root.id, 'Is it good?');
    await inbound.stop();
    await red.platform.deleteMessage(ref);
    await desk.settle();
    expect(await shown(red, root)).not.toContain('Is it good?');
  });
});
