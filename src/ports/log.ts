import type { JsonObject } from '../engine/json.ts';

/** The log. Secrets are redacted by the implementation. */
export interface Log {
  info(message: string, data?: JsonObject): void;
  warn(message: string, data?: JsonObject): void;
  /** `error` is our bug or a failing platform, never a user's mistake. */
  error(message: string, error: unknown, data?: JsonObject): void;
}
