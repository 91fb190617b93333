import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  type RawFile,
  REST,
  RESTEvents,
  RequestMethod,
} from 'discord.js';
import { z } from 'zod';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type Refusal, refusalOf, sentenceFor } from './refusals.ts';

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

/** One request. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the version: `/channels/1/messages`. */
  readonly route: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly files?: readonly RawFile[];
  /** Answers to what people do are sent without the bot's token; default true. */
  readonly auth?: boolean;
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
  /** Why nothing can be sent, as far as the last calls tell. */
  readonly down: string | undefined;
}

/** Longest wait for an answer, in milliseconds. */
const timeoutMs = 10_000;
/** Least wait that is told: a limit may come without its length. */
const leastWaitMs = 1_000;
/** Wait where Discord does not say for how long. */
const waitMs = 30_000;
/** Wait when Discord takes nothing from this address, and while the token is not accepted: somebody has to mend it. */
const blockedMs = 300_000;
/** Waits of a reading call, in milliseconds; after the last it is given up. */
const readWaitsMs = [500, 2_000, 5_000];
/** Longest rate limit that a reading call waits out. */
const readPatienceMs = 60_000;
/** After so many refusals in ten minutes nothing is sent until they are over: after 10,000 Discord blocks the address. */
const invalidMax = 8_000;
const invalidWarnings = 1_000;

/** Makes the caller for one bot. @param onDead the token is not accepted any more */
export function createCalls(options: {
  readonly token: string;
  /** Base address of the API without its version; default Discord's own. */
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly onDead: (why: string) => void;
}): Calls {
  const { clock, log, onDead } = options;
  const rest = new REST({
    version: '10',
    ...(options.apiUrl !== undefined && { api: options.apiUrl }),
    timeout: timeoutMs,
    // A repeat by the library could post twice, and it waits out limits without end.
    retries: 0,
    rejectOnRateLimit: () => true,
    invalidRequestWarningInterval: invalidWarnings,
  }).setToken(options.token);
  const closed = Promise.withResolvers<void>();
  let isClosed = false;
  let down: string | undefined;
  let blockedUntilMs = 0;

  rest.on(RESTEvents.InvalidRequestWarning, ({ count, remainingTime }) => {
    log.warn('Discord refuses many requests.', { count, remainingMs: remainingTime });
    if (count >= invalidMax) blockedUntilMs = clock.now() + remainingTime;
  });

  async function call<T>(wanted: Call, shape: z.ZodType<T>): Promise<Called<T>> {
    const restMs = blockedUntilMs - clock.now();
    if (restMs > 0) return { kind: 'later', afterMs: restMs };
    try {
      const answer = shape.safeParse(await request(wanted));
      down = undefined;
      if (answer.success) return { kind: 'ok', data: answer.data };
      return { kind: 'unknown', message: 'Discord’s answer is not as it should be.' };
    } catch (error) {
      return failed(error, wanted);
    }
  }

  function request({ method, route, query, body, files, auth }: Call): Promise<unknown> {
    return rest.request({
      method: methods[method],
      fullRoute: route,
      ...(query && { query: new URLSearchParams(query) }),
      ...(body !== undefined && { body }),
      ...(files && { files: [...files] }),
      ...(auth !== undefined && { auth }),
    });
  }

  function failed(error: unknown, { auth = true }: Call): Exclude<Called<never>, { kind: 'ok' }> {
    if (error instanceof RateLimitError) {
      return { kind: 'later', afterMs: Math.max(leastWaitMs, Math.ceil(error.retryAfter)) };
    }
    if (isTokenGone(error, auth)) {
      down =
        'Discord does not accept DISCORD_TOKEN any more: reset it in the Developer Portal (Bot) and set the new one.';
      onDead(down);
      return { kind: 'later', afterMs: blockedMs };
    }
    // A page instead of JSON: the address is blocked.
    if (error instanceof DiscordAPIError && typeof error.code !== 'number') {
      down = sentenceFor(40333, '');
      return { kind: 'later', afterMs: blockedMs };
    }
    if (error instanceof DiscordAPIError) return refused(Number(error.code), error.message);
    if (error instanceof HTTPError) return { kind: 'unknown', message: `Discord failed (${error.status}).` };
    // A lost connection, a time limit, an answer that was cut off.
    return { kind: 'unknown', message: 'Discord gave no answer.' };
  }

  async function read<T>(wanted: Call, shape: z.ZodType<T>): Promise<Called<T>> {
    for (const pauseMs of readWaitsMs) {
      const called = await call(wanted, shape);
      switch (called.kind) {
        case 'ok':
        case 'refused':
          return called;
        case 'later':
          if (called.afterMs > readPatienceMs) return called;
          await pause(called.afterMs);
          break;
        case 'unknown':
          await pause(pauseMs);
      }
      if (isClosed) return { kind: 'later', afterMs: waitMs };
    }
    return call(wanted, shape);
  }

  async function pause(forMs: number): Promise<void> {
    const { promise: due, resolve } = Promise.withResolvers<void>();
    const cancel = clock.alarm(clock.now() + forMs, resolve);
    await Promise.race([due, closed.promise]);
    cancel();
  }

  return {
    call,
    read,
    pause,
    close() {
      isClosed = true;
      closed.resolve();
    },
    get isClosed() {
      return isClosed;
    },
    get down() {
      return down;
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

const methods = {
  GET: RequestMethod.Get,
  POST: RequestMethod.Post,
  PATCH: RequestMethod.Patch,
  PUT: RequestMethod.Put,
  DELETE: RequestMethod.Delete,
} as const;

/** After one 401 the library has no token any more, and says so for every further call. */
function isTokenGone(error: unknown, auth: boolean): boolean {
  if (error instanceof DiscordAPIError) return auth && error.status === 401;
  return error instanceof Error && /^Expected token to be set/.test(error.message);
}

function refused(
  code: number,
  details: string,
): Refused | { readonly kind: 'later'; readonly afterMs: number } {
  const refusal = refusalOf(code);
  if (refusal === 'wait') return { kind: 'later', afterMs: code === 40333 ? blockedMs : waitMs };
  return { kind: 'refused', code, refusal, message: sentenceFor(code, details) };
}
