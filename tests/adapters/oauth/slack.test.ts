import { describe, expect, test } from 'vitest';
import { createSignIns } from '../../../src/adapters/oauth/index.ts';
import type { SlackSignInSettings } from '../../../src/adapters/oauth/slack.ts';
import { ChatUnavailable } from '../../../src/ports/chat.ts';
import type { SignIn, SignInAnswer } from '../../../src/ports/sign-in.ts';
import { agree, app, badAnswers, client, createSlackProvider, json, kept, redirectUri } from './provider.ts';

const ana = {
  sub: 'U0ANA',
  'https://slack.com/user_id': 'U0ANA',
  'https://slack.com/team_id': 'T0TEAM',
  name: 'Ana',
};
const odd = 'Slack’s answer to the sign-in is not as it should be.';
const silent = 'Slack gives no answer at the moment: sign in again in a minute.';
const late = 'Slack does not take this sign-in: it took too long, or was used already. Sign in again.';

/** Slack, and the sign-in of a Flowbot in the workspace `T0TEAM`. */
async function opened(change: Partial<SlackSignInSettings> = {}) {
  const slack = await createSlackProvider();
  slack.account = ana;
  const settings = { ...app, apiUrl: slack.apiUrl, team: async () => 'T0TEAM', ...change };
  const signIns = createSignIns(
    { slack: settings },
    { http: client(), clock: { now: () => slack.nowMs }, timeoutMs: 500 },
  );
  const signIn = signIns.get('slack');
  if (!signIn) throw new Error('there is no sign-in');
  return { slack, signIn };
}

/** Somebody signs in, and all goes the usual way but what is changed. */
async function signedIn(signIn: SignIn, change: Partial<SignInAnswer> = {}) {
  const mine = kept();
  const { code } = await agree(signIn, mine);
  return signIn.personOf({ ...mine, code, ...change });
}

describe('signing in with Slack', () => {
  test('tells who it is, and brings the state back', async () => {
    const { signIn } = await opened();
    const mine = kept({ state: 'a&b=ü' });
    const { code, state } = await agree(signIn, mine);
    expect(state).toBe('a&b=ü');
    expect(await signIn.personOf({ ...mine, code })).toEqual({
      ok: true,
      person: { platform: 'slack', id: 'U0ANA', name: 'Ana' },
    });
  });

  test('the usual address is Slack’s own, with nothing secret in it', async () => {
    const { signIn } = await opened();
    const [usual] = createSignIns(
      { slack: { ...app, team: async () => 'T0TEAM' } },
      { http: client(), clock: { now: () => 0 } },
    ).values();
    const request = { redirectUri, state: 's', nonce: 'n', challenge: 'c' };
    const address = new URL(usual?.address(request) ?? '');
    expect(address.origin + address.pathname).toBe('https://slack.com/openid/connect/authorize');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      response_type: 'code',
      scope: 'openid profile',
      client_id: app.clientId,
      redirect_uri: redirectUri,
      state: 's',
      nonce: 'n',
    });
    expect(signIn.address(request)).not.toContain(app.clientSecret);
  });

  test.each([
    [
      'the account has no id of its own but the subject',
      { ...ana, 'https://slack.com/user_id': undefined },
      'Ana',
    ],
    ['somebody has no name', { ...ana, name: ' ' }, 'U0ANA'],
  ])('%s', async (_, account, name) => {
    const { slack, signIn } = await opened();
    slack.account = account;
    expect(await signedIn(signIn)).toEqual({ ok: true, person: { platform: 'slack', id: 'U0ANA', name } });
  });
});

test('an answer may have 64 kB, and no more', async () => {
  const { slack, signIn } = await opened();
  slack.account = { ...ana, filler: 'x'.repeat(60_000) };
  expect(await signedIn(signIn)).toMatchObject({ ok: true });
  slack.account = { ...ana, filler: 'x'.repeat(66_000) };
  expect(await signedIn(signIn)).toEqual({ ok: false, why: odd });
});

