import { describe, expect, test } from 'vitest';
import type { Place } from '../../../src/engine/people.ts';
import { md } from '../../../src/engine/prose.ts';
import type { RequestFault } from '../../fakes/discord/faults.ts';
import type { DiscordHarness } from './harness.ts';
import { callsOf, openJudged, partOf, posted, routes, saying, textsIn } from './judged.ts';

const archived = 'GET /channels/:channel/threads/archived/public';

const namesIn = (h: DiscordHarness, forum: Place) => h.threadsOf(forum).map(({ name }) => name);

describe('a post in a forum', () => {
  test('opens a thread whose first message it is, named by its first words', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    const part = partOf(h, '**Release 2** is out\n\nMore.', { notify: [h.people.ana.id] });
    const message = await posted(h, forum, part, 'post#0');
    expect(message).toEqual({ ...forum, thread: message.id, id: message.id });
    expect(namesIn(h, forum)).toEqual(['Release 2 is out']);
    expect(await textsIn(h, { ...forum, thread: message.id })).toEqual(['Release 2 is out\n\nMore.']);
    expect(await h.notified(message)).toEqual([h.people.ana.id]);
    expect(callsOf(h, routes.forumPost)[0]?.body).toMatchObject({
      message: { allowed_mentions: { parse: [], users: [h.people.ana.id], roles: [], replied_user: false } },
    });
  });

  test('of several messages is one thread, in order, each found again', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    const parts = h.chat.render({ prose: [md('word '.repeat(2_000))], buttons: [], notify: [] });
    const messages = [];
    for (const [index, part] of parts.entries()) messages.push(await posted(h, forum, part, `post#${index}`));
    expect(parts.length).toBe(3);
    expect(new Set(messages.map(({ thread }) => thread)).size).toBe(1);
    await h.restart();
    for (const [index, message] of messages.entries()) {
      expect(await h.chat.find(forum, `post#${index}`, 0)).toMatchObject({ kind: 'found', message });
    }
    expect(await h.chat.find(forum, 'post#3', 0)).toEqual({ kind: 'absent' });
    expect(await h.chat.find(forum, 'other#0', 0)).toEqual({ kind: 'absent' });
    expect(await h.chat.find(forum, 'other#1', 0)).toEqual({ kind: 'absent' });
  });

  test('trap 3: what follows after a restart stands in the same thread', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    const first = await posted(h, forum, partOf(h, 'One'), 'post#0');
    await h.restart();
    expect(await posted(h, forum, partOf(h, 'Two'), 'post#1')).toMatchObject({ thread: first.id });
    expect(namesIn(h, forum)).toEqual(['One']);
  });

  test('C28: what follows stands in the same thread also when it is archived', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    const first = await posted(h, forum, partOf(h, 'One'), 'post#0');
    await h.archiveThread({ ...forum, thread: first.id });
    await h.restart();
    expect(await posted(h, forum, partOf(h, 'Two'), 'post#1')).toMatchObject({ thread: first.id });
    expect(await textsIn(h, { ...forum, thread: first.id })).toEqual(['One', 'Two']);
  });

  test('is changed, answered and archived like any other thread', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    const first = await posted(h, forum, partOf(h, 'One'), 'post#0');
    const thread = { ...forum, thread: first.id };
    await posted(h, thread, partOf(h, 'Answer'), 'answer#0');
    await h.archiveThread(thread);
    expect(await h.chat.edit(first, partOf(h, 'Changed'))).toEqual({ kind: 'edited' });
    expect(await textsIn(h, thread)).toEqual(['Changed', 'Answer']);
    await h.deleteChannel(thread);
    expect(await h.chat.edit(first, partOf(h, 'x'))).toEqual({ kind: 'gone' });
    expect(await h.chat.post(thread, partOf(h, 'x'), 'x#0')).toMatchObject({ kind: 'refused' });
  });

  test('of somebody else is answered in it', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    const thread = await h.forumPost(h.people.ana, forum, 'An idea', 'What if');
    await h.archiveThread(thread);
    await h.restart();
    await posted(h, thread);
    expect(await textsIn(h, thread)).toEqual(['What if', 'Hello']);
  });

  test('that is a picture has the picture as its first message', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    const file = { name: 'chart.png', mediaType: 'image/png', alt: 'A chart', data: 'iVBORw0KGgo=' };
    const [part = null] = h.chat.render({ prose: [], buttons: [], notify: [], files: [file] });
    const message = await posted(h, forum, part, 'post#0');
    expect(namesIn(h, forum)).toEqual(['chart.png']);
    expect(await h.messages({ ...forum, thread: message.id })).toMatchObject([
      { files: [{ name: 'chart.png', alt: 'A chart' }] },
    ]);
  });
});

