import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { snowflakeAt } from '../../../src/adapters/discord/addresses.ts';
import { createNewest, writtenMessage } from '../../../src/adapters/discord/past-message.ts';
import type { Person, Place } from '../../../src/engine/people.ts';
import type { DiscordHarness } from './harness.ts';
import { inThread, openPast, type PastHarness, texts } from './past.ts';

let h: DiscordHarness;
let ana: Person;
let bo: Person;
let channel: Place;
let read: PastHarness['read'];

beforeEach(async () => {
  ({ h, ana, bo, channel, read } = await openPast());
});

describe('whose messages', () => {
  test.each([1, 3, 6, 7, 8, 12, 18, 20, 22, 24, 46, 9_999])(
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

test('the newest within a window are kept, in whatever order they are found', () => {
  const sinceMs = 1_772_000_000_000;
  const written = fc.record({ inMs: fc.integer({ min: -5, max: 25 }), bot: fc.boolean() });
  fc.assert(
    fc.property(fc.array(written), fc.integer({ min: 1, max: 8 }), (found, max) => {
      const newest = createNewest({ sinceMs, untilMs: sinceMs + 20, max });
      const all = found.map(({ inMs, bot }, index) =>
        writtenMessage.parse({
          id: String(BigInt(snowflakeAt(sinceMs + inMs)) + BigInt(index)),
          type: 0,
          channel_id: '300000000000000001',
          author: { id: '400000000000000001', username: 'ana', bot },
        }),
      );
      for (const one of all) newest.take(one);
      const wanted = all
        .filter(({ author }, index) => !author.bot && inWindow(found[index]?.inMs))
        .map(({ id }) => id)
        .sort();
      expect([...newest.messages.keys()].sort()).toEqual(wanted.slice(-max));
      expect(newest.isCut).toBe(wanted.length > max);
    }),
  );
});

function inWindow(ms = -1): boolean {
  return ms >= 0 && ms < 20;
}
