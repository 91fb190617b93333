import { DefaultRestOptions, DefaultUserAgent, DiscordAPIError, HTTPError } from 'discord.js';
import { Pool } from 'undici';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';

/** A request without the bot's token. */
export interface UnsignedCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the version: `/interactions/1/token/callback`. */
  readonly route: `/${string}`;
  readonly body?: unknown;
}

/** Discord wants this to be asked later; undefined = it does not say when. */
export class AskedToWait extends Error {
  override readonly name = 'AskedToWait';
  readonly afterMs: number | undefined;

  constructor(afterMs: number | undefined) {
    super('Discord asks to wait.');
    this.afterMs = afterMs;
  }
}

/**
 * Connections at most: answers to many people at once go over a few that are kept, rather than over one each. Where
 * Discord speaks HTTP/2, as it does, each of them carries many requests at a time.
 */
const connections = 64;

/**
 * Makes the way for answers to people. They may be many at once, and Discord’s limits for the bot do not count for them:
 * the library would hold them up by these, and spends more on each than all else that is done for it.
 *
 * @param options `count`: told the status of each answer, and whose limit a 429 is about
 * @returns makes a request once; resolves with the JSON of the answer, undefined = it has none. Rejects with the
 * library’s `DiscordAPIError` and `HTTPError`, with `AskedToWait`, or when there is no whole answer in time
 */
export function createUnsigned(options: {
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  /** Longest wait for a whole answer, in milliseconds. */
  readonly answerMs: number;
  readonly count: (status: number, scope: string | null) => void;
}): (call: UnsignedCall) => Promise<unknown> {
  const { clock, answerMs, count } = options;
  const { origin, pathname } = new URL(options.apiUrl ?? DefaultRestOptions.api);
  // Time is limited over everything.
  const pool = new Pool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });

  /** A whole answer, whatever it says. */
  function exchange({ method, route, body }: UnsignedCall): Promise<Said> {
    const { promise, resolve, reject } = Promise.withResolvers<Said>();
    let abort = () => {};
    let isLate = false;
    const cancel = clock.alarm(clock.now() + answerMs, () => {
      isLate = true;
      abort();
      reject(new Error('Discord gave no answer in time.'));
    });
    let status = 0;
    let headers: Said['headers'] = {};
    const chunks: Buffer[] = [];
    pool.dispatch(
      {
        method,
        path: `${pathname.replace(/\/$/, '')}/v${DefaultRestOptions.version}${route}`,
        headers: { 'user-agent': DefaultUserAgent, ...(body !== undefined && { 'content-type': json }) },
        body: body === undefined ? null : JSON.stringify(body),
      },
      {
        onRequestStart(controller) {
          abort = () => controller.abort(new Error('It took too long.'));
          if (isLate) abort();
        },
        onResponseStart(_, code, given) {
          status = code;
          headers = given;
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd() {
          cancel();
          resolve({ status, headers, text: chunks.length === 0 ? '' : Buffer.concat(chunks).toString() });
        },
        onResponseError(_, error) {
          cancel();
          reject(error);
        },
      },
    );
    return promise;
  }

  return async (call) => {
    const { status, headers, text } = await exchange(call);
    count(status, textOf(headers['x-ratelimit-scope']));
    if (status >= 200 && status < 300) return text === '' ? undefined : JSON.parse(text);
    const { method, route, body } = call;
    if (status === 429) throw new AskedToWait(waitOf(headers['retry-after']));
    const sent = { body, files: undefined };
    if (status < 400 || status >= 500) throw new HTTPError(status, '', method, route, sent);
    const { code, ...said } = refusalShape.parse(jsonIn(text, {}));
    throw new DiscordAPIError({ ...said, code: code ?? 0 }, code ?? '', status, method, route, sent);
  };
}

interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const json = 'application/json';
const refusalShape = z.looseObject({ code: z.number().optional(), message: z.string().default('') });

/** @param otherwise what stands for a page of the machines before Discord */
function jsonIn(text: string, otherwise: object): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}

/** Undefined = it is not said, or not in seconds. */
function waitOf(header: string | string[] | undefined): number | undefined {
  const seconds = Number(textOf(header) ?? Number.NaN);
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}
