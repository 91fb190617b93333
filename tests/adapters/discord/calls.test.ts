import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Routes } from 'discord.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { anything, type Call, type Calls, createCalls } from '../../../src/adapters/discord/calls.ts';
import { createHandClock, type HandClock } from '../../fakes/clock.ts';
import { createKeptLog } from '../../fakes/log.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

let clock: HandClock;
let deaths: string[];
let asked: string[];
let calls: Calls;
/** What is answered next, each once; the last one from then on. */
let answers: Answering[];
/** A request came that nobody answers. */
let isSilent: boolean;
let close: () => Promise<void>;

beforeEach(async () => {
  clock = createHandClock();
  deaths = [];
  asked = [];
  answers = [];
  isSilent = false;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    const [next, ...more] = answers;
    if (more.length > 0) answers = more;
    request.on('end', () => next?.(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  calls = createCalls({
    token: 'a.b.c',
    apiUrl: `http://127.0.0.1:${port}/api`,
    clock,
    log: createKeptLog(),
    onDead: (why) => void deaths.push(why),
  });
  close = async () => {
    calls.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
});
afterEach(() => close());

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answering =>
  raw(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
const page = (status: number, headers: Record<string, string> = {}): Answering =>
  raw(status, '<html>Cloudflare</html>', { 'content-type': 'text/html', ...headers });
const raw =
  (status: number, body: string, headers: Record<string, string>): Answering =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };
const silence: Answering = () => {
  isSilent = true;
};

const shape = z.object({ id: z.string() });
const posting: Call = { method: 'POST', route: Routes.channelMessages('300000000000000001'), body: { x: 1 } };
const reading: Call = { method: 'GET', route: Routes.channel('300000000000000001') };
const answering: Call = {
  method: 'POST',
  route: Routes.interactionCallback('600000000000000001', 'token'),
  body: { x: 1 },
  auth: false,
};
const post = () => calls.call(posting, shape);
/** Answers to people go another way than what the bot says as itself. */
const ways: readonly [string, Call][] = [
  ['as the bot', posting],
  ['to a person', answering],
];

/** Lets time pass until it is done: where it pauses, and where nobody answers; not while it waits for an answer. */
async function passing<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    const leftMs = (clock.nextMs() ?? clock.now()) - clock.now();
    const isAsking = leftMs === 10_000 && !isSilent;
    if (isAsking) continue;
    isSilent = false;
    clock.pass(leftMs);
  }
  return work;
}

const until = async (check: () => boolean) => {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 2));
};

describe.each(ways)('trap 2: a call %s is made once, and what became of it is told', (_, made) => {
  const call = () => calls.call(made, shape);

  test.each<[string, Answering, object]>([
    ['an answer', json(200, { id: '1', more: true }), { kind: 'ok', data: { id: '1' } }],
    ['an answer without what is needed', json(200, { name: 'x' }), { kind: 'unknown' }],
    ['an answer that is a list', json(200, []), { kind: 'unknown' }],
    ['nothing', raw(204, '', {}), { kind: 'unknown' }],
    [
      'nothing that says it is JSON',
      raw(200, '', { 'content-type': 'application/json' }),
      { kind: 'unknown' },
    ],
    ['half an object', raw(200, '{"id":', { 'content-type': 'application/json' }), { kind: 'unknown' }],
    ['a page', page(200), { kind: 'unknown' }],
    [
      'a page that says it is JSON',
      raw(200, '<html>', { 'content-type': 'application/json' }),
      { kind: 'unknown' },
    ],
    ['a way to somewhere else', page(302, { location: 'https://evil.example/' }), { kind: 'unknown' }],
    ['a server error', json(500, { message: 'x', code: 0 }), { kind: 'unknown' }],
    ['a bad gateway', page(502), { kind: 'unknown' }],
    ['a gateway time-out', page(504), { kind: 'unknown' }],
    ['a cut before the answer', (request) => request.socket.destroy(), { kind: 'unknown' }],
    [
      'a cut in the middle',
      (request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' });
        response.write('{"id":"1"', () => request.socket.destroy());
      },
      { kind: 'unknown' },
    ],
    ['errors that are no object', json(400, null), { kind: 'unknown' }],
    ['a refusal without a code', json(404, { message: '404: Not Found', code: 0 }), { kind: 'refused' }],
  ])('%s', async (_name, answer, outcome) => {
    answers = [answer];
    expect(await call()).toMatchObject(outcome);
    expect(asked).toHaveLength(1);
  });

  test('an answer that never comes, and one that does not end', async () => {
    answers = [
      silence,
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
      },
    ];
    for (const count of [1, 2]) {
      const said = call();
      await until(() => asked.length === count);
      await new Promise((resolve) => setTimeout(resolve, 20));
      clock.pass(9_000);
      clock.pass(1_000);
      expect(await said).toMatchObject({ kind: 'unknown' });
    }
    expect(asked).toHaveLength(2);
  });

  test('files may take a minute', async () => {
    answers = [silence];
    const files = [{ name: 'a.txt', data: Buffer.from('x'), contentType: 'text/plain' }];
    const said = calls.call({ ...posting, files }, shape);
    await until(() => asked.length === 1);
    clock.pass(59_000);
    expect(await Promise.race([said, new Promise((resolve) => setTimeout(resolve, 50, 'waiting'))])).toBe(
      'waiting',
    );
    clock.pass(1_000);
    expect(await said).toMatchObject({ kind: 'unknown' });
  });

  test('what needs no answer takes none, but a page is not taken for it', async () => {
    answers = [raw(204, '', {}), page(200), page(302)];
    expect(await calls.call(made, anything)).toMatchObject({ kind: 'ok' });
    expect(await calls.call(made, anything)).toMatchObject({ kind: 'unknown' });
    expect(await calls.call(made, anything)).toMatchObject({ kind: 'unknown' });
  });
});

