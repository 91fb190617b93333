import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  ListToolsResultSchema,
  type Tool,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../engine/json.ts';
import type { Way } from './transport.ts';

/** The clock of the SDK must not end a call: time limits come from the signal. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** Most pages of a list of tools that are read. */
const PAGES_MAX = 50;
/** Most characters of all tools together, as JSON; those that follow are not known. */
const TOOLS_MAX_CHARS = 10_000_000;

/** A server that has answered, with its tools. */
export interface Session {
  /** Names of its tools. */
  names(): readonly string[];
  /** Its tools: asked for anew when the server has said that they changed. @throws what the SDK throws */
  list(signal: AbortSignal): Promise<readonly Tool[]>;
  /** A tool by its name; a server may get new ones at any time, so that it is asked again for one that is not known. */
  find(name: string, signal: AbortSignal): Promise<Tool | undefined>;
  /** Calls a tool once. @throws what the SDK throws */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
  /** Calls under way. */
  pending(): number;
}

/**
 * Opens a session.
 * @param onClosed the server is gone, by itself or because the way was closed
 * @throws what the SDK throws
 */
export async function openSession(way: Way, onClosed: () => void, signal: AbortSignal): Promise<Session> {
  const client = new Client({ name: 'flowbot', version: '1' });
  client.onclose = onClosed;
  client.onerror = () => {}; // lines that are no messages, streams that end: what matters fails the call itself
  await client.connect(way.transport, { signal, timeout: NO_LIMIT_MS });
  let isChanged = false;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    isChanged = true;
  });
  let tools = await listTools(client, signal);
  let pending = 0;

  async function renew(until: AbortSignal): Promise<void> {
    isChanged = false;
    tools = await listTools(client, until);
  }

  return {
    names: () => [...tools.keys()],
    async list(until) {
      if (isChanged) await renew(until);
      return [...tools.values()];
    },
    async find(name, forCall) {
      if (isChanged || !tools.has(name)) await renew(forCall);
      return tools.get(name);
    },
    async call(name, args, forCall) {
      pending += 1;
      try {
        const request = { method: 'tools/call', params: { name, arguments: { ...args } } } as const;
        return await client.request(request, CallToolResultSchema, { signal: forCall, timeout: NO_LIMIT_MS });
      } finally {
        pending -= 1;
      }
    },
    pending: () => pending,
  };
}

async function listTools(client: Client, signal: AbortSignal): Promise<ReadonlyMap<string, Tool>> {
  const tools = new Map<string, Tool>();
  if (!client.getServerCapabilities()?.tools) return tools;
  let cursor: string | undefined;
  let chars = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const;
    const list = await client.request(request, ListToolsResultSchema, { signal, timeout: NO_LIMIT_MS });
    for (const tool of list.tools) {
      chars += JSON.stringify(tool).length;
      if (chars > TOOLS_MAX_CHARS) return tools;
      tools.set(tool.name, tool);
    }
    cursor = list.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
