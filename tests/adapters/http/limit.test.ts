import { describe, expect, test, vi } from 'vitest';
import { startLimit } from '../../../src/adapters/http/limit.ts';
import { always, client, request, send, serve, serveBytes } from './loopback.ts';

describe('one time limit over everything', () => {
  test('while the name is looked up', async () => {
    const http = client({ resolve: () => new Promise(() => {}) });
    const outcome = await http.send(
      request('http://slow.test/', { timeoutMs: 250 }),
      new AbortController().signal,
    );
    expect(outcome).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: 'slow.test did not answer within 0.25 s; raise the timeout if it must.',
      mayHaveArrived: false,
    });
  });

  test('while TLS is agreed on', async () => {
    const server = await serveBytes(() => {});
    const outcome = await send(`https://127.0.0.1:${server.port}`, {
      timeoutMs: 250,
      method: 'POST',
      body: 'x',
    });
    expect(outcome).toMatchObject({ reason: 'timeout', mayHaveArrived: false });
  });

  test.each(['GET', 'POST'])('while %s waits for an answer', async (method) => {
    const server = await serveBytes(() => {});
    const outcome = await send(server.origin, { timeoutMs: 250, method });
    expect(outcome).toMatchObject({ reason: 'timeout', mayHaveArrived: true });
  });

  test('in the middle of the headers', async () => {
    const server = await serveBytes(always('HTTP/1.1 200 OK\r\nx-a: ', false));
    expect(await send(server.origin, { timeoutMs: 250 })).toMatchObject({
      reason: 'timeout',
      mayHaveArrived: true,
    });
  });

  test.each([
    ['plain', '', 'hello'],
    ['packed', 'content-encoding: gzip\r\n', '\u001f'],
  ])('in the middle of a %s body', async (_, header, start) => {
    const server = await serveBytes(
      always(`HTTP/1.1 200 OK\r\n${header}content-length: 99\r\n\r\n${start}`, false),
    );
    expect(await send(server.origin, { timeoutMs: 250 })).toMatchObject({
      reason: 'timeout',
      mayHaveArrived: true,
    });
  });

  test('while a server says nothing but "wait"', async () => {
    const server = await serveBytes(always('HTTP/1.1 103 Early Hints\r\n\r\n', false));
    expect(await send(server.origin, { timeoutMs: 250 })).toMatchObject({
      reason: 'timeout',
      mayHaveArrived: true,
    });
  });

  test('after a redirect', async () => {
    const silent = await serveBytes(() => {});
    const server = await serve((_seen, response) =>
      response.writeHead(302, { location: silent.origin }).end(),
    );
    const outcome = await send(server.origin, { timeoutMs: 250, redirects: 1 });
    expect(outcome).toMatchObject({ reason: 'timeout', mayHaveArrived: true });
  });

  test('a limit of thirty days does not end at once', () => {
    vi.useFakeTimers();
    try {
      const limit = startLimit('api.test', 30 * 24 * 3600 * 1000, []);
      vi.advanceTimersByTime(24 * 3600 * 1000);
      expect(limit.signal.aborted).toBe(false);
      limit.end();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a caller who gives up', () => {
  test('before: nothing is looked up or sent', async () => {
    const server = await serve((_seen, response) => response.end());
    const resolve = vi.fn(async () => ['127.0.0.1']);
    const url = `http://late.test:${server.port}`;
    const outcome = await client({ resolve }).send(
      request(url, { allowHosts: ['late.test'] }),
      AbortSignal.abort(),
    );
    expect(resolve).not.toHaveBeenCalled();
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'aborted', mayHaveArrived: false });
    expect(server.seen).toEqual([]);
  });

  test('in between: the server sees the connection end', async () => {
    const controller = new AbortController();
    const gone = Promise.withResolvers<void>();
    const server = await serveBytes((socket) => {
      socket.on('data', () => controller.abort());
      socket.on('close', () => gone.resolve());
    });
    const outcome = await client().send(request(server.origin, { method: 'POST' }), controller.signal);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'aborted', mayHaveArrived: true });
    await gone.promise;
  });
});
