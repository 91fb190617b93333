import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** Most bytes of one answer of a server. */
export const REPLY_MAX_BYTES = 10_000_000;

/** A way to a server, as a session uses it. */
export interface Way {
  readonly transport: Transport;
  /** Whether it was given up because more came back than is taken. */
  tooLarge(): boolean;
  /** What the server said beside its answers; may hold secrets. */
  said(): string;
  /** Lets go of the server, and resolves when nothing of it is left. May be called twice. */
  close(): Promise<void>;
}
