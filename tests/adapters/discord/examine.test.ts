import { describe, expect, onTestFinished, test } from 'vitest';
import { examineDiscord } from '../../../src/adapters/discord/examine.ts';
import type { PostedTo } from '../../../src/adapters/discord/examine-channels.ts';
import { createDiscord, type DiscordSettings } from '../../../src/adapters/discord/index.ts';
import { inviteLink, permissions } from '../../../src/adapters/discord/permissions.ts';
import { createInbox } from '../../contracts/chat.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../../fakes/discord/index.ts';
import { type PermissionName, permission } from '../../fakes/discord/permissions.ts';
import { createKeptLog } from '../../fakes/log.ts';
import { clockOf } from './harness.ts';

/** A Discord where the bot was let into the server, and everybody may only read. */
async function installation(): Promise<DiscordStandIn> {
  const discord = await createDiscordStandIn();
  onTestFinished(async () => {
    expect(discord.faults()).toEqual([]);
    await discord.close();
  });
  discord.portal.publicBot = false;
  await discord.permit('everybody', []);
  await discord.permit('bot', asked);
  return discord;
}

/** What the link that invites the bot asks for, in Discord's names. */
const asked: readonly PermissionName[] = [
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'SEND_MESSAGES_IN_THREADS',
  'CREATE_PUBLIC_THREADS',
  'READ_MESSAGE_HISTORY',
  'ATTACH_FILES',
];

const examine = (
  discord: DiscordStandIn,
  settings: Partial<DiscordSettings> = {},
  postedTo: readonly PostedTo[] = [],
) =>
  examineDiscord(
    { token: discord.token, apiUrl: discord.apiUrl, command: '/flow', ...settings },
    { clock: clockOf(discord), log: createKeptLog(), postedTo },
  );

const troubles = async (...given: Parameters<typeof examine>) =>
  (await examine(...given)).filter(({ level }) => level !== 'ok');
const textsOf = async (...given: Parameters<typeof examine>) =>
  (await examine(...given)).map(({ text }) => text);

/** A Flowbot was started there once, and has made its commands known. @param inbox what it remembers */
async function started(discord: DiscordStandIn, guildId?: string, inbox = createInbox()): Promise<void> {
  inbox.offer({ words: [{ name: 'help', summary: 'Shows this.', options: [] }], flows: [] });
  const chat = createDiscord(
    { token: discord.token, apiUrl: discord.apiUrl, command: '/flow', ...(guildId && { guildId }) },
    { clock: clockOf(discord), log: createKeptLog(), onDead: () => {} },
  );
  await chat.start(inbox);
  await chat.stop();
}

