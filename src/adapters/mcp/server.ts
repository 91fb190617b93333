import type { SecretText } from '../../engine/steps/step-type.ts';

/** An MCP server, as the configuration describes it. */
export type McpServer = ProgramServer | AddressServer;

/** A program that is started, and spoken to over its standard input and output. */
export interface ProgramServer {
  readonly kind: 'program';
  readonly command: string;
  readonly args: readonly string[];
  /** What its environment holds beside the little that every program gets. */
  readonly env: Readonly<Record<string, SecretText>>;
  /** Only tools that say they change nothing may be called. */
  readonly readOnly: boolean;
}

/** A server that is reached by streamable HTTP. */
export interface AddressServer {
  readonly kind: 'address';
  readonly url: string;
  readonly headers: Readonly<Record<string, SecretText>>;
  readonly readOnly: boolean;
}
