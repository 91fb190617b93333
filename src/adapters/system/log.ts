import { type DestinationStream, pino } from 'pino';
import type { Log } from '../../ports/log.ts';
import type { Secrets } from '../../ports/secrets.ts';

/**
 * A log of JSON lines with secrets replaced.
 * @param level the least that is written: `error`, `warn` or `info`; or `silent`.
 * @param output default: standard error.
 */
export function createLog(
  secrets: Secrets,
  level = 'info',
  output: DestinationStream = pino.destination(2),
): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  return {
    info: (message, data = {}) => logger.info(secrets.redact(data), secrets.redact(message)),
    warn: (message, data = {}) => logger.warn(secrets.redact(data), secrets.redact(message)),
    error(message, error, data = {}) {
      const detail =
        error instanceof Error
          ? { error: error.message, stack: error.stack ?? '' }
          : { error: String(error) };
      logger.error(secrets.redact({ ...data, ...detail }), secrets.redact(message));
    },
  };
}