describe('who does not get in', () => {
  test.each([
    ['a code that was never given', { code: 'made-up' }, late],
    ['no code', { code: '' }, late],
    [
      'another redirect address',
      { redirectUri: 'https://evil.example.com/' },
      /\(bad_redirect_uri\): tell whoever runs it\.$/,
    ],
    [
      'a code of somebody else’s sign-in',
      { nonce: 'nonce-2' },
      /^This sign-in was not begun in this browser/,
    ],
  ])('%s', async (_, change, why) => {
    const { signIn } = await opened();
    expect(await signedIn(signIn, change)).toEqual({ ok: false, why: said(why) });
  });

  test('a code counts once', async () => {
    const { signIn } = await opened();
    const mine = kept();
    const { code } = await agree(signIn, mine);
    expect(await signIn.personOf({ ...mine, code })).toMatchObject({ ok: true });
    expect(await signIn.personOf({ ...mine, code })).toEqual({ ok: false, why: late });
  });

  test.each([
    [
      'of another workspace',
      { 'https://slack.com/team_id': 'T0OTHER' },
      /^This account is of another Slack workspace/,
    ],
    ['of no workspace', { 'https://slack.com/team_id': undefined }, odd],
    ['whose id is none of Slack', { 'https://slack.com/user_id': '../U0ANA' }, odd],
    ['whose name is endless', { name: 'x'.repeat(201) }, odd],
  ])('an account %s', async (_, change, why) => {
    const { slack, signIn } = await opened();
    slack.account = { ...ana, ...change };
    expect(await signedIn(signIn)).toEqual({ ok: false, why: said(why) });
  });

  test.each([
    ['is not of Slack', { iss: 'https://evil.example.com' }, odd],
    ['is for another app', { aud: '999.999' }, odd],
    ['is for several apps', { aud: [app.clientId, '999.999'] }, odd],
    ['is of somebody else', { sub: 'U0BO' }, odd],
    ['has no nonce', { nonce: undefined }, odd],
    ['has another nonce', { nonce: 'nonce-2' }, /^This sign-in was not begun in this browser/],
    ['has run out', { exp: Date.UTC(2026, 0, 5, 8) / 1_000 }, late],
  ])('an ID token that %s', async (_, claims, why) => {
    const { slack, signIn } = await opened();
    slack.claims = claims;
    expect(await signedIn(signIn)).toEqual({ ok: false, why: said(why) });
  });

  test.each(['', 'no token', 'a.b', 'a.!!.c', 'e30.e30.e30', 'e30.bnVsbA.e30', 'a.b.c.d'])(
    'an ID token that is none: %j',
    async (id_token) => {
      const { slack, signIn } = await opened();
      slack.faults.set('/api/openid.connect.token', json(200, { ok: true, access_token: 't', id_token }));
      expect(await signedIn(signIn)).toEqual({ ok: false, why: odd });
    },
  );

  test.each([
    ['client secret', { clientSecret: 'wr0ng' }, 'bad_client_secret'],
    ['client id', { clientId: '1.1' }, 'invalid_client_id'],
  ])('a wrong %s is for whoever runs it', async (_, change, code) => {
    const { slack } = await opened();
    const wrong = { ...app, ...change, apiUrl: slack.apiUrl, team: async () => 'T0TEAM' };
    const [signIn] = createSignIns({ slack: wrong }, { http: client(), clock: { now: () => 0 } }).values();
    expect(await signIn?.personOf({ ...kept(), code: 'any' })).toEqual({
      ok: false,
      why: `Slack does not accept the client id, the client secret or the redirect address of this Flowbot (${code}): tell whoever runs it.`,
    });
  });

  test('nobody, while nobody can tell which workspace is the bot’s', async () => {
    const { signIn } = await opened({ team: () => Promise.reject(new ChatUnavailable('down')) });
    expect(await signedIn(signIn)).toEqual({ ok: false, why: silent });
  });

  test('a fault of ours is no refusal', async () => {
    const { signIn } = await opened({ team: () => Promise.reject(new Error('a bug')) });
    await expect(signedIn(signIn)).rejects.toThrow('a bug');
  });
});

describe.each(['/api/openid.connect.token', '/api/openid.connect.userInfo'])('%s answers with', (path) => {
  test.each(badAnswers)('%s', async (_, fault, says) => {
    const { slack, signIn } = await opened();
    slack.faults.set(path, fault);
    const answer = await signedIn(signIn);
    expect(answer).toEqual({ ok: false, why: says === 'odd' ? odd : silent });
    expect(slack.seen.filter((one) => one.path === path)).toHaveLength(1);
  });

  test('an error that is not known', async () => {
    const { slack, signIn } = await opened();
    slack.faults.set(path, json(200, { ok: false, error: 'fatal_error' }));
    expect(await signedIn(signIn)).toEqual({ ok: false, why: 'Slack refused the sign-in (fatal_error).' });
  });
});

function said(why: string | RegExp): unknown {
  return typeof why === 'string' ? why : expect.stringMatching(why);
}
