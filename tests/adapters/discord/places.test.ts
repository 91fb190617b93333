import { describe, expect, test } from 'vitest';
import { callsOf, openJudged, partOf, posted, routes, saying, textsIn } from './judged.ts';

describe('conversations by their addresses', () => {
  test.each([
    ['300000000000000001', '#general'],
    ['#general', '#general'],
    ['#GENERAL', '#general'],
    ['Flowbot test/#general', '#general'],
    ['200000000000000001/#general', '#general'],
    ['@ana', '@Ana'],
    ['400000000000000001', '@Ana'],
  ])('%s is %s', async (address, name) => {
    const h = await openJudged();
    expect(await h.chat.conversation(address)).toMatchObject({ platform: 'discord', name });
  });

  test.each([
    '#nowhere',
    'Other/#general',
    '399999999999999999',
    '@nobody',
    '',
    '#',
    '@',
    'a b',
    '../x',
    '1',
  ])('%j is none', async (address) => {
    const h = await openJudged();
    expect(await h.chat.conversation(address)).toBeUndefined();
  });

  test('a name that two channels have is none until the server is named', async () => {
    const h = await openJudged();
    const there = await h.createGuild('Second');
    expect(await h.chat.conversation('#general')).toBeUndefined();
    expect(await h.chat.conversation('second/#general')).toEqual({
      platform: 'discord',
      id: there.conversation,
      name: 'Second/#general',
    });
  });

  test('a thread by its id', async () => {
    const h = await openJudged();
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    await h.openThread(h.people.ana, root, 'Talk');
    expect(await h.chat.conversation(root.id)).toMatchObject({ id: root.id, name: '#Talk' });
    const place = { platform: 'discord', conversation: root.id };
    const message = await posted(h, place);
    expect(await textsIn(h, { ...h.channel, thread: root.id })).toEqual(['Hello']);
    expect(await h.chat.find(place, 'key-1', 0)).toMatchObject({ kind: 'found', message });
    expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({ kind: 'edited' });
  });
});

describe('what can be posted in', () => {
  test.each(['text', 'announcement', 'voice', 'stage'] as const)('a %s channel', async (type) => {
    const h = await openJudged();
    const place = await h.createChannel({ name: 'place', type });
    expect(await h.chat.conversation('#place')).toMatchObject({ id: place.conversation });
    const message = await posted(h, place);
    expect(await h.chat.find(place, 'key-1', 0)).toMatchObject({ kind: 'found', message });
    expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({ kind: 'edited' });
  });

  test('an announcement is answered in its thread', async () => {
    const h = await openJudged();
    const place = await h.createChannel({ name: 'news', type: 'announcement' });
    const root = await posted(h, place, partOf(h, 'News'), 'root');
    expect(await posted(h, { ...place, thread: root.id })).toMatchObject({ thread: root.id });
  });

  test('not a category', async () => {
    const h = await openJudged();
    const { conversation } = await h.createChannel({ name: 'place', type: 'category' });
    expect(await h.chat.conversation('#place')).toBeUndefined();
    expect(await h.chat.conversation(conversation)).toBeUndefined();
    expect(await h.chat.post({ platform: 'discord', conversation }, partOf(h, 'x'), 'key')).toEqual({
      kind: 'refused',
      message: saying('takes no messages'),
    });
    expect(callsOf(h, routes.post)).toHaveLength(1);
  });

  test('not a voice channel that the bot may not enter', async () => {
    const h = await openJudged();
    const place = await h.createChannel({ name: 'place', type: 'voice', deny: ['CONNECT'] });
    expect(await h.chat.conversation('#place')).toBeUndefined();
    expect(await h.chat.post(place, partOf(h, 'x'), 'key')).toEqual({
      kind: 'refused',
      message: saying('Connect'),
    });
  });
});
