import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { client, request, serve, serveBytes } from './loopback.ts';

const never = new AbortController().signal;

test('an answer says all about itself', async () => {
  const server = await serve((_seen, response) =>
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":7}'),
  );
  const sent = request(`${server.origin}/notes?draft=1#top`, { method: 'POST', body: 'hello' });
  expect(await client().send(sent, never)).toEqual({
    kind: 'answered',
    status: 201,
    headers: expect.objectContaining({ 'content-type': 'application/json' }),
    text: '{"id":7}',
    body: { id: 7 },
    hops: [`${server.origin}/notes?draft=1`],
  });
  expect(server.seen).toMatchObject([{ method: 'POST', path: '/notes?draft=1', body: 'hello' }]);
});

test.each([400, 404, 429, 500, 503])('%i is an answer, not a failure', async (status) => {
  const server = await serve((_seen, response) => response.writeHead(status).end('sorry'));
  expect(await client().send(request(server.origin), never)).toMatchObject({
    kind: 'answered',
    status,
    text: 'sorry',
  });
});

test('send never throws, whatever it is given', async () => {
  const http = client({ resolve: () => Promise.reject(new Error('offline')) });
  const address = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.string().map((host) => `http://${host}/`),
  );
  await fc.assert(
    fc.asyncProperty(
      address,
      fc.oneof(fc.constantFrom('GET', 'POST'), fc.string()),
      fc.oneof(fc.constant({}), fc.dictionary(fc.string(), fc.string({ unit: 'binary' }))),
      fc.array(fc.string()),
      async (url, method, headers, allowHosts) => {
        const outcome = await http.send({ ...request(url), method, headers, allowHosts }, never);
        expect(outcome).toMatchObject({ kind: 'failed', mayHaveArrived: false });
      },
    ),
  );
});

test('send never throws, whatever comes back', async () => {
  let answer: Buffer = Buffer.alloc(0);
  const server = await serveBytes((socket) => socket.once('data', () => socket.end(answer)));
  const http = client();
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((random) => Buffer.from(random)),
    fc
      .tuple(
        fc.constantFrom(200, 204, 302, 307),
        fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip, br'),
        fc.constantFrom('application/json', 'text/plain; charset=utf-16', ';;'),
        fc.string({ maxLength: 20 }),
        fc.uint8Array({ maxLength: 200 }),
      )
      .map(([status, encoding, type, location, body]) =>
        Buffer.concat([
          Buffer.from(
            `HTTP/1.1 ${status} x\r\ncontent-encoding: ${encoding}\r\ncontent-type: ${type}\r\nlocation: ${location}\r\n\r\n`,
          ),
          body,
        ]),
      ),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (given) => {
      answer = given;
      const outcome = await http.send(request(server.origin, { redirects: 1, timeoutMs: 5000 }), never);
      expect(['answered', 'failed']).toContain(outcome.kind);
    }),
  );
});

describe('close', () => {
  test('cancels what is in progress, ends every connection, and may be called twice', async () => {
    const http = client();
    const gone: Promise<void>[] = [];
    const bothAsked = Promise.withResolvers<void>();
    const server = await serveBytes((socket) => {
      gone.push(new Promise((resolve) => socket.on('close', () => resolve())));
      socket.on('data', () => gone.length === 2 && bothAsked.resolve());
    });
    const asked = ['GET', 'POST'].map((method) => http.send(request(server.origin, { method }), never));
    await bothAsked.promise;
    await Promise.all([http.close(), http.close()]);
    for (const outcome of await Promise.all(asked)) expect(outcome).toMatchObject({ reason: 'aborted' });
    await Promise.all(gone);
  });

  test('ends kept connections', async () => {
    const gone = Promise.withResolvers<void>();
    const server = await serveBytes((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
      socket.on('close', () => gone.resolve());
    });
    const http = client();
    await http.send(request(server.origin), never);
    await http.close();
    await gone.promise;
  });

  test('nothing is sent afterwards', async () => {
    const server = await serve((_seen, response) => response.end());
    const http = client();
    await http.close();
    expect(await http.send(request(server.origin), never)).toMatchObject({
      reason: 'aborted',
      mayHaveArrived: false,
    });
    expect(server.seen).toEqual([]);
  });
});
