import { describe, expect, onTestFinished, test } from 'vitest';
import { createDiscord } from '../../../src/adapters/discord/index.ts';
import { createInbox } from '../../contracts/chat.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../../fakes/discord/index.ts';
import { createKeptLog } from '../../fakes/log.ts';
import { clockOf, createDiscordHarness, type DiscordHarness, openDiscord } from './harness.ts';

/** A Discord for one test, before anybody connects to it. */
async function standIn(): Promise<DiscordStandIn> {
  const discord = await createDiscordStandIn();
  onTestFinished(() => discord.close());
  return discord;
}

/** Connects a bot to it, for the rest of the test. */
async function connect(discord: DiscordStandIn): Promise<DiscordHarness> {
  const h = await createDiscordHarness({ discord });
  onTestFinished(async () => {
    await h.chat.stop();
    expect(discord.faults()).toEqual([]);
  });
  return h;
}

async function open(): Promise<DiscordHarness> {
  const h = await openDiscord();
  onTestFinished(() => expect(h.faults()).toEqual([]));
  return h;
}

/** What arrived, each once. */
function texts(h: DiscordHarness): readonly string[] {
  const distinct = new Map(h.inbox.taken.map((event) => [event.id, event]));
  return [...distinct.values()].map((event) => (event.type === 'message' ? event.text : event.type));
}

/** The connection breaks in some way, and `meanwhile` people write; resolves when the bot has it. */
async function over(h: DiscordHarness, breaks: () => void, count: number): Promise<void> {
  breaks();
  await h.inbox.until(count);
  await h.quiet();
}

test('C17: after a break the connection is taken up again, and what was missed comes once', async () => {
  const h = await open();
  await h.say(h.people.ana, h.channel, 'before');
  h.gateway.terminate();
  await h.say(h.people.bo, h.channel, 'meanwhile');
  await over(h, () => {}, 2);
  expect(texts(h)).toEqual(['before', 'meanwhile']);
  expect(h.gateway.counts()).toEqual({ identified: 1, resumed: 1 });
});

test.each<readonly [string, (h: DiscordHarness) => void]>([
  ['is asked to reconnect', (h: DiscordHarness) => h.gateway.reconnect()],
  ['is told that its session is invalid for now', (h: DiscordHarness) => h.gateway.invalidate(true)],
  ...[1000, 1001, 4000, 4003, 4007, 4008, 4009, 4999].map(
    (code) => [`is closed with ${code}`, (h: DiscordHarness) => h.gateway.closeAll(code)] as const,
  ),
])('a bot that %s hears everything', async (_, breaks) => {
  const h = await open();
  await h.say(h.people.ana, h.channel, 'before');
  breaks(h);
  await h.say(h.people.bo, h.channel, 'meanwhile');
  await h.until(() => h.gateway.connections() === 1);
  await h.inbox.until(2);
  await h.say(h.people.bo, h.channel, 'afterwards');
  await h.until(() => h.chat.health().kind === 'up');
  await h.quiet();
  expect(texts(h)).toEqual(expect.arrayContaining(['before', 'meanwhile', 'afterwards']));
  expect(h.chat.health()).toEqual({ kind: 'up' });
});

test('trap 16: a new session has lost what was told between: it is found in the history, in order', async () => {
  const h = await open();
  h.gateway.refuse(1);
  h.gateway.invalidate(false);
  await h.say(h.people.ana, h.channel, 'first');
  const thread = await h.openThread(h.people.ana, await h.say(h.people.bo, h.channel, 'second'), 'Talk');
  await h.say(h.people.ana, thread, 'third');
  await h.inbox.until(3);
  await h.quiet();
  expect(texts(h)).toEqual(['first', 'second', 'third']);
  expect(h.gateway.counts().identified).toBe(2);
}, 20_000);

test('what was written to the bot in a direct conversation while it was away is found too', async () => {
  const h = await open();
  const direct = h.directPlace(h.people.ana);
  await h.say(h.people.ana, direct, 'hello');
  await h.chat.stop();
  await h.say(h.people.ana, direct, 'anybody there?');
  await h.restart();
  await h.inbox.until(2);
  expect(texts(h)).toEqual(['hello', 'anybody there?']);
});

