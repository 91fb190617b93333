import type { HttpRequest } from '../../ports/http.ts';
import { Stop } from './failure.ts';
import { parseAddress } from './guard.ts';
import { checkHeaders, forOtherOrigin, type Headers, withoutBodyHeaders } from './headers.ts';

/** One question to one address: the request itself, or what a redirect made of it. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string;
}

/**
 * A request as its first hop.
 *
 * @throws Stop `request`
 */
export function firstHop(request: HttpRequest): Hop {
  const method = request.method.toUpperCase();
  if (!/^[A-Z][A-Z-]*$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw new Stop('request', `${JSON.stringify(request.method)} is not a method that can be sent.`);
  }
  const url = parseAddress(request.url);
  if (url === undefined) {
    throw new Stop('request', 'The address is not valid: write it as https://host/path.');
  }
  const headers = checkHeaders(request.headers);
  return { method, url, headers, ...(request.body !== undefined && { body: request.body }) };
}

/** Whether sending it twice does no harm. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a status sends the client elsewhere. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * Where a redirect leads: 303 asks with GET and without the body, 307 and 308 repeat the request as it is, 301 and
 * 302 are followed for GET and HEAD only. Another origin never sees a body, or a header that may be a secret.
 *
 * @throws Stop `redirect`
 */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop {
  const { host } = hop.url;
  if (location === undefined) {
    throw new Stop('redirect', `${host} redirected (status ${status}) without saying where to.`);
  }
  const url = parseAddress(location, hop.url);
  if (url === undefined) {
    throw new Stop('redirect', `${host} redirected (status ${status}) to something that is not an address.`);
  }
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new Stop('redirect', `${host} redirected from https to http, which is not followed.`);
  }
  const sameOrigin = url.origin === hop.url.origin;
  const headers = sameOrigin ? hop.headers : forOtherOrigin(hop.headers);
  if (status === 307 || status === 308 || isSafe(hop.method)) {
    if (hop.body !== undefined && !sameOrigin) {
      throw new Stop(
        'redirect',
        `${host} redirected (status ${status}) to another origin, which would get the body of the request, so it is not followed; ask the final address instead, or set redirects to 0 to take the redirect as the answer.`,
      );
    }
    return { ...hop, url, headers };
  }
  if (status === 303) return { method: 'GET', url, headers: withoutBodyHeaders(headers) };
  throw new Stop(
    'redirect',
    `${host} answered ${hop.method} with a redirect (status ${status}), which does not say whether to send it again; ask the final address instead, or set redirects to 0 to take the redirect as the answer.`,
  );
}
