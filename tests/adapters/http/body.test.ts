import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../../src/ports/http.ts';
import { always, client, type Loopback, request, send, serve, serveBytes } from './loopback.ts';

/** A server that gives one body. */
function giving(
  body: string | Buffer,
  headers: Record<string, string> = {},
  status = 200,
): Promise<Loopback> {
  return serve((_seen, response) => response.writeHead(status, headers).end(body));
}

const json = { 'content-type': 'application/json' };

describe('C47: success with an empty body', () => {
  test.each<[string, number, string, Partial<HttpRequest>]>([
    ['204', 204, '', {}],
    ['200 with length 0', 200, '', {}],
    ['201 with length 0', 201, '', {}],
    ['205', 205, '', {}],
    ['304', 304, '', {}],
    ['HEAD', 200, '', { method: 'HEAD' }],
    ['a byte order mark alone', 200, '\ufeff', {}],
  ])('%s: no text, no data, no fault', async (_, status, body, change) => {
    const server = await giving(body, json, status);
    const outcome = await send(server.origin, change);
    expect(outcome).toMatchObject({ kind: 'answered', status, text: '', body: null });
    expect(outcome).not.toHaveProperty('bodyFault');
  });

  test('200 with only a newline: the text is kept', async () => {
    const server = await giving('\r\n', json);
    const outcome = await send(server.origin);
    expect(outcome).toMatchObject({ kind: 'answered', text: '\r\n', body: null });
    expect(outcome).not.toHaveProperty('bodyFault');
  });

  test('a body where there must be none is not read', async () => {
    const server = await serveBytes(always('HTTP/1.1 205 Reset\r\ncontent-length: 5000000000\r\n\r\nhello'));
    expect(await send(server.origin)).toMatchObject({ kind: 'answered', status: 205, text: '' });
  });
});

describe('JSON', () => {
  test('C47: starting with a byte order mark', async () => {
    const server = await giving('\ufeff{"id":1}', json);
    expect(await send(server.origin)).toMatchObject({ text: '{"id":1}', body: { id: 1 } });
  });

  test.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'text/json',
    'application/problem+json',
    'application/vnd.api+json; version=1',
  ])('%s is read', async (type) => {
    const server = await giving('{"id":1234567890123456789}', { 'content-type': type });
    expect(await send(server.origin)).toMatchObject({ body: { id: '1234567890123456789' } });
  });

  test.each(['text/plain', 'application/jsonp', 'application/json-seq', 'nonsense', ''])(
    '%j is text only',
    async (type) => {
      const server = await giving('{"id":1}', { 'content-type': type });
      const outcome = await send(server.origin);
      expect(outcome).toMatchObject({ text: '{"id":1}', body: null });
      expect(outcome).not.toHaveProperty('bodyFault');
    },
  );

  test.each(['<html>', '{"a":1', '{"a":1}{"b":2}', "{'a':1}", 'undefined'])(
    '%s is no JSON: the text is there, with the reason',
    async (text) => {
      const server = await giving(text, json);
      expect(await send(server.origin)).toMatchObject({
        kind: 'answered',
        text,
        body: null,
        bodyFault: expect.stringContaining('not valid JSON'),
      });
    },
  );

  test('C53: nested 200,000 deep', async () => {
    const server = await giving('['.repeat(200_000) + ']'.repeat(200_000), json);
    expect(await send(server.origin)).toMatchObject({
      kind: 'answered',
      body: null,
      bodyFault: expect.stringContaining('deeper than 200 levels'),
    });
  });
});