test('what is older than two hours is not begun any more', async () => {
  const h = await open();
  await h.chat.stop();
  await h.say(h.people.ana, h.channel, 'long ago');
  h.pass(2 * 3_600_000 + 120_000);
  await h.say(h.people.ana, h.channel, 'just now');
  await h.restart();
  await h.inbox.until(1);
  await h.quiet();
  expect(texts(h)).toEqual(['just now']);
});

test('an event that Discord tells twice has one id', async () => {
  const h = await open();
  await h.say(h.people.ana, h.channel, 'once');
  await h.redeliver();
  expect(new Set(h.inbox.taken.map(({ id }) => id)).size).toBe(1);
});

test('a silent connection counts as broken', async () => {
  const discord = await standIn();
  discord.gateway.settings.heartbeatIntervalMs = 150;
  const h = await connect(discord);
  discord.gateway.settings.isSilent = true;
  await discord.until(() => discord.gateway.counts().resumed > 0);
  discord.gateway.settings.isSilent = false;
  await h.onceConnected();
  await h.say(h.people.ana, h.channel, 'still there?');
  await h.inbox.until(1);
  expect(texts(h)).toContain('still there?');
}, 20_000);

test('a session is taken up again where Discord says', async () => {
  const h = await open();
  h.gateway.terminate();
  await h.until(() => h.gateway.counts().resumed === 1);
  expect(h.gateway.opened.map((path) => path.replace(/\/$/, ''))).toEqual(['/gw', '/resume']);
});

test.each([
  ['with the Message Content Intent', true, 37_377],
  ['without it', false, 4_609],
])('it asks for what it needs, and for nothing else: %s', async (_, messageContent, intents) => {
  const discord = await standIn();
  discord.portal.messageContent = messageContent;
  await connect(discord);
  expect([...discord.gateway.sessions.values()].map((session) => session.intents)).toEqual([intents]);
});

test('health tells when the connection is lost, and when it is back', async () => {
  const h = await open();
  expect(h.chat.health()).toEqual({ kind: 'up' });
  h.gateway.refuse(2);
  h.gateway.terminate();
  await h.until(() => h.gateway.connections() === 0);
  await h.until(() => h.chat.health().kind === 'down');
  expect(h.chat.health()).toEqual({
    kind: 'down',
    why: 'The connection to Discord is lost; it is made again.',
  });
  await h.until(() => h.gateway.connections() === 1);
  await h.quiet();
  expect(h.chat.health()).toEqual({ kind: 'up' });
}, 20_000);

test('many servers are heard over as many connections as Discord wants', async () => {
  const discord = await standIn();
  discord.gateway.settings.shards = 2;
  // The least significant bit that counts decides on which connection a server is.
  const other = await discord.createGuild('Other', { id: String(BigInt(discord.guildId) + (1n << 22n)) });
  const h = await connect(discord);
  await discord.onceConnected(2);
  await h.say(h.people.ana, h.channel, 'here');
  await h.say(h.people.ana, other, 'there');
  await h.inbox.until(2);
  expect(texts(h)).toEqual(['here', 'there']);
  await expect.poll(() => h.chat.health()).toEqual({ kind: 'up' });
}, 30_000);

