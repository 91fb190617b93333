import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sent with every answer. Pages may load only their own files; nobody else may frame, embed or sniff them. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    // The chat beside a run.
    "frame-src 'self'",
    "frame-ancestors 'self'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** A host as it stands in a URL: IPv6 addresses in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/**
 * Why a request must not be served, as a sentence; undefined = it may.
 *
 * - The Host header must name this server: a page on another site whose name was pointed at this machine (DNS
 *   rebinding) still sends its own name.
 * - The request must come from this machine, whatever address the server listens on.
 * - Pages of other sites, also of other ports here, may link to ours and do nothing else: what they load would cost
 *   us work even though they can't read it.
 * - What can change something must come from our own page (Origin), or from a program that sets `x-flowbot: 1`:
 *   a page of another site can't set that header without asking first, and is never allowed to.
 */
export function objection(
  request: {
    readonly method: string;
    readonly headers: IncomingHttpHeaders;
    /** The address of who connected. */
    readonly ip: string | undefined;
  },
  listening: Pick<AddressInfo, 'port'> & { readonly host: string },
): string | undefined {
  if (!isLocal(request.ip)) return 'This server answers only this machine.';
  const host = request.headers.host?.toLowerCase();
  const allowed = allowedHosts(listening.host, listening.port);
  if (host === undefined || !allowed.includes(host)) {
    return `This server answers only as ${allowed[0]}: open it under that address.`;
  }
  if (isForeign(request.headers)) return 'Requests from pages of other sites are not accepted.';
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const origin = request.headers.origin?.toLowerCase();
  if (origin === undefined) {
    if (request.headers['x-flowbot'] === '1') return undefined;
    return 'A request that is not sent by a page needs the header "x-flowbot: 1".';
  }
  if (origin === `http://${host}`) return undefined;
  return 'Requests from pages of other sites are not accepted.';
}

/** Whether somebody connects from this machine: 127.0.0.0/8 or ::1, also when an IPv6 socket tells of an IPv4 address. */
export function isLocal(ip: string | undefined): boolean {
  return ip !== undefined && /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(ip);
}

/** Whether a browser says that a page of another site asks, other than by opening our page in a tab. */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== 'cross-site' && site !== 'same-site') return false;
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

/** As what a server that listens there may be asked, the first one as which it shows itself. */
export function allowedHosts(host: string, port: number): readonly string[] {
  const names = [...new Set([urlHost(host).toLowerCase(), 'localhost', '127.0.0.1', '[::1]'])];
  const withPort = names.map((name) => `${name}:${port}`);
  return port === 80 ? [...withPort, ...names] : withPort;
}
