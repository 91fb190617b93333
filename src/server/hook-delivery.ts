import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookTrigger } from '../engine/flow/plan.ts';
import { isJsonObject, type Json } from '../engine/json.ts';
import { sha256Of } from './signatures.ts';

/** A request that has proved who sent it, as far as its repeats can be told by it. */
export interface Delivered {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: Json;
  readonly nowMs: number;
}

/** Alertmanager tries again within seconds, and tells of the same alerts again after hours. */
const alertBucketMs = 5 * 60_000;

const plainId = /^[\x21-\x7e]{1,200}$/;

/**
 * The id of a delivery, shared by its repeats, and those that an earlier try of it may have had. None: its repeats can't
 * be told from new ones.
 *
 * @see https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks#use-the-x-github-delivery-header
 * @see https://docs.gitlab.com/user/project/integrations/webhooks/#delivery-headers
 * @see https://docs.stripe.com/webhooks#handle-duplicate-events
 */
export function deliveryIds(verify: WebhookTrigger['verify'], delivered: Delivered): readonly string[] {
  const { headers, bytes, body, nowMs } = delivered;
  switch (verify) {
    case 'path':
      return written(headers['idempotency-key']);
    case 'hmac':
      return written(sha256Of(headers['x-flowbot-signature']));
    case 'github':
      return written(headers['x-github-delivery']);
    case 'gitlab':
      // The event's id is also that of events which it set off; older versions have only that.
      return written(headers['idempotency-key'] ?? headers['x-gitlab-event-uuid']);
    case 'stripe': {
      const id = isJsonObject(body) && Object.hasOwn(body, 'id') ? body.id : undefined;
      return typeof id === 'string' && id !== '' ? written(id) : [hashOf(bytes)];
    }
    case 'alertmanager': {
      const bucket = Math.floor(nowMs / alertBucketMs);
      const hash = hashOf(bytes);
      return [`${hash}:${bucket}`, `${hash}:${bucket - 1}`];
    }
  }
}

/** What is long, or more than plain letters, is known by its hash. */
function written(id: string | readonly string[] | undefined): readonly string[] {
  if (typeof id !== 'string' || id === '') return [];
  return [plainId.test(id) ? id : hashOf(Buffer.from(id))];
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
