import { pipeline, Readable } from 'node:stream';
import {
  brotliCompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { send, serve } from './loopback.ts';

const text = 'hello, naïve world. '.repeat(50);

function packed(encoding: string, body: string | Buffer) {
  return serve((_seen, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(body);
  });
}

describe('C49: compressed answers', () => {
  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['gzip, deflate', deflateSync(gzipSync(text))],
    ['deflate, br', brotliCompressSync(deflateRawSync(text))],
    ['gzip, identity, gzip', gzipSync(gzipSync(text))],
    ['gzip, gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(gzipSync(text))))],
    ['identity', Buffer.from(text)],
    ['', Buffer.from(text)],
  ])('%s is unpacked', async (encoding, body) => {
    expect(await send((await packed(encoding, body)).origin)).toMatchObject({ kind: 'answered', text });
  });

  test.each([
    ['gzip', Buffer.from('plain text')],
    ['gzip', gzipSync(text).subarray(0, -6)],
    ['gzip', gzipSync(text).subarray(0, 3)],
    ['deflate', deflateSync(text).subarray(0, -6)],
    ['deflate', deflateRawSync(text).subarray(0, -6)],
    ['br', brotliCompressSync(text).subarray(0, -3)],
    ['br', Buffer.from('plain text')],
    ['zstd', zstdCompressSync(text).subarray(0, -3)],
    ['zstd', Buffer.from('plain text')],
    ['gzip, deflate', deflateSync(gzipSync(text).subarray(0, -6))],
    ['gzip, deflate', gzipSync(deflateSync(text))],
    ['compress', Buffer.from(text)],
    ['__proto__', Buffer.from(text)],
    ['gzip, deflate, gzip, deflate, gzip', gzipSync(text)],
  ])('%s that is broken, cut or unknown fails with a sentence', async (encoding, body) => {
    const outcome = await send((await packed(encoding, body)).origin);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'encoding', mayHaveArrived: true });
    expect(outcome).toHaveProperty('message', expect.stringMatching(/packed/));
    if (encoding !== 'gzip, deflate, gzip, deflate, gzip') {
      expect(outcome).toHaveProperty('message', expect.stringContaining(encoding));
    }
  });

  test('an encoding that is too long to be one is not quoted', async () => {
    const outcome = await send((await packed('an-echo-of-something-secret', text)).origin);
    expect(outcome).toMatchObject({ reason: 'encoding', message: expect.not.stringContaining('echo') });
  });

  test.each(['gzip', 'deflate', 'br', 'zstd'])('an empty body said to be %s is empty', async (encoding) => {
    expect(await send((await packed(encoding, '')).origin)).toMatchObject({ kind: 'answered', text: '' });
  });

  test('a small gzip that grows to 2 GB stops at the limit', async () => {
    const megabyte = Buffer.alloc(1 << 20);
    const server = await serve((_seen, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      pipeline(Readable.from(Array(2048).fill(megabyte)), createGzip({ level: 9 }), response, () => {});
    });
    expect(await send(server.origin, { maxBytes: 10_000_000 })).toMatchObject({
      kind: 'failed',
      reason: 'too-large',
      message: expect.stringContaining('10,000,000 bytes'),
    });
  });

  test('the limit counts unpacked bytes: a packed body below it can be too large', async () => {
    const server = await packed('gzip, gzip', gzipSync(gzipSync('x'.repeat(1_000_001))));
    expect(await send(server.origin, { maxBytes: 1_000_000 })).toMatchObject({ reason: 'too-large' });
    expect(await send(server.origin, { maxBytes: 1_000_001 })).toMatchObject({ kind: 'answered' });
  });

  test('Flowbot asks only for what it unpacks', async () => {
    const server = await packed('identity', '');
    await send(server.origin);
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });
});
