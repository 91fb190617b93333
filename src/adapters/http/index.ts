import { lookup } from 'node:dns/promises';
import type { Http, HttpOutcome, HttpRequest } from '../../ports/http.ts';
import { NO_BODY, readBody } from './body.ts';
import { type Connections, createConnections } from './connections.ts';
import { type Answer, exchange } from './exchange.ts';
import { explain, Stop } from './failure.ts';
import { guard, type Resolve } from './guard.ts';
import { firstHop, type Hop, isRedirect, isSafe, nextHop } from './hop.ts';
import { type Limit, startLimit } from './limit.ts';

/** What the client needs from outside. */
export interface HttpOptions {
  /** Finds the addresses of a host name; default: as the system does. Asked once for each address requested. */
  readonly resolve?: Resolve;
}

/**
 * Creates the guarded HTTP client: public addresses only unless allowed, one limit over time and size, nothing sent
 * twice. `close` cancels what is in progress and ends all connections; it may be called twice.
 */
export function createHttp(options: HttpOptions = {}): Http & { close(): Promise<void> } {
  const resolve = options.resolve ?? systemResolve;
  const connections = createConnections();
  const closing = new AbortController();

  return {
    async send(request, signal) {
      const host = URL.parse(request.url)?.host ?? 'the address';
      const limit = startLimit(host, request.timeoutMs, [signal, closing.signal]);
      const journey: Journey = { request, resolve, connections, limit, hops: [], sent: false };
      try {
        return await travel(journey);
      } catch (error) {
        const { reason, message } = explain(limit.signal.reason ?? error, host, journey.sent);
        return { kind: 'failed', reason, message, mayHaveArrived: journey.sent };
      } finally {
        limit.end();
      }
    },
    async close() {
      closing.abort();
      await connections.close();
    },
  };
}

/** A request on its way. */
interface Journey {
  readonly request: HttpRequest;
  readonly resolve: Resolve;
  readonly connections: Connections;
  readonly limit: Limit;
  /** Addresses asked so far. */
  readonly hops: string[];
  /** Whether anything was written to any of them. */
  sent: boolean;
}

async function travel(journey: Journey): Promise<HttpOutcome> {
  const { request, resolve, connections, limit, hops } = journey;
  let hop = firstHop(request);
  const asked = new Set<string>();
  for (;;) {
    limit.signal.throwIfAborted();
    asked.add(`${hop.method} ${hop.url.href}`);
    const addresses = await limit.until(guard(hop.url, request.allowHosts, resolve));
    hops.push(hop.url.href);
    const connection = connections.open(hop.url.origin, addresses, isSafe(hop.method));
    let answer: Answer | undefined;
    try {
      answer = await exchange(connection.dispatcher, hop, limit.signal, () => {
        journey.sent = true;
      });
      if (request.redirects === 0 || !isRedirect(answer.status)) return await outcome(answer, hop, journey);
      hop = follow(hop, answer, asked, journey);
    } finally {
      answer?.discard();
      connection.release();
    }
  }
}

function follow(hop: Hop, answer: Answer, asked: ReadonlySet<string>, { request, hops }: Journey): Hop {
  const next = nextHop(hop, answer.status, answer.headers.location);
  if (asked.has(`${next.method} ${next.url.href}`)) {
    throw new Stop('redirect', `${hop.url.host} redirects in a circle.`);
  }
  if (hops.length > request.redirects) {
    throw new Stop(
      'redirect',
      `${hop.url.host} redirected once more than allowed (redirects: ${request.redirects}).`,
    );
  }
  return next;
}

async function outcome(answer: Answer, hop: Hop, { request, limit, hops }: Journey): Promise<HttpOutcome> {
  const empty = hop.method === 'HEAD' || [204, 205, 304].includes(answer.status);
  const options = { host: hop.url.host, maxBytes: request.maxBytes, signal: limit.signal };
  const body = empty ? NO_BODY : await readBody(answer, options);
  return { kind: 'answered', status: answer.status, headers: answer.headers, ...body, hops };
}

async function systemResolve(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}
