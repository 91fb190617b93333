import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { visible } from '../../engine/agents/visible.ts';
import { compileSchema } from '../../engine/data/input-schema.ts';
import { roomFor, TEXT_MAX_CHARS, takeRoomForData } from '../../engine/data/room.ts';
import { schemaProblems } from '../../engine/data/schema-problems.ts';
import { suggest } from '../../engine/flow/nearest.ts';
import { isJsonObject, type JsonObject } from '../../engine/json.ts';
import { beginning } from '../../engine/prose.ts';
import type { ToolReport } from '../../engine/steps/tool-result.ts';
import type { ToolInfo, ToolRequest, Tools } from '../../ports/tools.ts';
import {
  aborted,
  type Connection,
  type ConnectionDeps,
  createConnection,
  type Opened,
} from './connection.ts';
import { contentOf, structuredOf } from './content.ts';
import { callFailure, type Failed, failed, isSessionLost } from './failure.ts';
import type { McpServer } from './server.ts';

export type { McpServer } from './server.ts';

/** Most tools of one server that agents hear of. */
const LISTED_MAX = 500;
/** Most characters of what a server says about a tool. */
const DESCRIPTION_MAX_CHARS = 1_000;

/**
 * The tools of MCP servers. Servers are started at first use and kept. `close` ends them with all that they started,
 * and may be called twice.
 */
