import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createDownloads, type Downloads, type FileStore } from '../../../src/adapters/chat/download.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { ChatUnavailable } from '../../../src/ports/chat.ts';
import { type Loopback, serve, serveBytes } from '../http/loopback.ts';

const headers = { authorization: 'Bearer xoxb-1' };
const file = (url: string, more: JsonObject = {}): JsonObject => {
  return { id: 'F1', name: 'plan.pdf', type: 'application/pdf', sizeBytes: null, url, ...more };
};

/** Downloads from a platform that keeps its files at these servers. */
function from(kept: readonly Pick<Loopback, 'origin'>[], more: Partial<FileStore> = {}, timeoutMs = 5_000) {
  const pauses: number[] = [];
  const downloads: Downloads = createDownloads(
    {
      name: 'The platform',
      keeps: ({ origin }) => kept.some((each) => each.origin === origin),
      headers,
      allowHosts: kept.map(({ origin }) => new URL(origin).host),
      refusal: () => undefined,
      ...more,
    },
    { pause: async (forMs) => void pauses.push(forMs), timeoutMs },
  );
  return { ...downloads, pauses };
}

const fetched = (text: string) => ({ kind: 'fetched', data: Buffer.from(text).toString('base64') });
const refused = (words: string) => ({ kind: 'refused', message: expect.stringContaining(words) });

describe('redirects', () => {
  test('are followed to where the platform keeps files, with what it wants to be sent there', async () => {
    const second = await serve((_, response) => response.end('the plan'));
    const first = await serve((_, response) =>
      response.writeHead(302, { location: `${second.origin}/b`, 'set-cookie': 'a=b' }).end(),
    );
    const { download } = from([first, second]);
    expect(await download(file(`${first.origin}/a`), 100)).toEqual(fetched('the plan'));
    expect([first.seen[0]?.headers.authorization, second.seen[0]?.headers.authorization]).toEqual([
      'Bearer xoxb-1',
      'Bearer xoxb-1',
    ]);
    expect(second.seen[0]?.headers.cookie).toBeUndefined();
  });

  test('are followed to no other host, and nothing is sent there', async () => {
    const other = await serve((_, response) => response.end('secret'));
    const first = await serve((_, response) => response.writeHead(307, { location: other.origin }).end());
    const { download } = from([first]);
    expect(await download(file(first.origin), 100)).toEqual(
      refused('“plan.pdf” is not kept by The platform'),
    );
    expect(other.seen).toEqual([]);
  });

  test.each(['file:///etc/passwd', 'http://', ''])('are not followed to %j', async (location) => {
    const first = await serve((_, response) => response.writeHead(302, { location }).end());
    const { download, pauses } = from([first]);
    expect(await download(file(first.origin), 100)).toEqual(refused('is not kept by'));
    expect(pauses).toEqual([]);
  });

  test('end', async () => {
    const first = await serve(({ path }, response) =>
      response.writeHead(302, { location: `${path}a` }).end(),
    );
    const { download } = from([first]);
    expect(await download(file(`${first.origin}/`), 100)).toEqual(refused('is not kept by'));
    expect(first.seen.map(({ path }) => path)).toEqual(['/', '/a', '/aa', '/aaa']);
  });
});

describe('private addresses', () => {
  test('are not asked, although the platform is said to keep files there', async () => {
    const server = await serve((_, response) => response.end('secret'));
    const { download } = from([server], { allowHosts: [] });
    expect(await download(file(server.origin), 100)).toEqual(refused('is not kept by'));
    expect(server.seen).toEqual([]);
  });
});

describe('what is too large', () => {
  test('is not asked for when it says so', async () => {
    const server = await serve((_, response) => response.end('the plan'));
    const { download } = from([server]);
    const given = file(server.origin, { sizeBytes: 2_048 });
    expect(await download(given, 1_024)).toEqual(refused('“plan.pdf” has 2 kB; 1 kB are allowed.'));
    expect(server.seen).toEqual([]);
  });

  test('is read no further than it may be', async () => {
    const server = await serve((_, response) => {
      const more = () => response.destroyed || response.write(Buffer.alloc(65_536), () => more());
      more();
    });
    const { download } = from([server]);
    expect(await download(file(server.origin, { sizeBytes: 3 }), 100_000)).toEqual(
      refused('“plan.pdf” is larger than 97.6 kB'),
    );
  });

  test('may be as large as is allowed, to the byte', async () => {
    const server = await serve((_, response) => response.end('12345'));
    const { download } = from([server]);
    expect(await download(file(server.origin), 5)).toEqual(fetched('12345'));
    expect(await download(file(server.origin), 4)).toEqual(refused('larger than 4 bytes'));
  });
});

describe('a platform that fails', () => {
  test.each([500, 503, 429, 408])('with %i is asked once more', async (status) => {
    const server = await serve((_, response) => {
      if (server.seen.length === 1) response.writeHead(status).end('no');
      else response.end('the plan');
    });
    const { download, pauses } = from([server]);
    expect(await download(file(server.origin), 100)).toEqual(fetched('the plan'));
    expect(pauses).toEqual([1_000]);
  });

  test('twice is asked no more', async () => {
    const server = await serve((_, response) => response.writeHead(502).end());
    const { download } = from([server]);
    await expect(download(file(server.origin), 100)).rejects.toThrow(ChatUnavailable);
    expect(server.seen).toHaveLength(2);
  });

  test('in the middle of a file gives none', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('the pl', () => response.destroy());
    });
    const { download } = from([server]);
    await expect(download(file(server.origin), 100)).rejects.toThrow(
      'does not give out the file “plan.pdf” now.',
    );
    expect(server.seen).toHaveLength(2);
  });

  test('to answer in time is given up', async () => {
    const server = await serveBytes(() => {});
    const { download } = from([server], {}, 50);
    await expect(download(file(server.origin), 100)).rejects.toThrow(ChatUnavailable);
  });

  test('is not waited for once everything ends', async () => {
    const asked = Promise.withResolvers<void>();
    const server = await serve(() => asked.resolve());
    const { download, close } = from([server]);
    const outcome = expect(download(file(server.origin), 100)).rejects.toThrow(ChatUnavailable);
    await asked.promise;
    await setImmediate();
    close();
    await outcome;
    expect(server.seen).toHaveLength(1);
  });
});

describe('a platform that says no', () => {
  test('is not asked again, and is quoted with its status', async () => {
    const server = await serve((_, response) => response.writeHead(418).end('teapot'));
    const { download } = from([server]);
    expect(await download(file(server.origin), 100)).toEqual(
      refused('does not give out “plan.pdf” (HTTP 418)'),
    );
    expect(server.seen).toHaveLength(1);
  });

  test('is understood by who knows its answers', async () => {
    const server = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('12345'),
    );
    const { download } = from([server], {
      refusal: ({ name }, { status, headers: given, sizeBytes }) =>
        `${name} ${status} ${given['content-type']} ${sizeBytes}`,
    });
    expect(await download(file(server.origin), 100)).toEqual({
      kind: 'refused',
      message: 'plan.pdf 200 text/html 5',
    });
  });
});

test.each<[string, JsonObject]>([
  ['nothing', {}],
  ['no address', file('', { url: null })],
  ['something else as its address', file('plan.pdf')],
  ['a secret in its address', file('http://a:b@127.0.0.1:1/')],
])('a description with %s is refused', async (_, given) => {
  const { download } = from([]);
  expect(await download(given, 100)).toEqual(refused('send'));
});
