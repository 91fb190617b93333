import { describe, expect, test } from 'vitest';
import type { DiscordHarness } from './harness.ts';
import { callsOf, openJudged, partOf, posted, routes } from './judged.ts';

const find = (h: DiscordHarness, key = 'key-1', sinceMs = h.nowMs() - 60_000) =>
  h.chat.find(h.channel, key, sinceMs);

describe('looking a post up', () => {
  test('it is found behind many newer messages, page by page', async () => {
    const h = await openJudged();
    const message = await posted(h, h.channel);
    const typed = Array.from({ length: 230 }, () => ({
      person: h.people.ana,
      place: h.channel,
      text: 'newer',
    }));
    await h.burst(typed);
    const last = await posted(h, h.channel, partOf(h, 'Last'), 'last');
    expect(await find(h)).toMatchObject({ kind: 'found', message });
    expect(await find(h, 'last')).toMatchObject({ kind: 'found', message: last });
    expect(await find(h, 'none')).toEqual({ kind: 'absent' });
    expect(callsOf(h, routes.history).length).toBe(1 + 3 + 3);
  });

  test('what another bot, a webhook or Discord itself writes is not ours', async () => {
    const h = await openJudged();
    await h.sayAsBot(h.channel, 'Hello');
    await h.sayAsWebhook(h.channel, 'Hello');
    await h.system(h.people.ana, h.channel, 7);
    const root = await posted(h, h.channel, partOf(h, 'Root'), 'root');
    await h.openThread(h.people.ana, root, 'Talk');
    expect(await find(h)).toEqual({ kind: 'absent' });
    expect(await h.chat.find({ ...h.channel, thread: root.id }, 'key-1', 0)).toEqual({ kind: 'absent' });
  });

  test('trap 15: without Read Message History nobody can tell, and the sentence says what to do', async () => {
    const h = await openJudged();
    await posted(h, h.channel);
    await h.deny(h.channel, 'READ_MESSAGE_HISTORY');
    const unknowable = { kind: 'unknowable', message: expect.stringContaining('Read Message History') };
    expect(await find(h)).toEqual(unknowable);
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    const thread = await h.openThread(h.people.ana, root, 'Talk');
    expect(await h.chat.find(thread, 'key-1', 0)).toEqual(unknowable);
    await h.restart();
    expect(await find(h)).toEqual(unknowable);
    await h.allow(h.channel, 'READ_MESSAGE_HISTORY');
    expect(await find(h)).toMatchObject({ kind: 'found' });
  });

  test('trap 15: in the chat of a voice channel also without Connect', async () => {
    const h = await openJudged();
    const voice = await h.createChannel({ name: 'lounge', type: 'voice' });
    await posted(h, voice);
    expect(await h.chat.find(voice, 'key-1', 0)).toMatchObject({ kind: 'found' });
    await h.deny(voice, 'CONNECT');
    expect(await h.chat.find(voice, 'key-1', 0)).toMatchObject({ kind: 'unknowable' });
  });

  test('while a message of ours shows no mark, nobody can tell', async () => {
    const h = await openJudged();
    const bare = await h.say({ platform: 'discord', id: h.botId, name: 'flowbot' }, h.channel, 'from before');
    expect(await find(h)).toMatchObject({ kind: 'unknowable', message: expect.stringContaining('mark') });
    await h.deleteMessage(bare);
    expect(await find(h)).toEqual({ kind: 'absent' });
  });

  test('more than 4,000 newer messages are not looked through', async () => {
    const h = await openJudged();
    const page = Array.from({ length: 4_100 }, () => ({ person: h.people.ana, place: h.channel, text: 'x' }));
    await h.burst(page);
    await posted(h, h.channel);
    expect(await find(h)).toMatchObject({ kind: 'unknowable', message: expect.stringContaining('too many') });
    expect(callsOf(h, routes.history).length).toBeLessThanOrEqual(42);
  });

  test('a broken connection is tried again; for longer: later', async () => {
    const h = await openJudged();
    await posted(h, h.channel);
    h.failRequest(routes.history, { kind: 'reset' }, 2);
    expect(await find(h)).toMatchObject({ kind: 'found' });
    h.failRequest(routes.history, { kind: 'status', status: 502 }, 4);
    expect(await find(h)).toMatchObject({ kind: 'later' });
  });

  test('a long rate limit: later', async () => {
    const h = await openJudged();
    await posted(h, h.channel);
    h.failRequest(routes.history, { kind: '429', retryAfterS: 400 });
    expect(await find(h)).toMatchObject({ kind: 'later' });
  });
});
