import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSignIns } from '../../../src/adapters/oauth/index.ts';
import { pathIn } from '../../../src/server/pages/login.ts';
import {
  app,
  client,
  createDiscordProvider,
  createSlackProvider,
  type Provider,
} from '../../adapters/oauth/provider.ts';
import { desk, type Heard, open, restart, signIns, tokens } from '../api/serving.ts';
import { submit, visit, wordsOf } from '../pages/browsing.ts';

const publicUrl = 'https://flow.example.com';
const settings = { publicUrl, hasSignIn: true, tokens };
const flows = {
  here: 'conversation: "red:#releases"\ntriggers: [{ type: api }]\nsteps: { say: { type: template, text: hi } }',
};
const host = { host: 'flow.example.com' };
const own = { ...host, origin: publicUrl };
/** What browsers add where a page of another site leads to ours. */
const fromElsewhere = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

let slack: Provider;
let discord: Provider;

beforeEach(async () => {
  slack = await createSlackProvider();
  slack.account = {
    sub: 'U0ANA',
    'https://slack.com/user_id': 'U0ANA',
    'https://slack.com/team_id': 'T0TEAM',
    name: 'Ana',
  };
  discord = await createDiscordProvider();
  discord.account = { id: '400000000000000001', username: 'ana', global_name: 'Ana' };
  const made = createSignIns(
    {
      slack: { ...app, apiUrl: slack.apiUrl, team: async () => 'T0TEAM' },
      discord: { ...app, apiUrl: discord.apiUrl, isMember: async () => true },
    },
    { http: client(), clock: { now: () => slack.nowMs } },
  );
  for (const [platform, signIn] of made) signIns.set(platform, signIn);
});
afterEach(() => signIns.clear());

/** The cookies that an answer sets, as a browser sends them back; without those that go. */
function cookiesOf({ headers }: Heard): string {
  const set = [headers['set-cookie'] ?? []].flat().map(String);
  return set
    .filter((one) => !one.includes('Max-Age=0'))
    .map((one) => one.split(';')[0])
    .join('; ');
}

/** Somebody opens the way to sign in, and agrees: where their browser is led back to, and what it has kept. */
async function agreed(
  platform: 'slack' | 'discord',
  to = '/runs',
): Promise<{ back: string; cookie: string }> {
  const begun = await visit(`/login/${platform}?to=${encodeURIComponent(to)}`, host);
  const page = await fetch(String(begun.headers.location), { redirect: 'manual' });
  const { pathname, search } = new URL(page.headers.get('location') ?? '');
  return { back: `${pathname}${search}`, cookie: cookiesOf(begun) };
}

