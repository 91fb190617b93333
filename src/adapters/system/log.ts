import { type DestinationStream, pino } from 'pino';
import type { Log } from '../../ports/log.ts';
import type { Secrets } from '../../ports/secrets.ts';

/** Names of fields that hold a secret, however they are written: `apiKey`, `X-API-Key`, `SLACK_BOT_TOKEN`. */
const secretField =
  /(authorization|cookie|passw(or)?d|secret|token|(api|private|secret|access)[^a-z]*key)s?[^a-z]*$/i;

/**
 * A log of JSON lines. `[secret]` stands where the value of a secret was, `[redacted]` for fields that hold one by their
 * name.
 * @param level the least that is written: `error`, `warn` or `info`; or `silent`.
 * @param output default: standard error.
 */
export function createLog(
  secrets: Secrets,
  level = 'info',
  output: DestinationStream = pino.destination(2),
): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // The paths of its own redaction go to one depth, in one spelling.
      hooks: { streamWrite: withoutSecretFields },
    },
    output,
  );
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

/** What a line says in the end: what errors and objects of a class show of themselves is in it, too. */
function withoutSecretFields(line: string): string {
  const hide = (name: string, value: unknown): unknown =>
    secretField.test(name) && typeof value !== 'number' ? '[redacted]' : value;
  return `${JSON.stringify(JSON.parse(line), hide)}\n`;
}