describe('tags', () => {
  test.each([
    ['the one called flowbot', ['bug', 'Flowbot'], false, ['Flowbot']],
    ['the one called flowbot, where one is required', ['bug', 'flowbot'], true, ['flowbot']],
    ['none where none is required', ['bug'], false, []],
    ['the first where one is required', ['bug', 'idea'], true, ['bug']],
    ['none that only moderators may set', ['!flowbot', '!bug', 'idea'], true, ['idea']],
    ['none where moderators set them', ['!flowbot'], false, []],
  ])('%s', async (_, tags, requiresTag, used) => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas', tags, requiresTag });
    await posted(h, forum, partOf(h, 'One'), 'post#0');
    expect(h.threadsOf(forum)).toMatchObject([{ tags: used }]);
  });

  test('40067: where one is required and none may be set, the sentence says so', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas', tags: ['!bug'], requiresTag: true });
    expect(await h.chat.post(forum, partOf(h, 'One'), 'post#0')).toEqual({
      kind: 'refused',
      message: saying('tag'),
    });
  });
});

describe('trap 2: the answer to a post in a forum is lost', () => {
  const lost: readonly [string, RequestFault, number][] = [
    ['before it is done', { kind: 'reset' }, 0],
    ['after it is done', { kind: 'lost' }, 1],
    ['with a 500 although it is done', { kind: 'status', status: 500, isDone: true }, 1],
  ];
  const since = (h: DiscordHarness) => h.nowMs() - 60_000;

  test.each(lost)('%s', async (_, fault, shown) => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    h.failRequest(routes.forumPost, fault);
    expect(await h.chat.post(forum, partOf(h, 'One'), 'post#0')).toMatchObject({ kind: 'unknown' });
    expect(callsOf(h, routes.forumPost)).toHaveLength(1);
    expect((await h.chat.find(forum, 'post#0', since(h))).kind).toBe(shown === 1 ? 'found' : 'absent');
  });

  test('and the thread was archived before anybody looks: it is found', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    h.failRequest(routes.forumPost, { kind: 'lost' });
    const sinceMs = since(h);
    await h.chat.post(forum, partOf(h, 'One'), 'post#0');
    const thread = onlyThread(h, forum);
    h.pass(4 * 86_400_000);
    await h.archiveThread(thread);
    await h.restart();
    expect(await h.chat.find(forum, 'post#0', sinceMs)).toMatchObject({ kind: 'found', message: thread });
  });

  test('and it was deleted: absent', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    h.failRequest(routes.forumPost, { kind: 'lost' });
    await h.chat.post(forum, partOf(h, 'One'), 'post#0');
    await h.deleteChannel(onlyThread(h, forum));
    expect(await h.chat.find(forum, 'post#0', since(h))).toEqual({ kind: 'absent' });
  });

  test('trap 15: and the bot may not read there: nobody can tell', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    h.failRequest(routes.forumPost, { kind: 'lost' });
    await h.chat.post(forum, partOf(h, 'One'), 'post#0');
    await h.deny(forum, 'READ_MESSAGE_HISTORY');
    expect(await h.chat.find(forum, 'post#0', since(h))).toMatchObject({ kind: 'unknowable' });
    // What follows stands in a thread of its own, which is better than nothing.
    await h.restart();
    expect(await h.chat.post(forum, partOf(h, 'Two'), 'post#1')).toMatchObject({ kind: 'posted' });
  });

  test('archived threads are looked through page by page, no further back than needed', async () => {
    const h = await openJudged();
    const forum = await h.createForum({ name: 'ideas' });
    for (let count = 0; count < 120; count += 1) {
      const thread = await h.forumPost(h.people.ana, forum, `Old ${count}`, 'x');
      await h.archiveThread(thread);
      h.pass(10);
    }
    h.pass(600_000);
    expect(await h.chat.find(forum, 'post#0', since(h))).toEqual({ kind: 'absent' });
    expect(callsOf(h, archived)).toHaveLength(1);
    expect(await h.chat.find(forum, 'post#0', 0)).toEqual({ kind: 'absent' });
    expect(callsOf(h, archived)).toHaveLength(3);
  });

  function onlyThread(h: DiscordHarness, forum: Place): Place {
    const [only] = h.threadsOf(forum);
    if (!only) throw new Error('there is no thread');
    return only.place;
  }
});
