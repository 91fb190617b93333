import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/engine/json.ts';
import { ChatUnavailable } from '../../src/ports/chat.ts';
import { runsOf } from '../commands/desk.ts';
import { answered } from '../fakes/http.ts';
import {
  call,
  desk,
  field,
  hooked,
  hooks,
  json,
  keep,
  open,
  posts,
  release,
  secret,
  send,
  serve,
  startOf,
} from './hooking.ts';

const MINUTE_MS = 60_000;

describe('deliveries', () => {
  test('github: each id is one; a ping starts nothing', async () => {
    await open({ release: hooked(`verify: github, ${keep}`) });
    const ping = await call('github', '{"zen":"x"}', { 'x-github-event': 'ping' });
    expect([ping.status, ping.body]).toEqual([200, { ok: true }]);
    await call('github', release);
    await call('github', release, { 'x-github-delivery': 'another' });
    expect(await runsOf(desk)).toHaveLength(2);
  });

  test('gitlab: by the key of the delivery, in older versions by the id of the event', async () => {
    await open({ release: hooked(`verify: gitlab, ${keep}`) });
    const old = { ...json, 'x-gitlab-token': secret, 'x-gitlab-event-uuid': 'e-1' };
    for (const key of ['1', '2', '1'])
      await send('/hooks/release', release, { ...old, 'idempotency-key': key });
    expect(await runsOf(desk)).toHaveLength(2);
    for (const _ of [1, 2]) await send('/hooks/release', release, old);
    expect(await runsOf(desk)).toHaveLength(3);
  });

  test('stripe: by the id of the event, which may be of any letters, though it is signed anew', async () => {
    await open({ release: hooked('verify: stripe, keep: { version: id }') });
    for (const id of ['evt_1', 'évt 💩', 'x'.repeat(5_000), 'evt_1', 'évt 💩', 'x'.repeat(5_000)]) {
      expect((await call('stripe', JSON.stringify({ id }))).status).toBe(202);
      desk.clock.pass(2 * MINUTE_MS);
    }
    expect(await runsOf(desk)).toHaveLength(3);
  });

  test('alertmanager: a retry within minutes is the same, a repeat after hours is not', async () => {
    await open({ release: hooked(`verify: alertmanager, ${keep}`) });
    desk.clock.pass(4 * MINUTE_MS + 59_000);
    await call('alertmanager', release);
    desk.clock.pass(2_000); // over the edge of a bucket
    expect((await call('alertmanager', release)).body).toMatchObject({ repeat: true });
    desk.clock.pass(240 * MINUTE_MS);
    expect((await call('alertmanager', release)).body).toMatchObject({ repeat: false });
  });

  test('path: without a key every request is a new one', async () => {
    await open({ release: hooked(`verify: path, ${keep}`) });
    for (const key of [{}, {}, { 'idempotency-key': 'ключ' }, { 'idempotency-key': 'ключ' }]) {
      const latin = Object.fromEntries(
        Object.entries(key).map(([name, text]) => [name, Buffer.from(text).toString('latin1')]),
      );
      await send(`/hooks/release/${secret}`, release, { ...json, ...latin });
    }
    expect(await runsOf(desk)).toHaveLength(3);
  });

  test('one id means another run in another flow', async () => {
    await open({ release: hooked(keep), other: hooked(keep) });
    const once = { ...json, 'idempotency-key': 'x' };
    await send(`/hooks/release/${secret}`, release, once);
    await send(`/hooks/other/${secret}`, release, once);
    expect((await runsOf(desk)).map(({ flow }) => flow)).toEqual(['other', 'release']);
  });
});

