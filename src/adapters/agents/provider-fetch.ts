import { Agent, request } from 'undici';
import { z } from 'zod';
import { isUnsent } from '../unsent.ts';

/** Most bytes of an answer that are read. */
const ANSWER_MAX_BYTES = 10_000_000;
/** Longest time for a connection to be made, in milliseconds. */
const CONNECT_MAX_MS = 10_000;

const methodSchema = z.enum(['GET', 'POST']);

/** Why a request has no answer, as the clients of providers pass it on as a `cause`. */
export class NoAnswer extends Error {
  /** `unsent`: the provider has got nothing; `lost`: the connection ended later; `too-large`: more than is read. */
  readonly why: 'unsent' | 'lost' | 'too-large';
  /** The code of the network, `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(why: NoAnswer['why'], code?: string) {
    super(why);
    this.why = why;
    this.code = code;
  }
}

/** What sends the requests of providers' clients. */
export interface ProviderFetch {
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Ends what is left open. */
  close(): Promise<void>;
}

/**
 * Makes it: no redirects, which could carry keys elsewhere; no time limits of its own, because models take long and requests
 * are ended by their signal; answers of at most 10 MB. Rejects with `NoAnswer`, or with what the signal was aborted with.
 */
export function createProviderFetch(): ProviderFetch {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, connectTimeout: CONNECT_MAX_MS });
  return {
    async fetch(url, { method = 'GET', headers, body, signal } = {}) {
      try {
        const answer = await request(url instanceof Request ? url.url : url, {
          method: methodSchema.parse(method),
          headers: Object.fromEntries(new Headers(headers)),
          ...(typeof body === 'string' && { body }),
          ...(signal && { signal }),
          dispatcher,
        });
        const text = await read(answer.body);
        const { statusCode: status } = answer;
        return new Response(hasNoBody(status) ? null : text, { status, headers: headersOf(answer.headers) });
      } catch (error) {
        if (signal?.aborted || error instanceof NoAnswer) throw error;
        const code = codeOf(error);
        throw new NoAnswer(isUnsent(code) || isOfTls(code) ? 'unsent' : 'lost', code);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > ANSWER_MAX_BYTES) throw new NoAnswer('too-large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) if (one !== undefined) all.append(name, one);
  }
  return all;
}

/** A certificate that is not trusted ends the connection before anything is sent. */
function isOfTls(code: string | undefined): boolean {
  return code !== undefined && /CERT|SELF_SIGNED|^ERR_TLS|^EPROTO$/.test(code);
}

function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}
