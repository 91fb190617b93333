import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, expect, test } from 'vitest';
import { createHome, type Home } from './home.ts';

const program = fileURLToPath(new URL('../../bin/flowbot.js', import.meta.url));
const hello = `
mcp: true
description: Says hello.
input: { type: object, properties: { name: { type: string } }, required: [name] }
steps: { say: { type: template, text: "Hello {{input.name}}" } }
output: "{{say.text}}"
`;
const token = 'runner-token-0123456789';

let home: Home;
let client: Client | undefined;
afterEach(async () => {
  await client?.close();
  await home.close();
});

/** An MCP client that starts `flowbot mcp`, as they are set up to. */
async function connect(env: Readonly<Record<string, string>>): Promise<Client> {
  client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp'],
      cwd: home.folder,
      env: { PATH: process.env.PATH ?? '', ...env },
      stderr: 'ignore',
    }),
  );
  return client;
}

test('an MCP client on this machine calls flows of the running Flowbot through flowbot mcp', async () => {
  home = createHome();
  home.flow('hello.flow.yaml', hello);
  const { out } = await home.start({ FLOWBOT_TOKENS: `ci runner ${token}` });
  const FLOWBOT_PORT = /:(\d+)\/playground/.exec(out)?.[1] ?? '';
  const connected = await connect({ FLOWBOT_PORT, FLOWBOT_TOKEN: token });
  expect((await connected.listTools()).tools.map(({ name }) => name)).toEqual(['hello', 'get_run']);
  const result = await connected.callTool({ name: 'hello', arguments: { name: 'Ana' } });
  expect(result.structuredContent).toMatchObject({ ok: true, output: 'Hello Ana' });
});

test('without a Flowbot the client hears what to do, and does not wait', async () => {
  home = createHome();
  await expect(connect({ FLOWBOT_PORT: '1' })).rejects.toThrow('start it, or set FLOWBOT_TOKEN');
});
