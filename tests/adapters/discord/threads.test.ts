import { describe, expect, test } from 'vitest';
import type { MessageRef, Place } from '../../../src/engine/people.ts';
import type { DiscordHarness } from './harness.ts';
import { callsOf, openJudged, partOf, posted, routes, saying, textsIn } from './judged.ts';

const post = (h: DiscordHarness, place: Place, key = 'key-1') => h.chat.post(place, partOf(h, 'Hello'), key);

/** A thread that the bot has opened from somebody's message. */
async function opened(h: DiscordHarness): Promise<{ readonly root: MessageRef; readonly thread: Place }> {
  const root = await h.say(h.people.ana, h.channel, 'a topic');
  const thread = { ...h.channel, thread: root.id };
  await posted(h, thread, partOf(h, 'First'), 'first');
  return { root, thread };
}

describe('a thread is opened from its first message', () => {
  test('with the first words as its name, once', async () => {
    const h = await openJudged();
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    const thread = { ...h.channel, thread: root.id };
    const long = `# ${'Deploy 👩‍👩‍👧‍👦 '.repeat(20)}\n\nmore`;
    await posted(h, thread, partOf(h, long), 'key-1');
    await posted(h, thread, partOf(h, 'Second'), 'key-2');
    const opening = callsOf(h, routes.open);
    expect(opening).toHaveLength(1);
    const { name } = Object(opening[0]?.body);
    expect(name).toMatch(/^Deploy 👩‍👩‍👧‍👦.*…$/u);
    expect(name.length).toBeLessThanOrEqual(100);
    expect(await textsIn(h, thread)).toHaveLength(2);
    expect(await textsIn(h, h.channel)).toEqual(['a topic']);
  });

  test('160004: somebody else was faster, and it stands in their thread', async () => {
    const h = await openJudged();
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    h.gateway.drop('THREAD_CREATE', 1);
    await h.openThread(h.people.bo, root, 'Talk');
    const thread = { ...h.channel, thread: root.id };
    await posted(h, thread);
    expect(await textsIn(h, thread)).toEqual(['Hello']);
  });

  test('an answer that is lost opens no second one', async () => {
    const h = await openJudged();
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    const thread = { ...h.channel, thread: root.id };
    h.failRequest(routes.open, { kind: 'lost' });
    const outcome = await post(h, thread);
    expect(outcome).toMatchObject({ kind: 'later' });
    h.pass(5_000);
    await posted(h, thread);
    expect(await textsIn(h, thread)).toEqual(['Hello']);
  });

  test('under a message that was deleted it is refused', async () => {
    const h = await openJudged();
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    await h.deleteMessage(root);
    const thread = { ...h.channel, thread: root.id };
    expect(await post(h, thread)).toEqual({ kind: 'refused', message: saying('deleted') });
    expect(await h.chat.find(thread, 'key-1', 0)).toEqual({ kind: 'absent' });
  });
});

describe('where no thread can be opened, the answer stands in the channel as a reply', () => {
  async function expectReply(h: DiscordHarness, channel: Place, root: MessageRef): Promise<void> {
    const message = await posted(h, { ...channel, thread: root.id });
    expect(message).toEqual({ ...channel, id: message.id });
    expect(h.raw(message)).toMatchObject({ message_reference: { message_id: root.id } });
    // Whose message it answers is not notified.
    expect(await h.notified(message)).toEqual([]);
    expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({ kind: 'edited' });
    const place = { ...channel, thread: root.id };
    const [inThread, beside] = [await h.chat.find(place, 'key-1', 0), await h.chat.find(channel, 'key-1', 0)];
    expect([inThread, beside]).toContainEqual(expect.objectContaining({ kind: 'found', message }));
    expect([inThread, beside].every(({ kind }) => kind === 'found' || kind === 'absent')).toBe(true);
  }

  test('without Create Public Threads', async () => {
    const h = await openJudged();
    await h.deny(h.channel, 'CREATE_PUBLIC_THREADS');
    await expectReply(h, h.channel, await h.say(h.people.ana, h.channel, 'a topic'));
  });

  test.each(['voice', 'stage'] as const)('in the chat of a %s channel', async (type) => {
    const h = await openJudged();
    const channel = await h.createChannel({ name: 'lounge', type });
    await expectReply(h, channel, await h.say(h.people.ana, channel, 'a topic'));
  });

  test.each([160006, 160007])('%i: there are too many', async (code) => {
    const h = await openJudged();
    h.failRequest(routes.open, { kind: 'error', status: 400, code, message: 'Maximum threads' });
    await expectReply(h, h.channel, await h.say(h.people.ana, h.channel, 'a topic'));
  });

  test('in direct messages', async () => {
    const h = await openJudged();
    const direct = h.directPlace(h.people.ana);
    await expectReply(h, direct, await h.say(h.people.ana, direct, 'a topic'));
  });

  test('160002: without Read Message History it stands alone', async () => {
    const h = await openJudged();
    await h.deny(h.channel, 'CREATE_PUBLIC_THREADS', 'READ_MESSAGE_HISTORY');
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    const message = await posted(h, { ...h.channel, thread: root.id });
    expect(h.raw(message)).not.toHaveProperty('message_reference.message_id');
  });

  test('it is not tried again with every message', async () => {
    const h = await openJudged();
    await h.deny(h.channel, 'CREATE_PUBLIC_THREADS');
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    await posted(h, { ...h.channel, thread: root.id }, partOf(h, '1'), 'key-1');
    await posted(h, { ...h.channel, thread: root.id }, partOf(h, '2'), 'key-2');
    expect(callsOf(h, routes.open)).toHaveLength(1);
    await h.allow(h.channel, 'CREATE_PUBLIC_THREADS');
    h.pass(600_000);
    expect(await posted(h, { ...h.channel, thread: root.id }, partOf(h, '3'), 'key-3')).toMatchObject({
      thread: root.id,
    });
  });
});

