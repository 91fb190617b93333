import { describe, expect, test } from 'vitest';
import { onlyRun, runsOf } from '../commands/desk.ts';
import {
  call,
  desk,
  field,
  hooked,
  keep,
  open,
  posts,
  release,
  restart,
  secret,
  send,
  sign,
  signedKinds,
} from './hooking.ts';

const MINUTE_MS = 60_000;

const started = { run: expect.any(String), repeat: false };

describe.each(['path', ...signedKinds])('verify: %s', (kind) => {
  const flow = { release: hooked(`verify: ${kind}, ${keep}`) };

  test('starts a run with input from the body, once for all repeats', async () => {
    await open(flow);
    const first = await call(kind, release);
    expect(first).toMatchObject({ status: 202, body: started });
    const again = await call(kind, release);
    expect(again).toMatchObject({ status: 202, body: { run: field(first.body, 'run'), repeat: true } });
    expect(await posts()).toEqual(['v1.2 is final']);
    expect(await onlyRun(desk)).toMatchObject({ flow: 'release', status: 'succeeded' });
  });

  test.each(['', 'maxRuns: 1\nwhenFull: refuse'])(
    'twenty at once start one run, and all hear its id %j',
    async (more) => {
      await open({ release: hooked(`verify: ${kind}, ${keep}`, more) });
      const heard = await Promise.all(Array.from({ length: 20 }, () => call(kind, release)));
      expect(new Set(heard.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(heard.map(({ body }) => field(body, 'run'))).size).toBe(1);
      expect(heard.filter(({ body }) => field(body, 'repeat') === false)).toHaveLength(1);
      expect(await runsOf(desk)).toHaveLength(1);
    },
  );

  test('a repeat after a restart starts nothing', async () => {
    await open(flow);
    const first = await call(kind, release);
    await restart();
    const again = await call(kind, release);
    expect(again.body).toEqual({ run: field(first.body, 'run'), repeat: true });
  });

  test('a repeat is one although the flow is paused, full or takes other input by now', async () => {
    await open(flow);
    const first = await call(kind, release);
    await desk.red.flow(desk.red.ada, 'pause');
    desk.load({ release: hooked(`verify: ${kind}, keep: { version: nowhere }`) });
    expect((await call(kind, release)).body).toEqual({ run: field(first.body, 'run'), repeat: true });
  });

  test('nothing is proved by a secret that is nearly right', async () => {
    await open(flow, 'tok-12346');
    expect((await call(kind, release)).status).toBe(kind === 'path' ? 404 : 401);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('the secret is neither kept nor logged nor said, whatever happens', async () => {
    await open({ release: hooked(`verify: ${kind}, ${keep}`, 'maxRuns: 1\nwhenFull: refuse') });
    const body = JSON.stringify({ release: { tag_name: `v-${secret}` }, [secret]: secret });
    const headers = { referer: `https://x.example/${secret}`, cookie: `a=${secret}`, 'x-api-key': secret };
    const heard = [
      await call(kind, body, headers),
      await call(kind, '{', headers),
      await call(kind, '{}', { ...headers, 'idempotency-key': 'two', 'x-github-delivery': 'two' }),
      await send(`/hooks/release/${secret}x`, body, headers),
      await send(`/hooks/release/${secret}`, body, { ...headers, 'content-encoding': 'gzip' }),
    ];
    expect(heard[0]?.status).toBe(202);
    for (let count = 0; count < 61; count += 1) await send(`/hooks/release/x${secret}`, body, headers);
    await desk.settle();
    const runs = await runsOf(desk);
    const kept = await Promise.all(
      runs.map(async ({ id }) => [await desk.store.run(id), await desk.store.journal(id)]),
    );
    const shown = JSON.stringify([heard, desk.log.lines, kept, await posts()]);
    expect(shown).not.toContain(secret);
    expect(shown).toContain('v-[secret]');
    expect(shown).not.toMatch(/cookie|x_api_key|authorization|signature|gitlab_token/);
  });
});

describe('a request that proves nothing', () => {
  const flows = Object.fromEntries(
    ['path', ...signedKinds].map((kind) => [kind, hooked(`verify: ${kind}, ${keep}`)]),
  );

  test('hears the same whether the flow is there, switched off, of another kind or unknown', async () => {
    await open({
      ...flows,
      off: `${hooked(`verify: path, ${keep}`)}enabled: false\n`,
      none: 'steps: { a: { type: template, text: a } }',
    });
    const byPath = await Promise.all(
      [
        '/hooks/path/wrong',
        '/hooks/path/',
        '/hooks/path/tok-12345/',
        '/hooks/path/tok-12345/more',
        '/hooks/path/TOK-12345',
        '/hooks/github/tok-12345',
        '/hooks/off/tok-12345',
        '/hooks/none/tok-12345',
        '/hooks/unknown/tok-12345',
        '/hooks/PATH/tok-12345',
        '/hooks/__proto__/tok-12345',
        `/hooks/path/${'x'.repeat(5_000)}`,
      ].map((path) => send(path, release)),
    );
    for (const heard of byPath) {
      expect([heard.status, heard.body]).toEqual([404, { error: 'There is nothing here.' }]);
    }
    const error = 'The request does not prove that its sender may start anything here.';
    const signed = await Promise.all(
      ['/hooks/path', '/hooks/github', '/hooks/stripe', '/hooks/off', '/hooks/unknown', '/hooks/none'].map(
        (path) => send(path, release),
      ),
    );
    for (const heard of signed) expect([heard.status, heard.body]).toEqual([401, { error }]);
    expect(await runsOf(desk)).toEqual([]);
  });

  test.each(['hmac', 'github', 'stripe'])('%s: a body that was changed, or made longer', async (kind) => {
    await open(flows);
    const headers = sign(kind, release);
    for (const body of [release.replace('1.2', '1.3'), `${release} `, '']) {
      expect((await send(`/hooks/${kind}`, body, headers)).status).toBe(401);
    }
  });

  test.each(['hmac', 'stripe'])('%s: an old request that is sent again', async (kind) => {
    await open(flows);
    const headers = sign(kind, release);
    desk.clock.pass(5 * MINUTE_MS);
    expect((await send(`/hooks/${kind}`, release, headers)).status).toBe(202);
    desk.clock.pass(1_000);
    expect((await send(`/hooks/${kind}`, release, headers)).status).toBe(401);
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test('the same signature in other letters is the same delivery', async () => {
    await open(flows);
    const headers = sign('hmac', release);
    const first = await send('/hooks/hmac', release, headers);
    const signature = headers['x-flowbot-signature']?.replace(/[0-9a-f]{64}/, (hex) => hex.toUpperCase());
    const again = await send('/hooks/hmac', release, { ...headers, 'x-flowbot-signature': signature ?? '' });
    expect(again.body).toEqual({ run: field(first.body, 'run'), repeat: true });
  });

  test('too many of them close the flow for a minute, and no other; who runs Flowbot is told once', async () => {
    await open(flows);
    const guess = (flow: string) => send(`/hooks/${flow}/guess`, '{}');
    for (let count = 0; count < 60; count += 1) {
      expect((await guess('path')).status).toBe(404);
      expect((await guess('unknown')).status).toBe(404);
    }
    const right = () => send(`/hooks/path/${secret}`, release);
    expect(await right()).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect((await guess('unknown')).body).toEqual((await right()).body);
    expect((await call('github', release)).status).toBe(401);
    expect(desk.log.lines).toEqual([
      {
        level: 'warn',
        message: 'A webhook is closed for a minute: too many requests did not prove who sent them.',
        data: { flow: 'path' },
      },
    ]);
    desk.clock.pass(59_999);
    expect((await right()).status).toBe(429);
    desk.clock.pass(1);
    expect((await right()).status).toBe(202);
  });

  test('sixty within more than a minute close nothing', async () => {
    await open(flows);
    for (let count = 0; count < 130; count += 1) {
      expect((await send('/hooks/path/guess')).status).toBe(404);
      desk.clock.pass(1_020);
    }
  });

  test('another method is refused, whatever the address', async () => {
    await open(flows);
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      for (const path of ['/hooks/path', `/hooks/path/${secret}`, '/hooks/unknown/x']) {
        const heard = await send(path, '', {}, method);
        expect([heard.status, heard.body]).toEqual([405, { error: 'Webhooks are sent with POST.' }]);
        expect(heard.headers.allow).toBe('POST');
      }
    }
    expect((await send('/hooks/path', '', {}, 'HEAD')).status).toBe(405);
  });
});

describe('addresses', () => {
  test.each(['a/b%2F?#&=+ c', 'schlüssel-日本', '../..', 'x'.repeat(500), '__proto__'])(
    'hold any secret, escaped: %s',
    async (odd) => {
      await open({ release: hooked(`verify: path, ${keep}`) }, odd);
      expect((await send(`/hooks/release/${encodeURIComponent(odd)}`, release)).status).toBe(202);
      expect((await send(`/hooks/release/${encodeURIComponent(`${odd}x`)}`, release)).status).toBe(404);
    },
  );

  test('that are no addresses are refused', async () => {
    await open({ release: hooked(`verify: path, ${keep}`) });
    expect((await send('/hooks/release/%zz', release)).status).toBe(400);
  });
});
