import { beforeEach, describe, expect, test } from 'vitest';
import type { Person, Place } from '../../../src/engine/people.ts';
import type { DiscordHarness } from './harness.ts';
import { callsOf, routes } from './judged.ts';
import {
  hourMs,
  inThread,
  openPast,
  type PastHarness,
  type ReadBack,
  talk,
  texts,
  threadRoutes,
} from './past.ts';

let h: DiscordHarness;
let ana: Person;
let bo: Person;
let channel: Place;
let read: PastHarness['read'];
let requests: PastHarness['requests'];

beforeEach(async () => {
  ({ h, ana, bo, channel, read, requests } = await openPast());
});

describe('threads', () => {
  test('open and archived ones, with what they answer', async () => {
    const first = h.jot(ana, channel, 'first?');
    const second = h.jot(ana, channel, 'second?');
    h.jot(bo, inThread(first), 'one');
    h.jot(bo, inThread(second), 'two');
    await h.archiveThread(inThread(first));
    expect(talk(await read())).toEqual([
      ['first?', undefined],
      ['second?', undefined],
      ['one', 'first?'],
      ['two', 'second?'],
    ]);
  });

  test('what an older message is answered with comes with it', async () => {
    const first = h.jot(ana, channel, 'first?');
    const second = h.jot(bo, channel, 'second?');
    const idle = h.jot(bo, channel, 'idle');
    h.jot(ana, inThread(first), 'answered then');
    h.jot(ana, inThread(idle), 'answered then');
    h.pass(2 * hourMs);
    h.jot(bo, inThread(first), 'one');
    h.jot(bo, inThread(second), 'two');
    await h.archiveThread(inThread(second));
    const found = await read();
    expect(texts(found)).toEqual(['older: first?', 'older: second?', 'one', 'two']);
    expect(talk(found).slice(2)).toEqual([
      ['one', 'first?'],
      ['two', 'second?'],
    ]);
  });

  test('a long thread of an older message is read as far as needed', async () => {
    const parent = h.jot(ana, channel, 'long?');
    for (let count = 0; count < 100; count += 1) h.jot(bo, channel, 'then');
    for (let count = 0; count < 250; count += 1) h.jot(bo, inThread(parent), 'then');
    h.pass(2 * hourMs);
    for (let count = 0; count < 120; count += 1) h.jot(bo, inThread(parent), 'now');
    let found: ReadBack | undefined;
    // Two pages of it, and its beginning.
    expect(
      await requests(async () => {
        found = await read();
      }),
    ).toBe(4 + 2 + 1);
    expect(found?.messages).toHaveLength(121);
    expect(found?.messages[0]).toMatchObject({ text: 'long?', isOlder: true });
    expect(found?.messages.slice(1).every(({ text, thread }) => text === 'now' && thread === parent.id)).toBe(
      true,
    );
  });

  test('one that was not opened from a message is about its first one', async () => {
    const thread = await h.openBareThread(ana, channel, 'Lunch');
    const first = h.jot(ana, thread, 'Where do we eat?');
    h.jot(bo, thread, 'At home');
    expect(talk(await read())).toEqual([
      ['Where do we eat?', undefined],
      ['At home', 'Where do we eat?'],
    ]);
    h.pass(2 * hourMs);
    h.jot(bo, thread, 'Outside');
    const later = await read();
    expect(texts(later)).toEqual(['older: Where do we eat?', 'Outside']);
    expect(later.messages[1]?.thread).toBe(first.id);
  });

  test('answers to a message that was deleted stay, the message does not', async () => {
    const parent = h.jot(ana, channel, 'parent');
    h.jot(bo, inThread(parent), 'answer');
    await h.deleteMessage(parent);
    expect(texts(await read())).toEqual(['answer']);
    h.pass(2 * hourMs);
    h.jot(bo, inThread(parent), 'another');
    const { messages } = await read();
    expect(messages).toMatchObject([{ text: 'another', thread: parent.id }]);
  });

  test('answers to a bot count, the bot does not', async () => {
    const alert = await h.sayAsBot(channel, 'The disk is full');
    h.pass(2 * hourMs);
    h.jot(bo, inThread(alert), 'I have a look');
    expect(texts(await read())).toEqual(['I have a look']);
  });

  test('private ones are left out: not everybody in the channel reads them', async () => {
    const secret = await h.openPrivateThread(ana, channel, 'About Cy');
    h.jot(ana, secret, 'between us');
    const archivedOne = await h.openPrivateThread(ana, channel, 'About Bo');
    h.jot(ana, archivedOne, 'between us too');
    await h.archiveThread(archivedOne);
    expect(texts(await read())).toEqual([]);
    const itself = await h.chat.conversation(secret.thread ?? '');
    expect(texts(await read({}, { ...secret, conversation: itself?.id ?? '' }))).toEqual(['between us']);
  });

  test('those of other channels are not read', async () => {
    h.jot(bo, inThread(h.jot(ana, h.otherChannel, 'elsewhere')), 'there');
    expect(texts(await read())).toEqual([]);
    expect(callsOf(h, routes.history)).toHaveLength(1);
  });

  test('one that is deleted while it is read is left out', async () => {
    const parent = h.jot(ana, channel, 'parent');
    h.jot(bo, inThread(parent), 'answer');
    const gate = Promise.withResolvers<void>();
    h.failRequest(threadRoutes.active, { kind: 'late', release: gate.promise });
    const reading = read();
    await h.until(() => callsOf(h, threadRoutes.active).length > 0);
    const deleted = h.deleteChannel(inThread(parent));
    gate.resolve();
    await deleted;
    expect(texts(await reading)).toEqual(['parent']);
    expect(callsOf(h, routes.history).map(({ code }) => code)).toEqual([undefined, 10003]);
  });

  test('hundreds of archived ones are looked through as far as they are new', async () => {
    const places: Place[] = [];
    for (let count = 0; count < 230; count += 1) {
      const parent = h.jot(ana, channel, `q${count}`);
      h.jot(bo, inThread(parent), `a${count}`);
      places.push(inThread(parent));
    }
    for (const [index, place] of places.entries()) {
      if (index === 40) h.pass(2 * hourMs);
      h.pass(1);
      await h.archiveThread(place);
    }
    // Written in before they were archived, so there is nothing new in them.
    expect(texts(await read())).toEqual([]);
    expect(callsOf(h, threadRoutes.archived)).toHaveLength(2);
  });
});

