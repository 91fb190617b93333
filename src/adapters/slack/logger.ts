import { type Logger, LogLevel } from '@slack/bolt';
import type { Log } from '../../ports/log.ts';

/** Our log, as Bolt wants one. Only its warnings and errors: its other lines quote what people write. */
export function boltLogger(log: Log): Logger {
  const warn = (...said: unknown[]): void =>
    log.warn('Bolt says', { text: said.map(String).join(' ').slice(0, 500) });
  return {
    debug() {},
    info() {},
    warn,
    error: warn,
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  };
}
