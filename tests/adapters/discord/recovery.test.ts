import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Place } from '../../../src/engine/people.ts';
import { createDiscordStandIn } from '../../fakes/discord/index.ts';
import {
  createDiscordHarness,
  type DiscordHarness,
  type DiscordHarnessOptions,
  openDiscord,
} from './harness.ts';
import { openLive } from './live.ts';

let opened: DiscordHarness | undefined;
afterEach(() => {
  expect(opened?.faults() ?? []).toEqual([]);
  opened = undefined;
});

async function open(options: DiscordHarnessOptions = {}): Promise<DiscordHarness> {
  opened = await openDiscord(options);
  return opened;
}

/** What arrived, each once, by what was typed. */
function texts({ inbox }: DiscordHarness): readonly string[] {
  const distinct = new Map(inbox.taken.map((event) => [event.id, event]));
  return [...distinct.values()].map((event) => (event.type === 'message' ? event.text : event.type));
}

/** The histories that were asked for from now on. */
function reads(h: DiscordHarness): () => readonly string[] {
  const before = h.calls().length;
  return () =>
    h
      .calls()
      .slice(before)
      .filter(({ route }) => route === 'GET /channels/:channel/messages')
      .map(({ params }) => params.channel ?? '');
}

/** Resolves when the bot has looked through everything. */
async function looked(h: DiscordHarness, count: number): Promise<void> {
  await h.inbox.until(count);
  await h.quiet();
}