describe('signing in with an account of a chat', () => {
  test.each(['slack', 'discord'] as const)(
    'of %s: from the page back to where they wanted, until they sign out',
    async (platform) => {
      await open(flows, settings);
      expect((await visit('/runs', host)).headers.location).toBe('/login?to=%2Fruns');
      const page = await visit('/login?to=%2Fruns', host);
      expect(page.text).toContain(`href="/login/${platform}?to=%2Fruns"`);
      const { back, cookie } = await agreed(platform);
      const done = await visit(back, { ...host, cookie, ...fromElsewhere });
      expect([done.status, done.headers.location]).toEqual([303, '/runs']);
      const [session, ended] = [done.headers['set-cookie'] ?? []].flat().map(String);
      expect(session).toMatch(
        /^__Host-flowbot=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200; Secure$/,
      );
      expect(ended).toMatch(/^__Host-flowbot-sign-in=; .*Max-Age=0; Secure$/);
      const signedIn = { ...host, cookie: cookiesOf(done) };
      const runs = await visit('/runs', signedIn);
      expect([runs.status, runs.text]).toEqual([
        200,
        expect.stringMatching(/<div class="who"><span>Ana<\/span>/),
      ]);
      const left = await submit('/logout', {}, { ...own, cookie: signedIn.cookie });
      expect([left.status, left.headers.location]).toEqual([303, '/login']);
      expect((await visit('/runs', signedIn)).status).toBe(303);
    },
  );

  test('shows a name of any signs as text', async () => {
    await open(flows, settings);
    slack.account = { ...slack.account, name: '<script>alert(1)</script>"><img onerror=x>\u202eanA' };
    const { back, cookie } = await agreed('slack');
    const done = await visit(back, { ...host, cookie });
    const { text } = await visit('/runs', { ...host, cookie: cookiesOf(done) });
    expect(text).toContain(
      '<span>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img onerror=x&gt;anA</span>',
    );
  });

  test('anew ends the session before it', async () => {
    await open(flows, settings);
    const first = await agreed('slack');
    const before = cookiesOf(await visit(first.back, { ...host, cookie: first.cookie }));
    const second = await agreed('discord');
    const done = await visit(second.back, { ...host, cookie: `${before}; ${second.cookie}` });
    expect((await visit('/runs', { ...host, cookie: cookiesOf(done) })).status).toBe(200);
    expect((await visit('/runs', { ...host, cookie: before })).status).toBe(303);
  });

  test('lasts over a restart, and no longer than it should', async () => {
    await open(flows, settings);
    const { back, cookie } = await agreed('slack');
    const signedIn = { ...host, cookie: cookiesOf(await visit(back, { ...host, cookie })) };
    await restart(settings);
    expect((await visit('/runs', signedIn)).status).toBe(200);
    await desk.pass(12 * 3_600_000);
    expect((await visit('/runs', signedIn)).status).toBe(303);
  });

  test.each<[string, (begun: { back: string; cookie: string }) => Promise<Heard>]>([
    ['in another browser', ({ back }) => visit(back, host)],
    [
      'with what another browser kept',
      async ({ back }) => visit(back, { ...host, cookie: (await agreed('slack')).cookie }),
    ],
    [
      'a second time',
      async ({ back, cookie }) => {
        await visit(back, { ...host, cookie });
        return visit(back, { ...host, cookie });
      },
    ],
    [
      'with a state that was made up',
      ({ back, cookie }) => visit(back.replace(/state=[^&]+/, 'state=x'), { ...host, cookie }),
    ],
    [
      'of another platform',
      ({ back, cookie }) => visit(back.replace('slack', 'discord'), { ...host, cookie }),
    ],
    [
      'too late',
      async ({ back, cookie }) => {
        await desk.pass(10 * 60_000 + 1);
        return visit(back, { ...host, cookie });
      },
    ],
  ])('whoever comes back %s is not signed in', async (_, comeBack) => {
    await open(flows, settings);
    const heard = await comeBack(await agreed('slack'));
    expect(heard.status).toBe(401);
    expect(wordsOf(heard)).toContain(
      'This sign-in was not begun in this browser, took too long, or was used already: sign in again.',
    );
    expect(cookiesOf(heard)).toBe('');
  });

  test('whoever does not agree, or is of another workspace, is told so', async () => {
    await open(flows, settings);
    const refused = await visit('/login/slack/callback?error=access_denied', host);
    expect([refused.status, wordsOf(refused)]).toEqual([
      401,
      expect.stringContaining('Slack says that nobody signed in'),
    ]);
    slack.account = { ...slack.account, 'https://slack.com/team_id': 'T0OTHER' };
    const { back, cookie } = await agreed('slack');
    const other = await visit(back, { ...host, cookie });
    expect([other.status, wordsOf(other)]).toEqual([
      401,
      expect.stringContaining('This account is of another Slack workspace'),
    ]);
    expect(cookiesOf(other)).toBe('');
  });

  test('too many that only begin are stopped', async () => {
    await open(flows, settings);
    const first = await visit('/login/slack', host);
    let last = first;
    for (let count = 0; count < 61; count += 1) last = await visit('/login/slack', host);
    expect([first.status, last.status, last.headers['retry-after']]).toEqual([303, 429, '60']);
    expect(wordsOf(last)).toContain('Too many sign-ins were begun there: try again in a minute.');
    await desk.pass(61_000);
    expect((await visit('/login/slack', host)).status).toBe(303);
  });
});

