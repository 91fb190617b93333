import { webApi } from '@slack/bolt';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createPatience, waitMs } from '../chat/patience.ts';
import { silentLogger } from './logger.ts';
import { missingScope, type Refusal, refusalOf, sentenceFor } from './refusals.ts';

/** What became of a call of the Web API. */
export type Called<T> =
  | { readonly kind: 'ok'; readonly data: T }
  /** Nothing was done; the same may be asked again after this time. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** It may or may not have been done. */
  | { readonly kind: 'unknown'; readonly message: string }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly refusal: Exclude<Refusal, 'wait' | 'unknown'>;
      readonly message: string;
    };

/** Calls Slack's Web API, each once: whether to try again is decided by who knows what a repeat would do. */
export interface Calls {
  /** Calls a method. The answer must have the shape; another one counts as `unknown`. */
  call<T>(method: string, args: Readonly<Record<string, unknown>>, shape: z.ZodType<T>): Promise<Called<T>>;
  /** The same for reading: waits out rate limits and broken connections, for a while. */
  read<T>(method: string, args: Readonly<Record<string, unknown>>, shape: z.ZodType<T>): Promise<Called<T>>;
  /**
   * The pages of a list, each read as by `read`; after one that is not `ok` there are no more. Pages may be short, or
   * empty, while there are more.
   *
   * @param most pages at most
   */
  pages<T extends Page>(
    method: string,
    args: Readonly<Record<string, unknown>>,
    shape: z.ZodType<T>,
    most: number,
  ): AsyncGenerator<Called<T>>;
  /** Waits so long, or until it is closed. */
  pause(forMs: number): Promise<void>;
  /** Ends all waiting: what waited is `later`. Calls can still be made. */
  close(): void;
  readonly isClosed: boolean;
  /** Why the installation does not work any more, as far as the last calls tell. */
  readonly dead: string | undefined;
  /** The installation was taken away. */
  end(why: string): void;
}

/** A page of a list. */
export interface Page {
  readonly response_metadata: { readonly next_cursor: string };
}

/** What every page of a list has. */
export const pageShape = {
  response_metadata: z.object({ next_cursor: z.string().default('') }).default({ next_cursor: '' }),
};

/** Slack's largest page of a list is 999; it advises at most 200. */
const pageSize = 200;
/** Longest wait for an answer, in milliseconds. */
const timeoutMs = 10_000;
/** Wait while an installation does not work: somebody has to mend it. */
const deadMs = 300_000;

/** Makes the caller for one installation. */
export function createCalls(options: {
  readonly token: string;
  /** Base address of the Web API; default Slack's own. */
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): Calls {
  const { clock, log } = options;
  const client = new webApi.WebClient(options.token, {
    ...(options.apiUrl !== undefined && { slackApiUrl: options.apiUrl }),
    // A repeat by the SDK could post twice, and it pauses calls that have nothing to do with a limit.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMs,
    fetch: fetchSayingHowLong,
    logger: silentLogger,
  });
  const patience = createPatience(clock);
  let dead: string | undefined;

  async function call<T>(
    method: string,
    args: Readonly<Record<string, unknown>>,
    shape: z.ZodType<T>,
  ): Promise<Called<T>> {
    try {
      const answer = shape.safeParse(await client.apiCall(method, { ...args }));
      dead = undefined;
      if (answer.success) return { kind: 'ok', data: answer.data };
      return { kind: 'unknown', message: `Slack’s answer to ${method} is not as it should be.` };
    } catch (error) {
      const failed = failedCall(error, method);
      if (failed.kind !== 'refused' || failed.refusal !== 'dead') return failed;
      end(failed.message);
      return { kind: 'later', afterMs: deadMs };
    }
  }

  async function read<T>(
    method: string,
    args: Readonly<Record<string, unknown>>,
    shape: z.ZodType<T>,
  ): Promise<Called<T>> {
    return patience.read(() => call(method, args, shape));
  }

  async function* pages<T extends Page>(
    method: string,
    args: Readonly<Record<string, unknown>>,
    shape: z.ZodType<T>,
    most: number,
  ): AsyncGenerator<Called<T>> {
    let cursor = '';
    for (let count = 0; count < most; count += 1) {
      const page = await read(method, { ...args, limit: pageSize, ...(cursor !== '' && { cursor }) }, shape);
      yield page;
      if (page.kind !== 'ok') return;
      cursor = page.data.response_metadata.next_cursor;
      if (cursor === '') return;
    }
  }

  function end(why: string): void {
    if (dead !== why) log.warn('Slack does not accept the bot.', { why });
    dead = why;
  }

  return {
    call,
    read,
    pages,
    pause: patience.pause,
    end,
    close: patience.close,
    get isClosed() {
      return patience.isClosed;
    },
    get dead() {
      return dead;
    },
  };
}

/** The SDK takes a rate limit that does not say for how long for an unknown failure, but nothing was done. */
async function fetchSayingHowLong(...request: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(...request);
  if (answer.status === 429 && !/^\d+$/.test(answer.headers.get('retry-after') ?? '')) {
    return new Response(null, { status: 429, headers: { 'retry-after': `${waitMs / 1_000}` } });
  }
  return answer;
}

function failedCall(error: unknown, method: string): Exclude<Called<never>, { kind: 'ok' }> {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    return { kind: 'later', afterMs: Math.max(1, error.retryAfter) * 1_000 };
  }
  if (error instanceof webApi.WebAPIPlatformError) return refused(error);
  // A lost connection, a time limit, a server error, an answer that was cut off.
  return { kind: 'unknown', message: `Slack gave no answer to ${method}.` };
}

const refusedData = z.object({
  error: z.string(),
  needed: z.string().optional(),
  response_metadata: z.object({ messages: z.array(z.string()).optional() }).optional(),
});

function refused(error: webApi.WebAPIPlatformError): Exclude<Called<never>, { kind: 'ok' }> {
  const read = refusedData.safeParse(error.data);
  // A page instead of JSON, of some proxy.
  if (!read.success || !/^[a-z0-9_]{1,80}$/.test(read.data.error)) {
    return { kind: 'unknown', message: 'Slack’s answer is not as it should be.' };
  }
  const { error: code, needed, response_metadata: metadata } = read.data;
  const details = metadata?.messages ?? [];
  const refusal = isLate(code, details) ? 'late' : refusalOf(code);
  switch (refusal) {
    case 'wait':
      return { kind: 'later', afterMs: waitMs };
    case 'unknown':
      return { kind: 'unknown', message: `Slack failed (${code}).` };
    default: {
      const message =
        code === 'missing_scope' ? missingScope(needed ?? 'that this needs') : sentenceFor(code, details);
      return { kind: 'refused', code, refusal, message };
    }
  }
}

/** Slack also tells in words that a form came too late. @see https://github.com/slackapi/bolt-js/issues/895 */
function isLate(code: string, details: readonly string[]): boolean {
  return code === 'invalid_arguments' && details.some((detail) => /trigger_id.*expired/.test(detail));
}
