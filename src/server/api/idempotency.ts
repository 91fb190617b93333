import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Visitor } from '../../commands/visitor.ts';
import type { Json } from '../../engine/json.ts';
import { personAddress } from '../../engine/people.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { failed, type Result } from '../problem.ts';

/** How long a key is remembered with its answer, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** What was answered. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
}

const json: z.ZodType<Json> = z.json();
const keptSchema = z.strictObject({
  /** Of the request that the key came with first. */
  fingerprint: z.string(),
  /** Absent = it was begun, and perhaps not ended. */
  reply: z.strictObject({ status: z.number(), body: json }).optional(),
});

/** A request that says by a key of its own that it is a repeat (draft-ietf-httpapi-idempotency-key-header). */
export interface Keyed {
  readonly key: string;
  readonly visitor: Visitor;
  /** Method and path. */
  readonly what: string;
  readonly body: unknown;
}

/** Remembers answers by the keys of their requests, over restarts. */
export interface Idempotency {
  /** What all repeats of a request share, and no other request has. */
  eventOf(keyed: Pick<Keyed, 'key' | 'visitor'>): string;
  /**
   * Does the work of a request once, and answers its repeats the same, refusals too. What was only impossible at the moment
   * (status 429 and from 500 on) is tried again.
   * @returns the answer, and whether it was given before; a problem when the key came with another request
   */
  once(
    keyed: Keyed,
    work: () => Promise<Reply>,
  ): Promise<Result<{ readonly reply: Reply; readonly isRepeat: boolean }>>;
}

/** Why something can't be a key; undefined = it can. */
export function keyFault(key: string): string | undefined {
  return KEY.test(key)
    ? undefined
    : 'An Idempotency-Key has 1 to 200 characters, such as a UUID, without spaces.';
}

/** Makes it. */
export function createIdempotency({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Clock;
}): Idempotency {
  /** Under way, by what is kept of them. */
  const underWay = new Map<string, { readonly fingerprint: string; readonly reply: Promise<Reply> }>();

  const eventOf = ({ key, visitor }: Pick<Keyed, 'key' | 'visitor'>): string =>
    hash(JSON.stringify([personAddress(visitor.person), key])).slice(0, 27);

  async function execute(name: string, fingerprint: string, work: () => Promise<Reply>): Promise<Reply> {
    await keep(name, { fingerprint });
    const reply = await work();
    if (reply.status < 500 && reply.status !== 429) await keep(name, { fingerprint, reply });
    return reply;
  }

  function keep(name: string, kept: { readonly fingerprint: string; readonly reply?: Reply }): Promise<void> {
    const nowMs = clock.now();
    const { fingerprint, reply } = kept;
    const value: Json = { fingerprint, ...(reply && { reply: { status: reply.status, body: reply.body } }) };
    return store.keepPassing(name, value, nowMs + KEPT_MS, nowMs);
  }

  return {
    eventOf,
    async once({ key, visitor, what, body }, work) {
      const name = `reply/${eventOf({ key, visitor })}`;
      const fingerprint = hash(JSON.stringify([what, body ?? null]));
      const other = failed(
        'key-used-otherwise',
        'This Idempotency-Key came with another request before: take a new one for each.',
      );
      const first = underWay.get(name);
      if (first) {
        if (first.fingerprint !== fingerprint) return other;
        return { ok: true, value: { reply: await first.reply, isRepeat: true } };
      }
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      // Others who ask meanwhile hear of a failure themselves.
      promise.catch(() => undefined);
      underWay.set(name, { fingerprint, reply: promise });
      try {
        const kept = keptSchema.safeParse(await store.passing(name, clock.now())).data;
        if (kept && kept.fingerprint !== fingerprint) {
          reject(new Error('The key belongs to another request.'));
          return other;
        }
        const reply = kept?.reply ?? (await execute(name, fingerprint, work));
        resolve(reply);
        return { ok: true, value: { reply, isRepeat: kept?.reply !== undefined } };
      } catch (error) {
        reject(error);
        throw error;
      } finally {
        underWay.delete(name);
      }
    },
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