describe('closed for good', () => {
  const codes = [
    [4004, /DISCORD_TOKEN.*reset it/],
    [4010, /shard/],
    [4011, /start Flowbot again/],
    [4012, /update Flowbot/],
    [4013, /update Flowbot/],
    [4014, /Message Content Intent/],
  ] as const;

  test.each(codes)('with %i, the bot says why and ends', async (code, why) => {
    const h = await open();
    h.gateway.closeAll(code);
    await h.until(() => h.deaths.length > 0);
    await h.quiet();
    expect(h.deaths).toEqual([expect.stringMatching(why)]);
    expect(h.chat.health()).toMatchObject({ kind: 'down', why: expect.stringMatching(why) });
    expect(h.gateway.counts().identified).toBe(1);
  });

  test.each(codes)('with %i before it was ready, it does not start', async (code, why) => {
    const discord = await standIn();
    // A server that does not come keeps the bot from being ready for a while.
    discord.gateway.settings.unavailable.add(discord.guildId);
    const starting = createDiscordHarness({ discord });
    await discord.until(() => discord.gateway.connections() === 1);
    await discord.quiet();
    discord.gateway.closeAll(code);
    await expect(starting).rejects.toThrow(why);
  });

  test('one of several connections is enough', async () => {
    const discord = await standIn();
    discord.gateway.settings.shards = 2;
    const h = await connect(discord);
    await discord.onceConnected(2);
    const [one] = discord.gateway.sessions.values();
    one?.socket?.close(4004);
    await h.until(() => h.deaths.length > 0);
    expect(h.chat.health()).toMatchObject({ kind: 'down', why: expect.stringMatching(/DISCORD_TOKEN/) });
  }, 30_000);

  test('the intent is switched off while it starts: it does not start, and says what to mend', async () => {
    const discord = await standIn();
    const { promise: release, resolve } = Promise.withResolvers<void>();
    discord.failRequest('GET /gateway/bot', { kind: 'late', release });
    const starting = createDiscordHarness({ discord });
    await discord.until(() => discord.calls().some(({ route }) => route === 'GET /gateway/bot'));
    discord.portal.messageContent = false;
    resolve();
    await expect(starting).rejects.toThrow(/switch the Message Content Intent on in the Developer Portal/);
  });

  test('a token that is not right any more when it has to connect anew', async () => {
    const h = await open();
    h.revokeToken();
    h.gateway.invalidate(false);
    await h.until(() => h.deaths.length > 0);
    expect(h.deaths).toEqual([expect.stringMatching(/DISCORD_TOKEN/)]);
  });
});

test('trap 20: a token that is not accepted any more ends the bot with a sentence', async () => {
  const h = await open();
  const [part] = h.chat.render({ prose: [], buttons: [], notify: [] });
  h.revokeToken();
  expect(await h.chat.post(h.channel, part ?? null, 'key-1')).toMatchObject({ kind: 'later' });
  expect(h.deaths).toEqual([expect.stringMatching(/DISCORD_TOKEN/)]);
  expect(h.chat.health()).toMatchObject({ kind: 'down' });
});

test('a wrong token is told at the start', async () => {
  const discord = await standIn();
  discord.revokeToken();
  await expect(createDiscordHarness({ discord })).rejects.toThrow(/DISCORD_TOKEN/);
});

test('trap 14: without the Message Content Intent mentions, direct messages, commands and buttons still work', async () => {
  const discord = await standIn();
  discord.portal.messageContent = false;
  const h = await connect(discord);
  await h.say(h.people.ana, h.channel, '@flowbot release 1.2');
  await h.say(h.people.ana, h.directPlace(h.people.ana), 'help');
  await h.command(h.people.ana, h.channel, 'run release');
  const [part = null] = h.chat.render({
    prose: [],
    buttons: [{ id: 'press', label: 'Press', style: 'primary' }],
    notify: [],
  });
  const posted = await h.chat.post(h.channel, part, 'key');
  if (posted.kind !== 'posted') throw new Error(posted.kind);
  await h.click(h.people.ana, posted.message, 'press');
  expect(texts(h)).toEqual(expect.arrayContaining(['release 1.2', 'help', 'command', 'click']));
  expect(h.log.lines).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(/Message Content Intent is off/) }),
  );
  expect(h.chat.health()).toEqual({ kind: 'up' });
});

