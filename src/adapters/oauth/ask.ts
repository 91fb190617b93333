import type { Json } from '../../engine/json.ts';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Http, HttpFailureReason, HttpRequest } from '../../ports/http.ts';

/** The platform’s answer; or why there is none, as a sentence for who signs in. */
type Asked = { readonly ok: true; readonly body: Json } | Refused;

/** Nobody signed in. */
interface Refused {
  readonly ok: false;
  readonly why: string;
}

/** How a platform is asked. */
export interface AskOptions {
  /** The platform, as people call it. */
  readonly name: string;
  readonly http: Http;
  /** The host of its API, where that is another one than usual: it need not be public. */
  readonly allowHosts: readonly string[];
  /** For each request. */
  readonly timeoutMs: number;
}

/** Asks a platform who somebody is. */
export interface Ask {
  /** Sends a form. */
  post(url: string, form: Readonly<Record<string, string>>): Promise<Asked>;
  /** Reads something with a token. */
  get(url: string, token: string): Promise<Asked>;
  /** What the bot itself knows of the platform; undefined = nobody can tell now. */
  known<T>(told: Promise<T>): Promise<T | undefined>;
  /** Sentences of this platform. */
  readonly refusals: Refusals;
}

/** Why nobody signed in. */
interface Refusals {
  readonly silent: Refused;
  readonly odd: Refused;
  readonly late: Refused;
  /** By the code that the platform gives. */
  coded(code: string, kinds: Readonly<Record<string, 'late' | 'setup'>>): Refused;
}

const maxBytes = 64 * 1_024;

/** Makes it. Redirects are not followed, and nothing is asked twice: a code counts once. */
export function createAsk({ name, http, allowHosts, timeoutMs }: AskOptions): Ask {
  const refusals = refusalsOf(name);

  async function send(request: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>): Promise<Asked> {
    const answer = await http.send(
      { ...request, timeoutMs, maxBytes, redirects: 0, allowHosts },
      new AbortController().signal,
    );
    if (answer.kind === 'failed') return isOdd[answer.reason] ? refusals.odd : refusals.silent;
    if (answer.status === 429 || answer.status >= 500) return refusals.silent;
    return { ok: true, body: answer.body };
  }

  return {
    refusals,
    post: (url, form) =>
      send({
        method: 'POST',
        url,
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      }),
    get: (url, token) =>
      send({
        method: 'GET',
        url,
        headers: { accept: 'application/json', authorization: `Bearer ${token}` },
      }),
    async known(told) {
      try {
        return await told;
      } catch (error) {
        if (error instanceof ChatUnavailable) return undefined;
        throw error;
      }
    },
  };
}

/** Whether there was an answer, which nobody can use. */
const isOdd: Readonly<Record<HttpFailureReason, boolean>> = {
  address: false,
  request: true,
  dns: false,
  connect: false,
  timeout: false,
  aborted: false,
  connection: false,
  'too-large': true,
  encoding: true,
  redirect: true,
};

/** What a platform may call its reason: nothing else of it is shown to people. */
const codePattern = /^[a-z0-9_]{1,80}$/;

function refusalsOf(name: string): Refusals {
  const odd = refused(`${name}’s answer to the sign-in is not as it should be.`);
  const late = refused(
    `${name} does not take this sign-in: it took too long, or was used already. Sign in again.`,
  );
  return {
    silent: refused(`${name} gives no answer at the moment: sign in again in a minute.`),
    odd,
    late,
    coded(code, kinds) {
      if (!codePattern.test(code)) return odd;
      switch (Object.hasOwn(kinds, code) ? kinds[code] : undefined) {
        case 'late':
          return late;
        case 'setup':
          return refused(
            `${name} does not accept the client id, the client secret or the redirect address of this Flowbot (${code}): tell whoever runs it.`,
          );
        case undefined:
          return refused(`${name} refused the sign-in (${code}).`);
      }
    },
  };
}

/** Nobody signed in. @param why a sentence for them */
export function refused(why: string): Refused {
  return { ok: false, why };
}

/** The base address of an API as a folder, so that other addresses can be told from it. */
export function folderOf(apiUrl: string): string {
  return `${apiUrl.replace(/\/+$/, '')}/`;
}

/** An address with a query. */
export function withQuery(url: URL, query: Readonly<Record<string, string>>): string {
  url.search = new URLSearchParams(query).toString();
  return url.href;
}
