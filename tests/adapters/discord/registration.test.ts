import { describe, expect, onTestFinished, test } from 'vitest';
import { createDiscordStandIn, type DiscordStandIn } from '../../fakes/discord/index.ts';
import { logged } from './asking.ts';
import { goLive, type Live, openLive } from './live.ts';

const flow = (id: string, about = 'Makes it.') => `
name: ${id}
description: ${about}
triggers: [{ type: command, command: ${id}, slash: true }]
steps:
  done: { type: message, to: "#releases", text: "${id}" }
`;

const guildId = '200000000000000001';
const command = 'POST /applications/:application/commands';

const namesOf = (discord: DiscordStandIn, server?: string) =>
  discord.commands(server).map(({ name }) => name);
/** Calls that changed commands. */
const changes = (discord: DiscordStandIn) =>
  discord.calls().filter(({ method, path }) => method !== 'GET' && /\/commands(\/|$)/.test(path)).length;

const weather = { name: 'weather', description: 'Of another program.' };

/** Another program of the same application changes its commands. */
async function byAnother(discord: DiscordStandIn, method: 'POST' | 'PUT', body: unknown): Promise<void> {
  const said = await fetch(`${discord.apiUrl}/v10/applications/${discord.appId}/commands`, {
    method,
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(said.ok).toBe(true);
}

/** Starts a Flowbot for a Discord that is there already. */
async function join(
  discord: DiscordStandIn,
  flows: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Live> {
  const live = await goLive(discord, flows, env);
  onTestFinished(() => live.close());
  return live;
}

async function openStandIn(): Promise<DiscordStandIn> {
  const discord = await createDiscordStandIn();
  onTestFinished(() => discord.close());
  return discord;
}

describe('commands are made known', () => {
  test('everywhere, once, and again only when they change', async () => {
    const { discord, live } = await openLive({ release: flow('release') });
    expect(namesOf(discord)).toEqual(['flow', 'release', 'Use this message']);
    // Every word of the chat command has found room.
    expect(logged(live, 'warn')).toEqual([]);
    const first = changes(discord);
    await live.restart();
    await discord.quiet();
    expect(changes(discord)).toBe(first);
    await live.stop();
    live.write('release', flow('release', 'Makes another.'));
    await live.start();
    await discord.quiet();
    expect(changes(discord)).toBe(first + 1);
    expect(discord.commands().find(({ name }) => name === 'release')).toMatchObject({
      description: expect.stringContaining('another'),
    });
    expect(discord.faults()).toEqual([]);
  });

  test('on one server at once, and nowhere else', async () => {
    const { discord } = await openLive({ release: flow('release') }, { env: { DISCORD_GUILD_ID: guildId } });
    expect(namesOf(discord, guildId)).toEqual(['flow', 'release', 'Use this message']);
    expect(namesOf(discord)).toEqual([]);
    expect(discord.faults()).toEqual([]);
  });

  test('once more when somebody has deleted them', async () => {
    const { discord, live } = await openLive({ release: flow('release') });
    await live.stop();
    await byAnother(discord, 'PUT', []);
    await live.start();
    await discord.until(() => namesOf(discord).length === 3);
    expect(discord.faults()).toEqual([]);
  });

  test('of a flow that is gone are deleted, those of others stay', async () => {
    const { discord, live } = await openLive({ release: flow('release'), deploy: flow('deploy') });
    await byAnother(discord, 'POST', weather);
    live.write('deploy', flow('deploy').replace(', slash: true', ''));
    await live.restart();
    await discord.quiet();
    expect(namesOf(discord)).toEqual(['flow', 'release', 'Use this message', 'weather']);
    expect(discord.faults()).toEqual([]);
  });

  test('where they belong when that changes: ours are taken back from where they were', async () => {
    const discord = await openStandIn();
    await byAnother(discord, 'POST', weather);
    const env: Record<string, string> = {};
    const live = await join(discord, { release: flow('release') }, env);
    env.DISCORD_GUILD_ID = guildId;
    await live.restart();
    await discord.until(() => namesOf(discord, guildId).length === 3);
    await discord.quiet();
    expect(namesOf(discord)).toEqual(['weather']);
    delete env.DISCORD_GUILD_ID;
    await live.restart();
    await discord.until(() => namesOf(discord).length === 4);
    await discord.quiet();
    expect(namesOf(discord, guildId)).toEqual([]);
    expect(discord.faults()).toEqual([]);
  });

  test('and what could not be taken back then is taken back later', async () => {
    const discord = await openStandIn();
    const env: Record<string, string> = {};
    const live = await join(discord, { release: flow('release') }, env);
    env.DISCORD_GUILD_ID = guildId;
    discord.failRequest(
      'DELETE /applications/:application/commands/:command',
      { kind: 'status', status: 500 },
      12,
    );
    await live.restart();
    await discord.until(() => namesOf(discord, guildId).length === 3);
    expect(namesOf(discord)).not.toEqual([]);
    await live.restart();
    await discord.until(() => namesOf(discord).length === 0);
    expect(discord.faults()).toEqual([]);
  });
});

describe('what Discord does not take', () => {
  test('a command of another program with the same name is said in the log', async () => {
    const discord = await openStandIn();
    await byAnother(discord, 'POST', { ...weather, name: 'release' });
    const live = await join(discord, { release: flow('release') });
    await discord.until(() => namesOf(discord).length === 3);
    expect(logged(live, 'warn')).toEqual([
      expect.objectContaining({ message: 'The application had this command already. It is Flowbot’s now.' }),
    ]);
  });

  test('after its database was lost Flowbot knows its own commands again and says nothing', async () => {
    const discord = await openStandIn();
    const first = await goLive(discord, { release: flow('release') });
    await first.close();
    const live = await join(discord, { release: flow('release') });
    await discord.quiet();
    expect(namesOf(discord)).toEqual(['flow', 'release', 'Use this message']);
    expect(logged(live, 'warn')).toEqual([]);
  });

  test('more than 200 new commands a day are made known the next day', async () => {
    const discord = await openStandIn();
    const tooMany = {
      kind: 'error',
      status: 400,
      code: 30034,
      message: 'Max number of daily application command creates has been reached (200)',
    } as const;
    discord.failRequest(command, tooMany);
    const live = await join(discord, { release: flow('release') });
    await discord.until(() => logged(live, 'warn').length > 0);
    expect(logged(live, 'warn')).toEqual([
      expect.objectContaining({
        data: { command: '1:flow', why: expect.stringContaining('200 new commands a day') },
      }),
    ]);
    expect(namesOf(discord)).toEqual([]);
  });

  test('a bot that was invited without the right to commands hears how to get it', async () => {
    const discord = await openStandIn();
    const missing = { kind: 'error', status: 403, code: 50001, message: 'Missing Access' } as const;
    discord.failRequest(/^\w+ \/applications\/:application\/guilds\/:guild\/commands/, missing, 20);
    const live = await join(discord, { release: flow('release') }, { DISCORD_GUILD_ID: guildId });
    await discord.until(() => logged(live, 'warn').length > 0);
    expect(logged(live, 'warn')).toEqual([
      expect.objectContaining({ data: { why: expect.stringContaining('applications.commands') } }),
    ]);
  });

  test('a bot that is not in its server yet gets its commands there as soon as it is let in', async () => {
    const discord = await openStandIn();
    const id = '200000000000000555';
    const live = await join(discord, { release: flow('release') }, { DISCORD_GUILD_ID: id });
    await discord.until(() => logged(live, 'warn').length > 0);
    expect(JSON.stringify(logged(live, 'warn'))).toContain('not in the server that DISCORD_GUILD_ID names');
    await discord.createGuild('Launch', { id });
    await discord.until(() => namesOf(discord, id).length === 3);
    expect(discord.faults()).toEqual([]);
  });

  test('a name that Discord does not take is said with what to do', async () => {
    const { live } = await openLive({ release: flow('flow') });
    expect(JSON.stringify(logged(live, 'warn'))).toContain('flow');
  });
});
