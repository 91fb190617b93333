import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Config } from '../config.ts';
import { urlHost } from '../server/guard.ts';
import { complain } from './output.ts';

/**
 * Passes the messages of an MCP client on standard input to the running Flowbot, and its answers back, until the client
 * closes its side.
 * @param token one of FLOWBOT_TOKENS, where nobody gets in without
 */
export async function bridgeMcp({ host, port }: Config, token: string | undefined): Promise<void> {
  const url = new URL(`http://${urlHost(host)}:${port}/mcp`);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const flowbot = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const client = new StdioServerTransport();
  const { promise, resolve } = Promise.withResolvers<void>();
  client.onmessage = (message) => {
    flowbot.send(message).catch((error: unknown) => {
      complain(error instanceof Error ? error.message : String(error));
      if (!('id' in message) || !('method' in message)) return;
      // A client that hears nothing would wait for ever.
      const reason = `Flowbot can’t be reached at ${url.origin}: start it, or set FLOWBOT_TOKEN.`;
      void client.send({ jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: reason } });
    });
  };
  flowbot.onmessage = (message) => void client.send(message);
  client.onclose = resolve;
  process.stdin.once('end', resolve);
  await flowbot.start();
  await client.start();
  await promise;
  await flowbot.close();
}
