import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { readSignIn } from '../src/config-sign-in.ts';

const all = { hasSlack: true, hasDiscord: true, publicUrl: 'https://flow.example.com' };
const slack = { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'secret-of-slack' };
const discord = { DISCORD_CLIENT_ID: '400000000000000001', DISCORD_CLIENT_SECRET: 'secret-of-discord' };

const folder = mkdtempSync(join(tmpdir(), 'flowbot-sign-in-'));
afterAll(() => rmSync(folder, { recursive: true }));
const secretFile = join(folder, 'secret');
writeFileSync(secretFile, 'secret-of-discord\n');

describe('signing in', () => {
  test('is set up by the id and secret of an application', () => {
    expect(readSignIn({ ...slack, ...discord }, all)).toEqual({
      apps: {
        slack: { clientId: '1.2', clientSecret: 'secret-of-slack' },
        discord: { clientId: '400000000000000001', clientSecret: 'secret-of-discord' },
      },
      secrets: ['secret-of-slack', 'secret-of-discord'],
      faults: [],
    });
    expect(readSignIn({}, { ...all, hasSlack: false, publicUrl: undefined })).toEqual({
      apps: {},
      secrets: [],
      faults: [],
    });
    expect(readSignIn(discord, { ...all, publicUrl: undefined }).faults).toEqual([]);
  });

  test.each<[string, Record<string, string>, Partial<typeof all> | { publicUrl: undefined }, string]>([
    ['an id alone', { SLACK_CLIENT_ID: '1.2' }, {}, 'SLACK_CLIENT_SECRET is missing'],
    ['a secret alone', { DISCORD_CLIENT_SECRET: 'x' }, {}, 'DISCORD_CLIENT_ID is missing'],
    ['no such chat', discord, { hasDiscord: false }, 'DISCORD_CLIENT_ID is of no use without DISCORD_TOKEN'],
    [
      'no public address',
      slack,
      { publicUrl: undefined },
      'SLACK_CLIENT_ID needs FLOWBOT_PUBLIC_URL with https',
    ],
    [
      'one without https',
      slack,
      { publicUrl: 'http://flow.example.com' },
      'needs FLOWBOT_PUBLIC_URL with https',
    ],
    [
      'a secret in place of the id',
      { ...slack, SLACK_CLIENT_ID: 'secret-of-slack' },
      {},
      'SLACK_CLIENT_ID is not what it should be: it is two numbers with a dot between them',
    ],
    [
      'an id that is nothing but a space',
      { ...discord, DISCORD_CLIENT_ID: ' ' },
      {},
      'DISCORD_CLIENT_ID is not what it should be: it is a number of 17 to 20 digits',
    ],
    [
      'a secret that is nothing but a space',
      { ...discord, DISCORD_CLIENT_SECRET: ' ' },
      {},
      'DISCORD_CLIENT_SECRET is not what it should be',
    ],
    [
      'a file that is not there',
      { ...slack, SLACK_CLIENT_SECRET: '', SLACK_CLIENT_SECRET_FILE: '/nothing' },
      {},
      'SLACK_CLIENT_SECRET',
    ],
  ])('%s is a fault that says what to do, and quotes no secret', (_, env, change, fault) => {
    const { apps, faults } = readSignIn(env, { ...all, ...change });
    expect(apps).toEqual({});
    expect(faults).toEqual([expect.stringContaining(fault)]);
    expect(faults.join()).not.toContain('secret-of');
  });

  test('with a faulty token of the bot, that token is the only fault', () => {
    const read = readConfig({ DISCORD_TOKEN: 'wrong', ...discord }, import.meta.dirname);
    expect(read).toEqual({ ok: false, faults: [expect.stringContaining('DISCORD_TOKEN is not what')] });
  });

  test.each([
    ['in the setting', { DISCORD_CLIENT_SECRET: 'secret-of-discord' }],
    ['in a file', { DISCORD_CLIENT_SECRET_FILE: secretFile }],
  ])('a secret %s is hidden in logs, and no agent is given it', (_, secret) => {
    const read = readConfig(
      { DISCORD_TOKEN: 'a.b.c', DISCORD_CLIENT_ID: discord.DISCORD_CLIENT_ID, ...secret },
      import.meta.dirname,
    );
    if (!read.ok) throw new Error(read.faults.join('\n'));
    const { signIn, ownSecrets, givable, environment } = read.config;
    expect(signIn.discord?.clientSecret).toBe('secret-of-discord');
    expect(ownSecrets).toContain('secret-of-discord');
    expect(JSON.stringify([givable, environment])).not.toContain('CLIENT');
  });
});