export function createTools(
  deps: ConnectionDeps & { readonly servers: ReadonlyMap<string, McpServer> },
): Tools & { close(): Promise<void> } {
  const { servers, clock } = deps;
  const connections = new Map<string, Connection>();

  function connectionTo(name: string, server: McpServer): Connection {
    const known = connections.get(name);
    if (known) return known;
    const made = createConnection(name, server, deps);
    connections.set(name, made);
    return made;
  }

  return {
    async list(name, signal) {
      const server = servers.get(name);
      if (!server) return { kind: 'failed', message: noServer(name, servers) };
      try {
        const opened = await unless(signal, connectionTo(name, server).open());
        if (opened === undefined)
          return { kind: 'failed', message: `The server ${name} was not waited for.` };
        if (opened.kind === 'failed') return { kind: 'failed', message: opened.message };
        return {
          kind: 'listed',
          tools: (await opened.session.list(signal)).slice(0, LISTED_MAX).map(infoOf),
        };
      } catch (error) {
        return { kind: 'failed', message: callFailure(name, error, true).message };
      }
    },
    async call(request, signal, leaving) {
      const server = servers.get(request.server);
      if (!server) {
        return failed('server', noServer(request.server, servers));
      }
      const connection = connectionTo(request.server, server);
      const limit = new AbortController();
      const cancel = clock.alarm(clock.now() + request.timeoutMs, () => limit.abort());
      try {
        return await callOnce(request, server, connection, AbortSignal.any([signal, limit.signal]), {
          leaving,
          whyEnded: (may) => whyEnded(request, signal.aborted, may),
        });
      } finally {
        cancel();
      }
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

function noServer(name: string, servers: ReadonlyMap<string, McpServer>): string {
  return `There is no MCP server ${JSON.stringify(name)}. ${suggest(name, servers.keys())}`;
}

/** A tool as agents hear of it: what its server says about it is cut, and without what can't be seen. */
function infoOf({ name, description = '', inputSchema, annotations }: Tool): ToolInfo {
  return {
    name,
    description: beginning(visible(description.slice(0, 2 * DESCRIPTION_MAX_CHARS)), DESCRIPTION_MAX_CHARS),
    parameters: isJsonObject(inputSchema) ? inputSchema : { type: 'object' },
    isReadOnly: annotations?.readOnlyHint === true,
  };
}

/** What the call of one tool needs beside the tool. */
interface Around {
  readonly leaving: () => Promise<void>;
  /** The report of a call that was ended before it had an answer. */
  readonly whyEnded: (mayHaveHappened: boolean) => Failed;
}

async function callOnce(
  request: ToolRequest,
  server: McpServer,
  connection: Connection,
  signal: AbortSignal,
  { leaving, whyEnded }: Around,
): Promise<ToolReport> {
  const opened = await unless(signal, connection.open());
  if (opened === undefined) return whyEnded(false);
  if (opened.kind === 'failed') return opened;
  const found = await findTool(request, opened, signal);
  if (found === undefined) return whyEnded(false);
  if ('kind' in found) return found;
  const refusal = refuse(request, server, found);
  if (refusal) return refusal;
  const isRepeatable = found.annotations?.readOnlyHint === true || found.annotations?.idempotentHint === true;
  if (!isRepeatable) await leaving();
  if (signal.aborted) return whyEnded(false);
  const { session, way } = opened;
  try {
    const answer = await session.call(request.tool, request.arguments, signal);
    connection.well();
    return reportOf(request, answer, !isRepeatable);
  } catch (error) {
    if (signal.aborted) return whyEnded(!isRepeatable);
    if (way.tooLarge() && session.pending() === 0) return tooLarge(request, !isRepeatable);
    const failure = callFailure(request.server, error, isRepeatable);
    // An address that has lost our session, or that we have lost, is opened anew by the next call.
    if ((failure.reason === 'connection' || isSessionLost(error)) && session.pending() === 0)
      await way.close();
    return failure;
  }
}

async function findTool(
  { server, tool }: ToolRequest,
  { session }: Opened,
  signal: AbortSignal,
): Promise<Tool | Failed | undefined> {
  try {
    const found = await session.find(tool, signal);
    const fix = suggest(tool, session.names());
    return found ?? failed('missing', `The server ${server} has no tool ${JSON.stringify(tool)}. ${fix}`);
  } catch (error) {
    return signal.aborted ? undefined : callFailure(server, error, true);
  }
}

/** What keeps a call from being sent: a tool that may change something, or arguments it does not take. */
function refuse(request: ToolRequest, { readOnly }: McpServer, tool: Tool): Failed | undefined {
  const name = `The tool ${JSON.stringify(tool.name)} of ${request.server}`;
  if (readOnly && tool.annotations?.readOnlyHint !== true) {
    const fix = 'The server is set to readOnly in flowbot.yaml.';
    return failed('forbidden', `${name} does not say that it changes nothing. ${fix}`);
  }
  const problem = argumentProblem(tool, request.arguments);
  return problem === undefined
    ? undefined
    : failed('arguments', `${name} does not take these arguments: ${problem}.`);
}

/** A schema of a kind that is not known here, or that could keep Flowbot busy for ever, is left to the server. */
function argumentProblem({ inputSchema }: Tool, args: JsonObject): string | undefined {
  if (!isJsonObject(inputSchema) || !compileSchema(inputSchema).ok) return undefined;
  const problems = schemaProblems(inputSchema, args);
  return problems.length === 0 ? undefined : problems.join('; ');
}

function reportOf(
  { server, tool }: ToolRequest,
  { content, structuredContent, isError }: CallToolResult,
  may: boolean,
): ToolReport {
  const structured = structuredOf(structuredContent);
  // Whatever walks it later would overflow the stack.
  if (takeRoomForData(roomFor(TEXT_MAX_CHARS), structured)) {
    const what = `The tool ${JSON.stringify(tool)} of ${server} answered with data nested too deeply`;
    return failed('too-large', `${what}: ask it for less.`, may);
  }
  return { kind: 'answered', content: content.map(contentOf), structured, isError: isError === true };
}

function tooLarge({ server, tool }: ToolRequest, may: boolean): Failed {
  const what = `The tool ${JSON.stringify(tool)} of ${server} answered with more than 10 MB`;
  return failed('too-large', `${what}: ask it for less.`, may);
}

function whyEnded({ server, tool, timeoutMs }: ToolRequest, isCalledOff: boolean, may: boolean): Failed {
  const what = `The tool ${JSON.stringify(tool)} of ${server}`;
  return isCalledOff
    ? failed('aborted', `${what} was called off.`, may)
    : failed('timeout', `${what} did not answer within ${timeoutMs / 1000} s.`, may);
}

/** The value, or undefined when the signal is aborted first. */
async function unless<T>(signal: AbortSignal, value: Promise<T>): Promise<T | undefined> {
  return Promise.race([value, aborted(signal).catch(() => undefined)]);
}
