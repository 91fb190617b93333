import {
  DefaultRestOptions,
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  type RawFile,
  REST,
  RequestMethod,
} from 'discord.js';
import { z } from 'zod';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createPatience, waitMs } from '../chat/patience.ts';
import { createInvalidRequests } from './invalid-requests.ts';
import { type Refusal, refusalOf, sentenceFor } from './refusals.ts';
import { AskedToWait, createUnsigned, type UnsignedCall } from './unsigned.ts';

/** What became of a call of the API. */
export type Called<T> =
  | { readonly kind: 'ok'; readonly data: T }
  /** Nothing was done; the same may be asked again after this time. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** It may or may not have been done. */
  | { readonly kind: 'unknown'; readonly message: string }
  | Refused;

/** Discord said no. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: number;
  readonly refusal: Exclude<Refusal, 'wait'>;
  readonly message: string;
}

/** One request: with the bot's token, unless it is an answer to what people do. */
export type Call =
  | SignedCall
  | (UnsignedCall & { readonly files?: readonly RawFile[]; readonly auth: false });

interface SignedCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the version: `/channels/1/messages`. */
  readonly route: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly files?: readonly RawFile[];
  readonly auth?: true;
}

/** Calls Discord's API, each once: whether to try again is decided by who knows what a repeat would do. */
export interface Calls {
  /** Makes a call. The answer must have the shape; another one counts as `unknown`. */
  call<T>(call: Call, shape: z.ZodType<T>): Promise<Called<T>>;
  /** The same for what is harmless to repeat: waits out rate limits and broken connections, for a while. */
  read<T>(call: Call, shape: z.ZodType<T>): Promise<Called<T>>;
  /** Waits so long, or until it is closed. */
  pause(forMs: number): Promise<void>;
  /** Ends all waiting: what waited is `later`. Calls can still be made. */
  close(): void;
  readonly isClosed: boolean;
  /** Why nothing can be sent now; undefined = it can. */
  readonly down: string | undefined;
  /** The same, if only a person can mend it. */
  readonly dead: string | undefined;
}

/** Longest wait for a whole answer, and where files are sent, in milliseconds. */
const answerMs = { words: 10_000, files: 60_000 };
/** Least and longest wait that is told: what Discord asks for may be nothing, or years. */
const waitsMs = { least: 1_000, longest: 3_600_000 };
/** Wait when Discord takes nothing from this address, and while the token is not accepted: somebody has to mend it. */
const blockedMs = 300_000;

/** Makes the caller for one bot. @param onDead the token is not accepted any more; told once */
export function createCalls(options: {
  readonly token: string;
  /** Base address of the API without its version; default Discord's own. */
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly onDead: (why: string) => void;
}): Calls {
  const { clock, onDead } = options;
  const invalid = createInvalidRequests(options);
  const rest = new REST({
    version: '10',
    ...(options.apiUrl !== undefined && { api: options.apiUrl }),
    timeout: answerMs.files,
    // A repeat by the library could post twice, and it waits out limits without end.
    retries: 0,
    rejectOnRateLimit: () => true,
    makeRequest: fetchWhole,
  }).setToken(options.token);
  const unsigned = createUnsigned({ ...options, answerMs: answerMs.words, count: invalid.count });
  const patience = createPatience(clock);
  let dead: string | undefined;
  let blockedUntilMs = 0;

  /** The library stops its watch when an answer begins; here it ends in time, or fails. */
  async function fetchWhole(...[url, init]: Sent): Promise<Response> {
    const limit = new AbortController();
    const forMs = init.body instanceof FormData ? answerMs.files : answerMs.words;
    const cancel = clock.alarm(clock.now() + forMs, () => limit.abort());
    try {
      const signal = init.signal ? AbortSignal.any([init.signal, limit.signal]) : limit.signal;
      const answer = await DefaultRestOptions.makeRequest(url, { ...(await written(init)), signal });
      const body = await answer.arrayBuffer();
      const { status, headers } = answer;
      invalid.count(status, headers.get('x-ratelimit-scope'));
      if (status >= 300 && status < 400) throw new Error('Discord sends nobody elsewhere.');
      return new Response(body.byteLength === 0 ? null : body, { status, headers: [...headers] });
    } finally {
      cancel();
    }
  }

  async function call<T>(wanted: Call, shape: z.ZodType<T>): Promise<Called<T>> {
    if (!routePattern.test(wanted.route)) return refusedRoute;
    if (dead !== undefined && wanted.auth !== false) return { kind: 'later', afterMs: blockedMs };
    const restMs = Math.max(invalid.restMs, blockedUntilMs - clock.now());
    if (restMs > 0) return { kind: 'later', afterMs: restMs };
    try {
      // Answers with files are few: the library knows how to send these.
      const isUnsigned = wanted.auth === false && wanted.files === undefined;
      const given = await (isUnsigned ? unsigned(wanted) : request(wanted));
      const isPage = given instanceof ArrayBuffer && given.byteLength > 0;
      const answer = shape.safeParse(given);
      if (answer.success && !isPage) return { kind: 'ok', data: answer.data };
      return { kind: 'unknown', message: 'Discord’s answer is not as it should be.' };
    } catch (error) {
      return failed(error, wanted);
    }
  }

  function request(wanted: Omit<SignedCall, 'auth'> & { readonly auth?: boolean }): Promise<unknown> {
    const { method, route, query, body, files, auth = true } = wanted;
    return rest.request({
      method: methods[method],
      fullRoute: route,
      ...(query && { query: new URLSearchParams(query) }),
      ...(body !== undefined && { body }),
      ...(files && { files: [...files] }),
      auth,
    });
  }

  function failed(error: unknown, { auth = true }: Call): Exclude<Called<never>, { kind: 'ok' }> {
    if (error instanceof RateLimitError) return { kind: 'later', afterMs: waitOf(error.retryAfter) };
    if (error instanceof AskedToWait) return { kind: 'later', afterMs: waitOf(error.afterMs) };
    if (isTokenGone(error, auth)) {
      if (dead === undefined) {
        dead = tokenGone;
        onDead(dead);
      }
      return { kind: 'later', afterMs: blockedMs };
    }
    if (error instanceof DiscordAPIError) {
      // In place of an answer there may be a page of the machines before Discord.
      const code = typeof error.code === 'number' ? error.code : pageCodes[error.status];
      if (code === undefined) return { kind: 'later', afterMs: blockedMs };
      if (code === blockedCode) blockedUntilMs = clock.now() + blockedMs;
      return refused(code, typeof error.code === 'number' ? error.message : '');
    }
    if (error instanceof HTTPError) return { kind: 'unknown', message: `Discord failed (${error.status}).` };
    // A lost connection, a time limit, an answer that was cut off.
    return { kind: 'unknown', message: 'Discord gave no answer.' };
  }

  async function read<T>(wanted: Call, shape: z.ZodType<T>): Promise<Called<T>> {
    return patience.read(() => call(wanted, shape));
  }

  return {
    call,
    read,
    pause: patience.pause,
    close: patience.close,
    get isClosed() {
      return patience.isClosed;
    },
    get dead() {
      return dead;
    },
    get down() {
      if (dead !== undefined) return dead;
      if (invalid.restMs > 0) return tooManyInvalid;
      return blockedUntilMs > clock.now() ? sentenceFor(blockedCode, '') : undefined;
    },
  };
}

