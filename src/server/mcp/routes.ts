import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import { createSight } from '../../commands/visitor.ts';
import type { JsonObject } from '../../engine/json.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Door, Entry } from '../access/door.ts';
import { object } from '../api/resources.ts';
import { sendProblem } from '../problem.ts';
import { track } from '../track.ts';
import { callTool, listTools, type McpCaller } from './tools.ts';

/** The MCP server, once it is there. */
export interface Mcp {
  /** Begins to answer; until then clients are told to come again. */
  open(): void;
  /** Takes nothing any more; those who wait for a run are answered at once. */
  close(): Promise<void>;
}

const INSTRUCTIONS =
  'Each tool but get_run and decide starts a run of a flow. Runs can wait for people, for hours: then the answer names the run and for whom it waits, and get_run tells later what has become of it. Calling the tool again is not needed.';

const argumentsSchema: z.ZodType<JsonObject> = object;

/**
 * Adds `POST /mcp`: flows with `mcp: true` as tools, by streamable HTTP without sessions, so that any client can go on after
 * a restart. Only JSON is taken, which no page of another site can send without being asked.
 */
export function addMcpRoutes(
  app: FastifyInstance,
  options: { readonly bot: Bot; readonly door: Door; readonly ids: Ids; readonly version: string },
): Mcp {
  const { bot, door, ids, version } = options;
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const starting: McpCaller['starting'] = new Map();
  let isOpen = false;

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (!isOpen)
      return sendProblem(reply, { code: 'unavailable', detail: 'Flowbot is not ready.', retryAfterS: 1 });
    const { headers, ip, method } = request;
    // Programs send no Origin; what they send is JSON.
    const marked = headers.origin === undefined ? { ...headers, 'x-flowbot': '1' } : headers;
    const entry = await door.admit({ method, ip, headers: marked });
    if (!entry.ok) return sendProblem(reply, entry.problem);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const server = serverFor(entry.value, AbortSignal.any([gone.signal, stopping.signal]));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    reply.hijack();
    await server.connect(transport);
    await transport.handleRequest(request.raw, reply.raw, request.body);
    await new Promise<void>((resolve) => {
      if (reply.raw.writableFinished || reply.raw.destroyed) resolve();
      else reply.raw.once('close', resolve);
    });
    await server.close();
    return undefined;
  }

  /** A server for one request: it keeps nothing. */
  function serverFor(visitor: Entry, signal: AbortSignal): Server {
    const server = new Server(
      { name: 'flowbot', version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    const caller = (): McpCaller => {
      const event = ids.next();
      return { bot, visitor, sight: createSight(bot, visitor, event), event, signal, starting };
    };
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: [...(await listTools(caller()))],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      try {
        return await callTool(caller(), params.name, argumentsSchema.parse(params.arguments ?? {}));
      } catch (error) {
        const run = params.arguments?.run;
        bot.log.error('A call of an MCP client failed.', error, {
          tool: params.name.slice(0, 64),
          ...(typeof run === 'string' && { run: run.slice(0, 64) }),
        });
        const text = 'Something went wrong inside Flowbot; its log says more.';
        return { content: [{ type: 'text', text }], isError: true };
      }
    });
    return server;
  }

  const settings = { config: { fromAnywhere: true } };
  app.post('/mcp', settings, (request, reply) => track(underWay, serve(request, reply)));
  app.route({
    ...settings,
    method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/mcp',
    handler: (_request, reply) =>
      sendProblem(reply.header('allow', 'POST'), {
        code: 'method-not-allowed',
        detail: 'MCP clients send their messages with POST; there are no sessions.',
      }),
  });

  return {
    open() {
      isOpen = true;
    },
    async close() {
      isOpen = false;
      stopping.abort();
      await Promise.allSettled(underWay);
    },
  };
}
