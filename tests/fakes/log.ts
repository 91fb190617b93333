import type { JsonObject } from '../../src/engine/json.ts';
import type { Log } from '../../src/ports/log.ts';

/** A line of the log. */
interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data: JsonObject;
  /** Of `error` only. */
  readonly error?: unknown;
}

/** A log that keeps its lines. */
export interface KeptLog extends Log {
  readonly lines: readonly LogLine[];
}

/** Makes an empty log. */
export function createKeptLog(): KeptLog {
  const lines: LogLine[] = [];
  return {
    lines,
    info: (message, data = {}) => void lines.push({ level: 'info', message, data }),
    warn: (message, data = {}) => void lines.push({ level: 'warn', message, data }),
    error: (message, error, data = {}) => void lines.push({ level: 'error', message, data, error }),
  };
}
