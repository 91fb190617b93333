import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HttpOutcome } from '../../../src/ports/http.ts';
import { certificate } from './certificate.ts';
import { client, listen, request, send, serve, serveBytes } from './loopback.ts';

const never = new AbortController().signal;
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A server that keeps its connections and answers a connection's requests in turn; after the last it hangs up. */
async function answering(...answers: string[]) {
  const requests: string[] = [];
  const connections: Socket[] = [];
  const server = await serveBytes((socket) => {
    connections.push(socket);
    const left = [...answers];
    socket.on('data', (data) => {
      requests.push(data.toString().split(' ', 1).join());
      const answer = left.shift();
      if (answer === undefined) socket.resetAndDestroy();
      else socket.write(answer);
    });
  });
  return { ...server, requests, connections };
}

describe('a request is sent at most once', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'HEAD'])(
    '%s and a server that hangs up',
    async (method) => {
      const server = await answering();
      expect(await send(server.origin, { method, ...(method === 'POST' && { body: 'x' }) })).toEqual({
        kind: 'failed',
        reason: 'connection',
        message: expect.stringContaining(`The connection to 127.0.0.1:${server.port} was lost`),
        mayHaveArrived: true,
      });
      expect(server.requests).toEqual([method]);
    },
  );

  test('a GET on a kept connection that the server has left is not repeated', async () => {
    const server = await answering(ok);
    const http = client();
    let sent = 0;
    let outcome: HttpOutcome;
    do {
      outcome = await http.send(request(server.origin), never);
      sent++;
    } while (outcome.kind === 'answered' && sent < 10);
    expect(outcome).toMatchObject({ reason: 'connection', mayHaveArrived: true });
    expect(server.requests).toHaveLength(sent);
    expect(server.connections.length).toBeLessThan(sent);
  });

  test('a POST never takes a kept connection, so a stale one cannot lose it', async () => {
    const server = await answering(ok);
    const http = client();
    await http.send(request(server.origin), never);
    expect(await http.send(request(server.origin, { method: 'POST', body: 'x' }), never)).toMatchObject({
      text: 'ok',
    });
    expect(await http.send(request(server.origin, { method: 'POST', body: 'x' }), never)).toMatchObject({
      text: 'ok',
    });
    expect(server.requests).toEqual(['GET', 'POST', 'POST']);
    expect(server.connections).toHaveLength(3);
  });

  test('many at once to one server all arrive, each once', async () => {
    const server = await serve(({ path }, response) => response.end(path));
    const http = client();
    const paths = Array.from({ length: 30 }, (_, position) => `/${position}`);
    const sent = paths.map((path, position) =>
      http.send(request(server.origin + path, { method: position % 2 === 0 ? 'GET' : 'POST' }), never),
    );
    expect((await Promise.all(sent)).map((outcome) => outcome.kind === 'answered' && outcome.text)).toEqual(
      paths,
    );
    expect(server.seen.map(({ path }) => path).sort()).toEqual(paths.toSorted());
  });
});

test('connections to ever more hosts are not kept for ever', async () => {
  const ended = Promise.withResolvers<void>();
  const server = await serveBytes((socket) => {
    socket.on('data', () => socket.write(ok));
    socket.on('close', () => ended.resolve());
  });
  const http = client({ resolve: async () => ['127.0.0.1'] });
  for (let position = 0; position <= 100; position++) {
    const host = `host${position}.test`;
    const outcome = await http.send(request(`http://${host}:${server.port}`, { allowHosts: [host] }), never);
    expect(outcome).toMatchObject({ text: 'ok' });
  }
  await ended.promise;
});

describe('broken connections and answers', () => {
  test('nothing listens', async () => {
    const server = await serve(() => {});
    const taken = server.port;
    const outcome = await send(`http://127.0.0.2:${taken}`, { allowHosts: ['127.0.0.2'], method: 'POST' });
    expect(outcome).toEqual({
      kind: 'failed',
      reason: 'connect',
      message: `Could not connect to 127.0.0.2:${taken}: nothing answers at that address and port (ECONNREFUSED).`,
      mayHaveArrived: false,
    });
  });

  test.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n', 'is not valid HTTP'],
    ['a body shorter than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok', 'was lost'],
    [
      'a chunked body without end',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n',
      'was lost',
    ],
    ['a chunk of no size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'not valid HTTP'],
    ['an end before the headers', 'HTTP/1.1 200 OK\r\nx-a: 1', 'was lost'],
    ['nothing', '', 'was lost'],
  ])('%s', async (_, answer, words) => {
    const server = await serveBytes((socket) => socket.once('data', () => socket.end(answer)));
    expect(await send(server.origin, { method: 'POST' })).toMatchObject({
      kind: 'failed',
      reason: 'connection',
      message: expect.stringContaining(words),
      mayHaveArrived: true,
    });
  });
});

describe('TLS', () => {
  /** An https server for `api.test`; `trusted` = its certificate is known to this process for the test. */
  async function serveTls(trusted: boolean) {
    const seen: string[] = [];
    const server = createServer(certificate, (incoming, response) => {
      seen.push(incoming.headers.host ?? '');
      response.end('secure');
    });
    if (trusted) {
      const before = getCACertificates();
      setDefaultCACertificates([...before, certificate.cert]);
      onTestFinished(() => setDefaultCACertificates(before));
    }
    return { ...(await listen(server)), seen };
  }
  const http = () => client({ resolve: async () => ['127.0.0.1'] });
  const change = { allowHosts: ['api.test', 'other.test'], method: 'POST', body: 'x' };

  test('proves the name although the connection is pinned to an address', async () => {
    const server = await serveTls(true);
    const outcome = await http().send(request(`https://api.test:${server.port}/`, change), never);
    expect(outcome).toMatchObject({ kind: 'answered', text: 'secure' });
    expect(server.seen).toEqual([`api.test:${server.port}`]);
  });

  test.each([
    ['for another name', true, 'other.test', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['nobody vouches for', false, 'api.test', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('a certificate %s ends it before anything is sent', async (_, trusted, host, code) => {
    const server = await serveTls(trusted);
    expect(await http().send(request(`https://${host}:${server.port}/`, change), never)).toEqual({
      kind: 'failed',
      reason: 'connect',
      message: `Could not connect to ${host}:${server.port}: no secure connection, TLS says ${code}.`,
      mayHaveArrived: false,
    });
    expect(server.seen).toEqual([]);
  });

  test('a server that speaks no TLS', async () => {
    const server = await serve((_seen, response) => response.end());
    const outcome = await send(`https://127.0.0.1:${server.port}`, { method: 'POST' });
    expect(outcome).toMatchObject({ reason: 'connect', mayHaveArrived: false });
  });
});