describe('what was typed while the bot was away', () => {
  test('is found in channels, threads, forum posts and direct conversations, each in order', async () => {
    const h = await open();
    const direct = h.directPlace(h.people.ana);
    await h.say(h.people.ana, direct, 'before');
    const forum = await h.createForum({ name: 'ideas' });
    await h.chat.stop();
    const root = await h.say(h.people.bo, h.channel, 'c1');
    const thread = await h.openThread(h.people.bo, root, 'Talk');
    await h.say(h.people.ana, thread, 't1');
    await h.say(h.people.ana, h.channel, 'c2');
    const post = await h.forumPost(h.people.ana, forum, 'An idea', 'f1');
    await h.say(h.people.bo, post, 'f2');
    await h.say(h.people.ana, thread, 't2');
    await h.say(h.people.ana, direct, 'd1');
    await h.say(h.people.ana, h.otherChannel, 'o1');
    await h.restart();
    await looked(h, 10);
    expect(texts(h).toSorted()).toEqual(['before', 'c1', 'c2', 'd1', 'f1', 'f2', 'o1', 't1', 't2']);
    for (const one of ['c', 't', 'f']) {
      expect(texts(h).filter((text) => text.startsWith(one))).toEqual([`${one}1`, `${one}2`]);
    }
  });

  test('is found however much it is, a page at a time', async () => {
    const h = await open();
    await h.chat.stop();
    const typed = Array.from({ length: 250 }, (_, index) => `m${index}`);
    await Promise.all(typed.map((text) => h.say(h.people.ana, h.channel, text)));
    const asked = reads(h);
    await h.restart();
    await looked(h, 250);
    expect(texts(h)).toEqual(typed);
    expect(asked()).toHaveLength(3);
  });

  test('of bots, webhooks, Discord itself and the bot is left alone', async () => {
    const h = await open();
    await h.chat.stop();
    await h.sayAsBot(h.channel, 'a bot');
    await h.sayAsWebhook(h.channel, 'a webhook');
    await h.system(h.people.ana, h.channel, 7);
    await h.say(h.people.ana, h.channel, 'a person');
    await h.restart();
    await looked(h, 1);
    expect(texts(h)).toEqual(['a person']);
  });

  test('and deleted since is not there any more; edited since counts as it stands', async () => {
    const h = await open();
    await h.chat.stop();
    const gone = await h.say(h.people.ana, h.channel, 'gone');
    const edited = await h.say(h.people.ana, h.channel, 'frist');
    const last = await h.say(h.people.ana, h.otherChannel, 'the last one');
    await h.deleteMessage(gone);
    await h.deleteMessage(last);
    await h.editAs(h.people.ana, edited, 'first');
    await h.restart();
    await looked(h, 1);
    expect(texts(h)).toEqual(['first']);
  });

  test('in a channel that was deleted keeps nothing else from being found', async () => {
    const h = await open();
    const doomed = await h.createChannel({ name: 'doomed' });
    await h.chat.stop();
    await h.say(h.people.ana, doomed, 'x');
    await h.say(h.people.ana, h.channel, 'found');
    h.failRequest(/^GET .*messages$/, {
      kind: 'error',
      status: 404,
      code: 10003,
      message: 'Unknown Channel',
    });
    await h.restart();
    await looked(h, 1);
    expect(h.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('where the bot may not read back is lost, which the log says once, with the channels; all else is found', async () => {
    const h = await open();
    const [secret, closed] = [
      await h.createChannel({ name: 'no-history', deny: ['READ_MESSAGE_HISTORY'] }),
      await h.createChannel({ name: 'hidden', deny: ['VIEW_CHANNEL'] }),
    ];
    await h.chat.stop();
    for (const place of [secret, closed, h.channel]) await h.say(h.people.ana, place, 'typed');
    const asked = reads(h);
    await h.restart();
    await looked(h, 1);
    await h.restart();
    await h.quiet();
    expect(texts(h)).toEqual(['typed']);
    expect(new Set(asked())).toEqual(new Set([h.channel.conversation]));
    // Once in each of the two processes; where the bot sees nothing, nothing is lost.
    const told = h.log.lines.filter(({ message }) => /Read Message History/.test(message));
    expect(told).toEqual([
      expect.objectContaining({ level: 'warn', data: { channels: ['#no-history'] } }),
      expect.objectContaining({ level: 'warn', data: { channels: ['#no-history'] } }),
    ]);
  });

  test('and that Discord shows nobody is lost, which the log says; all else is found', async () => {
    const h = await open();
    await h.chat.stop();
    await h.say(h.people.ana, h.channel, 'here');
    await h.say(h.people.ana, h.otherChannel, 'there');
    const error = { kind: 'error', status: 403, code: 50001, message: 'Missing Access' } as const;
    h.failRequest('GET /channels/:channel/messages', error);
    await h.restart();
    await looked(h, 1);
    expect(texts(h)).toHaveLength(1);
    expect(h.log.lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({ data: { channels: [expect.stringMatching(/^#(general|releases)$/)] } }),
    ]);
  });

  test.each([
    ['fails', { kind: 'status', status: 503 } as const, 5],
    ['is cut off', { kind: 'reset' } as const, 5],
    ['is no history', { kind: 'status', status: 200 } as const, 5],
    ['has to wait for long', { kind: '429', retryAfterS: 300 } as const, 1],
  ])(
    'is looked for again when the history %s',
    async (_, fault, times) => {
      const h = await open();
      await h.chat.stop();
      await h.say(h.people.ana, h.channel, 'missed');
      h.failRequest('GET /channels/:channel/messages', fault, times);
      await h.restart();
      await looked(h, 1);
      expect(texts(h)).toEqual(['missed']);
    },
    60_000,
  );

  test('and can’t be stored is tried again, and keeps nothing else from being stored', async () => {
    const h = await open();
    await h.chat.stop();
    for (const text of ['one', 'two', 'three']) await h.say(h.people.ana, h.channel, text);
    h.inbox.refuseNext(1);
    await h.restart();
    await looked(h, 5);
    expect(texts(h)).toEqual(['two', 'three', 'one']);
  });

  test('is looked for at the next start when the look was not whole', async () => {
    const h = await open();
    await h.chat.stop();
    await h.say(h.people.ana, h.channel, 'missed');
    h.failRequest('GET /channels/:channel/messages', { kind: '429', retryAfterS: 3_000 });
    const asked = reads(h);
    await h.restart();
    await h.until(() => asked().length > 0);
    h.pass(10 * 60_000);
    await h.restart();
    await looked(h, 1);
    expect(texts(h)).toEqual(['missed']);
  });

  test('does not keep a stop waiting', async () => {
    const h = await open();
    await h.chat.stop();
    await h.say(h.people.ana, h.channel, 'missed');
    h.failRequest('GET /channels/:channel/messages', { kind: 'hang' }, 5);
    const asked = reads(h);
    await h.restart();
    await h.until(() => asked().length > 0);
    const atMs = Date.now();
    await h.chat.stop();
    expect(Date.now() - atMs).toBeLessThan(500);
  });

  test('does not keep anything waiting that is typed now', async () => {
    const h = await open();
    await h.chat.stop();
    await h.say(h.people.ana, h.channel, 'missed');
    h.failRequest('GET /channels/:channel/messages', { kind: 'hang' });
    await h.restart();
    await h.say(h.people.ana, h.channel, 'now');
    expect(texts(h)).toEqual(['now']);
    await h.inbox.until(2);
    expect(texts(h)).toEqual(['now', 'missed']);
  });

  test('in another server than the one that is served is not even asked for', async () => {
    const discord = await createDiscordStandIn();
    const other = await discord.createGuild('Other');
    const h = await createDiscordHarness({ discord, guildId: discord.guildId });
    onTestFinished(() => h.close());
    await h.chat.stop();
    await h.say(h.people.ana, other, 'there');
    await h.say(h.people.ana, h.channel, 'here');
    const asked = reads(h);
    await h.restart();
    await looked(h, 1);
    expect(texts(h)).toEqual(['here']);
    expect(asked()).toEqual([h.channel.conversation]);
  });
});

test('of five hundred channels only those with something new are asked for', async () => {
  const discord = await createDiscordStandIn();
  const channels = await Promise.all(
    Array.from({ length: 500 }, (_, index) => discord.createChannel({ name: `c${index}` })),
  );
  const [a, b, c] = [channels[7], channels[77], channels[477]];
  if (!a || !b || !c) throw new Error('there are too few channels');
  const say = async (places: readonly Place[], text: string) => {
    await Promise.all(places.map((place) => discord.say(discord.people.bo, place, text)));
  };
  await say(channels, 'long ago');
  discord.pass(3 * 3_600_000);
  const h = await createDiscordHarness({ discord });
  onTestFinished(() => h.close());
  await h.chat.stop();
  await say([a, b, c], 'new');
  const asked = reads(h);
  await h.restart();
  await looked(h, 3);
  expect(asked().toSorted()).toEqual([a, b, c].map(({ conversation }) => conversation).toSorted());
  expect(texts(h)).toEqual(['new', 'new', 'new']);
}, 60_000);

describe('what was typed during an outage of a server', () => {
  test('is found when the server is back, and only that server is asked', async () => {
    const h = await open();
    await h.say(h.people.ana, h.channel, 'before');
    const other = await h.createGuild('Other');
    await h.say(h.people.ana, other, 'elsewhere');
    h.gateway.outage(h.guildId);
    await h.say(h.people.ana, h.channel, 'meanwhile');
    await h.say(h.people.ana, other, 'heard');
    const asked = reads(h);
    h.gateway.outageOver(h.guildId);
    await looked(h, 5);
    expect(texts(h)).toEqual(['before', 'invited', 'elsewhere', 'heard', 'meanwhile']);
    expect(asked()).toEqual([h.channel.conversation]);
  });

  test('that the bot did not outlive is found by the next process', async () => {
    const h = await open();
    h.gateway.outage(h.guildId);
    await h.say(h.people.ana, h.channel, 'meanwhile');
    h.pass(10 * 60_000);
    await h.restart();
    h.gateway.outageOver(h.guildId);
    await looked(h, 1);
    expect(texts(h)).toEqual(['meanwhile']);
  }, 20_000);

  test('that lasted over a start is found too', async () => {
    const h = await open();
    await h.chat.stop();
    h.gateway.outage(h.guildId);
    await h.say(h.people.ana, h.channel, 'meanwhile');
    await h.restart();
    expect(texts(h)).toEqual([]);
    h.gateway.outageOver(h.guildId);
    await looked(h, 1);
    expect(texts(h)).toEqual(['meanwhile']);
  }, 20_000);
});

describe('one message or command is one run', () => {
  const flow = `
name: Hello
triggers: [{ type: command, command: hello }, { type: manual }]
steps: { say: { type: message, text: "Hello {{start.json.prompt}}" } }
`;

  test('C13: however often and late it is told, also after a restart', async () => {
    const { discord, live } = await openLive({ hello: flow });
    const runs = async () => (await live.flowbot.bot.store.runs({ limit: 50 })).length;
    for (const [index, deliver] of [
      () => discord.say(discord.people.ana, discord.channel, '!hello'),
      () => discord.command(discord.people.ana, discord.channel, 'run hello'),
    ].entries()) {
      await deliver();
      await discord.quiet();
      const shown = async () =>
        [...(await discord.messages(discord.channel)), ...(await discord.privates(discord.people.ana))].map(
          ({ text }) => text,
        );
      const before = await shown();
      for (const ms of [0, 3_000, 64_000]) {
        discord.pass(ms);
        await discord.redeliver();
      }
      await live.restart();
      discord.pass(300_000);
      await discord.redeliver();
      await discord.quiet();
      expect(await runs()).toBe(index + 1);
      expect(await shown()).toEqual(before);
      expect(discord.troubles(discord.people.ana)).toEqual([]);
    }
    expect(live.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(discord.faults()).toEqual([]);
  }, 30_000);

  test('C17: a message and a click that are replayed after a break', async () => {
    const { discord, live } = await openLive({
      ask: `
name: Ask
triggers: [{ type: command, command: ask }]
steps: { question: { type: approval, title: Sure? } }
`,
    });
    const asked = await discord.say(discord.people.ana, discord.channel, '!ask');
    const thread = { ...discord.channel, thread: asked.id };
    await discord.until(async () =>
      (await discord.messages(thread)).some(({ buttons }) => buttons.length > 1),
    );
    const question = (await discord.messages(thread)).find(({ buttons }) =>
      buttons.some(({ label }) => label === 'Approve'),
    );
    const approve = question?.buttons.find(({ label }) => label === 'Approve');
    if (!question || !approve) throw new Error('nobody was asked');
    await discord.click(discord.people.bo, question.ref, approve.id);
    await discord.quiet();
    const count = (await discord.messages(thread)).length;
    discord.gateway.terminate();
    discord.pass(20_000);
    await discord.until(() => discord.gateway.counts().resumed === 1);
    discord.gateway.repeat(({ t }) => t === 'INTERACTION_CREATE');
    discord.gateway.repeat(({ t, d }) => t === 'MESSAGE_CREATE' && d.id === asked.id);
    await discord.quiet();
    const runs = await live.flowbot.bot.store.runs({ limit: 50 });
    expect(runs).toHaveLength(1);
    const journal = await live.flowbot.bot.store.journal(runs[0]?.id ?? '');
    expect(journal.filter(({ type }) => type === 'question.answered')).toHaveLength(1);
    expect(await discord.messages(thread)).toHaveLength(count);
    expect(discord.troubles(discord.people.bo)).toEqual([]);
    expect(live.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(discord.faults()).toEqual([]);
  }, 30_000);

  test('heard as it was typed, and found in the history again', async () => {
    const { discord, live } = await openLive({ hello: flow });
    await discord.say(discord.people.ana, discord.channel, '!hello');
    await discord.quiet();
    await live.restart();
    await discord.until(() =>
      discord.calls().some(({ route }) => route === 'GET /channels/:channel/messages'),
    );
    await discord.quiet();
    expect(await live.flowbot.bot.store.runs({ limit: 50 })).toHaveLength(1);
    expect(discord.faults()).toEqual([]);
  });
});
