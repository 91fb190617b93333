import type { JsonObject } from '../engine/json.ts';

/**
 * The log. The implementation redacts secrets by their values, and fields by their names. What is about a run has its
 * id as `run`.
 */
export interface Log {
  info(message: string, data?: JsonObject): void;
  warn(message: string, data?: JsonObject): void;
  /** `error` is our bug or a failing platform, never a user's mistake. */
  error(message: string, error: unknown, data?: JsonObject): void;
}
