import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSlack } from '../../../src/adapters/slack/index.ts';
import { createServer } from '../../../src/server/index.ts';
import { createKeptLog } from '../../fakes/log.ts';
import { clockOf, createWorkspace, openSlack, type SlackHarness } from './harness.ts';
import { onceShown, openLive } from './live.ts';

const said = (text: string) =>
  JSON.stringify({
    type: 'event_callback',
    event_id: 'Ev1',
    event: {
      type: 'message',
      user: 'U0ANA',
      channel: 'C0GENERAL',
      channel_type: 'channel',
      ts: '1764520000.000100',
      text,
    },
  });

const secondsOf = ({ slack }: SlackHarness, offsetS = 0) =>
  String(Math.floor(slack.nowMs() / 1_000) + offsetS);

describe('POST /slack/events', () => {
  test('what Slack signed is taken, whatever the character set in its content type', async () => {
    const h = await openSlack('http');
    const types = ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8'];
    for (const contentType of types) {
      expect(await h.slack.sendSigned({ body: said('grüß dich 👋'), contentType })).toMatchObject({
        status: 200,
      });
    }
    expect(h.inbox.taken).toHaveLength(types.length);
    expect(h.inbox.taken[0]).toMatchObject({ text: 'grüß dich 👋' });
    h.slack.formContentType = 'application/x-www-form-urlencoded; charset=UTF-8';
    await h.slack.command(h.slack.people.ana, h.slack.channel, 'status & more');
    expect(h.inbox.taken.at(-1)).toMatchObject({ type: 'command', text: 'status & more' });
  });

  test.each([
    ['no signature', { signature: '' }],
    ['a wrong signature', { signature: `v0=${'0'.repeat(64)}` }],
    ['a short signature', { signature: 'v0=00' }],
    ['another version of signatures', { signature: 'v1=00' }],
    ['a time that is none', { timestamp: 'now' }],
    ['a negative time', { timestamp: '-1' }],
    ['no time', { timestamp: '' }],
  ])('%s is refused', async (_, made) => {
    const h = await openSlack('http');
    expect(await h.slack.sendSigned({ body: said('hello'), ...made })).toMatchObject({ status: 401 });
    expect(h.inbox.taken).toEqual([]);
  });

  test('a signature with another secret, or over another body, is refused', async () => {
    const h = await openSlack('http');
    const timestamp = secondsOf(h);
    const sign = (secret: string, body: string) =>
      `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    for (const signature of [sign('another secret', said('a')), sign(h.slack.signingSecret, said('b'))]) {
      expect(await h.slack.sendSigned({ body: said('a'), timestamp, signature })).toMatchObject({
        status: 401,
      });
    }
    expect(h.inbox.taken).toEqual([]);
  });

  test.each([
    [-299, 200],
    [-302, 401],
    [299, 200],
    [302, 401],
    [86_400, 401],
  ])('a rightly signed request of %i s from now gets %i', async (offsetS, status) => {
    const h = await openSlack('http');
    const answer = await h.slack.sendSigned({ body: said('hello'), timestamp: secondsOf(h, offsetS) });
    expect(answer.status).toBe(status);
    expect(h.inbox.taken).toHaveLength(status === 200 ? 1 : 0);
  });

  test('Slack’s checks of the address and of the certificate are answered', async () => {
    const h = await openSlack('http');
    const verified = await h.slack.urlVerification('3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P');
    expect(verified.status).toBe(200);
    expect(JSON.parse(verified.body)).toEqual({
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    });
    expect(await h.slack.sslCheck()).toMatchObject({ status: 200 });
    expect(h.inbox.taken).toEqual([]);
  });

  test.each(['', 'null', '[]', '"text"', '{', 'payload=%7B'])(
    'a signed body that is no object (%j) is refused',
    async (body) => {
      const h = await openSlack('http');
      expect(await h.slack.sendSigned({ body })).toMatchObject({ status: 400 });
    },
  );

  test('a retry is taken like a first attempt, and what could not be stored is asked for again', async () => {
    const h = await openSlack('http');
    const headers = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' };
    h.inbox.refuseNext(1);
    const refused = await h.slack.sendSigned({ body: said('hello') });
    expect(refused.status).toBe(500);
    expect(refused.headers).not.toHaveProperty('x-slack-no-retry');
    expect(await h.slack.sendSigned({ body: said('hello'), headers })).toMatchObject({ status: 200 });
    expect(h.inbox.taken).toMatchObject([{ text: 'hello' }]);
  });

  test('the same signed request, sent again within its five minutes, starts one run', async () => {
    const note = `
name: Note
triggers: [{ type: command, command: note }]
steps:
  post: { type: message, to: "#releases", text: Noted }
`;
    const { slack, live } = await openLive('http', { note });
    const body = said('!note this');
    const timestamp = String(Math.floor(slack.nowMs() / 1_000));
    for (let count = 0; count < 3; count += 1) {
      expect(await slack.sendSigned({ body, timestamp })).toMatchObject({ status: 200 });
    }
    expect(await onceShown(slack, slack.otherChannel, 'Noted')).toEqual(['Noted']);
    expect(await live.flowbot.bot.store.runs({ limit: 10 })).toHaveLength(1);
  });

  test('a body of more than four megabytes is refused', async () => {
    const h = await openSlack('http');
    expect(await h.slack.sendSigned({ body: said('x'.repeat(4 * 1024 * 1024)) })).toMatchObject({
      status: 413,
    });
    expect(await h.slack.sendSigned({ body: said('x'.repeat(1024 * 1024)) })).toMatchObject({ status: 200 });
  });

  test('nothing is there for GET, HEAD, PUT and DELETE', async () => {
    const h = await openSlack('http');
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const answer = await fetch(h.slack.eventsUrl ?? '', { method, headers: { 'x-flowbot': '1' } });
      expect(answer.status).toBe(404);
    }
  });

  test('before Flowbot is ready, and after it has stopped, Slack is asked to come again', async () => {
    const slack = await createWorkspace();
    const log = createKeptLog();
    const chat = createSlack(
      {
        botToken: slack.botToken,
        events: { kind: 'http', signingSecret: slack.signingSecret },
        apiUrl: slack.apiUrl,
      },
      { clock: clockOf(slack), log },
    );
    const server = await createServer({ host: '127.0.0.1', port: 0, log });
    onTestFinished(async () => {
      await server.close();
      await slack.close();
    });
    chat.routes(server.app);
    await server.listen();
    slack.eventsUrl = `${server.url}/slack/events`;
    expect(await slack.sendSigned({ body: said('hello') })).toMatchObject({ status: 503 });
    await chat.stop();
    expect(await slack.sendSigned({ body: said('hello') })).toMatchObject({ status: 503 });
  });

  test('a proxy may send its own Host; other addresses of the server still refuse it', async () => {
    const h = await openSlack('http');
    const headers = { host: 'flowbot.example.com', origin: 'https://elsewhere.example' };
    expect(await h.slack.sendSigned({ body: said('hello'), headers })).toMatchObject({ status: 200 });
    expect(h.inbox.taken).toHaveLength(1);
    expect(await statusOf(new URL('/', h.slack.eventsUrl), { host: 'flowbot.example.com' })).toBe(403);
    expect(await statusOf(new URL('/slack/other', h.slack.eventsUrl), { host: 'flowbot.example.com' })).toBe(
      403,
    );
  });
});

function statusOf(url: URL, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}
