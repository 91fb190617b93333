import type { Person } from '../engine/people.ts';

/** Who signed in; or why nobody did, as a sentence for them. */
export type SignedIn =
  | { readonly ok: true; readonly person: Person }
  | { readonly ok: false; readonly why: string };

/** Signing in to the pages with the account of a chat. The browser is sent there, and comes back with a code. */
export interface SignIn {
  readonly platform: 'slack' | 'discord';
  /** Where the browser is sent. The caller keeps what it gives here, and looks whether the browser brings `state` back. */
  address(request: SignInRequest): string;
  /** Trades the code for who it is. Rejects only for faults of ours; no secret is in what it says or throws. */
  personOf(answer: SignInAnswer): Promise<SignedIn>;
}

/** A sign-in that begins. */
export interface SignInRequest {
  /** Where the browser comes back to; the platform must know it. */
  readonly redirectUri: string;
  /** Comes back with the browser, as it is. */
  readonly state: string;
  /** Is in what Slack says of the account, so that a code of somebody else’s sign-in is worth nothing. */
  readonly nonce: string;
  /** Of PKCE, by S256. Not used by Slack. */
  readonly challenge: string;
}

/** What the browser brought back, and what was kept since the request. */
export interface SignInAnswer {
  readonly code: string;
  readonly redirectUri: string;
  readonly nonce: string;
  /** What `challenge` was made of: 43 to 128 letters, digits and `-._~`. */
  readonly verifier: string;
}
