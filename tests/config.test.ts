import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../src/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'flowbot-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function configOf(env: Record<string, string | undefined>): { config: Config; warnings: readonly string[] } {
  const read = readConfig(env, '/srv/bot');
  if (!read.ok) throw new Error(read.faults.join('\n'));
  return read;
}

function faultsOf(env: Record<string, string>): readonly string[] {
  const read = readConfig(env, '/srv/bot');
  return read.ok ? [] : read.faults;
}

describe('the configuration', () => {
  test.each([{}, { FLOWBOT_PORT: '', FLOWBOT_ADMINS: undefined, HOME: '/root' }])(
    'has defaults for everything: %j',
    (env) => {
      expect(configOf(env)).toEqual({
        ok: true,
        warnings: [],
        config: {
          people: [],
          humanReminderMs: 43_200_000,
          flowsDir: '/srv/bot/flows',
          agentsDir: '/srv/bot/agents',
          schemasDir: '/srv/bot/schemas',
          agentsAtOnce: 2,
          agentTimeLimitMs: 900_000,
          mcpServers: new Map(),
          plugins: [],
          baseDir: '/srv/bot',
          environment: expect.any(Object),
          givable: expect.any(Object),
          dbFile: '/srv/bot/data/flowbot.db',
          host: '127.0.0.1',
          port: 3000,
          prefix: '!',
          command: '/flow',
          admins: ['playground:ana'],
          logLevel: 'info',
          runsAtOnce: 100,
          secrets: new Map(),
          tokens: [],
          signIn: {},
          ownSecrets: [],
        },
      });
    },
  );

  test('takes what is set', () => {
    const { config, warnings } = configOf({
      FLOWBOT_FLOWS: import.meta.dirname,
      FLOWBOT_DB: 'bot.db',
      FLOWBOT_HOST: '::1',
      FLOWBOT_PORT: '0',
      FLOWBOT_PREFIX: '¿!',
      FLOWBOT_COMMAND: '/run-flow',
      FLOWBOT_ADMINS: ' slack:U0ANA, ,discord:123456789012345678 ',
      FLOWBOT_LOG: 'warn',
    });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      flowsDir: import.meta.dirname,
      dbFile: '/srv/bot/bot.db',
      host: '::1',
      port: 0,
      prefix: '¿!',
      command: '/run-flow',
      admins: ['slack:U0ANA', 'discord:123456789012345678'],
      logLevel: 'warn',
    });
  });

  test('only this machine may reach the playground, and a named folder must be there', () => {
    expect(faultsOf({ FLOWBOT_HOST: '0.0.0.0', FLOWBOT_FLOWS: 'nowhere' })).toEqual([
      'FLOWBOT_FLOWS names “nowhere”, which is no folder.',
      'FLOWBOT_HOST must be a loopback address such as 127.0.0.1 while the playground is the only chat.',
    ]);
  });

  test('tells all faults at once', () => {
    expect(
      faultsOf({
        FLOWBOT_PORT: 'http',
        FLOWBOT_PREFIX: 'bot',
        FLOWBOT_COMMAND: 'flow',
        FLOWBOT_ADMINS: 'ana, slack:U0ANA, bo@example.com',
        FLOWBOT_LOG: 'loud',
        FLOWBOT_SECRET_A_FILE: join(folder, 'nope'),
        FLOWBOT_SECRET_1: 'x',
      }),
    ).toEqual([
      'FLOWBOT_PORT must be a port number from 0 to 65535.',
      'FLOWBOT_PREFIX must be one to three signs such as !, not letters, digits, @ or /.',
      'FLOWBOT_COMMAND must be a slash and a lower-case word, such as /flow.',
      'FLOWBOT_ADMINS names “ana”, which is no person: write for example slack:U0ANA.',
      'FLOWBOT_ADMINS names “bo@example.com”, which is no person: write for example slack:U0ANA.',
      'FLOWBOT_LOG must be silent, error, warn or info.',
      expect.stringMatching(/^FLOWBOT_SECRET_A_FILE: the file can't be read \(ENOENT.*\)\.$/),
      'FLOWBOT_SECRET_1: after FLOWBOT_SECRET_ comes a name of letters, digits and _ that begins with a letter.',
    ]);
  });

  test.each(['-1', '65536', '3000.5', '0x50', '1e3', ' 80'])('refuses the port %j', (port) => {
    expect(faultsOf({ FLOWBOT_PORT: port })).toHaveLength(1);
  });

  test.each(['a', '@', '/', '!!!!', '! ', '\u200B'])('refuses the prefix %j', (prefix) => {
    expect(faultsOf({ FLOWBOT_PREFIX: prefix })).toHaveLength(1);
  });

  test('warns of a setting that is misspelt', () => {
    expect(configOf({ FLOWBOT_PROT: '80', FLOWBOT_COLOURS: 'x' }).warnings).toEqual([
      'FLOWBOT_PROT is not a setting; did you mean FLOWBOT_PORT?',
      'FLOWBOT_COLOURS is not a setting of this version.',
    ]);
  });
});