describe('charsets', () => {
  test.each([
    ['utf-8', Buffer.from('naïve ü'), 'naïve ü'],
    ['UTF8', Buffer.from('naïve ü'), 'naïve ü'],
    ['"utf-8"', Buffer.from('naïve ü'), 'naïve ü'],
    ['iso-8859-1', Buffer.from('naïve ü', 'latin1'), 'naïve ü'],
    ['windows-1252', Buffer.from([0x93, 0x80, 0x35, 0x94]), '“€5”'],
    ['utf-16le', Buffer.from('naïve ü', 'utf16le'), 'naïve ü'],
    ['shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['gb18030', Buffer.from([0xc4, 0xe3]), '你'],
    ['koi8-r', Buffer.from([0xc4, 0xc1]), 'да'],
  ])('%s', async (charset, body, text) => {
    const server = await giving(body, { 'content-type': `text/plain; charset=${charset}` });
    expect(await send(server.origin)).toMatchObject({ text });
  });

  test('UTF-8 when there is none', async () => {
    expect(await send((await giving('naïve 🚀')).origin)).toMatchObject({ text: 'naïve 🚀' });
  });

  test.each(['klingon', '__proto__', 'utf-7', 'utf7-imap', 'hex', 'base64'])(
    'the unknown charset %s is named',
    async (charset) => {
      const server = await giving('x', { 'content-type': `text/plain; charset=${charset}` });
      expect(await send(server.origin)).toMatchObject({
        kind: 'failed',
        reason: 'encoding',
        message: expect.stringContaining(charset),
      });
    },
  );
});

test('a charset that is too long to be one is not quoted', async () => {
  const server = await giving('x', { 'content-type': 'text/plain; charset=an-echo-of-something-secret' });
  expect(await send(server.origin)).toMatchObject({
    reason: 'encoding',
    message: expect.not.stringContaining('echo'),
  });
});

describe('headers of the answer', () => {
  test('names are small, repeated ones joined, and none is special', async () => {
    const server = await serveBytes(
      always('HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\n__proto__: 3\r\ncontent-length: 2\r\n\r\nhi'),
    );
    const outcome = await send(server.origin);
    expect(outcome).toMatchObject({ kind: 'answered', text: 'hi' });
    if (outcome.kind !== 'answered') return;
    expect(Object.entries(outcome.headers)).toEqual([
      ['x-a', '1, 2'],
      ['__proto__', '3'],
      ['content-length', '2'],
    ]);
  });
});

describe('C53: huge bodies', () => {
  test('exactly the limit is read, one byte more is not', async () => {
    const server = await giving('x'.repeat(1000));
    expect(await send(server.origin, { maxBytes: 1000 })).toMatchObject({ kind: 'answered' });
    expect(await send(server.origin, { maxBytes: 999 })).toEqual({
      kind: 'failed',
      reason: 'too-large',
      message: `The answer of 127.0.0.1:${server.port} is larger than 999 bytes; raise maxBytes if that is meant.`,
      mayHaveArrived: true,
    });
  });

  test('5 GB without a length: the step fails at the limit and the server is cut off', async () => {
    const full = 5_000_000_000;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const cutOff = Promise.withResolvers<number>();
    const server = await serveBytes((socket) => {
      let sent = 0;
      const fill = () => {
        while (sent < full && socket.writable) {
          sent += chunk.length;
          if (!socket.write(chunk)) return;
        }
        socket.end();
      };
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[');
        socket.on('drain', fill);
        fill();
      });
      socket.on('close', () => cutOff.resolve(sent));
    });

    const maxBytes = 10_000_000;
    const memoryBefore = process.memoryUsage().rss;
    expect(await send(server.origin, { maxBytes })).toMatchObject({
      kind: 'failed',
      reason: 'too-large',
      message: expect.stringContaining('10,000,000 bytes'),
    });
    // What lies in the buffers of the two sockets comes on top of the limit.
    expect(await cutOff.promise).toBeLessThan(maxBytes + 20_000_000);
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(200_000_000);
  });

  test('a body in pieces of one byte is read like any other', async () => {
    const pieces = '1\r\nx\r\n'.repeat(200_000);
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const server = await serveBytes(always(`${head}${pieces}0\r\n\r\n`));
    expect(await send(server.origin)).toMatchObject({ text: 'x'.repeat(200_000) });
  });

  test('headers without end', async () => {
    const server = await serveBytes(always(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`));
    expect(await send(server.origin)).toMatchObject({
      kind: 'failed',
      reason: 'too-large',
      mayHaveArrived: true,
    });
  });

  test('three at once leave other requests alone', async () => {
    const big = await giving('x'.repeat(2_000_000));
    const small = await giving('small');
    const http = client();
    const never = new AbortController().signal;
    const asked = [big, big, small, big].map(({ origin }) => http.send(request(origin), never));
    expect((await Promise.all(asked)).map((outcome) => outcome.kind)).toEqual([
      'failed',
      'failed',
      'answered',
      'failed',
    ]);
  });
});
