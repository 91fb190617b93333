import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, describe, expect, test } from 'vitest';
import { addMcpRoutes, type Mcp } from '../../../src/server/mcp/routes.ts';
import { createCountingIds } from '../../fakes/ids.ts';
import {
  as,
  desk,
  open as openDesk,
  post,
  restart as restartDesk,
  send,
  server,
  tokens,
} from '../api/serving.ts';

const head = 'conversation: "red:#releases"\n';
const flows = {
  release: `${head}name: Release notes
description: Says that a version is out.
mcp: true
input: { type: object, properties: { version: { type: string, title: Version } }, required: [version] }
steps: { say: { type: message, text: "{{input.version}} is out" } }
output: "{{input.version}}"`,
  asking: `${head}triggers: [{ type: mcp }]
steps:
  review: { type: approval, title: Publish?, approvers: { users: ["red:U0ANA"] } }
  say: { type: message, text: done }
output: published`,
  gate: `${head}mcp: true\nsteps: { review: { type: approval, title: Go? } }`,
  hidden: `${head}triggers: [{ type: manual }]\nsteps: { say: { type: message, text: hi } }`,
  others: `${head}mcp: true\nallow: { users: ["red:U0ANA"] }\nsteps: { say: { type: message, text: hi } }`,
};

let mcp: Mcp;
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

const addMcp = (
  served: Parameters<typeof addMcpRoutes>[0],
  door: Parameters<typeof addMcpRoutes>[1]['door'],
) => {
  mcp = addMcpRoutes(served, { bot: desk.bot, door, ids: createCountingIds(), version: '1.2.3' });
  mcp.open();
};
const open = (settings?: Parameters<typeof openDesk>[1]) => openDesk(flows, settings, undefined, addMcp);
const restart = () => restartDesk(undefined, addMcp);

async function connect(name: string | undefined): Promise<Client> {
  const headers = name === undefined ? {} : as(name);
  const client = new Client({ name: 'test', version: '1' });
  // The SDK's own type of a transport is a little narrower than it says.
  const transport: unknown = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport as Transport);
  clients.push(client);
  return client;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
const textOf = (result: Awaited<ReturnType<Client['callTool']>>) =>
  Array.isArray(result.content) ? result.content.map((part) => ('text' in part ? part.text : '')).join() : '';
const dataOf = (result: Awaited<ReturnType<Client['callTool']>>): Record<string, unknown> =>
  Object(result.structuredContent);

describe('the tools', () => {
  test('are the flows that say so, each with what it does and takes, and what belongs to their runs', async () => {
    await open();
    const client = await connect('gate');
    expect(await namesOf(client)).toEqual(['release', 'asking', 'gate', 'get_run', 'decide']);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'release')).toMatchObject({
      title: 'Release notes',
      description: 'Says that a version is out.',
      inputSchema: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
    });
  });

  test('are those that a token is for', async () => {
    await open();
    expect(await namesOf(await connect('looker'))).toEqual(['get_run']);
    expect(await namesOf(await connect('ci'))).toEqual(['release', 'asking', 'gate', 'get_run']);
    expect(await namesOf(await connect('ana'))).toContain('others');
    await expect(connect(undefined)).rejects.toThrow();
  });

  test('need no token on this machine as long as nobody needs one', async () => {
    await open({});
    expect(await namesOf(await connect(undefined))).toContain('decide');
  });
});

