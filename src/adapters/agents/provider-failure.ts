import type { AgentOutcome } from '../../engine/agents/outcome.ts';
import { NOBODY_ASKED } from '../../engine/agents/usage.ts';
import { visible } from '../../engine/agents/visible.ts';
import { isJsonObject } from '../../engine/json.ts';
import { beginningOf } from '../../engine/prose.ts';
import { NoAnswer } from './provider-fetch.ts';

type Failed = Extract<AgentOutcome, { kind: 'failed' }>;

/** Most characters of what a provider says that are quoted. */
const SAID_MAX_CHARS = 500;

/** An answer that says that something went wrong. */
export interface ProviderError {
  readonly status: number;
  readonly headers: Headers | undefined;
  /** Its content as data, where it is some. */
  readonly body: unknown;
}

/** Whom a request was meant for. */
export interface Asked {
  /** As the agent's file names it, for people: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** The name of the secret that is the key; undefined = it has none. */
  readonly keySecret: string | undefined;
}

/** What a request without a usable answer came to. @param nowMs epoch ms, for times at which it may be asked again */
export function failureOf(error: unknown, asked: Asked, isAborted: boolean, nowMs: number): AgentOutcome {
  if (isAborted) return { kind: 'timeout' };
  const missing = noAnswerIn(error);
  if (missing) return noAnswer(missing, asked);
  const answered = answerIn(error);
  if (answered) return { ...ofStatus(answered, asked, nowMs), usage: NOBODY_ASKED };
  return failed('reply-unreadable', `${hostOf(asked)} answered with something that is no answer of a model.`);
}

/** An agent that can't ask, because a secret is not set. */
export function secretMissing(names: readonly string[]): AgentOutcome {
  const list = names.join(', ');
  const fix = `set FLOWBOT_SECRET_${names[0] ?? ''}`;
  const message = `its file needs the secret ${list}, which is not set: ${fix}.`;
  return { ...failed('secret-missing', message, 'never'), usage: NOBODY_ASKED };
}

function noAnswer({ why, code }: NoAnswer, asked: Asked): AgentOutcome {
  const host = hostOf(asked);
  switch (why) {
    case 'unsent': {
      const message = `${host} can't be reached${code === undefined ? '' : ` (${code})`}: look at baseUrl in its file.`;
      return { ...failed('unreachable', message), unavailable: {}, usage: NOBODY_ASKED };
    }
    case 'lost':
      return { kind: 'unknown', message: `The connection to ${host} was lost before the answer came.` };
    case 'too-large':
      return failed('reply-too-large', `${host} answered with more than 10 MB.`);
  }
}

function ofStatus({ status, headers, body }: ProviderError, asked: Asked, nowMs: number): Failed {
  const host = hostOf(asked);
  const said = saidIn(body);
  const quoted = said === undefined ? '.' : `: ${said}`;
  const retryAfterMs = retryAfterIn(headers, nowMs);
  const unavailable = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 401 || status === 403) {
    const { keySecret } = asked;
    const fix =
      keySecret === undefined ? 'give one under apiKey in its file' : `mend FLOWBOT_SECRET_${keySecret}`;
    return failed('login-lost', `${host} does not accept its key (${status}): ${fix}.`, 'never');
  }
  if (status === 404) {
    const message = `${host} knows no model ${JSON.stringify(asked.model)} there (404): look at model and baseUrl in its file.`;
    return failed('model-missing', message, 'never');
  }
  if (status === 402 || (status === 429 && isOutOfMoney(body))) {
    return failed('quota-used-up', `the account at ${host} has nothing left to spend${quoted}`, 'never');
  }
  if (status === 429)
    return { ...failed('rate-limited', `${host} has been asked too often${quoted}`), unavailable };
  if (status === 408 || status >= 500) {
    return { ...failed('overloaded', `${host} can't answer now (${status})${quoted}`), unavailable };
  }
  if (status >= 300 && status < 400) {
    return failed(
      'redirected',
      `${host} sends on to another address (${status}), which is not followed: look at baseUrl in its file.`,
      'never',
    );
  }
  return failed('request-refused', `${host} does not take this request (${status})${quoted}`, 'never');
}

function failed(code: string, message: string, retry: Failed['retry'] = 'allowed'): Failed {
  return { kind: 'failed', code, message, retry };
}

/** Clients wrap what they do not know. */
function noAnswerIn(error: unknown): NoAnswer | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof NoAnswer) return at;
  }
  return undefined;
}

/** The errors of both clients have the same form. */
function answerIn(error: unknown): ProviderError | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  const headers = 'headers' in error && error.headers instanceof Headers ? error.headers : undefined;
  return { status: error.status, headers, body: 'error' in error ? error.error : undefined };
}

function saidIn(body: unknown): string | undefined {
  const inner = isJsonObject(body) && isJsonObject(body.error) ? body.error : body;
  const message = isJsonObject(inner) ? inner.message : inner;
  if (typeof message !== 'string' || message.trim() === '') return undefined;
  const line = visible(message.slice(0, 4 * SAID_MAX_CHARS))
    .replaceAll(/\s+/g, ' ')
    .trim();
  // Pages of proxies are no sentences.
  return line.startsWith('<') ? undefined : beginningOf(line, SAID_MAX_CHARS);
}

function isOutOfMoney(body: unknown): boolean {
  return /insufficient_quota|billing|credit/i.test(JSON.stringify(body ?? null));
}

/** `Retry-After` in seconds or as a date, and what both providers say in milliseconds. */
function retryAfterIn(headers: Headers | undefined, nowMs: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const written = headers?.get('retry-after')?.trim();
  if (!written) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(written)) return Number(written) * 1000;
  const date = Date.parse(written);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function hostOf({ baseUrl }: Asked): string {
  return new URL(baseUrl).host;
}
