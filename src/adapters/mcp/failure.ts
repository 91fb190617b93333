import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ToolFailureReason, ToolReport } from '../../engine/steps/tool-result.ts';
import { isUnsent } from '../unsent.ts';

/** A report without an answer that could be used. */
export type Failed = Extract<ToolReport, { kind: 'failed' }>;

/** Such a report. */
export function failed(reason: ToolFailureReason, message: string, mayHaveHappened = false): Failed {
  return { kind: 'failed', reason, message, mayHaveHappened };
}

/** Most characters of what a server says about an error that are shown. */
const SAID_MAX_CHARS = 500;
/** What an error in the middle of a call means. @param isRepeatable the tool may be called again */
export function callFailure(server: string, error: unknown, isRepeatable: boolean): Failed {
  const may = !isRepeatable;
  if (error instanceof McpError) {
    if (error.code === ErrorCode.ConnectionClosed) return lost(server, may);
    if (error.code === ErrorCode.InvalidParams || error.code === ErrorCode.MethodNotFound) {
      return failed('arguments', `The server ${server} does not take this call: ${said(error)}`);
    }
    return failed('refused', `The server ${server} answered with an error: ${said(error)}`);
  }
  if (error instanceof StreamableHTTPError) return statusFailure(server, error.code ?? 0, may);
  if (error instanceof Error && error.name.endsWith('ZodError')) {
    return failed('reply', `The server ${server} sent something that is no answer of a tool.`, may);
  }
  const code = networkCode(error);
  if (isUnsent(code)) {
    return failed('start', `The server ${server} can't be reached (${code}).`);
  }
  return lost(server, may);
}

/** Whether an address does not know our session any more. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code === 404;
}

/** What went wrong at a start, in a few words. */
export function whyNotStarted(error: unknown): string {
  const code = networkCode(error);
  if (code === 'ENOENT') return 'the program was not found';
  if (code !== undefined) return code;
  if (error instanceof McpError && error.code === ErrorCode.ConnectionClosed) return 'it ended at once';
  if (error instanceof StreamableHTTPError) return `it answered with status ${error.code ?? 0}`;
  return error instanceof Error ? said(error) : 'unknown error';
}

function statusFailure(server: string, status: number, may: boolean): Failed {
  const message = `The server ${server} answered with status ${status}.`;
  if (status === 401 || status === 403) {
    return failed('forbidden', `${message} Give it an access that holds under headers in flowbot.yaml.`);
  }
  // A gateway in between may say so although the server is still at it.
  return status >= 500 ? failed('connection', message, may) : failed('refused', message);
}

function lost(server: string, may: boolean): Failed {
  return failed(
    'connection',
    `The connection to the server ${server} was lost in the middle of the call.`,
    may,
  );
}

function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return networkCode(error.cause);
}

function said(error: Error): string {
  const text = error.message
    .replace(/^MCP error -?\d+: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length <= SAID_MAX_CHARS ? text : `${text.slice(0, SAID_MAX_CHARS - 1)}…`.toWellFormed();
}