describe('what keeps a run from starting', () => {
  const wrong = async (body: JsonObject) => (await call('github', JSON.stringify(body))).body;

  test('input that does not fit: which field, and why', async () => {
    await open({ release: hooked(`verify: github, ${keep}`) });
    expect(await wrong({ count: 'many' })).toEqual({
      error:
        'The input does not fit: Count must be a whole number. Version is missing: the body has no release.tag_name.',
      problems: [
        { field: 'count', message: 'Count must be a whole number.' },
        { field: 'version', message: 'Version is missing: the body has no release.tag_name.' },
      ],
    });
    expect(await wrong({ release: { tag_name: 12 } })).toMatchObject({
      problems: [{ field: 'version', message: 'Version must be text.' }],
    });
    expect(await wrong({ release: { tag_name: null } })).toMatchObject({
      problems: [{ field: 'version', message: 'Version is missing: the body has no release.tag_name.' }],
    });
    expect(await runsOf(desk)).toEqual([]);
  });

  test('text that says a number is one: forms hold nothing else', async () => {
    await open({ release: hooked('keep: { version: v, count: n, stage: header:X-Stage }') });
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-stage': 'beta' };
    const heard = await send(`/hooks/release/${secret}`, 'v=1.2&n=3', form);
    expect((await startOf(field(heard.body, 'run')))?.input).toEqual({
      version: '1.2',
      count: 3,
      stage: 'beta',
    });
  });

  test('a pause, and too many runs: 409 with the sentence', async () => {
    const asks = 'maxRuns: 1\nwhenFull: refuse';
    await open({
      release: hooked(`verify: path, ${keep}`, asks).replace(
        /steps: .*\n$/,
        'steps: { ask: { type: approval } }\n',
      ),
    });
    const go = () => send(`/hooks/release/${secret}`, release);
    await desk.red.flow(desk.red.ada, 'pause for lunch');
    expect(await go()).toMatchObject({
      status: 409,
      body: { error: 'Nothing starts at the moment: Ada has paused Flowbot (for lunch).' },
    });
    await desk.red.flow(desk.red.ada, 'resume');
    expect((await go()).status).toBe(202);
    expect(await go()).toMatchObject({
      status: 409,
      body: { error: 'Release can’t start now: a run of it has not ended.' },
    });
  });

  test('a conversation that can’t be reached: 409; a platform that is silent: 503, to come again', async () => {
    await open({ release: hooked(`verify: path, ${keep}`).replace('#releases', '#nowhere') });
    const go = () => send(`/hooks/release/${secret}`, release);
    expect(await go()).toMatchObject({
      status: 409,
      body: { error: "The conversation red:#nowhere of this flow can't be reached." },
    });
    const silent = {
      ...desk.red.platform.chat,
      conversation: () => Promise.reject(new ChatUnavailable('It does not answer.')),
    };
    await serve({ ...desk.bot, chats: new Map([['red', silent]]) });
    expect(await go()).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
    expect(await runsOf(desk)).toEqual([]);
  });

  test('a Flowbot that is not ready, or stops: 503, to come again', async () => {
    await open({ release: hooked(`verify: path, ${keep}`) });
    await hooks.close();
    const heard = await send(`/hooks/release/${secret}`, release);
    expect(heard).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
    expect((await send('/hooks/unknown/x', release)).body).toEqual(heard.body);
    hooks.open();
    expect((await send(`/hooks/release/${secret}`, release)).status).toBe(202);
  });

  test('a fault of ours is a 500 that says nothing, and the log names no address', async () => {
    await open({ release: hooked(`verify: path, ${keep}`) });
    const plans = { ...desk.bot.plans, add: () => Promise.reject(new Error('The disk is full.')) };
    await serve({ ...desk.bot, plans });
    const heard = await send(`/hooks/release/${secret}`, release);
    expect(heard.status).toBe(500);
    expect(JSON.stringify([heard, desk.log.lines])).not.toContain(secret);
    expect(desk.log.lines.map(({ message }) => message)).toEqual(['POST /hooks/:flow/* failed']);
  });
});

test('a run of a webhook has no card unless it needs people or goes wrong', async () => {
  await open({ release: hooked(`verify: path, ${keep}`) });
  await send(`/hooks/release/${secret}`, release);
  expect(await posts()).toEqual(['v1.2 is final']);
});

test('a retry of such a run reads the same request', async () => {
  await open(
    {
      release: `
name: Release
conversation: "red:#releases"
triggers: [{ type: webhook, secret: TOKEN }]
steps:
  get: { type: http, url: "https://api.example.com/{{start.json.body.a}}" }
`,
    },
    secret,
    (_, before) => answered(before === 0 ? 404 : 200, {}),
  );
  const heard = await send(`/hooks/release/${secret}`, '{"a":"one"}');
  await desk.settle();
  await desk.red.flow(desk.red.ada, `retry ${field(heard.body, 'run')} yes`);
  await desk.settle();
  expect(desk.http.arrived.map(({ url }) => url)).toEqual([
    'https://api.example.com/one',
    'https://api.example.com/one',
  ]);
  expect((await runsOf(desk)).map(({ status }) => status)).toEqual(['succeeded', 'failed']);
});
