import { afterEach, describe, expect, it } from 'vitest';
import { createWorkspace } from '../adapters/slack/harness.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../fakes/discord/index.ts';
import { askingFlow, brokenFlow, createHome, type Home, postingFlow } from './home.ts';

describe('flowbot doctor', () => {
  const opened: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  function keep<T extends { close(): Promise<unknown> }>(one: T): T {
    opened.push(one);
    return one;
  }

  function homeWith(env: Readonly<Record<string, string>> = {}): Home {
    const home = keep(createHome(env));
    home.flow('asking.flow.yaml', askingFlow);
    home.flow('posting.flow.yaml', postingFlow);
    return home;
  }

  const envOf = ({ token, apiUrl }: DiscordStandIn) => ({ DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl });

  it('without a chat says that the playground is used', async () => {
    expect(await homeWith().type('doctor')).toEqual({
      code: 0,
      out: 'ok: 2 flows can be run.\nok: No chat is set up: the playground is used.\n',
      err: '',
    });
  });

  it('names flow files that are not loaded, and fails', async () => {
    const home = homeWith();
    home.flow('broken.flow.yaml', brokenFlow);
    const { code, out } = await home.type('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^fault: .*broken\.flow\.yaml can’t be loaded: see flowbot validate\.$/m);
  });

  it('compares Discord with what is needed, line by line; warnings do not fail', async () => {
    const discord = keep(await createDiscordStandIn());
    discord.portal.messageContent = false;
    const { code, out, err } = await homeWith(envOf(discord)).type('doctor');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('ok: The bot is in Flowbot test.\n');
    expect(out).toContain('warning: The Message Content Intent is switched off');
    for (const line of out.trim().split('\n')) expect(line).toMatch(/^(ok|warning|fault): [A-Z0-9].*[.\d]$/);
  });

  it('prints findings as JSON and nothing else', async () => {
    const discord = keep(await createDiscordStandIn());
    const { code, out, err } = await homeWith({ ...envOf(discord), DISCORD_TOKEN: 'not.the.token' }).type(
      'doctor',
      '--json',
    );
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(out)).toEqual({
      ok: false,
      findings: [
        { level: 'ok', text: '2 flows can be run.' },
        { level: 'fault', text: expect.stringContaining('DISCORD_TOKEN') },
      ],
    });
    expect(out).not.toContain('not.the.token');
  });

  it('looks at both platforms when both are set up', async () => {
    const discord = keep(await createDiscordStandIn());
    const slack = keep(await createWorkspace());
    const { out } = await homeWith({
      ...envOf(discord),
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
    }).type('doctor');
    expect(out).toContain('ok: Slack knows the bot as');
    expect(out).toContain('ok: Discord knows the bot as');
  });

  it('a token that can’t be one is refused before anything is asked', async () => {
    const { code, out, err } = await homeWith({ DISCORD_TOKEN: 'client-secret' }).type('doctor');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('DISCORD_TOKEN is not what it should be');
    expect(err).not.toContain('client-secret');
  });

  it('looks at a running Flowbot without disturbing it, and connects nothing', async () => {
    const discord = keep(await createDiscordStandIn());
    const home = homeWith(envOf(discord));
    const running = await home.start();
    await discord.until(() => discord.commands().length > 0);
    const { code, out } = await home.type('doctor');
    expect(code).toBe(0);
    expect(out).toContain('ok: The command /flow is known in all servers.');
    expect(discord.gateway.counts().identified).toBe(1);
    running.signal('SIGTERM');
    expect(await running.ended()).toMatchObject({ code: 0 });
  });
});