describe('replies', () => {
  test('answer the message that they show', async () => {
    const asked = h.jot(ana, channel, 'How late is it?');
    const first = await h.reply(bo, asked, 'Four');
    await h.reply(ana, first, 'Thanks');
    expect(talk(await read())).toEqual([
      ['How late is it?', undefined],
      ['Four', 'How late is it?'],
      ['Thanks', 'Four'],
    ]);
  });

  test('also an older one, without another request; one that was deleted, or of a bot, is not there', async () => {
    const asked = h.jot(ana, channel, 'How late is it?');
    const gone = h.jot(ana, channel, 'Gone');
    const alert = await h.sayAsBot(channel, 'Alert');
    h.pass(2 * hourMs);
    await h.reply(bo, asked, 'Four');
    await h.reply(bo, gone, 'What?');
    await h.reply(bo, alert, 'On it');
    await h.deleteMessage(gone);
    expect(await requests(read)).toBe(4);
    const found = await read();
    expect(texts(found)).toEqual(['older: How late is it?', 'Four', 'What?', 'On it']);
    expect(found.messages.map(({ thread }) => thread)).toEqual([undefined, asked.id, gone.id, alert.id]);
  });

  test('in a thread they are answers of the thread', async () => {
    const asked = h.jot(ana, channel, 'How late is it?');
    const answer = h.jot(bo, inThread(asked), 'Four');
    await h.reply(ana, answer, 'Thanks');
    expect(talk(await read()).slice(1)).toEqual([
      ['Four', 'How late is it?'],
      ['Thanks', 'How late is it?'],
    ]);
  });

  test('where Discord does not say what a message answers, that is asked for', async () => {
    const asked = h.jot(ana, channel, 'How late is it?');
    h.pass(2 * hourMs);
    const reference = { type: 0, message_id: asked.id, channel_id: asked.conversation };
    h.jot(bo, channel, 'Four', { type: 19, message_reference: reference, referenced_message: undefined });
    expect(texts(await read())).toEqual(['older: How late is it?', 'Four']);
  });
});

describe('a forum', () => {
  test('its posts are messages with their titles, what else stands in them answers them', async () => {
    const forum = await h.createForum({ name: 'ideas' });
    const post = await h.forumPost(ana, forum, 'Dark mode?', 'My eyes hurt.');
    const other = await h.forumPost(bo, forum, 'Archive', 'Old one.');
    h.jot(bo, post, 'Soon');
    h.jot(bo, other, 'Nobody?');
    await h.archiveThread(other);
    const found = await read({}, forum);
    expect(talk(found)).toEqual([
      ['Dark mode?\n\nMy eyes hurt.', undefined],
      ['Archive\n\nOld one.', undefined],
      ['Soon', 'Dark mode?\n\nMy eyes hurt.'],
      ['Nobody?', 'Archive\n\nOld one.'],
    ]);
    expect(found.messages[2]?.url).toBe(
      `https://discord.com/channels/${h.guildId}/${post.thread}/${found.messages[2]?.id}`,
    );
    h.pass(2 * hourMs);
    h.jot(ana, post, 'Thanks');
    expect(texts(await read({}, forum))).toEqual(['older: Dark mode?\n\nMy eyes hurt.', 'Thanks']);
  });

  test('an answer to a post that was deleted stays', async () => {
    const forum = await h.createForum({ name: 'ideas' });
    const post = await h.forumPost(ana, forum, 'Dark mode', 'My eyes hurt.');
    h.jot(bo, post, 'Soon');
    await h.deleteMessage({ ...post, id: post.thread ?? '' });
    expect((await read({}, forum)).messages).toMatchObject([{ text: 'Soon', thread: post.thread }]);
  });
});
