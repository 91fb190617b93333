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

/** The tools of MCP servers. */
export interface Tools {
  /**
   * Calls the tool once; never repeats. Throws only what `leaving` throws.
   * @param leaving waited for before the call is sent to a tool that must not be called twice; a tool that says it
   * changes nothing, or nothing more when it is called again, is called without it
   */
  call(request: ToolRequest, signal: AbortSignal, leaving: () => Promise<void>): Promise<ToolReport>;
}
