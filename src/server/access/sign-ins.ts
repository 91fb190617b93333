import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { SignedIn, SignIn } from '../../ports/sign-in.ts';
import type { Store } from '../../ports/store.ts';

/** How long somebody has to agree on the platform's own page, in milliseconds. */
export const AGREE_MS = 10 * 60_000;

/** What is kept of a sign-in that has begun. */
const begunSchema = z.strictObject({
  platform: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Hash of the secret of the browser in which it began. */
  browser: z.string(),
  /** Path of ours. */
  to: z.string(),
});

/** Somebody who has signed in, and where they wanted to go; or why nobody has. */
export type Finished =
  | (Extract<SignedIn, { ok: true }> & { readonly to: string })
  | Extract<SignedIn, { ok: false }>;

/** Signing in with accounts of chats, from leaving our page until coming back. */
export interface SignIns {
  /** Where a browser is sent, and the secret that it keeps meanwhile. @param to path of ours to go on to */
  begin(signIn: SignIn, to: string): Promise<{ readonly address: string; readonly browser: string }>;
  /** Who has come back. Each sign-in counts once. @param browser the secret that the browser has kept */
  finish(
    signIn: SignIn,
    back: { readonly state: string; readonly code: string; readonly browser: string },
  ): Promise<Finished>;
}

/** Makes it. @param origin where pages are reached */
export function createSignInFlows(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  origin: () => string,
): SignIns {
  const redirectUri = ({ platform }: SignIn) => `${origin()}/login/${platform}/callback`;
  return {
    async begin(signIn, to) {
      const [state, nonce, verifier, browser] = [secret(), secret(), secret(), secret()];
      const nowMs = clock.now();
      const begun = { platform: signIn.platform, nonce, verifier, browser: hashOf(browser), to };
      await store.keepPassing(keyOf(state), begun, nowMs + AGREE_MS, nowMs);
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const address = signIn.address({ redirectUri: redirectUri(signIn), state, nonce, challenge });
      return { address, browser };
    },
    async finish(signIn, { state, code, browser }) {
      const key = keyOf(state);
      const begun = begunSchema.safeParse(await store.passing(key, clock.now())).data;
      if (!begun || begun.platform !== signIn.platform || begun.browser !== hashOf(browser)) return notBegun;
      // Before the code is traded: whoever comes twice is too late.
      await store.dropPassing(key);
      const { nonce, verifier, to } = begun;
      const signedIn = await signIn.personOf({ code, redirectUri: redirectUri(signIn), nonce, verifier });
      return signedIn.ok ? { ...signedIn, to } : signedIn;
    },
  };
}

const notBegun: Finished = {
  ok: false,
  why: 'This sign-in was not begun in this browser, took too long, or was used already: sign in again.',
};

/** 256 bits, as 43 letters, digits, `-` and `_`. */
function secret(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function keyOf(state: string): string {
  return `sign-in/${hashOf(state)}`;
}