describe('secrets', () => {
  test('come from the environment or from files', () => {
    const { config, warnings } = configOf({
      FLOWBOT_SECRET_API_KEY: 'sk-abc',
      FLOWBOT_SECRET_DB_FILE: fileOf('db', 'pässword'),
      OTHER_SECRET_X: 'not mine',
    });
    expect(config.secrets).toEqual(
      new Map([
        ['API_KEY', 'sk-abc'],
        ['DB', 'pässword'],
      ]),
    );
    expect(warnings).toEqual([]);
  });

  test.each(['\n', '\r\n', '\n\n'])('C52: a line break %j at the end is not part of it', (end) => {
    const { config, warnings } = configOf({ FLOWBOT_SECRET_KEY_FILE: fileOf('key', `sk-abc${end}`) });
    expect(config.secrets.get('KEY')).toBe('sk-abc');
    expect(warnings).toEqual([
      'FLOWBOT_SECRET_KEY_FILE ends with a line break, which is not taken as part of the secret.',
    ]);
  });

  test('warns of one that no header can hold, and of one too short to hide, without showing it', () => {
    const { warnings } = configOf({ FLOWBOT_SECRET_PEM: 'line one\nline two', FLOWBOT_SECRET_PIN: '123' });
    expect(warnings).toEqual([
      "FLOWBOT_SECRET_PEM holds line breaks: it can't be used in a header.",
      "FLOWBOT_SECRET_PIN has fewer than 4 characters: it can't be hidden in logs and answers.",
    ]);
  });

  test('are refused when they are empty or set twice', () => {
    const file = fileOf('empty', '\n');
    expect(faultsOf({ FLOWBOT_SECRET_A_FILE: file })).toEqual([
      'FLOWBOT_SECRET_A_FILE: the secret is empty.',
    ]);
    expect(faultsOf({ FLOWBOT_SECRET_B: 'bbbb', FLOWBOT_SECRET_B_FILE: fileOf('b', 'other') })).toEqual([
      'The secret B is set twice: keep either FLOWBOT_SECRET_B or FLOWBOT_SECRET_B_FILE.',
    ]);
  });
});

describe('Slack', () => {
  const bot = { SLACK_BOT_TOKEN: 'xoxb-1-secret' };
  const app = { SLACK_APP_TOKEN: 'xapp-1-secret' };
  const signing = { SLACK_SIGNING_SECRET: 'a1b2c3d4e5f6' };

  test.each([
    ['Socket Mode with an app token', { ...bot, ...app }, { kind: 'socket', appToken: 'xapp-1-secret' }, 0],
    [
      'HTTP with a signing secret',
      { ...bot, ...signing },
      { kind: 'http', signingSecret: 'a1b2c3d4e5f6' },
      0,
    ],
    [
      'Socket Mode with both',
      { ...bot, ...app, ...signing },
      { kind: 'socket', appToken: 'xapp-1-secret' },
      1,
    ],
  ])('events come over %s', (_, env, events, warned) => {
    const { config, warnings } = configOf(env);
    expect(config.slack).toEqual({ botToken: 'xoxb-1-secret', events });
    expect(warnings).toHaveLength(warned);
    expect(config.ownSecrets).toContain('xoxb-1-secret');
    expect(config.secrets.size).toBe(0);
    expect(config.admins).toEqual([]);
  });

  test.each([
    ['the bot token alone', bot, /SLACK_APP_TOKEN .*SLACK_SIGNING_SECRET/],
    ['an app token alone', app, /SLACK_BOT_TOKEN is missing/],
    ['tokens that were mixed up', { SLACK_BOT_TOKEN: 'xapp-1', ...app }, /begins with xoxb-/],
    ['a token given twice', { ...bot, ...app, SLACK_BOT_TOKEN_FILE: 'x' }, /set twice/],
    ['a file that is not there', { ...app, SLACK_BOT_TOKEN_FILE: '/nowhere' }, /can't be read/],
    ['an address that is none', { ...bot, ...app, SLACK_API_URL: 'slack.com' }, /SLACK_API_URL must be/],
    ['another protocol', { ...bot, ...app, SLACK_API_URL: 'ftp://slack.com' }, /SLACK_API_URL must be/],
  ])('%s is refused, and no token is told', (_, env, fault) => {
    const faults = faultsOf(env);
    expect(faults.join('\n')).toMatch(fault);
    expect(faults.join('\n')).not.toContain('secret');
  });

  test.each(['http://slack.com/api/', 'http://10.0.0.7:80/', 'http://localhost.evil.example/'])(
    'tokens are not sent to %s in clear',
    (SLACK_API_URL) => {
      expect(faultsOf({ ...bot, ...app, SLACK_API_URL })).toEqual([
        `SLACK_API_URL must begin with https://, or every token would go to ${new URL(SLACK_API_URL).hostname} in clear; http:// is for this machine only.`,
      ]);
    },
  );

  test.each([
    'https://proxy.example/api/',
    'http://localhost:4000/',
    'http://127.0.0.1:4000/api/',
    'http://[::1]:4000/',
  ])('can be reached at %s', (SLACK_API_URL) => {
    expect(configOf({ ...bot, ...app, SLACK_API_URL }).config.slack?.apiUrl).toBe(SLACK_API_URL);
  });

  test('a token can come from a file, and the server may then listen anywhere', () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'xoxb-from-file\n');
    const { config } = configOf({ ...app, SLACK_BOT_TOKEN_FILE: file, FLOWBOT_HOST: '0.0.0.0' });
    expect(config.slack?.botToken).toBe('xoxb-from-file');
    expect(config.host).toBe('0.0.0.0');
  });
});

