import type { JsonObject } from '../engine/json.ts';
import type { ToolReport } from '../engine/steps/tool-result.ts';

/** One call of a tool. */
export interface ToolRequest {
  /** The MCP server, by its name in the configuration. */
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Longest time of the whole call, in milliseconds, the start of the server included. */
  readonly timeoutMs: number;
}

/** A tool of an MCP server, as the server describes it. */
export interface ToolInfo {
  readonly name: string;
  /** Words of the server: untrusted, and cut at 1,000 characters. */
  readonly description: string;
  /** JSON Schema of its arguments: an object on top. */
  readonly parameters: JsonObject;
  /** It says that it changes nothing. */
  readonly isReadOnly: boolean;
}

/** The tools of a server, or a sentence for people: why there are none. */
export type ListedTools =
  | { readonly kind: 'listed'; readonly tools: readonly ToolInfo[] }
  | { readonly kind: 'failed'; readonly message: string };

/** The tools of MCP servers. */
export interface Tools {
  /** The tools of a server, started when it is not there. Never throws; ends soon when the signal is aborted. */
  list(server: string, signal: AbortSignal): Promise<ListedTools>;
  /**
   * Calls the tool once; never repeats. Throws only what `leaving` throws.
   * @param leaving waited for before the call is sent to a tool that must not be called twice; a tool that says it
   * changes nothing, or nothing more when it is called again, is called without it
   */
  call(request: ToolRequest, signal: AbortSignal, leaving: () => Promise<void>): Promise<ToolReport>;
}
