import { describe, expect, test } from 'vitest';
import { readSignIn } from '../src/config-sign-in.ts';

const all = { hasSlack: true, hasDiscord: true, publicUrl: 'https://flow.example.com' };
const slack = { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'secret-of-slack' };
const discord = { DISCORD_CLIENT_ID: '400000000000000001', DISCORD_CLIENT_SECRET: 'secret-of-discord' };

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
});
