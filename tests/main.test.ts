import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createSecrets } from '../src/adapters/system/secrets.ts';
import { readConfig } from '../src/config.ts';
import { createFlowbot, type Flowbot } from '../src/main.ts';
import type { Chat, ChatMessage } from '../src/ports/chat.ts';
import { createFakeChat } from './fakes/chat.ts';
import { createHandClock } from './fakes/clock.ts';
import { createFakeHttp } from './fakes/http.ts';
import { createCountingIds } from './fakes/ids.ts';
import { createKeptLog } from './fakes/log.ts';
import { createOutside } from './fakes/outside.ts';
import { createMemoryStore } from './fakes/store.ts';

const echo = `
triggers: [{ type: command, command: echo }, { type: webhook, secret: HOOK }]
steps: { say: { type: template, text: hello } }
`;

const patient = { timeout: 10_000 };

/** What happened, in order. */
let happened: string[];
/** Lets the platform be reached. */
let answer: () => void;
let store: ReturnType<typeof createMemoryStore>;
let flowbot: Flowbot;

/** A Flowbot whose platform gives no answer yet. */
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-main-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'flows'));
  writeFileSync(join(folder, 'flows', 'echo.flow.yaml'), echo);
  const read = readConfig({ FLOWBOT_PORT: '0' }, folder);
  if (!read.ok) throw new Error(read.faults.join('\n'));
  happened = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {});
  answer = resolve;
  const clock = createHandClock();
  const { chat } = createFakeChat({ platform: 'playground', nowMs: clock.now });
  const silent: Chat = {
    ...chat,
    async start(inbound) {
      happened.push('connecting');
      await promise;
      await chat.start(inbound);
      happened.push('connected');
    },
    async stop() {
      reject(new Error('The platform was never reached.'));
      await chat.stop();
    },
  };
  store = createMemoryStore();
  flowbot = await createFlowbot(read.config, () => ({
    ...createOutside(),
    clock,
    store,
    chats: [silent],
    ids: createCountingIds(),
    secrets: createSecrets(new Map([['HOOK', 'hook-secret']])),
    log: createKeptLog(),
    http: createFakeHttp(),
    routes: () => {},
    ensureChannels: () => {},
    editGapMs: 0,
    async close() {
      happened.push('closed');
    },
  }));
  onTestFinished(() => flowbot.stop());
});

const started = () => store.runs({ limit: 10 });

test('a start that waits for a platform ends with a stop, which closes everything', async () => {
  const starting = flowbot.start(async () => void happened.push('loaded'));
  const ended = expect(starting).rejects.toThrow('never reached');
  await expect.poll(() => happened, patient).toContain('connecting');
  await flowbot.stop();
  await ended;
  expect(happened).toEqual(['loaded', 'connecting', 'closed']);
  await expect(fetch(`${flowbot.url}/healthz`)).rejects.toThrow();
});

test('a start that has hardly begun goes no further after a stop', async () => {
  const starting = flowbot.start(async () => void happened.push('loaded'));
  starting.catch((error: Error) => happened.push(error.message));
  await flowbot.stop();
  expect(happened).toEqual(['Flowbot was stopped while it was starting.', 'closed']);
});

test('flows are loaded, and commands of the host work, before a platform is reached', async () => {
  const starting = flowbot.start(async () => {
    happened.push(...flowbot.bot.catalog.flows.map(({ id }) => id));
  });
  await expect.poll(() => happened, patient).toEqual(['echo', 'connecting']);
  answer();
  await starting;
});

test('a webhook starts a run before a platform is reached, and none once Flowbot stops', async () => {
  const starting = flowbot.start();
  await expect.poll(() => happened, patient).toEqual(['connecting']);
  const call = () => fetch(`${flowbot.url}/hooks/echo/hook-secret`, { method: 'POST' });
  const heard = await call();
  expect([heard.status, await heard.json()]).toEqual([202, { run: expect.any(String), repeat: false }]);
  expect(await started()).toMatchObject([{ flow: 'echo', status: 'succeeded' }]);
  const stopping = flowbot.stop();
  await starting.catch(() => {});
  await stopping;
  await expect(call()).rejects.toThrow();
});

test('what the last process kept is done when the platform was reached, not before', async () => {
  const ana = { platform: 'playground', id: 'U0ANA', name: 'Ana' };
  const place = { platform: 'playground', conversation: 'C-general' };
  const event: ChatMessage = {
    type: 'message',
    id: 'E1',
    atMs: 1,
    person: ana,
    message: { ...place, id: 'M1' },
    text: '!echo',
    toBot: false,
    files: [],
  };
  await store.receive({ id: 'playground:E1', event, receivedAtMs: 1 });
  const starting = flowbot.start();
  await expect.poll(() => happened, patient).toEqual(['connecting']);
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect(await started()).toEqual([]);
  answer();
  await starting;
  await expect.poll(started, patient).toMatchObject([{ flow: 'echo', startedBy: ana }]);
  await expect.poll(() => store.undelivered(), patient).toEqual([]);
});
