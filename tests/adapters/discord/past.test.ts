import { beforeEach, describe, expect, test } from 'vitest';
import type { Person, Place } from '../../../src/engine/people.ts';
import type { DiscordHarness } from './harness.ts';
import { callsOf, routes, saying } from './judged.ts';
import { hourMs, inThread, openPast, type PastHarness, type ReadBack, texts, threadRoutes } from './past.ts';

let h: DiscordHarness;
let ana: Person;
let bo: Person;
let channel: Place;
let attempt: PastHarness['attempt'];
let read: PastHarness['read'];
let requests: PastHarness['requests'];

beforeEach(async () => {
  ({ h, ana, bo, channel, attempt, read, requests } = await openPast());
});

describe('the time that is asked for', () => {
  test('begins with its first millisecond and ends before its last', async () => {
    const sinceMs = h.nowMs() + 10;
    for (const [passMs, text] of [
      [9, 'too early'],
      [1, 'first'],
      [9, 'last'],
      [1, 'too late'],
    ] as const) {
      h.pass(passMs);
      h.jot(ana, channel, text);
      h.jot(bo, channel, text);
    }
    const { messages } = await read({ sinceMs, untilMs: sinceMs + 10 });
    expect(messages.map(({ text, atMs }) => [text, atMs - sinceMs])).toEqual([
      ['first', 0],
      ['first', 0],
      ['last', 9],
      ['last', 9],
    ]);
  });

  test('two windows that follow each other have every message once, answers too', async () => {
    const startMs = h.nowMs();
    const written: string[] = [];
    const parent = h.jot(ana, channel, 'm');
    written.push(parent.id);
    for (let count = 0; count < 20; count += 1) {
      written.push(h.jot(bo, count % 2 ? channel : inThread(parent), `m${count}`).id);
      if (count % 3 === 0) h.pass(1);
    }
    // Reading takes time too.
    const endMs = h.nowMs();
    for (let midMs = startMs; midMs <= endMs; midMs += 1) {
      const before = await read({ sinceMs: startMs, untilMs: midMs });
      const after = await read({ sinceMs: midMs });
      const ids = [...before.messages, ...after.messages].filter((one) => !one.isOlder).map(({ id }) => id);
      expect(ids).toEqual(written);
    }
  });

  test.each([
    [0, 0],
    [-5, 1],
    [0, 9_000_000_000_000],
  ])('from %d to %d is no trouble', async (sinceMs, untilMs) => {
    h.jot(ana, channel, 'hello');
    expect(texts(await read({ sinceMs, untilMs }))).toEqual(untilMs > 1 ? ['hello'] : []);
  });
});

describe('requests', () => {
  test('2,000 messages with 100 threads take 120', async () => {
    const startMs = h.nowMs();
    for (let count = 0; count < 1_600; count += 1) {
      const parent = h.jot(ana, channel, `question ${count}?`);
      for (let answer = 0; count % 16 === 0 && answer < 4; answer += 1) {
        h.jot(bo, inThread(parent), `answer ${count}.${answer}`);
      }
      h.pass(40_000);
    }
    let found: ReadBack | undefined;
    const count = await requests(async () => {
      found = await read({ sinceMs: startMs });
    });
    expect(found?.isCut).toBe(false);
    expect(new Set(found?.messages.map(({ id }) => id)).size).toBe(2_000);
    expect(found?.messages.filter(({ thread }) => thread)).toHaveLength(400);
    // 17 pages of the channel (the last is empty), a page for each thread, the two lists of threads, and the intent.
    expect(count).toBe(17 + 100 + 2 + 1);
  });

  test('a quiet channel takes four, however many threads nobody wrote in', async () => {
    for (let count = 0; count < 20; count += 1) {
      h.jot(bo, inThread(h.jot(ana, channel, `q${count}`)), 'answer');
    }
    h.pass(24 * hourMs);
    expect(await requests(read)).toBe(4);
  });
});

