import type { Json } from '../../src/engine/json.ts';
import type { Http, HttpOutcome, HttpRequest } from '../../src/ports/http.ts';

/** The other side of all HTTP requests, in memory. */
export interface FakeHttp extends Http {
  /** Requests that arrived, in order. */
  readonly arrived: readonly HttpRequest[];
}

/** What the other side makes of a request. */
export type Answering = (request: HttpRequest, arrivedBefore: number) => HttpOutcome | Promise<HttpOutcome>;

/**
 * Makes the other side.
 * @param answering `arrivedBefore` counts the requests with this method and address before; default: 200 with the
 * request's method and path as JSON.
 */
export function createFakeHttp(answering: Answering = echo): FakeHttp {
  const arrived: HttpRequest[] = [];
  return {
    arrived,
    async send(request, signal) {
      if (signal.aborted) {
        return { kind: 'failed', reason: 'aborted', message: 'It was called off.', mayHaveArrived: false };
      }
      const before = arrived.filter(
        ({ method, url }) => method === request.method && url === request.url,
      ).length;
      arrived.push(request);
      return answering(request, before);
    },
  };
}

/** An answer with a JSON body. */
export function answered(status: number, body: Json): HttpOutcome {
  const headers = { 'content-type': 'application/json' };
  return { kind: 'answered', status, headers, text: JSON.stringify(body), body, hops: [] };
}

function echo({ method, url }: HttpRequest): HttpOutcome {
  return answered(200, { method, path: new URL(url).pathname });
}
