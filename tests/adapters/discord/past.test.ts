import { beforeEach, describe, expect, test } from 'vitest';
import type { PastMessage } from '../../../src/engine/digest.ts';
import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import type { HistoryOutcome, HistoryWindow } from '../../../src/ports/chat.ts';
import type { DiscordHarness } from './harness.ts';
import { callsOf, openJudged, routes, saying } from './judged.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const active = 'GET /guilds/:guild/threads/active';
const archived = 'GET /channels/:channel/threads/archived/public';

let h: DiscordHarness;
let ana: Person;
let bo: Person;
let channel: Place;

beforeEach(async () => {
  h = await openJudged();
  ({ ana, bo } = h.people);
  channel = h.channel;
});

/** Tries to read what was written in the last hour, unless told otherwise. */
function attempt(window: Partial<HistoryWindow> = {}, place = channel): Promise<HistoryOutcome> {
  return h.chat.history(place.conversation, {
    sinceMs: h.nowMs() - hourMs,
    untilMs: h.nowMs() + 1_000,
    max: 5_000,
    ...window,
  });
}

async function read(window: Partial<HistoryWindow> = {}, place = channel) {
  const outcome = await attempt(window, place);
  if (outcome.kind !== 'read') throw new Error(JSON.stringify(outcome));
  return outcome;
}

const texts = ({ messages }: { readonly messages: readonly PastMessage[] }) =>
  messages.map(({ text, isOlder }) => `${isOlder ? 'older: ' : ''}${text}`);
/** Each text with the text it answers. */
const talk = ({ messages }: { readonly messages: readonly PastMessage[] }) =>
  messages.map(({ text, thread }) => [
    text,
    thread && (messages.find(({ id }) => id === thread)?.text ?? thread),
  ]);
