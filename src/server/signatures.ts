import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookTrigger } from '../engine/flow/plan.ts';

/** A request, as far as it can prove who sent it. */
export interface Proof {
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came. */
  readonly body: Buffer;
  /** What stands behind the flow in the address; absent = nothing. */
  readonly pathSecret?: string;
}

/** How far the time of a signed request may be from ours, before or after, in milliseconds. */
const windowMs = 5 * 60_000;

/** Most signatures of one header that are looked at. */
const signaturesMax = 10;

/**
 * Whether a request proves that its sender knows the secret. Takes as long for a wrong secret as for a nearly right one.
 * @param nowMs epoch ms
 */
export function proves(
  verify: WebhookTrigger['verify'],
  request: Proof,
  secret: string,
  nowMs: number,
): boolean {
  switch (verify) {
    case 'path':
      return request.pathSecret !== undefined && isSame(Buffer.from(request.pathSecret), secret);
    case 'hmac':
      return isFlowbotSigned(request, secret, nowMs);
    case 'github':
      return isGithubSigned(request, secret);
    case 'gitlab':
      return isHeader(request.headers['x-gitlab-token'], secret);
    case 'stripe':
      return isStripeSigned(request, secret, nowMs);
    case 'alertmanager':
      return hasCredentials(request.headers.authorization, secret);
  }
}

/** Our own way: `x-flowbot-signature: sha256=<hex>` over `<x-flowbot-timestamp>.<body>`. See `docs/webhooks.md`. */
function isFlowbotSigned({ headers, body }: Proof, secret: string, nowMs: number): boolean {
  const timestamp = headers['x-flowbot-timestamp'];
  const signature = sha256Of(headers['x-flowbot-signature']);
  if (typeof timestamp !== 'string' || signature === undefined || !isNow(timestamp, nowMs)) return false;
  return isSigned(signature, secret, [`${timestamp}.`, body]);
}

/** @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
function isGithubSigned({ headers, body }: Proof, secret: string): boolean {
  const signature = sha256Of(headers['x-hub-signature-256']);
  return signature !== undefined && isSigned(signature, secret, [body]);
}

/**
 * `t=<seconds>,v1=<hex>,v1=<hex>,v0=…`: one for each secret that is valid while it is exchanged; only v1 counts.
 * @see https://docs.stripe.com/webhooks#verify-manually
 */
function isStripeSigned({ headers, body }: Proof, secret: string, nowMs: number): boolean {
  const written = headers['stripe-signature'];
  if (typeof written !== 'string') return false;
  const parts = written.split(',').map((part) => part.trim());
  const valuesOf = (key: string) =>
    parts.flatMap((part) => (part.startsWith(`${key}=`) ? [part.slice(key.length + 1)] : []));
  const [timestamp, ...others] = valuesOf('t');
  if (timestamp === undefined || others.length > 0 || !isNow(timestamp, nowMs)) return false;
  return valuesOf('v1')
    .slice(0, signaturesMax)
    .some((signature) => isSigned(signature, secret, [`${timestamp}.`, body]));
}

/**
 * `Bearer <secret>`, or `Basic` with the secret as the password, whoever the user is.
 * @see https://prometheus.io/docs/alerting/latest/configuration/#http_config
 */
function hasCredentials(authorization: string | undefined, secret: string): boolean {
  const [, scheme = '', credentials = ''] = /^(\S+) +(\S.*)$/.exec(authorization ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return isHeader(credentials.trim(), secret);
    case 'basic': {
      const pair = Buffer.from(credentials, 'base64');
      const colon = pair.indexOf(':');
      return colon >= 0 && isSame(pair.subarray(colon + 1), secret);
    }
    default:
      return false;
  }
}

/** The hex digits of `sha256=<hex>`, in lower case. */
export function sha256Of(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  return /^sha256=([0-9a-f]{64})$/i.exec(header.trim())?.[1]?.toLowerCase();
}

function isNow(seconds: string, nowMs: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(nowMs - Number(seconds) * 1_000) <= windowMs;
}

/** @param signature in hex */
function isSigned(signature: string, secret: string, content: readonly (string | Buffer)[]): boolean {
  const hmac = createHmac('sha256', secret);
  for (const part of content) hmac.update(part);
  const expected = hmac.digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Node reads the bytes of headers as Latin-1. */
function isHeader(header: string | string[] | undefined, secret: string): boolean {
  return typeof header === 'string' && isSame(Buffer.from(header, 'latin1'), secret);
}

/** Compares digests: they have one length, whatever the secret's is. */
function isSame(given: Buffer, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(Buffer.from(secret)));
}

function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