describe.each(ways)('every code that Discord refuses a call %s with', (_, made) => {
  const call = () => calls.call(made, shape);

  test.each<[number, number, object]>([
    [10003, 404, { refusal: 'nowhere', message: expect.stringMatching(/no such channel/) }],
    [10004, 404, { refusal: 'nowhere', message: expect.stringMatching(/no such server/) }],
    [10007, 404, { refusal: 'no', message: expect.stringMatching(/not in the server/) }],
    [10008, 404, { refusal: 'gone', message: expect.stringMatching(/deleted/) }],
    [10011, 404, { refusal: 'no', message: expect.stringMatching(/no such role/) }],
    [10013, 404, { refusal: 'no', message: expect.stringMatching(/no such person/) }],
    [10015, 404, { refusal: 'late' }],
    [10062, 404, { refusal: 'late' }],
    [40058, 400, { refusal: 'no', message: expect.stringMatching(/title/) }],
    [40060, 400, { refusal: 'answered' }],
    [40067, 400, { refusal: 'no', message: expect.stringMatching(/tag/) }],
    [50001, 403, { refusal: 'outside', message: expect.stringMatching(/View Channel/) }],
    [50005, 403, { refusal: 'no', message: expect.stringMatching(/not one of this bot/) }],
    [50006, 400, { refusal: 'payload', message: expect.stringMatching(/empty/) }],
    [50007, 403, { refusal: 'closed', message: expect.stringMatching(/no direct messages/) }],
    [50013, 403, { refusal: 'outside', message: expect.stringMatching(/give its role/) }],
    [50027, 404, { refusal: 'late' }],
    [50035, 400, { refusal: 'payload', message: expect.stringMatching(/refused it \(50035/) }],
    [50083, 400, { refusal: 'archived' }],
    [50278, 400, { refusal: 'closed', message: expect.stringMatching(/no server/) }],
    [160002, 403, { message: expect.stringMatching(/Read Message History/) }],
    [160004, 400, { refusal: 'threaded' }],
    [160005, 403, { message: expect.stringMatching(/locked/) }],
    [200000, 400, { refusal: 'no', message: expect.stringMatching(/AutoMod/) }],
    [240000, 400, { refusal: 'no', message: expect.stringMatching(/link/) }],
    [987654, 400, { refusal: 'no', message: 'Discord refused it (987654: Because).' }],
  ])('%i is told with a sentence', async (code, status, refused) => {
    answers = [json(status, { code, message: 'Because' })];
    expect(await call()).toMatchObject({ kind: 'refused', code, ...refused });
    expect(calls.down).toBeUndefined();
  });

  test.each([
    [20016, 400],
    [20028, 429],
    [20029, 429],
    [30046, 429],
    [40003, 400],
  ])('%i waits', async (code, status) => {
    answers = [json(status, { code, message: 'Wait' })];
    expect(await call()).toEqual({ kind: 'later', afterMs: 30_000 });
  });

  test('what is wrong with a body is told in short', async () => {
    const errors = { components: { 0: { _errors: [{ code: 'X', message: 'y'.repeat(9_000) }] } } };
    answers = [json(400, { code: 50035, message: 'Invalid Form Body', errors })];
    const said = await call();
    expect(said).toMatchObject({ message: expect.stringMatching(/Invalid Form Body.*yyy/) });
    expect(said.kind === 'refused' && said.message.length).toBeLessThan(400);
  });

  test('a token for an answer that is not right any more says nothing about the bot’s', async () => {
    answers = [json(401, { code: 50027, message: 'Invalid Webhook Token' }), json(200, { id: '1' })];
    expect(await calls.call({ ...posting, auth: false }, shape)).toMatchObject({
      kind: 'refused',
      refusal: 'late',
    });
    expect(await post()).toMatchObject({ kind: 'ok' });
    expect(deaths).toEqual([]);
  });
});

describe('too many requests', () => {
  test.each<[string, Record<string, string>, number]>([
    ['as long as Discord says', { 'retry-after': '7' }, 7_050],
    [
      'of everything',
      { 'retry-after': '2', 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' },
      2_050,
    ],
    ['of what others use too', { 'retry-after': '3', 'x-ratelimit-scope': 'shared' }, 3_050],
    ['a moment', { 'retry-after': '0.01' }, 1_000],
    ['not said how long', {}, 30_000],
    ['not said in numbers', { 'retry-after': 'soon' }, 30_000],
    ['a negative time', { 'retry-after': '-5' }, 30_000],
    ['years', { 'retry-after': '1e12' }, 3_600_000],
  ])('%s', async (_, headers, afterMs) => {
    answers = [json(429, { message: 'You are being rate limited.' }, headers)];
    expect(await post()).toEqual({ kind: 'later', afterMs });
    expect(asked).toHaveLength(1);
  });

  test.each<[string, Record<string, string>, number]>([
    ['as long as Discord says', { 'retry-after': '7' }, 7_000],
    ['a moment', { 'retry-after': '0.01' }, 1_000],
    ['not said how long', {}, 30_000],
    ['not said in numbers', { 'retry-after': 'soon' }, 30_000],
    ['a negative time', { 'retry-after': '-5' }, 30_000],
    ['years', { 'retry-after': '1e12' }, 3_600_000],
  ])('to answer somebody: %s', async (_, headers, afterMs) => {
    answers = [json(429, { message: 'You are being rate limited.' }, headers)];
    expect(await calls.call(answering, shape)).toEqual({ kind: 'later', afterMs });
    expect(asked).toHaveLength(1);
  });

  test('as the bot holds no answers to people up, however many they are', async () => {
    answers = [json(200, { id: '1' })];
    const route = (index: number) => Routes.webhookMessage('100000000000000001', `token-${index}`);
    const edits = Array.from({ length: 200 }, (_, index) =>
      calls.call({ method: 'PATCH', route: route(index), body: { x: 1 }, auth: false }, shape),
    );
    for (const said of await Promise.all(edits)) expect(said).toMatchObject({ kind: 'ok' });
    expect(asked).toHaveLength(200);
  });

  test('told with a page', async () => {
    answers = [page(429, { 'retry-after': '60' })];
    expect(await post()).toEqual({ kind: 'later', afterMs: 60_050 });
  });

  test('of everything holds all else up, but no answers to people', async () => {
    answers = [json(429, {}, { 'retry-after': '5', 'x-ratelimit-global': 'true' }), json(200, { id: '1' })];
    await post();
    expect(await calls.call(reading, shape)).toMatchObject({ kind: 'later' });
    expect(asked).toHaveLength(1);
    const callback = Routes.interactionCallback('600000000000000001', 'token');
    expect(await calls.call({ method: 'POST', route: callback, auth: false }, shape)).toMatchObject({
      kind: 'ok',
    });
  });
});

describe('while Discord takes nothing from this machine', () => {
  test.each([
    ['told with a page', page(403)],
    ['told with a code', json(403, { code: 40333, message: 'internal network error' })],
    ['told with a code and too many requests', json(429, { code: 40333 }, { 'retry-after': '300' })],
  ])('nothing more is asked, and health says why: %s', async (name, answer) => {
    answers = [answer, json(200, { id: '1' })];
    expect(await post()).toMatchObject({ kind: 'later' });
    if (name.endsWith('requests')) return;
    expect(await post()).toEqual({ kind: 'later', afterMs: 300_000 });
    expect(asked).toHaveLength(1);
    expect(calls.down).toMatch(/takes nothing from this address/);
    clock.pass(300_000);
    expect(calls.down).toBeUndefined();
    expect(await post()).toMatchObject({ kind: 'ok' });
    expect(deaths).toEqual([]);
  });

  test('a page about something else holds nothing else up', async () => {
    answers = [page(404), page(413), json(200, { id: '1' })];
    expect(await post()).toMatchObject({ kind: 'later' });
    expect(await post()).toMatchObject({ kind: 'refused', message: expect.stringMatching(/larger/) });
    expect(await post()).toMatchObject({ kind: 'ok' });
    expect(calls.down).toBeUndefined();
  });
});

test('a bot that is refused all the time stops asking, and says so', async () => {
  answers = [json(403, { code: 50013, message: 'Missing Permissions' })];
  // Of those the library sends as many a second as it likes.
  const refused = { ...posting, route: Routes.interactionCallback('600000000000000001', 't'), auth: false };
  for (let round = 0; round < 110; round += 1) {
    await Promise.all(Array.from({ length: 50 }, () => calls.call(refused, shape)));
  }
  expect(asked.length).toBeGreaterThanOrEqual(5_000);
  expect(asked.length).toBeLessThan(5_050);
  expect(await post()).toEqual({ kind: 'later', afterMs: 600_000 });
  expect(calls.down).toMatch(/refused too many requests/);
  clock.pass(600_000);
  expect(calls.down).toBeUndefined();
  answers = [json(200, { id: '1' })];
  expect(await post()).toMatchObject({ kind: 'ok' });
}, 30_000);

describe('trap 20: a token that is not accepted', () => {
  test('is told once, asks for nothing more, and stays dead whatever else works', async () => {
    answers = [json(401, { message: '401: Unauthorized', code: 0 }), json(200, { id: '1' })];
    expect(await post()).toEqual({ kind: 'later', afterMs: 300_000 });
    expect(await post()).toEqual({ kind: 'later', afterMs: 300_000 });
    expect(asked).toHaveLength(1);
    expect(await calls.call({ ...posting, auth: false }, shape)).toMatchObject({ kind: 'ok' });
    expect(deaths).toEqual([expect.stringMatching(/DISCORD_TOKEN.*reset it/)]);
    expect(calls.down).toBe(deaths[0]);
    expect(calls.dead).toBe(deaths[0]);
  });
});

describe('where requests go', () => {
  test.each([
    '/channels/../users/@me',
    '/channels/%2e%2e/users',
    '/channels/%2E/users',
    '/channels/./messages',
    '/channels//messages',
    '/channels/1?x=y',
    '/channels/1#x',
    '/channels/1\\..\\x',
    '/channels/1%2F..%2F2',
    '/channels/1/',
    '//evil.example/x',
    '/channels/1\n/x',
    '/@evil.example:80/x',
  ] as const)('not to %j', async (route) => {
    answers = [json(200, { id: '1' })];
    expect(await calls.call({ ...reading, route }, shape)).toMatchObject({ kind: 'refused' });
    expect(asked).toEqual([]);
  });

  test.each(['..', '%2e%2e', '', 'a/b', '1?x', '\0'])('an id that is none leads nowhere: %j', async (id) => {
    answers = [json(200, { id: '1' })];
    for (const route of [Routes.channelMessage('1', id), Routes.channel(id), Routes.guildMember(id, '1')]) {
      await calls.call({ ...reading, route }, shape);
    }
    expect(asked.filter((one) => !/^GET \/api\/v10\/(channels|guilds)\/[^/.]+(\/|$)/.test(one))).toEqual([]);
  });

  test('answers to people keep the token that Discord gave', async () => {
    answers = [json(200, { id: '1' })];
    const route = Routes.webhookMessage('100000000000000001', 'aW50.x_y-z:1=');
    expect(await calls.call({ ...posting, method: 'PATCH', route, auth: false }, shape)).toMatchObject({
      kind: 'ok',
    });
    expect(asked.map(decodeURIComponent)).toEqual([
      'PATCH /api/v10/webhooks/100000000000000001/aW50.x_y-z:1=/messages/@original',
    ]);
  });
});

describe('reading', () => {
  const read = () => calls.read(reading, shape);

  test('waits out a limit, a failure and a silence, then gives the answer', async () => {
    answers = [json(429, {}, { 'retry-after': '2' }), page(503), silence, json(200, { id: '1' })];
    expect(await passing(read())).toEqual({ kind: 'ok', data: { id: '1' } });
    expect(asked).toHaveLength(4);
  });

  test('does not wait out a limit of minutes', async () => {
    answers = [json(429, {}, { 'retry-after': '300' })];
    expect(await read()).toEqual({ kind: 'later', afterMs: 300_050 });
  });

  test('is given up after some tries', async () => {
    answers = [page(500)];
    expect(await passing(read())).toMatchObject({ kind: 'unknown' });
    expect(asked).toHaveLength(4);
  });

  test('ends when it is closed while it waits', async () => {
    answers = [json(429, {}, { 'retry-after': '50' })];
    const reading = read();
    await until(() => clock.nextMs() !== undefined && asked.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    calls.close();
    expect(await reading).toMatchObject({ kind: 'later' });
    expect(calls.isClosed).toBe(true);
  });
});
