import { errors } from 'undici';
import type { HttpFailureReason } from '../../ports/http.ts';

/** Longer than every charset and encoding that is in use. */
const QUOTED_MAX_CHARS = 20;

/** Ends a request for a known reason; `message` is the sentence people read. Never leaves this folder. */
export class Stop extends Error {
  readonly reason: HttpFailureReason;

  constructor(reason: HttpFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What an error of the network means for a request to `host`; `sent` = some of the request was written. */
export function explain(error: unknown, host: string, sent: boolean): Stop {
  if (error instanceof Stop) return error;
  if (error instanceof errors.InvalidArgumentError) {
    return new Stop('request', `The request to ${host} is not valid HTTP: check its method and address.`);
  }
  const code = codeOf(error);
  if (!sent) return new Stop('connect', `Could not connect to ${host}: ${whyNoConnection(code)}.`);
  if (error instanceof errors.HeadersOverflowError) {
    return new Stop('too-large', `The headers of the answer of ${host} are larger than 16 KiB.`);
  }
  if (error instanceof errors.HTTPParserError) {
    return new Stop('connection', `The answer of ${host} is not valid HTTP.`);
  }
  return new Stop(
    'connection',
    `The connection to ${host} was lost before the whole answer had arrived (${code}).`,
  );
}

/** A word of an answer as a sentence may quote it: a long one can be an echo of anything, so it is left out. */
export function quotable(word: string): string {
  return word.length <= QUOTED_MAX_CHARS ? JSON.stringify(word) : `a name of ${word.length} characters`;
}

/** The code of a system or library error, for messages: `ECONNREFUSED`. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const CONNECTION_CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at that address and port',
  ECONNRESET: 'the other side closed the connection at once',
  EHOSTUNREACH: 'there is no way to that address',
  ENETUNREACH: 'there is no way to that network',
  ETIMEDOUT: 'the address does not answer',
};

function whyNoConnection(code: string): string {
  const known = CONNECTION_CODES[code];
  if (known !== undefined) return `${known} (${code})`;
  if (/TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code)) return `no secure connection, TLS says ${code}`;
  return code;
}
