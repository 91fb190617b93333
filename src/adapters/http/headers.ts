import { Stop } from './failure.ts';

/** Headers of a request, by lower-case name. */
export type Headers = ReadonlyMap<string, string>;

/** Headers that say how the message is carried: the client's own business, and a way to smuggle requests. */
const CARRIAGE = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The only headers another origin gets to see after a redirect: any other may be a secret. */
const HARMLESS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

const DEFAULTS: Headers = new Map([
  ['user-agent', 'flowbot'],
  ['accept-encoding', 'gzip, deflate, br'],
]);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point; a tab is allowed in HTTP
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is Latin-1
const BEYOND_LATIN_1 = /[^\u0000-\u00ff]/;

/**
 * The headers of a flow, checked. A value may hold Latin-1 characters and tabs; anything else is refused, not
 * encoded, because no encoding is understood by every server.
 *
 * @throws Stop `request`, naming the header but never its value
 */
export function checkHeaders(headers: Readonly<Record<string, string>>): Headers {
  const checked = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    const fault = faultOf(key, value, checked);
    if (fault !== undefined) throw new Stop('request', `The header ${JSON.stringify(name)} ${fault}.`);
    checked.set(key, value);
  }
  return checked;
}

function faultOf(key: string, value: string, earlier: Headers): string | undefined {
  if (!TOKEN.test(key)) return 'has a name that HTTP does not allow: use letters, digits and hyphens';
  if (CARRIAGE.has(key)) return 'is set by Flowbot itself: leave it out';
  if (earlier.has(key)) return 'is given twice: keep one';
  if (CONTROL.test(value)) {
    return 'holds a line break or another control character, which a header cannot carry: remove it';
  }
  if (BEYOND_LATIN_1.test(value)) {
    return 'holds a character beyond Latin-1, which a header cannot carry: send it in the body, or encode it';
  }
  return undefined;
}

/** What remains of the headers when a redirect leads to another origin. */
export function forOtherOrigin(headers: Headers): Headers {
  return new Map([...headers].filter(([name]) => HARMLESS.has(name)));
}

/** What remains of the headers when the body is left out. */
export function withoutBodyHeaders(headers: Headers): Headers {
  return new Map([...headers].filter(([name]) => !name.startsWith('content-')));
}

/** The headers with what is always sent, as a flat list of names and values. */
export function toSend(headers: Headers): string[] {
  return [...new Map([...DEFAULTS, ...headers])].flat();
}
