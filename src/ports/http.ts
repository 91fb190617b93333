import type { Json } from '../engine/json.ts';

/** One HTTP request, complete and with its secrets in place. */
export interface HttpRequest {
  readonly method: string;
  /** `http:` or `https:`, already encoded, without user name and password. */
  readonly url: string;
  /**
   * Values hold Latin-1 characters and tabs; a line break, another control character or a character beyond Latin-1
   * is refused, never encoded or left out. `Host`, `Content-Length`, `Connection` and the like can't be set.
   * Default `user-agent`: `flowbot`.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8. */
  readonly body?: string;
  /** Whole request, redirects and body included, in milliseconds. */
  readonly timeoutMs: number;
  /** Most bytes of the answer's body, counted unpacked. */
  readonly maxBytes: number;
  /**
   * Most redirects followed; 0 = a redirect is the answer. 303 goes on with GET and no body, 307 and 308 repeat
   * method and body at the same origin, 301 and 302 are followed for GET and HEAD only. Another origin gets no body and
   * no header that may be secret.
   */
  readonly redirects: number;
  /** Hosts as the address names them (`name`, `name:port`, `[::1]:port`, IP) that need not be public. */
  readonly allowHosts: readonly string[];
}

/** What became of a request. */
export type HttpOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Lower-case names; repeated headers joined by `, `. */
      readonly headers: Readonly<Record<string, string>>;
      /** The body as text, decoded by its charset; `""` when there is none. */
      readonly text: string;
      /** The parsed body when it is JSON, else null. Integers that a number can't hold exactly are kept as text. */
      readonly body: Json;
      /** Why a body that says it is JSON could not be read as JSON (or is nested too deeply); never quotes it. */
      readonly bodyFault?: string;
      /** Each address that was asked, in order; more than one when redirects were followed. */
      readonly hops: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly reason: HttpFailureReason;
      /** A sentence for people, without any header or body value. */
      readonly message: string;
      /**
       * Whether the other side may have seen the request: then an unsafe one has an unknown outcome. True once
       * anything was written to a connection, at any hop.
       */
      readonly mayHaveArrived: boolean;
    };

/** Why a request failed. */
export type HttpFailureReason =
  | 'address' // the guard refused the address
  | 'request' // the request itself is not valid
  | 'dns'
  | 'connect' // refused, unreachable, TLS
  | 'timeout'
  | 'aborted'
  | 'connection' // lost after it was established
  | 'too-large'
  | 'encoding' // the body can't be unpacked or decoded
  | 'redirect';

/** The guarded HTTP client. */
export interface Http {
  /** Sends the request once; never throws, never repeats. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpOutcome>;
}
