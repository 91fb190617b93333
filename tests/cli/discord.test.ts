import { afterEach, describe, expect, it } from 'vitest';
import { createDiscordStandIn, type DiscordStandIn } from '../fakes/discord/index.ts';
import { createHome, type Home } from './home.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

async function connected(): Promise<{ readonly discord: DiscordStandIn; readonly home: Home }> {
  const discord = await createDiscordStandIn();
  opened.push(discord);
  const home = createHome({ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl });
  opened.push(home);
  return { discord, home };
}

describe('flowbot start with Discord', () => {
  it('is ready when it is connected, and ends in order', async () => {
    const { discord, home } = await connected();
    const flowbot = await home.start();
    expect(flowbot.out).toContain('Flowbot is ready: discord (no flows yet)');
    expect(discord.gateway.connections()).toBe(1);
    flowbot.signal('SIGTERM');
    expect(await flowbot.ended()).toMatchObject({ code: 0, err: '' });
    // Discord was told, and does not keep the bot online.
    expect(discord.gateway.sessions.size).toBe(0);
  });

  it('trap 20: ends with code 1 and what to mend when the token is not right', async () => {
    const { discord, home } = await connected();
    discord.revokeToken();
    const { code, out, err } = await home.type('start');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/DISCORD_TOKEN.*reset it in the Developer Portal/);
    expect(err).not.toContain(discord.token);
  });

  it('ends with code 1 and what to mend when an intent is not granted after all', async () => {
    const { discord, home } = await connected();
    const { promise: release, resolve } = Promise.withResolvers<void>();
    discord.failRequest('GET /gateway/bot', { kind: 'late', release });
    const ended = home.type('start');
    await discord.until(() => discord.calls().some(({ route }) => route === 'GET /gateway/bot'));
    discord.portal.messageContent = false;
    resolve();
    const { code, err } = await ended;
    expect(code).toBe(1);
    expect(err).toContain('switch the Message Content Intent on in the Developer Portal');
  });

  it.each([
    [
      'the connection is closed for it',
      (discord: DiscordStandIn) => discord.gateway.closeAll(4004),
      /DISCORD_TOKEN/,
    ],
    [
      'Discord wants more connections',
      (discord: DiscordStandIn) => discord.gateway.closeAll(4011),
      /start Flowbot again/,
    ],
    [
      'a call is not accepted',
      async (discord: DiscordStandIn) => {
        discord.revokeToken();
        await discord.command(discord.people.ana, discord.channel, 'help');
        await discord.say(discord.people.ana, discord.channel, '!hello');
      },
      /DISCORD_TOKEN/,
    ],
  ])('trap 20: ends with code 1 while it runs when %s', async (_, breaks, why) => {
    const { discord, home } = await connected();
    home.flow(
      'hello.flow.yaml',
      'triggers: [{ type: command, command: hello }]\nsteps: { say: { type: message, text: Hello } }\n',
    );
    const flowbot = await home.start();
    await breaks(discord);
    const { code, err } = await flowbot.ended();
    expect(code).toBe(1);
    expect(err).toMatch(why);
    expect(err).not.toContain(discord.token);
  });

  it.each([
    ['Discord can’t be reached', () => {}],
    ['the gateway refuses', (discord: DiscordStandIn) => discord.gateway.refuse(10_000)],
  ])('answers the command line while %s, and ends at once', async (name, breaks) => {
    const { discord, home } = await connected();
    breaks(discord);
    if (name.startsWith('Discord')) await discord.close();
    const flowbot = await home.begin();
    expect(await home.type('runs')).toEqual({ code: 0, out: 'There are no such runs here.\n', err: '' });
    expect(flowbot.out).toBe('');
    const askedMs = performance.now();
    flowbot.signal('SIGTERM');
    expect(await flowbot.ended()).toMatchObject({ code: 0, out: '' });
    expect(performance.now() - askedMs).toBeLessThan(3_000);
  });

  it('ends at once while it tries to connect again', async () => {
    const { discord, home } = await connected();
    const flowbot = await home.start();
    discord.gateway.refuse(10_000);
    discord.gateway.terminate();
    await discord.until(() => discord.gateway.connections() === 0);
    const askedMs = performance.now();
    flowbot.signal('SIGTERM');
    expect(await flowbot.ended()).toMatchObject({ code: 0 });
    expect(performance.now() - askedMs).toBeLessThan(3_000);
  });
});
