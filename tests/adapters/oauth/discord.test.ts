import { describe, expect, test } from 'vitest';
import type { DiscordSignInSettings } from '../../../src/adapters/oauth/discord.ts';
import { createSignIns } from '../../../src/adapters/oauth/index.ts';
import { ChatUnavailable } from '../../../src/ports/chat.ts';
import type { SignIn, SignInAnswer } from '../../../src/ports/sign-in.ts';
import {
  agree,
  app,
  badAnswers,
  client,
  createDiscordProvider,
  json,
  kept,
  redirectUri,
} from './provider.ts';

const ana = { id: '400000000000000001', username: 'ana', global_name: 'Ana' };
const odd = 'Discord’s answer to the sign-in is not as it should be.';
const silent = 'Discord gives no answer at the moment: sign in again in a minute.';
const late = 'Discord does not take this sign-in: it took too long, or was used already. Sign in again.';
const setup = /^Discord does not accept the client id, the client secret or the redirect address/;

/** Discord, and the sign-in of a Flowbot whose server `ana` is in. */
async function opened(change: Partial<DiscordSignInSettings> = {}) {
  const discord = await createDiscordProvider();
  discord.account = ana;
  const isMember = async (id: string) => id === ana.id;
  const settings = { ...app, apiUrl: discord.apiUrl, isMember, ...change };
  const signIns = createSignIns(
    { discord: settings },
    { http: client(), clock: { now: () => discord.nowMs }, timeoutMs: 500 },
  );
  const signIn = signIns.get('discord');
  if (!signIn) throw new Error('there is no sign-in');
  return { discord, signIn };
}

/** Somebody signs in, and all goes the usual way but what is changed. */
async function signedIn(signIn: SignIn, change: Partial<SignInAnswer> = {}) {
  const mine = kept();
  const { code } = await agree(signIn, mine);
  return signIn.personOf({ ...mine, code, ...change });
}

describe('signing in with Discord', () => {
  test('tells who it is, and brings the state back', async () => {
    const { signIn } = await opened();
    const mine = kept({ state: 'a&b=ü' });
    const { code, state } = await agree(signIn, mine);
    expect(state).toBe('a&b=ü');
    expect(await signIn.personOf({ ...mine, code })).toEqual({
      ok: true,
      person: { platform: 'discord', id: ana.id, name: 'Ana' },
    });
  });

  test('the usual address is Discord’s own, with nothing secret in it', async () => {
    const [usual] = createSignIns(
      { discord: { ...app, isMember: async () => true } },
      { http: client(), clock: { now: () => 0 } },
    ).values();
    const address = new URL(usual?.address({ redirectUri, state: 's', nonce: 'n', challenge: 'c' }) ?? '');
    expect(address.origin + address.pathname).toBe('https://discord.com/oauth2/authorize');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      response_type: 'code',
      scope: 'identify',
      client_id: app.clientId,
      redirect_uri: redirectUri,
      state: 's',
      code_challenge: 'c',
      code_challenge_method: 'S256',
    });
  });

  test.each([
    [{ ...ana, global_name: null }, 'ana'],
    [{ id: ana.id, username: '' }, ana.id],
  ])('the name of %j', async (account, name) => {
    const { discord, signIn } = await opened();
    discord.account = account;
    expect(await signedIn(signIn)).toMatchObject({ ok: true, person: { name } });
  });
});

test('an answer may have 64 kB, and no more', async () => {
  const { discord, signIn } = await opened();
  discord.account = { ...ana, filler: 'x'.repeat(60_000) };
  expect(await signedIn(signIn)).toMatchObject({ ok: true });
  discord.account = { ...ana, filler: 'x'.repeat(66_000) };
  expect(await signedIn(signIn)).toEqual({ ok: false, why: odd });
});

describe('who does not get in', () => {
  test.each([
    ['a code that was never given', { code: 'made-up' }, late],
    ['no code', { code: '' }, late],
    ['a code of somebody else’s sign-in', { verifier: 'w'.repeat(43) }, late],
    ['another redirect address', { redirectUri: 'https://evil.example.com/' }, setup],
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
    ['that has left the server', { id: '400000000000000009' }, /^This account is in no Discord server/],
    ['whose id is none of Discord', { id: '../1' }, odd],
    ['whose id is a number', { id: 4 }, odd],
    ['whose name is endless', { username: 'x'.repeat(201) }, odd],
  ])('an account %s', async (_, change, why) => {
    const { discord, signIn } = await opened();
    discord.account = { ...ana, ...change };
    expect(await signedIn(signIn)).toEqual({ ok: false, why: said(why) });
  });

  test.each([{ clientSecret: 'wr0ng' }, { clientId: '1' }])(
    'whose app is set up wrongly: %j',
    async (change) => {
      const { discord } = await opened();
      const wrong = { ...app, ...change, apiUrl: discord.apiUrl, isMember: async () => true };
      const [signIn] = createSignIns(
        { discord: wrong },
        { http: client(), clock: { now: () => 0 } },
      ).values();
      const answer = await signIn?.personOf({ ...kept(), code: 'any' });
      expect(answer).toEqual({ ok: false, why: said(setup) });
      expect(JSON.stringify(answer)).not.toContain(wrong.clientSecret);
    },
  );

  test('nobody, while nobody can tell who is in the server', async () => {
    const { signIn } = await opened({ isMember: () => Promise.reject(new ChatUnavailable('down')) });
    expect(await signedIn(signIn)).toEqual({ ok: false, why: silent });
  });

  test('a fault of ours is no refusal', async () => {
    const { signIn } = await opened({ isMember: () => Promise.reject(new Error('a bug')) });
    await expect(signedIn(signIn)).rejects.toThrow('a bug');
  });
});

describe.each(['/api/v10/oauth2/token', '/api/v10/users/@me'])('%s answers with', (path) => {
  test.each(badAnswers)('%s', async (_, fault, says) => {
    const { discord, signIn } = await opened();
    discord.faults.set(path, fault);
    expect(await signedIn(signIn)).toEqual({ ok: false, why: says === 'odd' ? odd : silent });
    expect(discord.seen.filter((one) => one.path === path)).toHaveLength(1);
  });
});

test('an error that is not known is told by its code', async () => {
  const { discord, signIn } = await opened();
  discord.faults.set('/api/v10/oauth2/token', json(400, { error: 'temporarily_unavailable' }));
  expect(await signedIn(signIn)).toEqual({
    ok: false,
    why: 'Discord refused the sign-in (temporarily_unavailable).',
  });
});

test.each(['a\r\nb: c', 'x'.repeat(4_097), ''])(
  'a token that fits into no header is not sent: %#',
  async (token) => {
    const { discord, signIn } = await opened();
    discord.faults.set('/api/v10/oauth2/token', json(200, { access_token: token }));
    expect(await signedIn(signIn)).toEqual({ ok: false, why: odd });
    expect(discord.seen.filter(({ path }) => path === '/api/v10/users/@me')).toEqual([]);
  },
);

function said(why: string | RegExp): unknown {
  return typeof why === 'string' ? why : expect.stringMatching(why);
}
