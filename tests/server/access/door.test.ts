import { describe, expect, test } from 'vitest';
import {
  as,
  desk,
  door,
  get,
  open,
  post,
  restart,
  type send,
  server,
  sessions,
  tokens,
} from '../api/serving.ts';

const flows = {
  here: 'conversation: "red:#releases"\ntriggers: [{ type: api }]\nsteps: { say: { type: message, text: hi } }',
};
const own = { 'x-flowbot': '1' };

describe('without tokens', () => {
  test('whoever sits at this machine is the host', async () => {
    await open(flows, {});
    const { status, body } = await post('/v1/flows/here/runs', own);
    expect([status, body.startedBy]).toEqual([201, { address: 'cli:root', name: 'root' }]);
    expect((await get('/v1/audit')).status).toBe(200);
  });

  test.each<[string, () => ReturnType<typeof send>, string]>([
    ['another name in Host', () => get('/v1/flows', { host: 'evil.example' }), 'answers only as'],
    ['another site', () => get('/v1/flows', { 'sec-fetch-site': 'cross-site' }), 'pages of other sites'],
    ['another origin', () => post('/v1/flows/here/runs', { origin: 'http://evil.example' }), 'other sites'],
    ['neither origin nor header', () => post('/v1/flows/here/runs', {}), 'x-flowbot: 1'],
  ])('%s is refused', async (_, ask, why) => {
    await open(flows, {});
    const { status, body } = await ask();
    expect([status, body.detail]).toEqual([403, expect.stringContaining(why)]);
  });

  test('behind a public address nobody is the host', async () => {
    await open(flows, { publicUrl: 'https://flow.example.com' });
    const heard = await get('/v1/flows', { host: 'flow.example.com' });
    expect([heard.status, heard.headers['www-authenticate']]).toEqual([401, 'Bearer realm="flowbot"']);
    expect((await get('/v1/flows')).status).toBe(401);
  });
});

describe('tokens', () => {
  test('each lets in for what it is for', async () => {
    await open(flows);
    const tries = async (name: string) => [
      (await get('/v1/flows', as(name))).status,
      (await post('/v1/flows/here/runs', as(name))).status,
      (await post('/v1/questions/nosuch/answers', as(name), { action: 'approve' })).status,
      (await get('/v1/audit', as(name))).status,
      (await get('/v1/usage', as(name))).status,
    ];
    expect(await tries('looker')).toEqual([200, 403, 403, 403, 403]);
    expect(await tries('ci')).toEqual([200, 201, 403, 403, 403]);
    expect(await tries('gate')).toEqual([200, 201, 404, 403, 403]);
    expect(await tries('boss')).toEqual([200, 201, 404, 200, 200]);
  });

  test('no rights come with the person that a token speaks for', async () => {
    const admin = {
      name: 'ada',
      role: 'runner',
      secret: 'ada-token-0123456789ab',
      person: 'red:U0ADA',
    } as const;
    await open(flows, { tokens: [admin] });
    const heard = await get('/v1/audit', { authorization: `Bearer ${admin.secret}` });
    expect(heard.status).toBe(403);
  });

  test.each([
    ['none', {}],
    ['one that is not known', { authorization: 'Bearer nosuch-token-0123456789' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
  ])('%s lets nobody in', async (_, headers) => {
    await open(flows);
    for (const path of ['/v1/flows', '/v1/openapi.json', '/v1/runs/x/events']) {
      expect([path, (await get(path, headers)).status]).toEqual([path, 401]);
    }
  });

  test('many unknown ones are slowed down, and a right one still gets in', async () => {
    await open(flows);
    const wrong = { authorization: 'Bearer nosuch-token-0123456789' };
    const heard = await Promise.all(Array.from({ length: 70 }, () => get('/v1/flows', wrong)));
    expect(
      heard
        .map(({ status }) => status)
        .toSorted()
        .at(-1),
    ).toBe(429);
    expect((await get('/v1/flows', wrong)).headers['retry-after']).toBe('60');
    expect((await get('/v1/flows', as('looker'))).status).toBe(200);
  });

  test('one that is over any address and host works from everywhere', async () => {
    await open(flows);
    const headers = { ...as('ci'), host: 'flow.example.com', 'sec-fetch-site': 'cross-site' };
    expect((await post('/v1/flows/here/runs', headers)).status).toBe(201);
  });
});

describe('sessions', () => {
  const cookie = (secret: string) => ({ cookie: `flowbot=${secret}`, ...own });

  /** Somebody signs in with a token: what their browser keeps. */
  async function signedIn(name: string): Promise<string> {
    const { secret = '' } = tokens.find((token) => token.name === name) ?? {};
    const session = door.sessionOf(secret, '127.0.0.1');
    if (!session.ok) throw new Error(session.problem.detail);
    return sessions.open(session.value);
  }

  test('whoever has signed in does what they may do in their chat, over restarts', async () => {
    await open(flows);
    const secret = await sessions.open({ kind: 'person', person: desk.red.cy });
    await restart();
    const { status, body } = await post('/v1/flows/here/runs', cookie(secret));
    expect([status, body.startedBy]).toMatchObject([201, { name: desk.red.cy.name }]);
    expect((await get('/v1/audit', cookie(secret))).status).toBe(403);
    const admin = await sessions.open({ kind: 'person', person: desk.red.ada });
    expect((await get('/v1/audit', cookie(admin))).status).toBe(200);
  });

  test('they see runs of conversations that they can read, and no others', async () => {
    await open(flows);
    await post('/v1/flows/here/runs', as('boss'));
    const seen = async (person: typeof desk.red.cy) => {
      const { body } = await get('/v1/runs', cookie(await sessions.open({ kind: 'person', person })));
      return body.runs;
    };
    expect(await seen(desk.red.bo)).toHaveLength(1);
    expect(await seen(desk.blue.bo)).toHaveLength(0);
  });

  test('a session ends when it is closed, after its time, and with its token', async () => {
    await open(flows);
    const secret = await signedIn('looker');
    const status = async () => (await get('/v1/flows', cookie(secret))).status;
    expect(await status()).toBe(200);
    await restart({ tokens: tokens.filter(({ name }) => name !== 'looker') });
    expect(await status()).toBe(401);
    // Whoever got hold of a token is out when it is changed.
    await restart({ tokens: tokens.map((token) => ({ ...token, secret: `${token.secret}-changed` })) });
    expect(await status()).toBe(401);
    await restart();
    expect(await status()).toBe(200);
    await desk.pass(12 * 3_600_000);
    expect(await status()).toBe(401);
    const other = await signedIn('looker');
    await sessions.close(other);
    expect((await get('/v1/flows', cookie(other))).status).toBe(401);
  });

  test('a page of another site does nothing with it', async () => {
    await open(flows, { tokens, publicUrl: 'https://flow.example.com' });
    const secret = await signedIn('boss');
    const headers = { cookie: `__Host-flowbot=${secret}`, host: 'flow.example.com' };
    const from = (origin: string) => post('/v1/flows/here/runs', { ...headers, origin });
    expect((await from('https://flow.example.com')).status).toBe(201);
    expect((await from('https://evil.example')).status).toBe(403);
    expect((await from('http://flow.example.com:81')).status).toBe(403);
    expect((await from('http://flow.example.com')).status).toBe(403);
    expect(door.origin()).toBe('https://flow.example.com');
    expect(server.url).toContain('127.0.0.1');
  });
});
