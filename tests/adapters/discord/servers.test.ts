import { describe, expect, test } from 'vitest';
import { expectCalm, lastPrivate, runsOf } from './asking.ts';
import { note } from './flows.ts';
import { openDiscord } from './harness.ts';
import { onceShown, openLive } from './live.ts';

describe('a server that the bot is let into', () => {
  test('is greeted once, in the first channel that is open to everybody', async () => {
    const { discord } = await openLive({ note });
    const place = await discord.createGuild('Launch');
    const texts = await onceShown(discord, place, 'Hello!');
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('!note');
    expect(texts[0]).toContain('/flow help');
    expectCalm(discord);
  });

  const server = '200000000000000777';
  const channel = (id: string, more: object = {}) => ({ id, type: 0, position: 0, ...more });
  const closed = { permission_overwrites: [{ id: server, type: 0, allow: '0', deny: '1024' }] };
  const told = (more: object) => ({ id: server, owner_id: '400000000000000001', ...more });

  test.each<[string, object, string | undefined]>([
    ['where it has greetings of its own', { system_channel_id: '301', channels: [channel('302')] }, '301'],
    [
      'else in its first channel that is open to everybody',
      {
        system_channel_id: null,
        channels: [
          channel('302', closed),
          channel('303', { type: 2 }),
          channel('304', { position: 2 }),
          channel('305', { position: 1 }),
        ],
      },
      '305',
    ],
    ['else not at all', { channels: [channel('302', closed), channel('303', { type: 4 })] }, undefined],
  ])('is greeted %s', async (_, more, greeted) => {
    const { discord, inbox } = await openDiscord();
    await discord.sendEvent('GUILD_CREATE', told(more));
    expect(inbox.taken.map((event) => event.type === 'invited' && event.place.conversation)).toEqual(
      greeted === undefined ? [] : [greeted],
    );
    expectCalm(discord);
  });

  test('is greeted again when it lets the bot in once more, not after a restart or an outage', async () => {
    const harness = await openDiscord();
    const { discord, inbox } = harness;
    const guild = told({ channels: [channel('302')] });
    await discord.createGuild('Launch', { id: server });
    await harness.restart();
    const before = inbox.taken.length;
    await discord.sendEvent('GUILD_DELETE', { id: server, unavailable: true });
    await discord.sendEvent('GUILD_CREATE', guild);
    expect(inbox.taken).toHaveLength(before);
    await discord.sendEvent('GUILD_DELETE', { id: server });
    await discord.sendEvent('GUILD_CREATE', guild);
    expect(inbox.taken).toHaveLength(before + 1);
    expectCalm(discord);
  });
});

describe('in direct messages', () => {
  test('/flow works where commands are known everywhere', async () => {
    const { discord } = await openLive({ note });
    const { ana } = discord.people;
    const direct = discord.directPlace(ana);
    await discord.command(ana, direct, 'run note alone');
    await onceShown(discord, discord.otherChannel, 'Noted: alone');
    await onceShown(discord, direct, 'Note has succeeded');
    expectCalm(discord);
  });

  test('with one server only its people are served', async () => {
    const guildId = '200000000000000001';
    const { discord, live } = await openLive({ note }, { env: { DISCORD_GUILD_ID: guildId } });
    const { ana, bo } = discord.people;
    await discord.leave(bo);
    await discord.say(bo, discord.directPlace(bo), '!note from outside');
    await discord.quiet();
    expect(await runsOf(live)).toEqual([]);
    await discord.say(ana, discord.directPlace(ana), '!note from inside');
    await onceShown(discord, discord.otherChannel, 'Noted: from inside');
    expectCalm(discord);
  });

  test('a command in another server than the one that is served is refused', async () => {
    const { discord, live } = await openLive({ note }, { env: { DISCORD_GUILD_ID: '200000000000000001' } });
    const { ana } = discord.people;
    const place = await discord.createGuild('Elsewhere');
    await discord.sendCommand(ana, place, { name: 'flow', type: 1, options: [{ type: 1, name: 'list' }] });
    expect((await lastPrivate(discord, ana))?.text).toBe('I work in another server only.');
    expect(await discord.messages(place)).toEqual([]);
    expect(await runsOf(live)).toEqual([]);
    expectCalm(discord);
  });
});
