import { createServer, type Server } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import { createTools } from '../../../src/adapters/mcp/index.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import { createHandClock } from '../../fakes/clock.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A real server; `cut` breaks the connection of the next call, `status` is its answer. */
async function stage() {
  const seen: (string | undefined)[] = [];
  const next: { act?: 'cut' | number } = {};
  const http: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', async () => {
      seen.push(request.headers.authorization);
      if (next.act === 'cut' && body.includes('tools/call')) return request.socket.destroy();
      if (typeof next.act === 'number' && body.includes('tools/call')) {
        return response.writeHead(next.act).end();
      }
      const server = new McpServer({ name: 'sums', version: '1' });
      const large = async () => ({ content: [{ type: 'text' as const, text: 'x'.repeat(11_000_000) }] });
      server.registerTool('flood', {}, large);
      server.registerTool('seven', { annotations: { readOnlyHint: true } }, async () => ({
        content: [{ type: 'text', text: '7' }],
      }));
      // Without a session each request has its own server.
      const transport = new StreamableHTTPServerTransport({});
      await server.connect(transport);
      await transport.handleRequest(request, response, JSON.parse(body || 'null'));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  open.push({
    close() {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(resolve));
    },
  });
  const address = http.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const key = [
    { kind: 'text', text: 'Bearer ' },
    { kind: 'secret', name: 'KEY', as: 'text' },
  ] as const;
  const server = (url: string) =>
    ({ kind: 'address', url, headers: { Authorization: key }, readOnly: false }) as const;
  const tools = createTools({
    servers: new Map([
      ['sums', server(`http://127.0.0.1:${port}/mcp`)],
      ['gone', server('http://127.0.0.1:2/mcp')],
    ]),
    clock: createHandClock(),
    secrets: createSecrets(new Map([['KEY', 'hunter2-hunter2']])),
    environment: {},
    cwd: '.',
  });
  open.push(tools);
  const call = (tool: string, name = 'sums') =>
    tools.call(
      { server: name, tool, arguments: {}, timeoutMs: 60_000 },
      new AbortController().signal,
      async () => {},
    );
  return { call, seen, next };
}

test('a server is reached by streamable HTTP, with its headers', async () => {
  const { call, seen } = await stage();
  expect(await call('seven')).toEqual({
    kind: 'answered',
    content: [{ kind: 'text', text: '7' }],
    structured: {},
    isError: false,
  });
  expect(new Set(seen)).toEqual(new Set(['Bearer hunter2-hunter2']));
});

test.each([
  ['cut', 'seven', 'connection', false],
  ['cut', 'flood', 'connection', true],
  [503, 'flood', 'connection', true],
  [400, 'flood', 'refused', false],
  [401, 'flood', 'forbidden', false],
  [undefined, 'flood', 'too-large', true],
] as const)(
  '%s in the middle of %s: %s, may have happened: %s',
  async (act, tool, reason, mayHaveHappened) => {
    const { call, next } = await stage();
    if (act !== undefined) next.act = act;
    expect(await call(tool)).toMatchObject({ kind: 'failed', reason, mayHaveHappened });
  },
);

test('a server that is not there can be asked again', async () => {
  const { call } = await stage();
  expect(await call('seven', 'gone')).toMatchObject({
    reason: 'start',
    message: "The server gone can't be started: ECONNREFUSED. Mend it under mcpServers in flowbot.yaml.",
  });
});
