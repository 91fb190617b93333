import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createTools } from '../../../src/adapters/mcp/index.ts';
import type { McpServer } from '../../../src/adapters/mcp/server.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createHandClock } from '../../fakes/clock.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const tools of opened.splice(0)) await tools.close();
});

const odd = resolve(import.meta.dirname, 'children/odd-server.ts');
const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

function program(
  args: readonly string[],
  more: Partial<Extract<McpServer, { kind: 'program' }>> = {},
): McpServer {
  return { kind: 'program', command: process.execPath, args, env: {}, readOnly: false, ...more };
}

function stage(more: Partial<Extract<McpServer, { kind: 'program' }>> = {}) {
  const clock = createHandClock();
  const servers = new Map([
    ['odd', program([odd], more)],
    ['everything', program([everything, 'stdio'])],
    ['broken', program([odd, 'broken'])],
    ['gone', program([], { command: 'no-such-program' })],
  ]);
  const tools = createTools({
    servers,
    clock,
    secrets: createSecrets(new Map([['KEY', 'hunter2-hunter2']])),
    environment: { PATH: '/usr/bin:/bin', LANG: 'C' },
    cwd: import.meta.dirname,
  });
  opened.push(tools);
  let left = 0;
  const call = (
    tool: string,
    args: JsonObject = {},
    { server = 'odd', signal = new AbortController().signal } = {},
  ) =>
    tools.call({ server, tool, arguments: args, timeoutMs: 60_000 }, signal, async () => {
      left += 1;
    });
  return { clock, tools, call, left: () => left };
}

test('tools of a real server answer with text, data, errors and pictures', async () => {
  const { call } = stage();
  const to = { server: 'everything' };
  expect(await call('get-sum', { a: 2, b: 40 }, to)).toMatchObject({
    kind: 'answered',
    content: [{ kind: 'text', text: expect.stringContaining('42') }],
    structured: {},
    isError: false,
  });
  expect(await call('get-structured-content', { location: 'Chicago' }, to)).toMatchObject({
    structured: { temperature: expect.any(Number), conditions: expect.any(String) },
  });
  const image = await call('get-tiny-image', {}, to);
  expect(JSON.stringify(image)).toMatch(/"kind":"other","label":"image image\/png, \d+ bytes"/);
});

test('an unknown tool is named with the nearest one, and wrong arguments with what is wrong; neither is sent', async () => {
  const { call, left } = stage();
  expect(await call('pidd')).toMatchObject({
    reason: 'missing',
    message: 'The server odd has no tool "pidd". Did you mean "pid"?',
  });
  expect(await call('die', { n: 'many' })).toMatchObject({
    reason: 'arguments',
    message: 'The tool "die" of odd does not take these arguments: n must be a whole number.',
    mayHaveHappened: false,
  });
  expect(await call('pid', {}, { server: 'od' })).toMatchObject({
    reason: 'server',
    message: 'There is no MCP server "od". Did you mean "odd"?',
  });
  expect(left()).toBe(0);
});

test.each([
  ['die', 'connection', true],
  ['die-safely', 'connection', false],
  ['leave-one-behind', 'connection', true],
  ['flood', 'too-large', true],
  ['dig', 'too-large', false],
  ['nonsense', 'reply', true],
  ['refuse', 'refused', false],
])('%s: %s, may have happened: %s', async (tool, reason, mayHaveHappened) => {
  const { call } = stage();
  expect(await call(tool)).toMatchObject({ kind: 'failed', reason, mayHaveHappened });
});

test('a server that asks for arguments by a pattern without end gets them unchecked', async () => {
  const { call } = stage();
  expect(await call('greedy', { t: `${'a'.repeat(60)}b` })).toMatchObject({ kind: 'answered' });
});

test('only a tool that may not be called twice is announced', async () => {
  const { call, left } = stage();
  await call('pid');
  await call('die-safely');
  expect(left()).toBe(0);
  const second = stage();
  await second.call('fail');
  expect(second.left()).toBe(1);
});

test('a server is kept, and started again after it has died, a little later', async () => {
  const { call, clock } = stage();
  const first = await call('pid');
  expect(await call('pid')).toEqual(first);
  await call('die');
  const again = call('pid');
  while (clock.nextMs() === undefined) await Promise.resolve();
  clock.pass(1_000);
  expect(await again).toMatchObject({ kind: 'answered' });
  expect(await again).not.toEqual(first);
});

test.each([
  ['hang', true],
  ['hang-safely', false],
])('%s: when the time is over, the call is given up', async (tool, mayHaveHappened) => {
  const { call, clock } = stage();
  await call('pid');
  const calling = call(tool);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  clock.pass(60_000);
  expect(await calling).toMatchObject({
    reason: 'timeout',
    message: `The tool "${tool}" of odd did not answer within 60 s.`,
    mayHaveHappened,
  });
});

test('a call that nobody waits for any more is given up', async () => {
  const { call } = stage();
  await call('pid');
  const controller = new AbortController();
  const calling = call('hang', {}, { server: 'odd', signal: controller.signal });
  controller.abort();
  expect(await calling).toMatchObject({ reason: 'aborted' });
});

test('a server sees only what it is given', async () => {
  const key = [
    { kind: 'text', text: 'x-' },
    { kind: 'secret', name: 'KEY', as: 'text' },
  ] as const;
  const { call } = stage({ env: { TOKEN: key } });
  expect(await call('environment')).toMatchObject({
    structured: { PATH: '/usr/bin:/bin', LANG: 'C', TOKEN: 'x-hunter2-hunter2' },
  });
  const names = Object.keys(JSON.parse(JSON.stringify(await call('environment'))).structured);
  expect(names.filter((name) => !['PATH', 'LANG', 'TOKEN', 'PWD', 'SHLVL', '_'].includes(name))).toEqual([]);
});

test('a secret that is not set keeps a server from starting', async () => {
  const { call } = stage({ env: { TOKEN: [{ kind: 'secret', name: 'NONE', as: 'text' }] } });
  expect(await call('pid')).toMatchObject({
    reason: 'secret',
    message: 'The server odd needs the secret NONE, which is not set: set FLOWBOT_SECRET_NONE.',
  });
});

test('with readOnly only tools that say they change nothing are called', async () => {
  const { call, left } = stage({ readOnly: true });
  expect(await call('pid')).toMatchObject({ kind: 'answered' });
  expect(await call('hang')).toMatchObject({ reason: 'forbidden', mayHaveHappened: false });
  expect(await call('die-safely')).toMatchObject({ reason: 'forbidden' });
  expect(left()).toBe(0);
});

test('a server that does not start says why, without secrets', async () => {
  const { call } = stage();
  const broken = await call('pid', {}, { server: 'broken' });
  expect(broken).toMatchObject({
    reason: 'start',
    message: expect.stringMatching(
      /^The server broken can't be started: it ended at once\..*\n.*no licence for/,
    ),
  });
  expect(JSON.stringify(broken)).not.toContain('hunter2');
  expect(await call('pid', {}, { server: 'gone' })).toMatchObject({
    reason: 'start',
    message: expect.stringContaining('the program was not found'),
  });
});

test('close ends the servers', async () => {
  const { call, tools } = stage();
  const answer = await call('pid');
  const pid = Number(
    answer.kind === 'answered' && answer.content[0]?.kind === 'text' && answer.content[0].text,
  );
  expect(() => process.kill(pid, 0)).not.toThrow();
  await tools.close();
  await tools.close();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(await call('pid')).toMatchObject({ kind: 'failed', reason: 'start' });
});
