import { createServer } from 'node:http';
import { setTimeout as tick } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { DurableApp } from '../../../src/adapters/slack/bolt.ts';
import { createSlack } from '../../../src/adapters/slack/index.ts';
import { parseIncoming } from '../../../src/adapters/slack/parse.ts';
import { createSockets } from '../../../src/adapters/slack/sockets.ts';
import { createInbox } from '../../contracts/chat.ts';
import { createHandClock } from '../../fakes/clock.ts';
import { createKeptLog } from '../../fakes/log.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { clockOf, createWorkspace, openSlack, type SlackHarness } from './harness.ts';

/** Somebody writes messages one after the other until told to stop; resolves with what was written. */
function keepWriting(slack: SlackStandIn): { stop(): Promise<readonly string[]> } {
  const written: string[] = [];
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const text = `message ${written.length}`;
      written.push(text);
      await slack.say(slack.people.ana, slack.channel, text);
      // Without a connection the message is kept at once, and the bot must get its turn.
      await tick(5);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await writing;
      return written;
    },
  };
}

/** Texts without repeats: what is stored twice under one id is one message. */
function onceEach({ inbox }: SlackHarness): readonly string[] {
  const byId = new Map(inbox.taken.map((event) => [event.id, event]));
  return [...byId.values()].flatMap((event) => (event.type === 'message' ? [event.text] : []));
}