describe('calling a flow', () => {
  test('gives what the run has given back', async () => {
    await open();
    const client = await connect('ci');
    const calling = client.callTool({ name: 'release', arguments: { version: '1.2' } });
    await desk.settle();
    const result = await calling;
    expect(textOf(result)).toMatch(/^Run \w+ of release is succeeded\.\n1\.2$/);
    expect(dataOf(result)).toMatchObject({ flow: 'release', status: 'succeeded', ok: true, output: '1.2' });
    const run = (await desk.store.run(String(dataOf(result).run)))?.state.start;
    expect(run).toMatchObject({ trigger: 'mcp', person: { platform: 'api', id: 'ci' } });
  });

  test('C67: one that asks people comes back early, says for whom it waits, and a call again starts no other run', async () => {
    await open();
    const client = await connect('ci');
    const call = async () => {
      const calling = client.callTool({ name: 'asking', arguments: {} });
      await desk.settle();
      return calling;
    };
    const first = await call();
    const { run } = dataOf(first);
    expect(textOf(first)).toContain('It waits for Ana: “Publish?”');
    expect(textOf(first)).toContain(`Ask again with get_run, run ${run}.`);
    expect(dataOf(await call()).run).toBe(run);
    await desk.pass(3 * 3_600_000);
    await desk.red.flow(desk.red.ana, `approve ${run}`);
    await desk.settle();
    const later = await client.callTool({ name: 'get_run', arguments: { run: String(run) } });
    expect(dataOf(later)).toMatchObject({ status: 'succeeded', output: 'published' });
    // It has ended: now it is asked for anew.
    expect(dataOf(await call()).run).not.toBe(run);
  });

  test('two calls that are the same at the same time start one run', async () => {
    await open();
    const client = await connect('ci');
    const calls = [1, 2, 3].map(() => client.callTool({ name: 'asking', arguments: {} }));
    await desk.settle();
    const runs = (await Promise.all(calls)).map((result) => dataOf(result).run);
    expect(new Set(runs).size).toBe(1);
    expect(await desk.store.runs({})).toHaveLength(1);
  });

  test('that works for long comes back before the client gives up', async () => {
    await open();
    await desk.load({
      slow: 'mcp: true\nsteps: { wait: { type: wait, for: 2m }, say: { type: template, text: x } }',
    });
    const client = await connect('ci');
    const calling = client.callTool({ name: 'slow', arguments: {} });
    await desk.settle();
    expect(dataOf(await calling)).toMatchObject({ status: 'waiting', ok: null });
  });

  test.each<[string, string, Record<string, unknown>, string]>([
    ['an input that does not fit', 'release', { versio: '1' }, 'Version is missing.'],
    ['a flow that is not for MCP clients', 'hidden', {}, 'There is no tool hidden here.'],
    ['a flow that others may start', 'others', {}, 'Only red:U0ANA may start others.'],
    ['an unknown run', 'get_run', { run: 'x' }, 'There is no run x here.'],
    ['no run', 'get_run', {}, 'Say which run.'],
    [
      'a decision of somebody who may make none',
      'decide',
      { question: 'x', action: 'approve' },
      'There is no tool decide here.',
    ],
  ])('%s is refused in a sentence', async (_, name, args, why) => {
    await open();
    const result = await (await connect('ci')).callTool({ name, arguments: args });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(why)]);
  });
});

describe('deciding', () => {
  test('goes by the rule of every button, and only with a token that may', async () => {
    await open();
    const client = await connect('gate');
    const calling = client.callTool({ name: 'gate', arguments: {} });
    await desk.settle();
    const [question] = [dataOf(await calling).questions].flat().map((one) => String(Object(one).question));
    const own = await client.callTool({
      name: 'decide',
      arguments: { question: question ?? '', action: 'nosuch' },
    });
    expect([own.isError, textOf(own)]).toEqual([true, expect.stringContaining('is not an answer here')]);
    const done = await client.callTool({
      name: 'decide',
      arguments: { question: question ?? '', action: 'approve' },
    });
    await desk.settle();
    expect(done.isError).toBeUndefined();
    const run = String(dataOf(done).run);
    expect((await desk.store.run(run))?.row.status).toBe('succeeded');
  });
});

describe('the door', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const accept = { accept: 'application/json, text/event-stream' };

  test.each<[string, Record<string, string>, number]>([
    ['no token', {}, 401],
    ['an unknown one', { authorization: 'Bearer x' }, 401],
  ])('%s lets nobody in', async (_, headers, status) => {
    await open();
    expect((await post('/mcp', { ...accept, ...headers }, list)).status).toBe(status);
  });

  test.each<[string, Record<string, string>, number]>([
    ['a page of another site', { origin: 'http://evil.example' }, 403],
    ['another name in Host', { host: 'evil.example' }, 403],
    ['a client on this machine', {}, 200],
  ])('without tokens, %s', async (_, headers, status) => {
    await open({});
    expect((await post('/mcp', { ...accept, ...headers }, list)).status).toBe(status);
  });

  test('only POST, only JSON, and not before all is there', async () => {
    await open();
    expect((await send('GET', '/mcp', as('ci'))).status).toBe(405);
    expect((await send('POST', '/mcp', { ...as('ci'), 'content-type': 'text/plain' }, 'x')).status).toBe(415);
    await mcp.close();
    expect((await post('/mcp', { ...accept, ...as('ci') }, list)).status).toBe(503);
  });

  test('clients go on after a restart', async () => {
    await open();
    const before = await connect('ci');
    expect(await namesOf(before)).toContain('release');
    await restart();
    expect(await namesOf(await connect('ci'))).toContain('release');
    expect(tokens.length).toBeGreaterThan(0);
  });
});