describe('at the start', () => {
  test('Discord can’t be reached for a while: it goes on trying, with one connection in the end', async () => {
    const discord = await standIn();
    discord.failRequest('GET /users/@me', { kind: 'status', status: 503 }, 2);
    discord.failRequest('GET /gateway/bot', { kind: 'status', status: 500 }, 5);
    discord.gateway.refuse(2);
    const h = await connect(discord);
    expect(h.chat.health()).toEqual({ kind: 'up' });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(discord.gateway.sessions.size).toBe(1);
    expect(discord.gateway.counts().identified).toBe(1);
    await h.say(h.people.ana, h.channel, 'hello');
    expect(h.inbox.taken).toHaveLength(1);
  }, 30_000);

  test('the starts of a day are used up: it waits, and says so', async () => {
    const discord = await standIn();
    discord.gateway.settings.identifiesLeft = 0;
    const starting = connect(discord);
    const asked = () => discord.calls().filter(({ route }) => route === 'GET /gateway/bot').length;
    await discord.until(() => asked() >= 2);
    expect(discord.gateway.counts().identified).toBe(0);
    discord.gateway.settings.identifiesLeft = 1_000;
    const h = await starting;
    expect(h.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringMatching(/only so many times a day/) }),
    );
    expect(h.chat.health()).toEqual({ kind: 'up' });
  }, 30_000);

  test('a server that can’t be reached keeps nobody’s command waiting', async () => {
    const discord = await standIn();
    const id = '200000000000000002';
    await discord.createGuild('Other', { id });
    discord.gateway.outage(id);
    const starting = connect(discord);
    await discord.until(() => discord.gateway.connections() === 1);
    const atMs = Date.now();
    await discord.command(discord.people.ana, discord.channel, 'run release');
    expect(Date.now() - atMs).toBeLessThan(1_500);
    expect(discord.troubles(discord.people.ana)).toEqual([]);
    const h = await starting;
    expect(h.inbox.taken.map(({ type }) => type)).toEqual(['command']);
  }, 30_000);

  test.each([
    ['REST does not answer', (discord: DiscordStandIn) => discord.failRequest(/./, { kind: 'hang' }, 50)],
    ['the gateway refuses', (discord: DiscordStandIn) => discord.gateway.refuse(1_000)],
    [
      'the starts are used up',
      (discord: DiscordStandIn) => {
        discord.gateway.settings.identifiesLeft = 0;
      },
    ],
    [
      'everything waits',
      (discord: DiscordStandIn) => discord.failRequest(/./, { kind: '429', retryAfterS: 3_000 }, 50),
    ],
  ])('it can be stopped while %s', async (_, breaks) => {
    const discord = await standIn();
    breaks(discord);
    const log = createKeptLog();
    const chat = createDiscord(
      { token: discord.token, apiUrl: discord.apiUrl, command: '/flow' },
      { clock: clockOf(discord), log, onDead: () => {} },
    );
    const starting = chat.start(createInbox());
    const failed = expect(starting).rejects.toThrow(/stop/);
    await discord.until(() => discord.calls().length > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await chat.stop();
    await failed;
  });
});