describe('C28: what becomes of a post in a thread that was closed', () => {
  test('archived: posting opens it again', async () => {
    const h = await openJudged();
    const { thread } = await opened(h);
    await h.archiveThread(thread);
    await posted(h, thread);
    expect(await textsIn(h, thread)).toEqual(['First', 'Hello']);
  });

  test('archived while the bot was away: it is known again after one question', async () => {
    const h = await openJudged();
    const { thread } = await opened(h);
    await h.archiveThread(thread);
    await h.restart();
    await posted(h, thread, partOf(h, 'Hello'), 'key-1');
    await posted(h, thread, partOf(h, 'Hello'), 'key-2');
    expect(await textsIn(h, thread)).toEqual(['First', 'Hello', 'Hello']);
    expect(callsOf(h, routes.open)).toHaveLength(2);
  });

  test('locked: refused with what to do', async () => {
    const h = await openJudged();
    const { thread } = await opened(h);
    await h.lockThread(thread);
    expect(await post(h, thread)).toEqual({ kind: 'refused', message: saying('moderator can unlock') });
    // It may stand beside it.
    expect(await h.chat.find(thread, 'key-1', 0)).toEqual({ kind: 'absent' });
  });

  test('archived and locked: refused', async () => {
    const h = await openJudged();
    const { thread } = await opened(h);
    await h.archiveThread(thread);
    await h.lockThread(thread);
    expect(await post(h, thread)).toEqual({ kind: 'refused', message: saying('archived') });
  });

  test('deleted, its first message still there: it is opened anew', async () => {
    const h = await openJudged();
    const { thread } = await opened(h);
    await h.deleteChannel(thread);
    await posted(h, thread);
    expect(await textsIn(h, thread)).toEqual(['Hello']);
  });

  test('deleted together with its first message: refused, and certainly not there', async () => {
    const h = await openJudged();
    const { root, thread } = await opened(h);
    await h.deleteChannel(thread);
    await h.deleteMessage(root);
    expect(await post(h, thread)).toMatchObject({ kind: 'refused' });
    expect(await h.chat.find(thread, 'first', 0)).toEqual({ kind: 'absent' });
  });

  test('the whole channel deleted: refused, and certainly not there', async () => {
    const h = await openJudged();
    const { thread } = await opened(h);
    await h.deleteChannel(h.channel);
    for (const place of [thread, h.channel]) {
      expect(await post(h, place)).toMatchObject({ kind: 'refused', message: saying('') });
      expect(await h.chat.find(place, 'first', 0)).toEqual({ kind: 'absent' });
    }
  });

  test('50001, the channel is hidden: refused with what to do, and nobody can tell what is there', async () => {
    const h = await openJudged();
    const { thread } = await opened(h);
    await h.deny(h.channel, 'VIEW_CHANNEL');
    for (const place of [thread, h.channel]) {
      expect(await post(h, place)).toEqual({ kind: 'refused', message: saying('View Channel') });
      expect(await h.chat.find(place, 'first', 0)).toMatchObject({ kind: 'unknowable' });
    }
  });

  test('the bot is put off the server: refused, and nobody can tell', async () => {
    const h = await openJudged();
    const { thread } = await opened(h);
    await h.removeBot(h.channel);
    expect(await post(h, thread)).toMatchObject({ kind: 'refused' });
    expect(await h.chat.find(thread, 'first', 0)).toMatchObject({ kind: 'unknowable' });
  });
});

describe('what is said in a private thread stays in it', () => {
  test('it is posted there and found there', async () => {
    const h = await openJudged();
    const thread = await h.openPrivateThread(h.people.ana, h.channel, 'secret');
    const message = await posted(h, thread);
    expect(message.thread).toBe(thread.thread);
    expect(await h.chat.find(thread, 'key-1', 0)).toMatchObject({ kind: 'found', message });
    expect(await textsIn(h, h.channel)).toEqual([]);
  });

  test.each([
    ['locked', async (h: DiscordHarness, thread: Place) => h.lockThread(thread)],
    [
      'archived and locked',
      async (h: DiscordHarness, thread: Place) => {
        await h.archiveThread(thread);
        await h.lockThread(thread);
      },
    ],
    ['left', async (h: DiscordHarness, thread: Place) => h.removeFromThread(thread)],
    [
      'left, and the bot has started anew',
      async (h: DiscordHarness, thread: Place) => {
        h.removeFromThread(thread);
        await h.restart();
      },
    ],
  ])('%s: what is for it waits and is not posted beside it', async (_, close) => {
    const h = await openJudged();
    const thread = await h.openPrivateThread(h.people.ana, h.channel, 'secret');
    await posted(h, thread, partOf(h, 'First'), 'first');
    await close(h, thread);
    expect(await post(h, thread)).toEqual({ kind: 'later', afterMs: 300_000 });
    expect(await textsIn(h, h.channel)).toEqual([]);
    expect(h.log.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  test('where the bot was put out of it, nobody can tell what is there', async () => {
    const h = await openJudged();
    const thread = await h.openPrivateThread(h.people.ana, h.channel, 'secret');
    await posted(h, thread);
    h.removeFromThread(thread);
    await h.restart();
    expect(await h.chat.find(thread, 'key-1', 0)).toMatchObject({ kind: 'unknowable' });
  });
});
