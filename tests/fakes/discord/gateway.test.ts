import { Events, GatewayIntentBits } from 'discord.js';
import { expect, test } from 'vitest';
import type { DiscordStandIn } from './discord-stand-in.ts';
import { openLittleBot } from './little-bot.ts';

const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;

test('a client logs in, knows the server and hears what people write', async () => {
  const { discord, client, heard } = await openLittleBot();
  expect(client.guilds.cache.map(({ name }) => name)).toEqual(['Flowbot test']);
  const ref = await discord.say(discord.people.ana, discord.channel, 'hello @flowbot, @nobody');
  expect(heard).toEqual([`hello <@${discord.botId}>, @nobody`]);
  expect(await discord.messages(discord.channel)).toMatchObject([
    { ref, author: discord.people.ana.id, text: 'hello @flowbot, @nobody' },
  ]);
});

test('without the content intent texts are blank, but for the bot itself, mentions and direct messages', async () => {
  const { discord, heard } = await openLittleBot({
    intents: [Guilds, GuildMessages, GatewayIntentBits.DirectMessages],
  });
  const { ana } = discord.people;
  await discord.say(ana, discord.channel, 'a secret');
  await discord.say(ana, discord.channel, '@flowbot hi');
  await discord.say(ana, discord.directPlace(ana), 'between us');
  expect(heard).toEqual(['', `<@${discord.botId}> hi`, 'between us']);
});

test('an intent that is not switched on, and a wrong token, end the log-in', async () => {
  const refused = openLittleBot({
    prepare(discord) {
      discord.portal.messageContent = false;
    },
  });
  await expect(refused).rejects.toThrow('Used disallowed intents');
  await expect(openLittleBot({ prepare: (discord) => discord.revokeToken() })).rejects.toThrow(
    'An invalid token was provided.',
  );
});

test('what is not asked for is not told', async () => {
  const { discord, heard } = await openLittleBot({ intents: [Guilds, MessageContent] });
  await discord.say(discord.people.ana, discord.channel, 'hello');
  expect(heard).toEqual([]);
});

test.each([
  ['op 7', (gateway: Gateway) => gateway.reconnect()],
  ['op 9 with true', (gateway: Gateway) => gateway.invalidate(true)],
  ['close 4000', (gateway: Gateway) => gateway.closeAll(4000)],
  ['a cut', (gateway: Gateway) => gateway.terminate()],
] as const)('%s: the session goes on and what was missed is told', async (_, interrupt) => {
  const { discord, heard, life } = await openLittleBot();
  interrupt(discord.gateway);
  await discord.say(discord.people.ana, discord.channel, 'missed me?');
  await discord.until(() => discord.gateway.counts().resumed === 1);
  await discord.quiet();
  expect(heard).toEqual(['missed me?']);
  expect(life).toEqual(['ready', expect.stringMatching(/^resumed [1-9]/)]);
});

test('op 9 with false: a new session begins and what was missed is lost', async () => {
  const { discord, heard, life } = await openLittleBot();
  discord.gateway.invalidate(false);
  await discord.say(discord.people.ana, discord.channel, 'missed me?');
  await discord.until(() => discord.gateway.counts().identified === 2);
  await discord.quiet();
  expect(heard).toEqual([]);
  expect(life).toEqual(['ready', 'ready']);
}, 15_000);

test('events are doubled and dropped', async () => {
  const { discord, client } = await openLittleBot();
  const names: string[] = [];
  client.on(Events.Raw, ({ t }: { t: string }) => void names.push(t));
  discord.gateway.drop('MESSAGE_CREATE', 1);
  await discord.say(discord.people.ana, discord.channel, 'lost');
  await discord.say(discord.people.ana, discord.channel, 'told twice');
  await discord.redeliver();
  expect(names).toEqual(['MESSAGE_CREATE', 'MESSAGE_CREATE']);
});

test('a channel that the bot does not see is not told about', async () => {
  const { discord, heard } = await openLittleBot();
  await discord.deny(discord.channel, 'VIEW_CHANNEL');
  await discord.say(discord.people.ana, discord.channel, 'psst');
  expect(heard).toEqual([]);
});

test('shards get the servers that are theirs, direct messages go to the first; fewer shards are refused', async () => {
  const prepare = (discord: DiscordStandIn) => {
    discord.gateway.settings.shards = 2;
  };
  await expect(openLittleBot({ prepare })).rejects.toThrow('Sharding is required');
  const { discord, client, heard } = await openLittleBot({ prepare, shards: 'auto' });
  const { ana } = discord.people;
  await discord.onceConnected(2);
  await discord.say(ana, discord.channel, 'on a server');
  await discord.say(ana, discord.directPlace(ana), 'direct');
  expect(heard).toEqual(['on a server', 'direct']);
  expect(client.ws.shards.size).toBe(2);
}, 15_000);

test('a burst of 2,000 messages is told at once', async () => {
  const { discord, heard } = await openLittleBot();
  const { ana: person } = discord.people;
  const typed = Array.from({ length: 2000 }, (_, n) => ({
    person,
    place: discord.channel,
    text: `no. ${n}`,
  }));
  await discord.burst(typed);
  expect(heard).toHaveLength(2000);
});

type Gateway = DiscordStandIn['gateway'];