const inThread = ({ id, ...place }: MessageRef): Place => ({ ...place, thread: id });
/** How many requests it took. */
async function requests(work: () => Promise<unknown>): Promise<number> {
  const before = h.calls().length;
  await work();
  return h.calls().length - before;
}

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
    for (let midMs = startMs; midMs <= h.nowMs(); midMs += 1) {
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
    let found: Awaited<ReturnType<typeof read>> | undefined;
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
    h.pass(dayMs);
    expect(await requests(read)).toBe(4);
  });
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
    for (let count = 0; count < 250; count += 1) h.jot(bo, inThread(parent), 'then');
    h.pass(2 * hourMs);
    for (let count = 0; count < 120; count += 1) h.jot(bo, inThread(parent), 'now');
    let found: Awaited<ReturnType<typeof read>> | undefined;
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
    const unknown = { kind: 'error', status: 404, code: 10003, message: 'Unknown Channel' } as const;
    h.failRequest(routes.history, { kind: '429', retryAfterS: 0.001 });
    await read();
    await h.deleteChannel(inThread(parent));
    expect(texts(await read())).toEqual(['parent']);
    const other = h.jot(ana, channel, 'other');
    h.jot(bo, inThread(other), 'answer');
    h.failRequest(active, { kind: 'late', release: h.quiet() });
    h.failRequest(routes.history, unknown);
    expect(await attempt()).toMatchObject({ kind: 'refused' });
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
    expect(callsOf(h, archived)).toHaveLength(2);
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
    const other = await h.forumPost(bo, forum, 'Old', 'Old one.');
    h.jot(bo, post, 'Soon');
    h.jot(bo, other, 'Nobody?');
    await h.archiveThread(other);
    const found = await read({}, forum);
    expect(talk(found)).toEqual([
      ['Dark mode?\n\nMy eyes hurt.', undefined],
      ['Old\n\nOld one.', undefined],
      ['Soon', 'Dark mode?\n\nMy eyes hurt.'],
      ['Nobody?', 'Old\n\nOld one.'],
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

describe('whose messages', () => {
  test.each([1, 3, 6, 7, 8, 12, 18, 19.5, 20, 22, 24, 46])(
    'none of Discord itself: type %d',
    async (type) => {
      await h.system(ana, channel, type);
      h.jot(ana, channel, 'words');
      expect(texts(await read())).toEqual(['words']);
    },
  );

  test('no bots and webhooks, also not in threads', async () => {
    const parent = h.jot(ana, channel, 'a person');
    await h.sayAsBot(channel, 'bot');
    await h.sayAsWebhook(channel, 'webhook');
    h.jot(bo, inThread(parent), 'another');
    await h.sayAsBot(inThread(parent), 'bot');
    expect(texts(await read())).toEqual(['a person', 'another']);
  });

  test('authors have the names that others see, as far as these are known', async () => {
    await h.setNick(bo, 'Bobby');
    h.jot(ana, channel, 'a');
    await h.say(bo, channel, 'b');
    expect((await read()).messages.map(({ author }) => author)).toEqual([
      { id: ana.id, name: 'Ana' },
      { id: bo.id, name: 'Bobby' },
    ]);
  });
});

describe('what is in a message', () => {
  test('names for ids, and the words of emoji', async () => {
    const role = await h.createRole('ops');
    const raw = `<@${bo.id}> and <@&${role}> in <#${channel.conversation}> <:party:123456789012345678> @everyone \\<@${bo.id}>`;
    h.jot(ana, channel, raw);
    expect(texts(await read())).toEqual([`@Bo and @ops in #general :party: @everyone \\<@${bo.id}>`]);
  });

  test.each([
    ['a sticker', { sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] }, '[sticker: Wave]', 0],
    [
      'a poll',
      {
        poll: {
          question: { text: 'Lunch?' },
          answers: [
            { answer_id: 1, poll_media: { text: 'Soup' } },
            { answer_id: 2, poll_media: { text: 'Rice' } },
          ],
        },
      },
      'Poll: Lunch? (Soup, Rice)',
      0,
    ],
    [
      'something forwarded',
      {
        message_reference: { type: 1, message_id: '300000000000000009', channel_id: '300000000000000001' },
        message_snapshots: [
          { message: { content: 'see <@400000000000000002>', attachments: [{}, {}], mentions: [] } },
        ],
      },
      'Forwarded: see @400000000000000002',
      2,
    ],
    [
      'a forwarded picture',
      { message_snapshots: [{ message: { attachments: [{}] } }] },
      'Forwarded: a message',
      1,
    ],
    ['something broken', { poll: 7, message_snapshots: 'x', sticker_items: [null], mentions: {} }, '', 0],
  ])('%s', async (_, more, text, files) => {
    h.jot(ana, channel, '', more);
    expect((await read()).messages).toMatchObject([{ text, files }]);
    expect((await read()).messages[0]?.thread).toBeUndefined();
  });

  test('reactions of all kinds, and files', async () => {
    const file = { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') };
    const message = await h.upload(ana, channel, 'look', [file, { ...file, name: 'b.txt' }]);
    for (const emoji of ['👀', '👀', '🎉']) h.react(message, emoji);
    expect((await read()).messages).toMatchObject([{ text: 'look', reactions: 3, files: 2 }]);
  });

  test('the address under which people open it', async () => {
    const parent = h.jot(ana, channel, 'parent');
    const answer = h.jot(bo, inThread(parent), 'answer');
    expect((await read()).messages.map(({ url }) => url)).toEqual([
      `https://discord.com/channels/${h.guildId}/${channel.conversation}/${parent.id}`,
      `https://discord.com/channels/${h.guildId}/${parent.id}/${answer.id}`,
    ]);
    const direct = await h.chat.conversation(ana.id);
    h.jot(ana, h.directPlace(ana), 'hello');
    const [own] = (await read({}, { platform: 'discord', conversation: direct?.id ?? '' })).messages;
    expect(own).toMatchObject({
      text: 'hello',
      url: `https://discord.com/channels/@me/${direct?.id}/${own?.id}`,
    });
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
    h.failRequest(active, { kind: 'late', release: gate.promise });
    const reading = attempt();
    await h.until(() => callsOf(h, active).length > 0);
    const denied = h.deny(channel, 'READ_MESSAGE_HISTORY');
    gate.resolve();
    await denied;
    expect(await reading).toMatchObject({ kind: 'refused' });
  });

  test('in a voice channel Connect is needed too; it has no threads', async () => {
    const voice = await h.createChannel({ name: 'lounge', type: 'voice' });
    h.jot(ana, voice, 'hello');
    expect(texts(await read({}, voice))).toEqual(['hello']);
    h.failRequest(archived, { kind: 'error', status: 400, code: 50024, message: 'Wrong channel type' });
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
    h.failRequest(archived, { kind: 'status', status: 502 });
    expect(texts(await read())).toEqual(['parent', 'answer']);
  });

  test.each([
    ['a long limit', routes.history, { kind: '429', retryAfterS: 400 }, 400_000],
    ['one in the middle', archived, { kind: '429', retryAfterS: 400 }, 400_000],
    ['an outage', active, { kind: 'status', status: 503 }, 10_000],
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