describe('connections that end', () => {
  test('trap 6: there are two, and both come back', async () => {
    const { slack } = await openSlack('socket');
    expect(slack.connections()).toBe(2);
    slack.dropConnections();
    await slack.until(() => slack.connections() === 0);
    await slack.onceConnected(2);
  });

  const ends: readonly [string, (slack: SlackStandIn) => Promise<void> | void][] = [
    ['refresh_requested', (slack) => slack.refresh('refresh_requested')],
    ['warning', (slack) => slack.refresh('warning')],
    ['link_disabled', (slack) => slack.refresh('link_disabled')],
    ['too_many_websockets', (slack) => slack.refresh('too_many_websockets')],
    ['a cut line', (slack) => slack.dropConnections()],
  ];

  test.each(ends)('%s: what people write meanwhile comes, nothing is lost', async (_, end) => {
    const h = await openSlack('socket');
    const writer = keepWriting(h.slack);
    await h.inbox.until(3);
    await end(h.slack);
    await h.slack.until(() => h.slack.connections() < 2);
    await h.slack.onceConnected(2);
    await h.inbox.until(h.inbox.taken.length + 3);
    const written = await writer.stop();
    await h.slack.retry();
    expect(h.slack.undelivered()).toEqual([]);
    expect(onceEach(h).toSorted()).toEqual(written.toSorted());
    expect(h.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('connections that are refused five times are tried again until one opens; health tells', async () => {
    const h = await openSlack('socket');
    h.slack.refuseConnections(5);
    h.slack.dropConnections();
    await h.slack.until(() => h.slack.connections() === 0);
    await h.slack.quiet();
    expect(h.chat.health()).toEqual({
      kind: 'down',
      why: 'Slack can’t be connected to at the moment.',
    });
    await h.slack.onceConnected(2);
    await h.slack.say(h.slack.people.ana, h.slack.channel, 'hello');
    expect(onceEach(h)).toEqual(['hello']);
    expect(h.chat.health()).toEqual({ kind: 'up' });
  });

  test('an app token that Slack does not accept is named, and tried again for ever', async () => {
    const h = await openSlack('socket');
    h.slack.failMethod('apps.connections.open', { kind: 'error', code: 'invalid_auth' }, 4);
    h.slack.dropConnections();
    await h.slack.until(() => h.slack.connections() === 0);
    await h.slack.quiet();
    expect(h.chat.health()).toEqual({ kind: 'down', why: expect.stringContaining('SLACK_APP_TOKEN') });
    await h.slack.onceConnected(2);
    expect(h.chat.health()).toEqual({ kind: 'up' });
  });

  test.each([
    ['a rate limit', { kind: '429', retryAfterS: 1 }],
    ['a server error', { kind: 'status', status: 500 }],
    ['a broken connection', { kind: 'reset' }],
    ['a page of a proxy', { kind: 'html' }],
  ] as const)('%s instead of an address is waited out', async (_, fault) => {
    const h = await openSlack('socket');
    h.slack.failMethod('apps.connections.open', fault, 2);
    h.slack.dropConnections();
    await h.slack.until(() => h.slack.connections() === 0);
    await h.slack.onceConnected(2);
    expect(h.chat.health()).toEqual({ kind: 'up' });
  });

  test('each is replaced before Slack ends it: the new one first, at different times', async () => {
    const slack = await createWorkspace();
    const clock = createHandClock();
    const log = createKeptLog();
    const sockets = createSockets({
      appToken: slack.appToken,
      apiUrl: slack.apiUrl,
      clock,
      log,
      onGap: () => {},
    });
    let taken = 0;
    new DurableApp(sockets, async ({ ack }) => {
      taken += 1;
      await ack();
    });
    await sockets.start();
    await slack.onceConnected(2);
    await slack.quiet();
    const opened = () => slack.calls().filter(({ method }) => method === 'apps.connections.open').length;
    for (let renewed = 1; renewed <= 4; renewed += 1) {
      const before = opened();
      const seen: number[] = [];
      const takenBefore = taken;
      clock.pass(20 * 60_000);
      const written = keepWriting(slack);
      const isRenewed = () => opened() > before && slack.connections() === 2 && Math.max(...seen) > 2;
      await slack.until(() => {
        seen.push(slack.connections());
        // The one that was replaced may finish what it began.
        if (slack.connections() > 2) clock.pass(5_000);
        return isRenewed();
      });
      expect(Math.min(...seen)).toBe(2);
      await slack.until(() => taken > takenBefore + 3);
      await written.stop();
      await slack.retry();
      expect(slack.undelivered()).toEqual([]);
      await slack.quiet();
    }
    await sockets.stop();
    await slack.close();
  });
});

describe('start and stop', () => {
  async function connectTo(slack: SlackStandIn, tokens: { botToken?: string; appToken?: string } = {}) {
    const log = createKeptLog();
    const inbox = createInbox();
    const chat = createSlack(
      {
        botToken: tokens.botToken ?? slack.botToken,
        events: { kind: 'socket', appToken: tokens.appToken ?? slack.appToken },
        apiUrl: slack.apiUrl,
      },
      { clock: clockOf(slack), log },
    );
    onTestFinished(async () => {
      await chat.stop();
      await slack.close();
    });
    return { chat, inbox, log };
  }

  test('a bot token that Slack does not accept ends the start with its name', async () => {
    const { chat, inbox } = await connectTo(await createWorkspace(), { botToken: 'xoxb-wrong' });
    await expect(chat.start(inbox)).rejects.toThrow('SLACK_BOT_TOKEN');
  });

  test('an app token that Slack does not accept ends the start with its name', async () => {
    const { chat, inbox } = await connectTo(await createWorkspace(), { appToken: 'xapp-wrong' });
    await expect(chat.start(inbox)).rejects.toThrow('SLACK_APP_TOKEN');
    expect(chat.health()).toEqual({ kind: 'down', why: expect.stringContaining('SLACK_APP_TOKEN') });
    await chat.stop();
  });

  test('while Slack can’t be reached the start goes on trying', async () => {
    const slack = await createWorkspace();
    slack.failMethod('auth.test', { kind: 'reset' }, 2);
    const { chat, inbox } = await connectTo(slack);
    expect(chat.health()).toMatchObject({ kind: 'down' });
    await chat.start(inbox);
    expect(chat.health()).toEqual({ kind: 'up' });
  });

  test('a stop while it is connecting leaves no connection behind', async () => {
    const slack = await createWorkspace();
    slack.failMethod('apps.connections.open', { kind: 'delay', ms: 150 }, 2);
    const { chat, inbox } = await connectTo(slack);
    const started = chat.start(inbox);
    await slack.until(() => slack.calls().some(({ method }) => method === 'apps.connections.open'));
    await chat.stop();
    await started;
    await slack.quiet();
    expect(slack.connections()).toBe(0);
  });

  test('a stop while Slack can’t be reached ends the start', async () => {
    const slack = await createWorkspace();
    slack.failMethod('auth.test', { kind: 'reset' }, 100);
    const { chat, inbox } = await connectTo(slack);
    const started = expect(chat.start(inbox)).rejects.toThrow('stops');
    await slack.until(() => slack.calls().length > 1);
    await chat.stop();
    await started;
  });

  test('a stop may be called twice, and leaves nothing open', async () => {
    const slack = await createWorkspace();
    const { chat, inbox } = await connectTo(slack);
    await chat.start(inbox);
    await slack.onceConnected(2);
    await Promise.all([chat.stop(), chat.stop()]);
    await slack.until(() => slack.connections() === 0);
  });

  test('trap 6: what nobody can read ends neither the connection nor the process', async () => {
    const loud = await silentSlack([
      '{"type":"hello"}',
      'no JSON',
      'null',
      '{}',
      '{"type":"events_api","envelope_id":"1","payload":{"type":"app_rate_limited"}}',
      '{"type":"events_api","envelope_id":"2"}',
      '{"type":"interactive","envelope_id":"3","payload":null}',
      '{"type":"slash_commands","envelope_id":"4","payload":{"command":7}}',
      '{"type":"brand_new","envelope_id":"5","payload":{}}',
      '{"type":"hello"}',
    ]);
    const log = createKeptLog();
    const sockets = createSockets({
      appToken: 'xapp-1',
      apiUrl: loud.apiUrl,
      clock: createHandClock(),
      log,
      onGap: () => {},
    });
    const taken: unknown[] = [];
    new DurableApp(sockets, async ({ body, ack }) => {
      taken.push(parseIncoming(body, 'A0FLOWBOT').kind);
      await ack();
    });
    await sockets.start();
    await loud.onceAnswered('5');
    expect(new Set(taken)).toEqual(new Set(['ignored']));
    expect(sockets.down).toBeUndefined();
    await sockets.stop();
  });

  test('a connection that never says hello is given up, and another one is tried', async () => {
    const silent = await silentSlack();
    const clock = createHandClock();
    const log = createKeptLog();
    const sockets = createSockets({ appToken: 'xapp-1', apiUrl: silent.apiUrl, clock, log, onGap: () => {} });
    new DurableApp(sockets, async ({ ack }) => ack());
    const started = sockets.start();
    await silent.onceOpened(2);
    clock.pass(15_000);
    await silent.onceClosed(2);
    expect(sockets.down).toBe('Slack can’t be connected to at the moment.');
    clock.pass(1_000);
    await silent.onceOpened(4);
    await sockets.stop();
    await started;
    await silent.onceClosed(4);
  });
});

/** A Slack whose connections open and say only this. */
async function silentSlack(frames: readonly string[] = []) {
  const server = createServer((_, response) => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${port}/link/` }));
  });
  const sockets = new WebSocketServer({ server });
  const answers: string[] = [];
  let opened = 0;
  let closed = 0;
  const waiters = new Set<() => void>();
  const changed = () => {
    for (const look of waiters) look();
  };
  sockets.on('connection', (socket) => {
    opened += 1;
    for (const frame of frames) socket.send(frame);
    socket.on('message', (data) => {
      answers.push(String(data));
      changed();
    });
    socket.on('close', () => {
      closed += 1;
      changed();
    });
    changed();
  });
  const once = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isSo()) return;
        waiters.delete(look);
        resolve();
      };
      waiters.add(look);
      look();
    });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    server.close();
    server.closeAllConnections();
  });
  return {
    apiUrl: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/api/`,
    onceOpened: (count: number) => once(() => opened >= count),
    onceAnswered: (envelope: string) =>
      once(() => answers.some((answer) => answer.includes(`"envelope_id":"${envelope}"`))),
    onceClosed: (count: number) => once(() => closed >= count),
  };
}
