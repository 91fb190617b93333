import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/ports/log.ts';
import { objection } from '../../src/server/guard.ts';
import { createServer, type Server } from '../../src/server/index.ts';

const errors: string[] = [];
const log: Log = { info() {}, warn() {}, error: (message) => errors.push(message) };
let server: Server;

beforeEach(async () => {
  errors.length = 0;
  server = await createServer({ host: '127.0.0.1', port: 0, log });
  server.app.get('/page', (_request, reply) => reply.type('text/html').send('<p>hello'));
  server.app.post('/act', (incoming) => ({ got: incoming.body }));
  server.app.post('/large', { bodyLimit: 4 * 1024 * 1024 }, () => ({}));
  server.app.get('/broken', () => {
    throw new Error('the password is hunter2');
  });
  await server.listen();
});
afterEach(() => server.close());

const port = () => Number(new URL(server.url).port);
const json = { 'content-type': 'application/json' };

/** A request with exactly these headers, as no browser or fetch would send them. */
function ask(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port: port(), method, path, headers }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

describe('the Host header', () => {
  test.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])(
    '%s with the port is answered',
    async (name) => {
      expect(await ask('GET', '/page', { host: `${name}:${port()}` })).toMatchObject({ status: 200 });
    },
  );

  test.each([
    ['evil.example', (at: number) => `evil.example:${at}`],
    ['a name that ends in ours', (at: number) => `localhost.evil.example:${at}`],
    ['another port', (at: number) => `127.0.0.1:${at + 1}`],
    ['no port', () => 'localhost'],
    ['a user part', (at: number) => `localhost:${at}@evil.example`],
    ['an address of the network', (at: number) => `192.168.0.7:${at}`],
  ])('%s is refused with a sentence: no page can reach us under its own name', async (_, host) => {
    const answer = await ask('GET', '/page', { host: host(port()) });
    expect(answer).toMatchObject({ status: 403 });
    expect(JSON.parse(answer.text)).toEqual({ error: expect.stringContaining(`127.0.0.1:${port()}`) });
  });
});

describe('who may change something', () => {
  test('our own page', async () => {
    const answer = await ask('POST', '/act', { ...json, origin: server.url }, '{"a":1}');
    expect(answer).toMatchObject({ status: 200, text: '{"got":{"a":1}}' });
  });

  test('a program that sets x-flowbot', async () => {
    expect(await ask('POST', '/act', { ...json, 'x-flowbot': '1' }, '{}')).toMatchObject({ status: 200 });
  });

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['our address over https', { origin: 'https://127.0.0.1' }],
    ['a sandboxed page', { origin: 'null' }],
    ['another site that sets x-flowbot', { origin: 'https://evil.example', 'x-flowbot': '1' }],
    ['no origin and no x-flowbot', {}],
    ['another x-flowbot', { 'x-flowbot': '0' }],
  ])('not %s', async (_, headers) => {
    const answer = await ask('POST', '/act', { ...json, ...headers }, '{}');
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toEqual({ error: expect.stringMatching(/\.$/) });
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s from another site is refused before routing',
    async (method) => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      const answer = await ask(method, '/act', headers);
      expect(answer.status).toBe(403);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    },
  );
});

describe('what pages of other sites may load', () => {
  test.each([
    ['a fetch', 'cross-site', 'cors', 'empty', 403],
    ['a fetch of another port of this machine', 'same-site', 'cors', 'empty', 403],
    ['an image', 'cross-site', 'no-cors', 'image', 403],
    ['a frame', 'cross-site', 'navigate', 'iframe', 403],
    ['a link that somebody follows', 'cross-site', 'navigate', 'document', 200],
    ['what our own page loads', 'same-origin', 'cors', 'empty', 200],
    ['an address that somebody types', 'none', 'navigate', 'document', 200],
  ])('%s (%s)', async (_, site, mode, dest, status) => {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
    expect(await ask('GET', '/page', headers)).toMatchObject({ status });
  });
});

describe('the machine that asks', () => {
  const from = (ip: string | undefined) =>
    objection({ method: 'GET', headers: { host: 'localhost:3000' }, ip }, { host: '127.0.0.1', port: 3000 });

  test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('%s is this one', (ip) => {
    expect(from(ip)).toBeUndefined();
  });

  test.each([
    '192.168.0.7',
    '10.127.0.0.1',
    '128.0.0.1',
    '::ffff:10.0.0.1',
    'fe80::1',
    '::1:1',
    '',
    undefined,
  ])('%j is another, which gets no answer', (ip) => {
    expect(from(ip)).toBe('This server answers only this machine.');
  });
});

describe('bodies', () => {
  const post = (headers: Readonly<Record<string, string>>, body: string) =>
    ask('POST', '/act', { 'x-flowbot': '1', ...headers }, body);

  test.each([
    ['broken JSON', json, '{"a":', 400],
    ['an empty body', json, '', 400],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1', 415],
    ['text, which forms of other sites can send', { 'content-type': 'text/plain' }, '{"a":1}', 415],
    ['more than 256 kB', json, JSON.stringify('x'.repeat(256 * 1024)), 413],
    ['a poisoned prototype', json, '{"__proto__":{"admin":true}}', 400],
  ])('%s is refused with a sentence', async (_, headers, body, status) => {
    const answer = await post(headers, body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({ error: expect.stringMatching(/\S/) });
  });

  test.each([
    ['/act', 256 * 1024, '256 kB'],
    ['/large', 4 * 1024 * 1024, '4 MB'],
  ])('what is too large for %s hears how much it takes', async (path, bytes, size) => {
    const answer = await ask('POST', path, { 'x-flowbot': '1', ...json }, JSON.stringify('x'.repeat(bytes)));
    expect(answer).toMatchObject({
      status: 413,
      text: JSON.stringify({ error: `The body is too large: at most ${size} are accepted.` }),
    });
  });

  test('just under 256 kB is taken', async () => {
    expect(await post(json, JSON.stringify('x'.repeat(256 * 1024 - 2)))).toMatchObject({ status: 200 });
  });
});

describe('answers', () => {
  test.each(['/page', '/nowhere', '/broken'])('%s carries the security headers', async (path) => {
    const { headers } = await ask('GET', path);
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
        "base-uri 'none'; form-action 'self'; frame-src 'self'; frame-ancestors 'self'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  test('a fault of ours is logged and not shown', async () => {
    const answer = await ask('GET', '/broken');
    expect(answer).toMatchObject({ status: 500 });
    expect(answer.text).not.toContain('hunter2');
    expect(errors).toEqual(['GET /broken failed']);
  });

  test('an unknown path says so', async () => {
    expect(await ask('GET', '/nowhere')).toMatchObject({
      status: 404,
      text: '{"error":"There is nothing at GET /nowhere."}',
    });
  });
});

describe('starting and stopping', () => {
  test('a port in use is said with what to do', async () => {
    const second = await createServer({ host: '127.0.0.1', port: port(), log });
    await expect(second.listen()).rejects.toThrow(
      `127.0.0.1:${port()} is in use by another program: stop it, or set FLOWBOT_PORT to another port.`,
    );
    await second.close();
  });

  test('an address that is not ours is said with what to do', async () => {
    const far = await createServer({ host: '192.0.2.1', port: 0, log });
    await expect(far.listen()).rejects.toThrow('192.0.2.1 is not an address of this machine');
    await far.close();
  });

  test('closing twice is fine', async () => {
    await server.close();
    await server.close();
  });
});