describe('signing in with a token', () => {
  const token = tokens[0]?.secret ?? '';

  test('lets in as what the token lets in as', async () => {
    await open(flows, settings);
    const done = await submit('/login', { token, to: '/flows' }, own);
    expect([done.status, done.headers.location]).toEqual([303, '/flows']);
    const signedIn = { ...host, cookie: cookiesOf(done) };
    expect((await visit('/flows', signedIn)).text).toContain('<span>looker</span>');
    expect((await visit('/audit', signedIn)).status).toBe(403);
    await restart({ ...settings, tokens: tokens.slice(1) });
    expect((await visit('/flows', signedIn)).status).toBe(303);
  });

  test('on this machine without https the cookie has no name of a host', async () => {
    await open(flows);
    const done = await submit('/login', { token, to: '/' });
    expect(String(done.headers['set-cookie'])).toMatch(
      /^flowbot=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200,/,
    );
    expect((await visit('/', { cookie: cookiesOf(done) })).status).toBe(200);
  });

  test('an unknown one is refused, and too many are not looked at; a right one gets in all the same', async () => {
    await open(flows, settings);
    const wrong = await submit('/login', { token: 'wrong', to: '/flows' }, own);
    expect([wrong.status, wordsOf(wrong)]).toEqual([
      401,
      expect.stringContaining('This token is not known.'),
    ]);
    expect(wrong.text).not.toContain('wrong');
    expect(wrong.text).toContain('name="to" value="/flows"');
    let last = wrong;
    for (let count = 0; count < 61; count += 1)
      last = await submit('/login', { token: `wrong-${count}` }, own);
    expect([last.status, last.headers['retry-after']]).toEqual([429, '60']);
    expect((await submit('/login', { token }, own)).status).toBe(303);
  });

  test('where there is nothing to sign in with, it says what the host has to set', async () => {
    signIns.clear();
    await open(flows, { publicUrl });
    const page = await visit('/login', host);
    expect(wordsOf(page)).toContain('whoever runs this Flowbot sets FLOWBOT_TOKENS');
    expect(page.text).not.toContain('<form');
  });

  test('pages of other sites sign nobody in or out', async () => {
    await open(flows, settings);
    const evil = { ...host, origin: 'https://evil.example.com' };
    expect((await submit('/login', { token }, evil)).status).toBe(403);
    expect((await submit('/logout', {}, evil)).status).toBe(403);
    expect((await submit('/login', { token }, { ...host, origin: 'http://flow.example.com' })).status).toBe(
      403,
    );
    expect((await submit('/login', { token }, { ...host, origin: 'null' })).status).toBe(403);
    expect((await visit('/login', { host: 'evil.example.com' })).status).toBe(403);
  });

  test('a browser that brings a secret gets another one', async () => {
    await open(flows, settings);
    const fixed = { ...own, cookie: `__Host-flowbot=${'a'.repeat(43)}` };
    const done = await submit('/login', { token }, fixed);
    expect(cookiesOf(done)).not.toContain('a'.repeat(43));
    expect((await visit('/', { ...host, cookie: fixed.cookie })).status).toBe(303);
  });
});

test.each([
  ['/runs?status=open', '/runs?status=open'],
  ['//evil.example.com', '/'],
  ['/\\evil.example.com', '/'],
  ['https://evil.example.com', '/'],
  ['javascript:alert(1)', '/'],
  ['/ok\r\nset-cookie: a=b', '/'],
  ['', '/'],
])('after signing in %j leads to %j', (to, path) => {
  expect(pathIn(to)).toBe(path);
});

test('nothing of a sign-in is kept by browsers or proxies, and no secret is in the log, a page or an address', async () => {
  await open(flows, settings);
  const token = tokens[0]?.secret ?? '';
  const { back, cookie } = await agreed('slack');
  const heard = [
    await visit('/login', host),
    await visit('/login/slack', host),
    await visit(back, host),
    await visit(back, { ...host, cookie }),
    await visit(back, { ...host, cookie }),
    await visit('/login/slack/callback?error=access_denied&code=code-1', host),
    await submit('/login', { token: 'wrong-token' }, own),
    await submit('/login', { token }, own),
    await submit('/logout', {}, own),
  ];
  expect(heard.map(({ status }) => status)).toEqual([200, 303, 401, 303, 401, 401, 401, 303, 303]);
  const secrets = new RegExp(`code-1|s3cret|wrong-token|${token}`);
  for (const { headers, text } of heard) {
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    });
    expect(`${text} ${headers.location ?? ''}`).not.toMatch(secrets);
  }
  expect(JSON.stringify(desk.log.lines)).not.toMatch(secrets);
});
