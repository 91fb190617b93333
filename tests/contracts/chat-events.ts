import { describe, expect, test } from 'vitest';
import type { MessageRef } from '../../src/engine/people.ts';
import type { Form } from '../../src/engine/post.ts';
import { md } from '../../src/engine/prose.ts';
import type { ChatHarness, ChatSkips } from './chat-harness.ts';
import { content, postOne } from './chat-posting.ts';

const form: Form = {
  id: 'form:1',
  title: 'Why not?',
  submitLabel: 'Send',
  fields: [{ id: 'reason', label: 'Reason', type: 'multiline', required: true }],
};

/** What people do reaches the bot, once, as they did it. */
export function eventContract(harness: () => ChatHarness, skips: ChatSkips): void {
  describe('what people type', () => {
    test('a message arrives with who, where and what', async () => {
      const h = harness();
      const message = await h.say(h.people.ana, h.channel, 'good morning');
      expect(h.inbox.taken).toEqual([
        {
          type: 'message',
          id: expect.any(String),
          atMs: expect.any(Number),
          person: h.people.ana,
          message,
          text: 'good morning',
          toBot: false,
          files: [],
        },
      ]);
      expect(message).toMatchObject(h.channel);
    });

    test.each([
      'a < b && b > c',
      '&lt;b&gt; &amp; &amp;lt;',
      '“quoted” – dashes… and 👩‍👩‍👧‍👦',
      'first line\nsecond line',
      '!release version=1.2 `code` *stars* _lines_ ~waves~',
      'mail ana@example.com about https://example.com/?a=1&b=2',
    ])('the text arrives as it was typed: %j', async (text) => {
      const h = harness();
      await h.say(h.people.ana, h.channel, text);
      expect(h.inbox.taken).toMatchObject([{ text }]);
    });

    test('a reply in a thread says which thread', async () => {
      const h = harness();
      const root = await h.say(h.people.ana, h.channel, 'a topic');
      const reply = await h.say(h.people.bo, { ...h.channel, thread: root.id }, 'about it');
      expect(reply.thread).toBe(root.id);
      expect(h.inbox.taken[1]).toMatchObject({ person: h.people.bo, message: reply, text: 'about it' });
    });

    test('a leading mention of the bot is told and taken off; elsewhere it is text', async () => {
      const h = harness();
      await h.say(h.people.ana, h.channel, '@flowbot release now');
      await h.say(h.people.ana, h.channel, 'ask flowbot');
      expect(h.inbox.taken).toMatchObject([
        { text: 'release now', toBot: true },
        { text: 'ask flowbot', toBot: false },
      ]);
    });

    test('the chat command arrives as a command and not as a message', async () => {
      const h = harness();
      await h.command(h.people.ana, h.channel, 'run release version=1');
      expect(h.inbox.taken).toMatchObject([
        { type: 'command', person: h.people.ana, place: h.channel, text: 'run release version=1' },
      ]);
      expect(await h.messages(h.channel)).toEqual([]);
    });

    test('C16: edits, other bots and our own posts never arrive', async () => {
      const h = harness();
      const message = await h.say(h.people.ana, h.channel, '@flowbot run report');
      await h.editAs(h.people.ana, message, '@flowbot run reports');
      await h.sayAsBot(h.channel, '@flowbot run report');
      await postOne(h, h.channel, content([md('@flowbot run report')]), 'key-1');
      await h.deleteMessage(message);
      await h.say(h.people.bo, h.channel, 'the end');
      expect(h.inbox.taken).toMatchObject([{ text: 'run report' }, { text: 'the end' }]);
    });
  });

  describe('buttons and forms', () => {
    const card = content([md('Publish?')], [{ id: 'q1:approve', label: 'Approve', style: 'primary' }]);

    test('a click arrives with the message and the id of the button', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, card, 'key-1');
      await h.click(h.people.bo, message, 'q1:approve');
      expect(h.inbox.taken).toMatchObject([
        { type: 'click', person: h.people.bo, message, button: 'q1:approve' },
      ]);
    });

    test('a click on an old card, whose button is gone, arrives too', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, card, 'key-1');
      const [part] = h.chat.render(content([md('Published.')]));
      await h.chat.edit(message, part ?? null);
      await h.click(h.people.bo, message, 'q1:approve');
      expect(h.inbox.taken).toMatchObject([{ type: 'click', message, button: 'q1:approve' }]);
    });

    test('C20: a form opens at once from the click, only for who clicked', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, card, 'key-1');
      h.inbox.openOnClick(form);
      await h.click(h.people.ana, message, 'q1:approve');
      expect(await h.form(h.people.ana)).toEqual({
        id: 'form:1',
        title: 'Why not?',
        fields: [{ id: 'reason', label: 'Reason', required: true }],
        errors: {},
      });
      expect(await h.form(h.people.bo)).toBeUndefined();
      expect(h.inbox.taken).toEqual([]);
    });

    test('an answer can be a form as well', async () => {
      const h = harness();
      h.inbox.answerNext({ kind: 'form', form });
      await h.command(h.people.ana, h.channel, 'run release');
      expect(await h.form(h.people.ana)).toMatchObject({ id: 'form:1' });
    });

    test('C10: long words of a form are shortened by whole visible characters', async () => {
      const h = harness();
      const long = '👩‍👩‍👧‍👦'.repeat(300);
      const field = { id: 'a', label: long, type: 'text', required: false, hint: long } as const;
      h.inbox.answerNext({
        kind: 'form',
        form: { ...form, title: long, submitLabel: long, fields: [field] },
      });
      await h.command(h.people.ana, h.channel, 'run release');
      const seen = await h.form(h.people.ana);
      for (const words of [seen?.title, seen?.fields[0]?.label]) {
        expect(words).toMatch(/^(👩‍👩‍👧‍👦)+…$/u);
      }
    });

    test('a submission arrives with its values as typed, and the form closes', async () => {
      const h = harness();
      h.inbox.answerNext({ kind: 'form', form });
      await h.command(h.people.ana, h.channel, 'run release');
      await h.submit(h.people.ana, h.channel, 'form:1', { reason: 'a < b & <!channel>\nnext' });
      expect(h.inbox.taken[1]).toMatchObject({
        type: 'submit',
        person: h.people.ana,
        place: h.channel,
        form: 'form:1',
        values: { reason: 'a < b & <!channel>\nnext' },
      });
      expect(await h.form(h.people.ana)).toBeUndefined();
    });

    test('what is wrong with a submission reaches the person, and nobody else', async () => {
      const h = harness();
      h.inbox.answerNext({ kind: 'form', form });
      await h.command(h.people.ana, h.channel, 'run release');
      h.inbox.answerNext({ kind: 'errors', errors: { reason: 'Say which one.' } });
      await h.submit(h.people.ana, h.channel, 'form:1', { reason: 'it' });
      const told = async (person: typeof h.people.ana) => [
        ...Object.values((await h.form(person))?.errors ?? {}),
        ...(await h.privates(person)).map(({ text }) => text),
      ];
      expect((await told(h.people.ana)).join('\n')).toContain('Say which one.');
      expect(await told(h.people.bo)).toEqual([]);
      expect(await h.messages(h.channel)).toEqual([]);
    });

    test('a private answer is seen by nobody else', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, card, 'key-1');
      h.inbox.answerNext({ kind: 'private', content: content([md('Only **Bo** may approve.')]) });
      await h.click(h.people.ana, message, 'q1:approve');
      expect(await h.privates(h.people.ana)).toEqual([
        { text: 'Only Bo may approve.', buttons: [], files: [] },
      ]);
      expect(await h.privates(h.people.bo)).toEqual([]);
      expect(await h.messages(h.channel)).toHaveLength(1);
    });
  });

  describe('messages that people delete', () => {
    test('of the bot are told, in channels, threads and direct messages alike, each once', async () => {
      const h = harness();
      const root = await h.say(h.people.ana, h.channel, 'a topic');
      const direct = await h.chat.conversation(h.people.ana.id);
      const places = [
        h.channel,
        { ...h.channel, thread: root.id },
        { platform: h.chat.platform, conversation: direct?.id ?? '' },
      ];
      const posted: MessageRef[] = [];
      for (const [nth, place] of places.entries()) {
        posted.push(await postOne(h, place, content([md('Publish?')]), `key-${nth}`));
      }
      for (const message of posted) await h.deleteMessage(message);
      expect(h.inbox.gone).toEqual(posted);
    });

    test('are told when answers to them stay', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, content([md('Publish?')]), 'key-1');
      await h.say(h.people.ana, { ...h.channel, thread: message.id }, 'why?');
      await h.deleteMessage(message);
      expect(h.inbox.gone).toEqual([message]);
    });

    test('are not told when they are only edited', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, content([md('Publish?')]), 'key-1');
      const [part] = h.chat.render(content([md('Published.')]));
      await h.chat.edit(message, part ?? null);
      await h.say(h.people.ana, h.channel, 'the end');
      expect(h.inbox.gone).toEqual([]);
    });

    test('change nothing of what is taken, and a stopped bot is not told', async () => {
      const h = harness();
      const message = await postOne(h, h.channel, content([md('Publish?')]), 'key-1');
      await h.chat.stop();
      await h.deleteMessage(message);
      expect(h.inbox.gone).toEqual([]);
      expect(h.inbox.taken).toEqual([]);
    });
  });

  describe('delivery', () => {
    test('an event that is delivered again has the same id, another event another one', async () => {
      const h = harness();
      await h.say(h.people.ana, h.channel, 'once');
      await h.redeliver();
      await h.inbox.until(2);
      await h.say(h.people.ana, h.channel, 'once');
      await h.inbox.until(3);
      const [first, again, other] = h.inbox.taken;
      expect(again).toEqual(first);
      expect(other?.id).not.toBe(first?.id);
    });

    test('what could not be stored is delivered again later', async () => {
      const h = harness();
      h.inbox.refuseNext(1);
      await h.say(h.people.ana, h.channel, 'do not lose this');
      expect(h.inbox.taken).toEqual([]);
      await h.retry();
      await h.inbox.until(1);
      expect(h.inbox.taken).toMatchObject([{ text: 'do not lose this' }]);
    });

    test('what could not be stored before the bot died is delivered when it is back', async (context) => {
      if (skips.missedEvents) context.skip(skips.missedEvents);
      const h = harness();
      h.inbox.refuseNext(1);
      await h.say(h.people.ana, h.channel, 'do not lose this');
      await h.restart();
      await h.inbox.until(1);
      expect(h.inbox.taken).toMatchObject([{ text: 'do not lose this' }]);
    });

    test('a stopped bot is given nothing', async () => {
      const h = harness();
      await h.chat.stop();
      await h.chat.stop();
      await h.say(h.people.ana, h.channel, 'anybody there?');
      await h.retry();
      expect(h.inbox.taken).toEqual([]);
    });

    test('what happened while the bot was away comes when it is back, in order', async (context) => {
      if (skips.missedEvents) context.skip(skips.missedEvents);
      const h = harness();
      await h.chat.stop();
      await h.say(h.people.ana, h.channel, 'first');
      await h.say(h.people.bo, h.channel, 'second');
      await h.restart();
      await h.inbox.until(2);
      // Repeats have the same id and change nothing.
      const distinct = new Map(h.inbox.taken.map((event) => [event.id, event]));
      expect([...distinct.values()]).toMatchObject([{ text: 'first' }, { text: 'second' }]);
    });
  });
}