describe('Discord', () => {
  const bot = { DISCORD_TOKEN: 'MTAw.Gsecret.x_y-z' };
  const guild = { DISCORD_GUILD_ID: '200000000000000001' };

  test('is used when its token is set, for all servers or for one', () => {
    expect(configOf(bot).config.discord).toEqual({ token: 'MTAw.Gsecret.x_y-z', command: '/flow' });
    const { config, warnings } = configOf({
      ...bot,
      ...guild,
      FLOWBOT_COMMAND: '/run',
      FLOWBOT_HOST: '0.0.0.0',
    });
    expect(config.discord).toEqual({
      token: 'MTAw.Gsecret.x_y-z',
      guildId: '200000000000000001',
      command: '/run',
    });
    expect(warnings).toEqual([]);
    expect(config.ownSecrets).toEqual(['MTAw.Gsecret.x_y-z']);
    expect(config.secrets.size).toBe(0);
    expect(config.admins).toEqual([]);
  });

  test('goes together with Slack', () => {
    const { config } = configOf({ ...bot, SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' });
    expect(config.discord).toBeDefined();
    expect(config.slack).toBeDefined();
    expect(config.ownSecrets).toEqual(expect.arrayContaining(['xoxb-1', 'xapp-1', 'MTAw.Gsecret.x_y-z']));
  });

  test('is not used without its token, which is told when the rest is set', () => {
    expect(configOf(guild)).toMatchObject({
      warnings: ['Discord is not used: DISCORD_TOKEN is missing.'],
    });
    expect(configOf(guild).config.discord).toBeUndefined();
  });

  test.each([
    ['what is no token', { DISCORD_TOKEN: 'client-secret' }, /the long text with two dots/],
    ['a token with more before it', { DISCORD_TOKEN: 'Bot a.secret.c' }, /the long text with two dots/],
    ['a token with a line in it', { DISCORD_TOKEN: 'a.secret.c\nX: y' }, /the long text with two dots/],
    ['a token given twice', { ...bot, DISCORD_TOKEN_FILE: 'x' }, /set twice/],
    ['a file that is not there', { DISCORD_TOKEN_FILE: '/nowhere' }, /can't be read/],
    ['the name of a server', { ...bot, DISCORD_GUILD_ID: 'My server' }, /DISCORD_GUILD_ID must be the id/],
    ['an id that is too short', { ...bot, DISCORD_GUILD_ID: '1234' }, /DISCORD_GUILD_ID must be the id/],
    ['an address that is none', { ...bot, DISCORD_API_URL: 'discord.com' }, /DISCORD_API_URL must be/],
    ['another protocol', { ...bot, DISCORD_API_URL: 'ftp://discord.com' }, /DISCORD_API_URL must be/],
    [
      'an address with a version',
      { ...bot, DISCORD_API_URL: 'https://discord.com/api/v10' },
      /without the version/,
    ],
    [
      'an address with more behind it',
      { ...bot, DISCORD_API_URL: 'https://x.example/?a=' },
      /must be an address/,
    ],
  ])('%s is refused, and no token is told', (_, env, fault) => {
    const faults = faultsOf(env).join('\n');
    expect(faults).toMatch(fault);
    expect(faults).not.toMatch(/secret/);
  });

  test('the token is not sent elsewhere in clear', () => {
    expect(faultsOf({ ...bot, DISCORD_API_URL: 'http://discord.com/api' })).toEqual([
      'DISCORD_API_URL must begin with https://, or every token would go to discord.com in clear; http:// is for this machine only.',
    ]);
  });

  test.each([
    ['https://proxy.example/api', 'https://proxy.example/api'],
    ['https://proxy.example/api//', 'https://proxy.example/api'],
    ['http://127.0.0.1:4000/api', 'http://127.0.0.1:4000/api'],
    ['http://[::1]:4000', 'http://[::1]:4000'],
  ])('can be reached at %s', (DISCORD_API_URL, apiUrl) => {
    expect(configOf({ ...bot, DISCORD_API_URL }).config.discord).toMatchObject({ apiUrl });
  });

  test('a token can come from a file', () => {
    const DISCORD_TOKEN_FILE = fileOf('discord-token', ' a.b.c\r\n');
    expect(configOf({ DISCORD_TOKEN_FILE }).config.discord).toMatchObject({ token: 'a.b.c' });
  });
});
