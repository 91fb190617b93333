import { expect, test } from 'vitest';
import { createDiscordStandIn } from '../../fakes/discord/index.ts';
import { createDiscordHarness, type DiscordHarness, openDiscord } from './harness.ts';

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
  const h = await openDiscord();
  await h.say(h.people.ana, h.channel, 'before');
  h.gateway.terminate();
  await h.say(h.people.bo, h.channel, 'meanwhile');
  await over(h, () => {}, 2);
  expect(texts(h)).toEqual(['before', 'meanwhile']);
  expect(h.gateway.counts()).toEqual({ identified: 1, resumed: 1 });
});

test.each([
  ['is asked to reconnect', (h: DiscordHarness) => h.gateway.reconnect()],
  ['is told that its session is invalid for now', (h: DiscordHarness) => h.gateway.invalidate(true)],
  ['is closed with 4000', (h: DiscordHarness) => h.gateway.closeAll(4000)],
  ['is closed with 4009', (h: DiscordHarness) => h.gateway.closeAll(4009)],
])('a bot that %s hears everything', async (_, breaks) => {
  const h = await openDiscord();
  breaks(h);
  await h.say(h.people.bo, h.channel, 'meanwhile');
  await over(h, () => {}, 1);
  expect(texts(h)).toEqual(['meanwhile']);
});

test('trap 16: a new session has lost what was told between: it is found in the history, in order', async () => {
  const h = await openDiscord();
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
  const h = await openDiscord();
  const direct = h.directPlace(h.people.ana);
  await h.say(h.people.ana, direct, 'hello');
  await h.chat.stop();
  await h.say(h.people.ana, direct, 'anybody there?');
  await h.restart();
  await h.inbox.until(2);
  expect(texts(h)).toEqual(['hello', 'anybody there?']);
});

test('what is older than two hours is not begun any more', async () => {
  const h = await openDiscord();
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
  const h = await openDiscord();
  await h.say(h.people.ana, h.channel, 'once');
  await h.redeliver();
  expect(new Set(h.inbox.taken.map(({ id }) => id)).size).toBe(1);
});

test('a silent connection counts as broken', async () => {
  const discord = await createDiscordStandIn();
  discord.gateway.settings.heartbeatIntervalMs = 150;
  const h = await createDiscordHarness({ discord });
  try {
    discord.gateway.settings.isSilent = true;
    await discord.until(() => discord.gateway.counts().resumed > 0);
    discord.gateway.settings.isSilent = false;
    await h.onceConnected();
    await h.say(h.people.ana, h.channel, 'still there?');
    await h.inbox.until(1);
    expect(texts(h)).toContain('still there?');
  } finally {
    await h.close();
  }
}, 20_000);

test('health tells when the connection is lost, and when it is back', async () => {
  const h = await openDiscord();
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
  const discord = await createDiscordStandIn();
  discord.gateway.settings.shards = 2;
  // The least significant bit that counts decides on which connection a server is.
  const other = await discord.createGuild('Other', { id: String(BigInt(discord.guildId) + (1n << 22n)) });
  const h = await createDiscordHarness({ discord });
  try {
    await discord.onceConnected(2);
    await h.say(h.people.ana, h.channel, 'here');
    await h.say(h.people.ana, other, 'there');
    await h.inbox.until(2);
    expect(texts(h)).toEqual(['here', 'there']);
  } finally {
    await h.close();
  }
}, 30_000);

test.each([
  [4004, /DISCORD_TOKEN/],
  [4014, /Message Content Intent/],
  [4011, /start Flowbot again/],
])('closed for good with %i, the bot says why and ends', async (code, why) => {
  const h = await openDiscord();
  h.gateway.closeAll(code);
  await h.until(() => h.deaths.length > 0);
  expect(h.deaths).toEqual([expect.stringMatching(why)]);
  expect(h.chat.health()).toMatchObject({ kind: 'down', why: expect.stringMatching(why) });
});

test('trap 20: a token that is not accepted any more ends the bot with a sentence', async () => {
  const h = await openDiscord();
  const [part] = h.chat.render({ prose: [], buttons: [], notify: [] });
  h.revokeToken();
  expect(await h.chat.post(h.channel, part ?? null, 'key-1')).toMatchObject({ kind: 'later' });
  expect(h.deaths).toEqual([expect.stringMatching(/DISCORD_TOKEN/)]);
  expect(h.chat.health()).toMatchObject({ kind: 'down' });
});

test('a wrong token is told at the start', async () => {
  const discord = await createDiscordStandIn();
  discord.revokeToken();
  await expect(createDiscordHarness({ discord })).rejects.toThrow(/DISCORD_TOKEN/);
  await discord.close();
});

test('trap 14: without the Message Content Intent mentions, direct messages, commands and buttons still work', async () => {
  const discord = await createDiscordStandIn();
  discord.portal.messageContent = false;
  const h = await createDiscordHarness({ discord });
  try {
    await h.say(h.people.ana, h.channel, '@flowbot release 1.2');
    await h.say(h.people.ana, h.directPlace(h.people.ana), 'help');
    await h.command(h.people.ana, h.channel, 'run release');
    expect(texts(h)).toEqual(expect.arrayContaining(['release 1.2', 'help', 'command']));
    expect(h.log.lines).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/Message Content Intent is off/) }),
    );
    expect(h.chat.health()).toEqual({ kind: 'up' });
  } finally {
    await h.close();
  }
});