describe('trap 17: what is not as it should be ends nothing', () => {
  const ana = { id: '400000000000000001', username: 'ana' };
  const junk: readonly (readonly [string, Record<string, unknown>])[] = [
    ['BRAND_NEW_EVENT', { x: 1 }],
    ['MESSAGE_CREATE', {}],
    ['MESSAGE_CREATE', { id: 'x', channel_id: '300000000000000001', author: ana, type: 0, content: '!x' }],
    ['MESSAGE_CREATE', { id: 5, channel_id: 7, author: null, type: '0', content: {}, mentions: 7 }],
    ['MESSAGE_CREATE', { id: '500000000000000001', channel_id: '../x', author: ana, type: 0, content: '!x' }],
    [
      'MESSAGE_CREATE',
      {
        id: '500000000000000002',
        channel_id: '300000000000000001',
        author: ana,
        type: 0,
        content: `!x ${'y'.repeat(1_000_000)}`,
        timestamp: 'never',
        mentions: [],
        attachments: [],
        embeds: [],
      },
    ],
    [
      'MESSAGE_CREATE',
      {
        id: '500000000000000003',
        channel_id: '300000000000000001',
        author: ana,
        type: 0,
        content: '!x',
        embeds: 3,
        attachments: [1, null, 'x'],
        components: [{ type: 99 }],
        member: 'x',
      },
    ],
    ['MESSAGE_UPDATE', { id: null }],
    ['INTERACTION_CREATE', {}],
    ['INTERACTION_CREATE', { id: '600000000000000001', token: 't', type: 2 }],
    ['INTERACTION_CREATE', { id: 'x', token: 't', type: 99, data: null }],
    [
      'INTERACTION_CREATE',
      {
        id: 'y',
        token: '../../x',
        type: 3,
        channel: { id: '300000000000000001' },
        channel_id: '300000000000000001',
        user: ana,
        message: { id: '500000000000000009', author: ana, type: 0, channel_id: '300000000000000001' },
        data: { custom_id: 'x', component_type: 2 },
      },
    ],
    ['GUILD_CREATE', {}],
    ['GUILD_CREATE', { id: '200000000000000009' }],
    ['GUILD_CREATE', { id: '200000000000000009', channels: [null], roles: 'x', members: [{}] }],
    ['GUILD_DELETE', {}],
    ['GUILD_ROLE_UPDATE', { guild_id: '200000000000000001' }],
    ['CHANNEL_CREATE', { id: 'x', type: 99 }],
    ['CHANNEL_UPDATE', { id: '300000000000000001', type: 0, permission_overwrites: 5 }],
    ['THREAD_LIST_SYNC', { guild_id: '200000000000000001', threads: null }],
    ['THREAD_CREATE', { parent_id: 4 }],
    ['TYPING_START', { user_id: null }],
    ['RESUMED', {}],
  ];

  test('and what comes after it is heard', async () => {
    const h = await open();
    for (const [t, d] of junk) await h.sendEvent(t, d);
    await h.say(h.people.ana, h.channel, 'still there?');
    expect(texts(h)).toContain('still there?');
    await h.command(h.people.ana, h.channel, 'run release');
    expect(texts(h)).toContain('command');
    expect(h.deaths).toEqual([]);
  });

  test('nor does an event without anything, or one that is no event', async () => {
    const h = await open();
    for (const text of [
      '{"op":0,"s":2,"t":"GUILD_CREATE","d":null}',
      '{"op":99}',
      '{"op":0,"t":null,"s":3}',
    ]) {
      h.gateway.sendText(text);
    }
    await h.say(h.people.ana, h.channel, 'still there?');
    await h.inbox.until(1);
    expect(h.deaths).toEqual([]);
  });

  test('a bot that can’t keep anything says so, and goes on', async () => {
    const h = await open();
    h.inbox.refuseNext(1);
    await h.command(h.people.ana, h.channel, 'run release');
    await h.say(h.people.ana, h.channel, 'and now?');
    expect(texts(h)).toContain('and now?');
  });

  test('the same trouble of a connection is logged once', async () => {
    const h = await open();
    h.gateway.refuse(4);
    h.gateway.terminate();
    await h.until(() => h.gateway.connections() === 1);
    await h.quiet();
    const told = h.log.lines.filter(({ message }) => message === 'The connection to Discord has an error.');
    expect(told.length).toBeLessThanOrEqual(1);
  }, 20_000);
});

test.each(['rTiNoRrxCfOgmTnT', 'TOONfirCgxmfRTOi'])(
  'whatever happens one after the other (%s), all is heard, in the end over one connection',
  async (story) => {
    const h = await open();
    const happenings: Readonly<Record<string, () => unknown>> = {
      T: () => h.gateway.terminate(),
      r: () => h.gateway.refuse(2),
      R: () => h.gateway.reconnect(),
      i: () => h.gateway.invalidate(true),
      N: () => h.gateway.invalidate(false),
      n: () => h.gateway.closeAll(1000),
      C: () => h.gateway.closeAll(4007),
      x: () => h.inbox.refuseNext(1),
      f: () => h.failRequest('GET /channels/:channel/messages', { kind: 'reset' }),
      m: () => new Promise((resolve) => setTimeout(resolve, 300)),
      g: () => h.gateway.outage(h.guildId),
      o: () => h.gateway.outageOver(h.guildId),
      O: async () => {
        h.gateway.outage(h.guildId);
        await h.say(h.people.bo, h.channel, 'in an outage');
        h.gateway.outageOver(h.guildId);
      },
    };
    const said: string[] = [];
    for (const [index, letter] of [...story, 'o'].entries()) {
      // Longer than what is looked back for in any case.
      h.pass(90_000);
      await happenings[letter]?.();
      said.push(`after ${index}`);
      await h.say(h.people.ana, index % 2 === 0 ? h.channel : h.otherChannel, `after ${index}`);
    }
    await expect.poll(() => said.filter((text) => !texts(h).includes(text)), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => h.chat.health(), { timeout: 20_000 }).toEqual({ kind: 'up' });
    expect(h.gateway.connections()).toBe(1);
    expect(h.gateway.sessions.size).toBe(1);
    expect(h.deaths).toEqual([]);
  },
  60_000,
);