/** What was asked for; undefined = Discord says, in one of these ways, that there is none. Throws `ChatUnavailable` when it could not tell. */
export function orAbsent<T>(called: Called<T>, absent: readonly Refused['refusal'][]): T | undefined {
  if (called.kind === 'ok') return called.data;
  if (called.kind === 'refused' && absent.includes(called.refusal)) return undefined;
  throw new ChatUnavailable(called.kind === 'later' ? 'Discord asks to wait.' : called.message);
}

/** Any answer, also none. */
export const anything: z.ZodType<unknown> = z.unknown();

/** Ids and words, with nothing in them that leads elsewhere: ids may come from who knows where. */
const routePattern = /^(?:\/(?!\.\.?(?:\/|$))(?:[\w.~@-]|%(?!2[ef])[\da-f]{2})+)+$/i;
const refusedRoute: Refused = {
  kind: 'refused',
  code: 0,
  refusal: 'nowhere',
  message: 'Discord has nothing under this id.',
};

/** Takes nothing from this address. */
const blockedCode = 40333;
/** What a page in place of an answer means, by its status: from there comes what Discord’s own code would be. */
const pageCodes: Readonly<Record<number, number>> = { 403: blockedCode, 413: 40005 };
const tokenGone =
  'Discord does not accept DISCORD_TOKEN: reset it in the Developer Portal (Bot) and set the new one.';
const tooManyInvalid =
  'Discord has refused too many requests of this bot; nothing is sent for some minutes, or it would block this machine.';

type Sent = Parameters<typeof DefaultRestOptions.makeRequest>;

const methods = {
  GET: RequestMethod.Get,
  POST: RequestMethod.Post,
  PATCH: RequestMethod.Patch,
  PUT: RequestMethod.Put,
  DELETE: RequestMethod.Delete,
} as const;

/**
 * Files as bytes: undici takes forms only from the copy of itself that sends them, and which one that is depends on what
 * else the process has loaded.
 */
async function written(init: Sent[1]): Promise<Sent[1]> {
  if (!(init.body instanceof FormData)) return init;
  const form = new Response(init.body);
  const headers = new Headers(Object.entries(init.headers ?? {}));
  headers.set('content-type', form.headers.get('content-type') ?? '');
  return { ...init, headers: Object.fromEntries(headers), body: new Uint8Array(await form.arrayBuffer()) };
}

/** After one 401 the library has no token any more, and says so for every further call. */
function isTokenGone(error: unknown, auth: boolean): boolean {
  if (error instanceof DiscordAPIError) return auth && error.status === 401;
  return error instanceof Error && /^Expected token to be set/.test(error.message);
}

/** A limit may come without its length. */
function waitOf(askedMs: number | undefined): number {
  if (askedMs === undefined || !(askedMs > 0)) return waitMs;
  return Math.min(waitsMs.longest, Math.max(waitsMs.least, Math.ceil(askedMs)));
}

function refused(
  code: number,
  details: string,
): Refused | { readonly kind: 'later'; readonly afterMs: number } {
  const refusal = refusalOf(code);
  if (refusal === 'wait') return { kind: 'later', afterMs: code === blockedCode ? blockedMs : waitMs };
  return { kind: 'refused', code, refusal, message: sentenceFor(code, details) };
}
