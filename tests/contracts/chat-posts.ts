import { describe, expect, test } from 'vitest';
import type { MessageRef, Place } from '../../src/engine/people.ts';
import { md } from '../../src/engine/prose.ts';
import type { Part } from '../../src/ports/chat.ts';
import type { ChatHarness, ChatSkips } from './chat-harness.ts';
import { content, postOne } from './chat-posting.ts';

/** Posts, edits and look-ups, and what they say when the platform fails. */
export function postContract(harness: () => ChatHarness, skips: ChatSkips): void {
  const hello = content([md('Hello **all**')]);
  const partOf = (h: ChatHarness, text: string): Part => h.chat.render(content([md(text)]))[0] ?? null;

  describe('conversations', () => {
    test('a channel is found by its name in any case, and by its id', async () => {
      const h = harness();
      const found = await h.chat.conversation(h.address);
      expect(found).toEqual({ platform: h.chat.platform, id: h.channel.conversation, name: h.address });
      expect(await h.chat.conversation(h.address.toUpperCase())).toEqual(found);
      expect(await h.chat.conversation(h.channel.conversation)).toEqual(found);
    });

    test('a person is found for direct messages, by id', async () => {
      const h = harness();
      const direct = await h.chat.conversation(h.people.ana.id);
      expect(direct).toMatchObject({ platform: h.chat.platform });
      const place = { platform: h.chat.platform, conversation: direct?.id ?? '' };
      const message = await postOne(h, place, hello, 'key-1');
      expect(await h.messages(place)).toMatchObject([{ ref: message, text: 'Hello all' }]);
    });

    test.each(['#no-such-channel', '#', '', '@nobody', 'no/such'])('there is no %j', async (address) => {
      expect(await harness().chat.conversation(address)).toBeUndefined();
    });
  });

  describe('posts', () => {
    test('a post is seen in its channel, as ours', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, hello, 'key-1');
      expect(message).toMatchObject(h.channel);
      expect(await h.messages(h.channel)).toEqual([
        { ref: message, author: 'bot', text: 'Hello all', buttons: [], edited: false, files: [] },
      ]);
      expect(await h.messages(h.otherChannel)).toEqual([]);
    });

    test('a post in a thread is seen only there', async () => {
      const h = harness();
      const root = await h.say(h.people.ana, h.channel, 'a topic');
      const thread = { ...h.channel, thread: root.id };
      const message = await postOne(h, thread, hello, 'key-1');
      expect(message.thread).toBe(root.id);
      expect(await h.messages(thread)).toMatchObject([{ ref: message, text: 'Hello all' }]);
      expect(await h.messages(h.channel)).toHaveLength(1);
    });

    test('our own post can begin a thread', async () => {
      const h = harness();
      const root = await postOne(h, h.channel, hello, 'key-1');
      const thread = { ...h.channel, thread: root.id };
      const reply = await postOne(h, thread, hello, 'key-2');
      expect(await h.messages(thread)).toMatchObject([{ ref: reply }]);
    });

    test('an unknown conversation refuses with a sentence', async () => {
      const h = harness();
      const nowhere = { ...h.channel, conversation: 'nowhere' };
      expect(await h.chat.post(nowhere, partOf(h, 'x'), 'key-1')).toEqual(refused);
    });

    test('a thread whose first message is gone refuses', async (context) => {
      if (skips.deletedThread) context.skip(skips.deletedThread);
      const h = harness();
      const root = await h.say(h.people.ana, h.channel, 'a topic');
      await h.deleteMessage(root);
      const thread = { ...h.channel, thread: root.id };
      expect(await h.chat.post(thread, partOf(h, 'x'), 'key-1')).toEqual(refused);
    });
  });

  describe('edits', () => {
    test('an edit replaces text and buttons', async () => {
      const h = harness();
      const card = content([md('Publish?')], [{ id: 'q1:yes', label: 'Yes', style: 'primary' }]);
      const message = await postOne(h, h.channel, card, 'key-1');
      expect(await h.messages(h.channel)).toMatchObject([{ buttons: [{ id: 'q1:yes', label: 'Yes' }] }]);
      expect(await h.chat.edit(message, partOf(h, 'Published.'))).toEqual({ kind: 'edited' });
      expect(await h.messages(h.channel)).toMatchObject([
        { ref: message, text: 'Published.', buttons: [], edited: true },
      ]);
    });

    test('an edit can be repeated', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, hello, 'key-1');
      expect(await h.chat.edit(message, partOf(h, 'Twice.'))).toEqual({ kind: 'edited' });
      expect(await h.chat.edit(message, partOf(h, 'Twice.'))).toEqual({ kind: 'edited' });
      expect(await h.messages(h.channel)).toMatchObject([{ text: 'Twice.' }]);
    });

    test('a deleted message, and one that never was, are gone', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, hello, 'key-1');
      await h.deleteMessage(message);
      expect(await h.chat.edit(message, partOf(h, 'x'))).toEqual({ kind: 'gone' });
      expect(await h.messages(h.channel)).toEqual([]);
    });

    test("somebody else's message is refused", async () => {
      const h = harness();
      const message = await h.say(h.people.ana, h.channel, 'mine');
      expect(await h.chat.edit(message, partOf(h, 'x'))).toEqual(refused);
      expect(await h.messages(h.channel)).toMatchObject([{ text: 'mine' }]);
    });
  });

  describe('finding a post by its key', () => {
    const find = (h: ChatHarness, place: Place, key: string, sinceMs = 0) => h.chat.find(place, key, sinceMs);
    const found = (message: MessageRef) => expect.objectContaining({ kind: 'found', message });
    const absent = skips.absence ? expect.objectContaining({ kind: 'unknowable' }) : { kind: 'absent' };

    test('ours is found in its place, also after a restart', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, hello, 'key-1');
      expect(await find(h, h.channel, 'key-1')).toEqual(found(message));
      await h.restart();
      expect(await find(h, h.channel, 'key-1')).toEqual(found(message));
    });

    test('in a thread it is found in the thread', async () => {
      const h = harness();
      const root = await h.say(h.people.ana, h.channel, 'a topic');
      const thread = { ...h.channel, thread: root.id };
      const message = await postOne(h, thread, hello, 'key-1');
      expect(await find(h, thread, 'key-1')).toEqual(found(message));
    });

    test('it is found among many others, and after an edit', async () => {
      const h = harness();
      for (let n = 0; n < 30; n += 1) await postOne(h, h.channel, hello, `other-${n}`);
      const message = await postOne(h, h.channel, hello, 'key-1');
      for (let n = 30; n < 60; n += 1) await postOne(h, h.channel, hello, `other-${n}`);
      await h.chat.edit(message, partOf(h, 'changed'));
      expect(await find(h, h.channel, 'key-1')).toEqual(found(message));
    });

    test('another key, another place, an earlier time and a deleted post are absent', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, hello, 'key-1');
      h.pass(10_000);
      expect(await find(h, h.channel, 'key')).toEqual(absent);
      expect(await find(h, h.channel, 'key-12')).toEqual(absent);
      expect(await find(h, h.otherChannel, 'key-1')).toEqual(absent);
      expect(await find(h, h.channel, 'key-1', h.nowMs())).toEqual(absent);
      await h.deleteMessage(message);
      expect(await find(h, h.channel, 'key-1')).toEqual(absent);
    });

    test('the same key twice makes two messages: the caller looks first', async () => {
      const h = harness();
      const part = partOf(h, 'x');
      await h.chat.post(h.channel, part, 'key-1');
      h.pass(3_600_000);
      await h.chat.post(h.channel, part, 'key-1');
      expect(await h.messages(h.channel)).toHaveLength(2);
    });
  });

  describe('when the platform fails', () => {
    test('a refusal says why, and nothing is posted or changed', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, hello, 'key-1');
      h.failNext('refuse');
      expect(await h.chat.post(h.channel, partOf(h, 'x'), 'key-2')).toEqual(refused);
      h.failNext('refuse');
      expect(await h.chat.edit(message, partOf(h, 'x'))).toEqual(refused);
      expect(await h.messages(h.channel)).toMatchObject([{ text: 'Hello all', edited: false }]);
    });

    test('too many requests: later, with the time to wait, and no repeat by itself', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, hello, 'key-1');
      const later = { kind: 'later', afterMs: expect.any(Number) };
      h.failNext('later');
      expect(await h.chat.post(h.channel, partOf(h, 'x'), 'key-2')).toEqual(later);
      h.failNext('later');
      expect(await h.chat.edit(message, partOf(h, 'x'))).toEqual(later);
      expect(await h.messages(h.channel)).toHaveLength(1);
    });

    test('a lost answer is unknown, the message is there once, and a look-up finds it', async () => {
      const h = harness();
      h.failNext('lost-answer');
      expect(await h.chat.post(h.channel, partOf(h, 'x'), 'key-1')).toEqual(unknown);
      const [message, ...others] = await h.messages(h.channel);
      expect(others).toEqual([]);
      expect(await h.chat.find(h.channel, 'key-1', 0)).toMatchObject({
        kind: 'found',
        message: message?.ref,
      });
    });

    test('a broken connection is unknown, and a look-up finds nothing', async () => {
      const h = harness();
      h.failNext('reset');
      expect(await h.chat.post(h.channel, partOf(h, 'x'), 'key-1')).toEqual(unknown);
      expect(await h.messages(h.channel)).toEqual([]);
      const { kind } = await h.chat.find(h.channel, 'key-1', 0);
      expect(kind).toBe(skips.absence ? 'unknowable' : 'absent');
    });

    test.each(['lost-answer', 'reset'] as const)(
      'an edit with %s is unknown and can be repeated',
      async (fault) => {
        const h = harness();
        const message = await postOne(h, h.channel, hello, 'key-1');
        h.failNext(fault);
        expect(await h.chat.edit(message, partOf(h, 'x'))).toEqual(unknown);
        expect(await h.chat.edit(message, partOf(h, 'x'))).toEqual({ kind: 'edited' });
        expect(await h.messages(h.channel)).toMatchObject([{ text: 'x' }]);
      },
    );
  });
}

const sentence = expect.stringMatching(/\S.*[.!]$/s);
const refused = { kind: 'refused', message: sentence };
const unknown = { kind: 'unknown', message: sentence };
