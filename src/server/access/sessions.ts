import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';

/** Who has signed in: somebody of a chat, or whoever holds a token. */
const sessionSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('person'),
    person: z.strictObject({ platform: z.string(), id: z.string(), name: z.string() }),
  }),
  /** Only the token's hash: with the token gone from the settings, or changed there, its sessions are over. */
  z.strictObject({ kind: z.literal('token'), hash: z.string() }),
]);

export type Session = z.output<typeof sessionSchema>;

/** How long somebody stays signed in, in milliseconds. */
export const SESSION_MS = 12 * 3_600_000;

/** Who is signed in, over restarts. Of the secret that a browser keeps only its hash is stored. */
export interface Sessions {
  /** Signs somebody in. @returns the secret for their browser */
  open(session: Session): Promise<string>;
  /** Who is signed in with a secret; undefined = nobody, or no longer. */
  find(secret: string): Promise<Session | undefined>;
  close(secret: string): Promise<void>;
}

/** Makes them. */
export function createSessions({ store, clock }: { readonly store: Store; readonly clock: Clock }): Sessions {
  return {
    async open(session) {
      const secret = randomBytes(32).toString('base64url');
      const nowMs = clock.now();
      await store.keepPassing(keyOf(secret), session, nowMs + SESSION_MS, nowMs);
      return secret;
    },
    async find(secret) {
      const kept = await store.passing(keyOf(secret), clock.now());
      return kept === undefined ? undefined : sessionSchema.safeParse(kept).data;
    },
    close: (secret) => store.dropPassing(keyOf(secret)),
  };
}

function keyOf(secret: string): string {
  return `session/${createHash('sha256').update(secret).digest('base64url')}`;
}