describe('of too many the newest', () => {
  test('no more is asked for than that takes', async () => {
    const busy = h.jot(ana, channel, 'busy');
    for (let count = 0; count < 10; count += 1) h.jot(bo, inThread(busy), 'old answer');
    for (let count = 0; count < 1_000; count += 1) h.jot(ana, channel, `m${count}`);
    const found = await read({ max: 150 });
    expect(found.isCut).toBe(true);
    expect(texts(found)).toEqual(Array.from({ length: 150 }, (_, index) => `m${850 + index}`));
    expect(callsOf(h, routes.history)).toHaveLength(2);
  });

  test('answers are among them, threads with older ones are not read', async () => {
    const stale = h.jot(ana, channel, 'stale');
    h.jot(bo, inThread(stale), 'stale answer');
    const asks = h.jot(ana, channel, 'asks');
    for (const text of ['one', 'two', 'three']) h.jot(bo, channel, text);
    for (const text of ['four', 'five']) h.jot(bo, inThread(asks), text);
    const found = await read({ max: 4 });
    expect(texts(found)).toEqual(['older: asks', 'two', 'three', 'four', 'five']);
    expect(found.isCut).toBe(true);
    expect(callsOf(h, routes.history)).toHaveLength(2);
  });

  test('exactly so many are all', async () => {
    for (const text of ['one', 'two']) h.jot(ana, channel, text);
    for (let count = 0; count < 3; count += 1) await h.sayAsBot(channel, 'bot');
    expect(await read({ max: 2 })).toMatchObject({ isCut: false, messages: [{}, {}] });
    expect(await read({ max: 1 })).toMatchObject({ isCut: true, messages: [{ text: 'two' }] });
  });
});

describe('what can’t be read', () => {
  test('trap 15: without Read Message History the sentence says what to give the bot’s role', async () => {
    h.jot(ana, channel, 'hello');
    await h.deny(channel, 'READ_MESSAGE_HISTORY');
    expect(await attempt()).toEqual({
      kind: 'refused',
      message: saying('give its role View Channel and Read Message History'),
    });
    await h.allow(channel, 'READ_MESSAGE_HISTORY');
    expect(texts(await read())).toEqual(['hello']);
  });

  test('trap 15: nor when it is taken while the channel is read', async () => {
    h.jot(ana, channel, 'hello');
    const gate = Promise.withResolvers<void>();
    h.failRequest(threadRoutes.active, { kind: 'late', release: gate.promise });
    const reading = attempt();
    await h.until(() => callsOf(h, threadRoutes.active).length > 0);
    const denied = h.deny(channel, 'READ_MESSAGE_HISTORY');
    gate.resolve();
    await denied;
    expect(await reading).toMatchObject({ kind: 'refused' });
  });

  test('in a voice channel Connect is needed too; it has no threads', async () => {
    const voice = await h.createChannel({ name: 'lounge', type: 'voice' });
    h.jot(ana, voice, 'hello');
    expect(texts(await read({}, voice))).toEqual(['hello']);
    h.failRequest(threadRoutes.archived, {
      kind: 'error',
      status: 400,
      code: 50024,
      message: 'Wrong channel type',
    });
    expect(texts(await read({}, voice))).toEqual(['hello']);
    await h.deny(voice, 'CONNECT');
    expect(await attempt({}, voice)).toEqual({ kind: 'refused', message: saying('Connect') });
  });

  test('trap 14: while Discord shows no texts there is no digest of blanks', async () => {
    h.jot(ana, channel, 'hello');
    h.jot(ana, channel, `<@${h.botId}> hello`);
    h.portal.messageContent = false;
    expect(await attempt()).toEqual({ kind: 'refused', message: saying('Message Content Intent') });
    h.jot(ana, h.directPlace(ana), 'to the bot');
    expect(texts(await read({}, h.directPlace(ana)))).toEqual(['to the bot']);
    h.portal.messageContent = true;
    expect((await read()).messages).toHaveLength(2);
  });

  test('a channel that is hidden from the bot', async () => {
    await h.deny(channel, 'VIEW_CHANNEL');
    expect(await attempt()).toEqual({ kind: 'refused', message: saying('View Channel') });
  });

  test.each(['399999999999999999', 'general', '', '../x', '300000000000000001/../2'])(
    '%j',
    async (conversation) => {
      expect(await attempt({}, { platform: 'discord', conversation })).toEqual({
        kind: 'refused',
        message: saying('no conversation'),
      });
    },
  );
});

