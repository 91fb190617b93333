import { z } from 'zod';
import type { SignIn } from '../../ports/sign-in.ts';
import { platform, snowflakePattern } from '../discord/addresses.ts';
import { type Ask, folderOf, refused, withQuery } from './ask.ts';
import { nameShape, tokenShape } from './shapes.ts';

/** The application that people sign in to. */
export interface DiscordSignInSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Base address of the API without its version; default Discord’s own. The page to sign in is beside it. */
  readonly apiUrl?: string;
  /** Whether an account is in a server that the bot serves. Rejects with `ChatUnavailable` when nobody can tell now. */
  readonly isMember: (id: string) => Promise<boolean>;
}

const usualApi = 'https://discord.com/api';

const errorKinds = {
  invalid_grant: 'late',
  invalid_client: 'setup',
  unauthorized_client: 'setup',
  invalid_request: 'setup',
} as const;

const tradedShape = z.union([z.object({ access_token: tokenShape }), z.object({ error: z.string() })]);
const userShape = z.object({
  id: z.string().regex(snowflakePattern),
  username: nameShape,
  global_name: nameShape,
});

/**
 * Signing in with Discord. It asks for nothing but who it is: which servers somebody is in is known to the bot. The nonce is
 * of no use here, since Discord gives no ID token for this; PKCE does the same.
 * @see https://docs.discord.com/developers/topics/oauth2#authorization-code-grant
 */
export function createDiscordSignIn(settings: DiscordSignInSettings, { ask }: { readonly ask: Ask }): SignIn {
  const { clientId, clientSecret, isMember } = settings;
  const api = folderOf(settings.apiUrl ?? usualApi);
  const { refusals } = ask;

  return {
    platform,
    address: ({ redirectUri, state, challenge }) =>
      withQuery(new URL('../oauth2/authorize', api), {
        response_type: 'code',
        scope: 'identify',
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }),
    async personOf({ code, redirectUri, verifier }) {
      const traded = await ask.post(`${api}v10/oauth2/token`, {
        grant_type: 'authorization_code',
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
      });
      if (!traded.ok) return traded;
      const tokens = tradedShape.safeParse(traded.body);
      if (!tokens.success) return refusals.odd;
      if ('error' in tokens.data) return refusals.coded(tokens.data.error, errorKinds);

      const told = await ask.get(`${api}v10/users/@me`, tokens.data.access_token);
      if (!told.ok) return told;
      const user = userShape.safeParse(told.body);
      if (!user.success) return refusals.odd;

      const { id, username, global_name: shown } = user.data;
      const isThere = await ask.known(isMember(id));
      if (isThere === undefined) return refusals.silent;
      if (!isThere) return ofNoServer;
      return { ok: true, person: { platform, id, name: shown || username || id } };
    },
  };
}

const ofNoServer = refused(
  'This account is in no Discord server that Flowbot serves: join one, and sign in again.',
);