describe('what doctor says about an installation', () => {
  test('one that is as it should be has no faults', async () => {
    const discord = await installation();
    await started(discord);
    expect(await examine(discord)).toEqual([
      { level: 'ok', text: 'Discord knows the bot as flowbot, of the application flowbot.' },
      { level: 'ok', text: 'The Message Content Intent is switched on.' },
      { level: 'ok', text: 'Discord lets the bot connect.' },
      { level: 'ok', text: 'The bot is in Flowbot test.' },
      { level: 'ok', text: 'The permissions in Flowbot test are complete.' },
      { level: 'ok', text: 'The command /flow is known in all servers.' },
      { level: 'ok', text: expect.stringContaining(inviteLink(discord.appId)) },
    ]);
  });

  test.each(permissions)('without $name the cost is told', async ({ name, bit, cost }) => {
    const discord = await installation();
    await discord.permit(
      'bot',
      asked.filter((one) => permission[one] !== bit),
    );
    expect(await troubles(discord)).toEqual([
      { level: 'warning', text: `The permission ${name} is missing in Flowbot test. ${cost}` },
    ]);
  });

  test('what everybody may do, the bot may do too', async () => {
    const discord = await installation();
    await discord.permit('everybody', asked);
    await discord.permit('bot', []);
    expect(await troubles(discord)).toEqual([]);
  });

  test.each([
    ['Administrator', 'bot', ['ADMINISTRATOR']],
    ['Mention Everyone', 'everybody', ['MENTION_EVERYONE']],
  ] as const)('trap 4: %s is one permission too many', async (name, role, names) => {
    const discord = await installation();
    await discord.permit(role, [...(role === 'bot' ? [] : asked), ...names]);
    expect(await troubles(discord)).toEqual([
      {
        level: 'warning',
        text: expect.stringContaining(`The bot has the permission ${name} in Flowbot test`),
      },
    ]);
  });

  test('trap 14: without the Message Content Intent it says what still works, and where to switch it on', async () => {
    const discord = await installation();
    discord.portal.messageContent = false;
    expect(await troubles(discord)).toEqual([
      {
        level: 'warning',
        text: 'The Message Content Intent is switched off: commands after a sign (!release) are not seen in servers, and conversations can’t be summed up. Mentions, slash commands, buttons, “Use this message” and direct messages work. Developer Portal, Bot, Message Content Intent; then start Flowbot again.',
      },
    ]);
  });

  test('trap 20: a wrong token is the only finding, with the way to a right one', async () => {
    const discord = await installation();
    expect(await examine(discord, { token: 'wrong.wrong.wrong' })).toEqual([
      { level: 'fault', text: expect.stringMatching(/^DISCORD_TOKEN: .*Bot, Reset Token/) },
    ]);
  });

  test('a Discord that can’t be reached is no fault of the token', async () => {
    const discord = await installation();
    discord.failRequest(/./, { kind: 'reset' }, 100);
    expect(await examine(discord)).toEqual([
      { level: 'fault', text: 'Discord can’t be asked: Discord gave no answer.' },
    ]);
  });

  test('a short failure of Discord is waited out', async () => {
    const discord = await installation();
    discord.failRequest(/./, { kind: 'status', status: 502 });
    discord.failRequest('GET /users/@me/guilds', { kind: '429', retryAfterS: 1 });
    expect(await troubles(discord)).toEqual([]);
  });

  test('a public bot is one that strangers can invite, unless only one server is served', async () => {
    const discord = await installation();
    discord.portal.publicBot = true;
    expect(await troubles(discord)).toEqual([
      {
        level: 'warning',
        text: expect.stringMatching(/^Anybody can invite the bot.*DISCORD_GUILD_ID.*Public Bot/),
      },
    ]);
    expect(await troubles(discord, { guildId: discord.guildId })).toEqual([]);
  });

  test('a bot that is nowhere yet gets its link', async () => {
    const discord = await installation();
    await discord.removeBot(discord.channel);
    expect(await troubles(discord)).toEqual([
      { level: 'fault', text: 'The bot is in no server yet: open the link below.' },
    ]);
    expect((await textsOf(discord)).at(-1)).toContain(inviteLink(discord.appId));
  });

  test('the id of a server where the bot is not is a fault, with those where it is', async () => {
    const discord = await installation();
    expect(await troubles(discord, { guildId: '299999999999999999' })).toEqual([
      {
        level: 'fault',
        text: 'DISCORD_GUILD_ID: the bot is not in the server 299999999999999999, but in Flowbot test. Open the link below, or correct the id.',
      },
    ]);
  });

  test('other servers of the bot are named when only one is served, and not looked at', async () => {
    const discord = await installation();
    await discord.createGuild('Elsewhere');
    const texts = await textsOf(discord, { guildId: discord.guildId });
    expect(texts).toContain('The bot is in Flowbot test.');
    expect(texts).toContain('It is also in Elsewhere, where it does nothing: DISCORD_GUILD_ID is set.');
    expect(texts.filter((text) => text.includes('Elsewhere'))).toHaveLength(1);
  });

  test('each server that is served is looked at', async () => {
    const discord = await installation();
    await discord.createGuild('Elsewhere');
    await discord.permit('bot', []);
    const texts = (await troubles(discord)).map(({ text }) => text);
    expect(texts).toHaveLength(permissions.length);
    expect(texts.every((text) => text.includes('in Flowbot test'))).toBe(true);
    expect(await textsOf(discord)).toContain('The permissions in Elsewhere are complete.');
  });

  test('names of servers stand on one line, whatever they are', async () => {
    const discord = await installation();
    await discord.createGuild('Two\n\nfault: lines');
    expect(await textsOf(discord)).toContain('The bot is in Flowbot test, Two fault: lines.');
  });

  test('commands that are not known yet are no fault: the start makes them known', async () => {
    const discord = await installation();
    expect(await troubles(discord)).toEqual([]);
    expect(await textsOf(discord)).toContain(
      'The command /flow is not known in all servers yet: Flowbot makes it known when it starts.',
    );
    expect(await textsOf(discord, { guildId: discord.guildId })).toContain(
      'The command /flow is not known in Flowbot test yet: Flowbot makes it known when it starts.',
    );
  });

  test('a bot that was invited without its commands is told so', async () => {
    const discord = await installation();
    discord.failRequest(
      'GET /applications/:application/guilds/:guild/commands',
      { kind: 'error', status: 403, code: 50001, message: 'Missing Access' },
      2,
    );
    expect(await troubles(discord)).toEqual([
      {
        level: 'warning',
        text: 'The bot was invited to Flowbot test without its commands: open the link below once more.',
      },
    ]);
  });

  test('commands that are shown twice are named, and the way that is told takes them back', async () => {
    const discord = await installation();
    // Two Flowbots that knew nothing of each other.
    const inbox = createInbox();
    await started(discord, discord.guildId);
    await started(discord, undefined, inbox);
    const [told] = await troubles(discord);
    expect(told).toEqual({
      level: 'warning',
      text: `In Flowbot test these are shown twice, as they are known there and in all servers: flow, Use this message. Start Flowbot once with DISCORD_GUILD_ID=${discord.guildId}, then without it: it takes back what it does not need.`,
    });
    expect(await troubles(discord, { guildId: discord.guildId })).toEqual([
      { level: 'warning', text: expect.stringContaining('once without DISCORD_GUILD_ID, then with it') },
    ]);
    await started(discord, discord.guildId, inbox);
    await started(discord, undefined, inbox);
    expect(await troubles(discord)).toEqual([]);
    expect(discord.commands(discord.guildId)).toEqual([]);
    expect(discord.commands().map(({ name }) => name)).toEqual(['flow', 'Use this message']);
  });

  describe('about channels that flows post to', () => {
    const to = (...addresses: string[]) => addresses.map((address) => ({ address, flows: ['release'] }));
    const posting = (discord: DiscordStandIn, ...addresses: string[]) =>
      troubles(discord, {}, to(...addresses));

    test('those that are there and open are as they should be, by name, server and id', async () => {
      const discord = await installation();
      const ideas = await discord.createForum({ name: 'Ideas' });
      const addresses = ['#general', 'flowbot TEST/#releases', ideas.conversation, '#IDEAS'];
      expect(await posting(discord, ...addresses)).toEqual([]);
      expect((await examine(discord, {}, to('#general'))).map(({ text }) => text)).toContain(
        'The channels that flows post to are there and open to the bot.',
      );
    });

    test('one that is not there is named, with its flows', async () => {
      const discord = await installation();
      expect(await posting(discord, '#nowhere', 'Elsewhere/#general')).toEqual([
        {
          level: 'warning',
          text: 'Flows post in #nowhere (release), and the bot sees no such channel: make it, or let the bot in.',
        },
        { level: 'warning', text: expect.stringContaining('Flows post in Elsewhere/#general (release)') },
      ]);
    });

    test.each(permissions)('without $name there the cost is told', async ({ name, bit, cost }) => {
      const discord = await installation();
      await discord.deny(discord.channel, ...asked.filter((one) => permission[one] === bit));
      expect(await posting(discord, '#general', '#releases')).toEqual([
        {
          level: 'warning',
          text: `Flows post in #general (release). The permission ${name} is missing there. ${cost}`,
        },
      ]);
    });

    test('an administrator misses nothing, whatever the channel says', async () => {
      const discord = await installation();
      await discord.deny(discord.channel, 'SEND_MESSAGES');
      await discord.permit('bot', ['ADMINISTRATOR']);
      expect(await posting(discord, '#general')).toEqual([
        { level: 'warning', text: expect.stringContaining('Administrator') },
      ]);
    });

    test('several of one name need the server', async () => {
      const discord = await installation();
      await discord.createGuild('Elsewhere');
      const [told, ...others] = await posting(discord, '#general', 'Elsewhere/#general');
      expect(others).toEqual([]);
      expect(told?.text).toContain(
        'several channels are called that: write the server before it, or the id.',
      );
      expect(await troubles(discord, { guildId: discord.guildId }, to('#general'))).toEqual([]);
    });

    test('what is missing on the whole server is said once', async () => {
      const discord = await installation();
      await discord.permit('bot', ['VIEW_CHANNEL']);
      expect(await posting(discord, '#general', '#releases')).toHaveLength(permissions.length - 1);
    });

    test('threads and people are not looked for among the channels', async () => {
      const discord = await installation();
      expect(await posting(discord, '@ana', discord.people.bo.id)).toEqual([]);
    });
  });

  test('few starts left are worth a warning, none are a fault', async () => {
    const discord = await installation();
    discord.gateway.settings.identifiesLeft = 3;
    expect(await troubles(discord)).toEqual([
      { level: 'warning', text: expect.stringContaining('within the next 1440 minutes: 3.') },
    ]);
    discord.gateway.settings.identifiesLeft = 0;
    expect(await troubles(discord)).toEqual([
      { level: 'fault', text: expect.stringContaining('connect again in 1440 minutes only') },
    ]);
  });

  test('what Discord does not answer is a finding of its own and ends nothing', async () => {
    const discord = await installation();
    discord.failRequest(/^GET \/(gateway|users)/, { kind: 'status', status: 500 }, 100);
    const found = await troubles(discord);
    expect(found.map(({ level }) => level)).toEqual(['fault', 'fault']);
    for (const { text } of found) expect(text).toContain('Discord failed (500).');
  });

  test('it only reads', async () => {
    const discord = await installation();
    await examine(discord);
    expect(discord.calls().map(({ route }) => route)).toEqual([
      'GET /applications/@me',
      'GET /gateway/bot',
      'GET /users/@me/guilds',
      'GET /applications/:application/commands',
      'GET /applications/:application/guilds/:guild/commands',
    ]);
    expect(discord.gateway.counts().identified).toBe(0);
  });
});