describe('when Discord is busy', () => {
  test('short limits are waited out', async () => {
    h.jot(bo, inThread(h.jot(ana, channel, 'parent')), 'answer');
    h.failRequest(routes.history, { kind: '429', retryAfterS: 1 }, 2);
    h.failRequest(threadRoutes.archived, { kind: 'status', status: 502 });
    expect(texts(await read())).toEqual(['parent', 'answer']);
  });

  test.each([
    ['a long limit', routes.history, { kind: '429', retryAfterS: 400 }, 400_050],
    ['one in the middle', threadRoutes.archived, { kind: '429', retryAfterS: 400 }, 400_050],
    ['an outage', threadRoutes.active, { kind: 'status', status: 503 }, 10_000],
    ['lost connections', routes.history, { kind: 'reset' }, 10_000],
    ['a page that is no list', 'GET /applications/@me', { kind: 'status', status: 502 }, 10_000],
  ] as const)('%s: later', async (_, route, fault, afterMs) => {
    h.jot(bo, inThread(h.jot(ana, channel, 'parent')), 'answer');
    h.failRequest(route, fault, 4);
    expect(await attempt()).toEqual({ kind: 'later', afterMs });
  });

  test('nothing more is asked for when Flowbot stops', async () => {
    for (let count = 0; count < 500; count += 1) h.jot(ana, channel, 'x');
    const gate = Promise.withResolvers<void>();
    h.failRequest(routes.history, { kind: 'late', release: gate.promise });
    const reading = attempt();
    await h.until(() => callsOf(h, routes.history).length > 0);
    const stopped = h.chat.stop();
    gate.resolve();
    await stopped;
    expect(await reading).toMatchObject({ kind: 'later' });
    expect(callsOf(h, routes.history).length).toBeLessThanOrEqual(2);
  });
});

describe('who can read a conversation', () => {
  const isPrivate = async (address: string) => (await h.chat.conversation(address))?.isPrivate === true;

  test('direct ones are private, channels that everybody sees are not', async () => {
    expect(await isPrivate('#general')).toBe(false);
    expect(await isPrivate(channel.conversation)).toBe(false);
    expect(await isPrivate('@ana')).toBe(true);
    expect(await isPrivate(ana.id)).toBe(true);
    expect(await isPrivate(h.directPlace(ana).conversation)).toBe(true);
  });

  test('those that are hidden from everybody are, with their threads', async () => {
    const thread = await h.openThread(ana, h.jot(ana, h.otherChannel, 'a topic'), 'Talk');
    expect(await isPrivate(thread.thread ?? '')).toBe(false);
    await h.hideFromEverybody(h.otherChannel);
    expect(await isPrivate('#releases')).toBe(true);
    expect(await isPrivate(h.otherChannel.conversation)).toBe(true);
    expect(await isPrivate(thread.thread ?? '')).toBe(true);
  });

  test('private threads are, others are not', async () => {
    const secret = await h.openPrivateThread(ana, channel, 'About Cy');
    const open = await h.openThread(ana, h.jot(ana, channel, 'a topic'), 'Talk');
    expect(await isPrivate(secret.thread ?? '')).toBe(true);
    expect(await isPrivate(open.thread ?? '')).toBe(false);
  });

  test('where the server shows everybody nothing unless a channel says otherwise, it is', async () => {
    await h.permit('everybody', ['SEND_MESSAGES']);
    expect(await isPrivate('#general')).toBe(true);
  });
});
