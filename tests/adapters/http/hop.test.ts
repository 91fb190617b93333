import { describe, expect, test } from 'vitest';
import { nextHop } from '../../../src/adapters/http/hop.ts';
import type { HttpRequest } from '../../../src/ports/http.ts';
import { client, type Loopback, request, send, serve } from './loopback.ts';

const secretHeaders = {
  Authorization: 'Bearer sk-abc',
  Cookie: 'session=1',
  'X-Api-Key': 'sk-abc',
  'Proxy-Authorization': 'Basic abc',
  Accept: 'application/json',
  'Content-Type': 'text/plain',
};
const get: Partial<HttpRequest> = { headers: secretHeaders, redirects: 5 };
const post: Partial<HttpRequest> = { ...get, method: 'POST', body: 'hello' };

/** A server that redirects `/` and answers everything else. */
function redirecting(status: number, location: string | undefined): Promise<Loopback> {
  return serve(({ path }, response) => {
    if (path === '/') response.writeHead(status, location === undefined ? {} : { location });
    response.end('the end');
  });
}

describe('C50: redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    '%i is simply the answer when no redirects are allowed',
    async (status) => {
      const server = await redirecting(status, '/next');
      expect(await send(server.origin, { ...post, redirects: 0 })).toMatchObject({
        kind: 'answered',
        status,
        headers: { location: '/next' },
        text: 'the end',
      });
      expect(server.seen).toHaveLength(1);
    },
  );

  test.each([307, 308])('%i repeats a POST as it was', async (status) => {
    const server = await redirecting(status, '/next');
    const outcome = await send(server.origin, post);
    expect(outcome).toMatchObject({ status: 200, hops: [`${server.origin}/`, `${server.origin}/next`] });
    expect(server.seen[1]).toMatchObject({ method: 'POST', path: '/next', body: 'hello' });
    expect(server.seen[1]?.headers).toMatchObject({ authorization: 'Bearer sk-abc', 'x-api-key': 'sk-abc' });
  });

  test('303 after a POST becomes GET without body', async () => {
    const server = await redirecting(303, '/next');
    expect(await send(server.origin, post)).toMatchObject({ kind: 'answered', status: 200 });
    expect(server.seen[1]).toMatchObject({ method: 'GET', path: '/next', body: '' });
    expect(server.seen[1]?.headers).not.toHaveProperty('content-type');
    expect(server.seen[1]?.headers).not.toHaveProperty('content-length');
  });

  test.each([301, 302])('%i on a POST stops with an explanation', async (status) => {
    const server = await redirecting(status, '/next');
    expect(await send(server.origin, post)).toEqual({
      kind: 'failed',
      reason: 'redirect',
      message: expect.stringMatching(
        new RegExp(`answered POST with a redirect \\(status ${status}\\).*set redirects to 0`),
      ),
      mayHaveArrived: true,
    });
    expect(server.seen).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])(
    '%i is followed for GET and HEAD with the same method',
    async (status) => {
      const server = await redirecting(status, '/next');
      await send(server.origin, { redirects: 1 });
      await send(server.origin, { redirects: 1, method: 'HEAD' });
      expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
        'GET /',
        'GET /next',
        'HEAD /',
        'HEAD /next',
      ]);
    },
  );

  test.each([300, 304, 305])('%i does not lead anywhere', async (status) => {
    const server = await redirecting(status, '/next');
    expect(await send(server.origin, { redirects: 5 })).toMatchObject({ kind: 'answered', status });
  });

  test.each([307, 308])(
    '%i to another port: the request goes on, what may be secret stays',
    async (status) => {
      const other = await serve((_seen, response) => response.end('other'));
      const server = await redirecting(status, `${other.origin}/next`);
      expect(await send(server.origin, { ...get, method: 'DELETE' })).toMatchObject({ text: 'other' });
      expect(other.seen[0]).toMatchObject({ method: 'DELETE', body: '' });
      expect(Object.keys(other.seen[0]?.headers ?? {}).sort()).toEqual([
        'accept',
        'accept-encoding',
        'connection',
        'content-type',
        'host',
        'user-agent',
      ]);
    },
  );

  test.each([
    ['POST', 307],
    ['POST', 308],
    ['PUT', 307],
    ['GET', 302],
  ])(
    'a %s with a body stops when %i leads to another port: the body may be secret',
    async (method, status) => {
      const other = await serve((_seen, response) => response.end('other'));
      const server = await redirecting(status, `${other.origin}/next`);
      expect(await send(server.origin, { ...post, method })).toMatchObject({
        kind: 'failed',
        reason: 'redirect',
        message: expect.stringMatching(/to another origin.*ask the final address instead.*redirects to 0/),
        mayHaveArrived: true,
      });
      expect(other.seen).toEqual([]);
    },
  );

  test('what was taken away does not come back with the next redirect', async () => {
    let home = '';
    const other = await serve((_seen, response) =>
      response.writeHead(307, { location: `${home}/next` }).end(),
    );
    const server = await redirecting(307, `${other.origin}/`);
    home = server.origin;
    expect(await send(server.origin, get)).toMatchObject({ status: 200 });
    expect(server.seen[1]?.headers).not.toHaveProperty('authorization');
  });

  test('each hop is checked again by the guard', async () => {
    const server = await redirecting(302, 'http://169.254.169.254/latest/meta-data/');
    expect(await send(server.origin, { redirects: 5 })).toMatchObject({
      reason: 'address',
      message: expect.stringContaining('169.254.169.254 is not a public address'),
      mayHaveArrived: true,
    });
  });

  test('a name in the Location is looked up and checked', async () => {
    const server = await redirecting(302, '//b.example/x');
    const http = client({ resolve: async () => ['10.0.0.1'] });
    const outcome = await http.send(request(server.origin, { redirects: 5 }), new AbortController().signal);
    expect(outcome).toMatchObject({
      reason: 'address',
      message: expect.stringContaining('b.example leads to'),
    });
  });

  test.each([
    ['no Location', undefined, 'without saying where to'],
    ['an invalid Location', 'http://[oops', 'not an address'],
    ['itself', '/', 'in a circle'],
    ['itself with a fragment', '/#again', 'in a circle'],
  ])('%s', async (_, location, words) => {
    const server = await redirecting(302, location);
    expect(await send(server.origin, { redirects: 5 })).toMatchObject({
      kind: 'failed',
      reason: 'redirect',
      message: expect.stringContaining(words),
    });
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ['another scheme', 'ftp://127.0.0.1/', 'Only http and https'],
    ['a password', 'http://ana:secret@127.0.0.1/', 'user name or password'],
  ])('%s in the Location', async (_, location, words) => {
    const server = await redirecting(302, location);
    const outcome = await send(server.origin, { redirects: 5 });
    expect(outcome).toMatchObject({ reason: 'address', message: expect.stringContaining(words) });
  });

  test('a circle of two', async () => {
    const server = await serve(({ path }, response) =>
      response.writeHead(302, { location: path === '/a' ? '/b' : '/a' }).end(),
    );
    const outcome = await send(`${server.origin}/a`, { redirects: 20 });
    expect(outcome).toMatchObject({ reason: 'redirect', message: expect.stringContaining('in a circle') });
    expect(server.seen).toHaveLength(2);
  });

  test('no more than allowed', async () => {
    const server = await serve(({ path }, response) =>
      response.writeHead(302, { location: `${path}x` }).end(),
    );
    const outcome = await send(`${server.origin}/`, { redirects: 3 });
    expect(outcome).toMatchObject({ reason: 'redirect', message: expect.stringContaining('redirects: 3') });
    expect(server.seen).toHaveLength(4);
  });

  test('the body of a redirect is not waited for', async () => {
    const server = await serve(({ path }, response) => {
      if (path === '/next') response.end('the end');
      else response.writeHead(302, { location: '/next' }).write('to be continued');
    });
    expect(await send(server.origin, { redirects: 1 })).toMatchObject({ text: 'the end' });
  });

  test('https never becomes http', () => {
    const hop = { method: 'GET', url: new URL('https://api.example/'), headers: new Map() };
    expect(() => nextHop(hop, 302, 'http://api.example/')).toThrow('from https to http');
  });
});

describe('methods', () => {
  test.each(['CONNECT', 'TRACE', 'GET /', 'P\nUT', '', 'PÖST'])('%j is refused', async (method) => {
    const outcome = await send('http://127.0.0.1:1/', { method });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'request', mayHaveArrived: false });
  });

  test('small letters do', async () => {
    const server = await serve((_seen, response) => response.end());
    await send(server.origin, { method: 'patch', body: 'ü' });
    expect(server.seen).toMatchObject([{ method: 'PATCH', body: 'ü' }]);
  });
});
