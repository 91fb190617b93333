import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { SignIn } from '../../ports/sign-in.ts';
import { parseJson } from '../http/json.ts';
import { platform, userIdPattern } from '../slack/addresses.ts';
import { type Ask, folderOf, refused, withQuery } from './ask.ts';
import { nameShape, tokenShape } from './shapes.ts';

/** The app that people sign in to. */
export interface SlackSignInSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Base address of the Web API; default Slack’s own. The page to sign in is beside it. */
  readonly apiUrl?: string;
  /** Id of the bot’s workspace. Rejects with `ChatUnavailable` when nobody can tell now. */
  readonly team: () => Promise<string>;
}

const usualApi = 'https://slack.com/api/';
/** Who Slack says that it is, wherever its API is reached. */
const issuer = 'https://slack.com';
/** How much the clock of this machine may be ahead, in milliseconds. */
const aheadMs = 60_000;

const errorKinds = {
  invalid_code: 'late',
  code_already_used: 'late',
  code_expired: 'late',
  bad_client_secret: 'setup',
  invalid_client_id: 'setup',
  bad_redirect_uri: 'setup',
  redirect_uri_mismatch: 'setup',
  oauth_authorization_url_mismatch: 'setup',
} as const;

const failedShape = z.object({ ok: z.literal(false), error: z.string() });
const tradedShape = z.discriminatedUnion('ok', [
  failedShape,
  z.object({ ok: z.literal(true), access_token: tokenShape, id_token: z.string() }),
]);
const userShape = z.discriminatedUnion('ok', [
  failedShape,
  z.object({
    ok: z.literal(true),
    sub: z.string(),
    'https://slack.com/team_id': z.string(),
    'https://slack.com/user_id': z.string().optional(),
    name: nameShape,
  }),
]);
const claimsShape = z.object({
  iss: z.literal(issuer),
  aud: z.union([z.string(), z.tuple([z.string()])]),
  sub: z.string(),
  exp: z.number(),
  nonce: z.string(),
});

/**
 * Sign in with Slack. There is no PKCE in it: Slack takes that only from apps that say, for good, that they can keep no
 * secret. This one has its secret, and the nonce ties what Slack answers to the browser that asked.
 * @see https://docs.slack.dev/authentication/sign-in-with-slack
 * @see https://docs.slack.dev/authentication/using-pkce
 */
export function createSlackSignIn(
  settings: SlackSignInSettings,
  { ask, clock }: { readonly ask: Ask; readonly clock: Pick<Clock, 'now'> },
): SignIn {
  const { clientId, clientSecret, team } = settings;
  const api = folderOf(settings.apiUrl ?? usualApi);
  const { refusals } = ask;

  return {
    platform,
    address: ({ redirectUri, state, nonce }) =>
      withQuery(new URL('../openid/connect/authorize', api), {
        response_type: 'code',
        scope: 'openid profile',
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        nonce,
      }),
    async personOf({ code, redirectUri, nonce }) {
      const traded = await ask.post(`${api}openid.connect.token`, {
        grant_type: 'authorization_code',
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: redirectUri,
        code,
      });
      if (!traded.ok) return traded;
      const tokens = tradedShape.safeParse(traded.body);
      if (!tokens.success) return refusals.odd;
      if (!tokens.data.ok) return refusals.coded(tokens.data.error, errorKinds);

      const claims = claimsIn(tokens.data.id_token);
      if (!claims || [claims.aud].flat()[0] !== clientId) return refusals.odd;
      if (claims.nonce !== nonce)
        return refused('This sign-in was not begun in this browser: sign in again.');
      if (claims.exp * 1_000 + aheadMs <= clock.now()) return refusals.late;

      const told = await ask.get(`${api}openid.connect.userInfo`, tokens.data.access_token);
      if (!told.ok) return told;
      const user = userShape.safeParse(told.body);
      if (!user.success) return refusals.odd;
      if (!user.data.ok) return refusals.coded(user.data.error, errorKinds);

      const id = user.data['https://slack.com/user_id'] ?? user.data.sub;
      // What the nonce vouches for and what is told of the account must be of one person.
      if (user.data.sub !== claims.sub || !userIdPattern.test(id)) return refusals.odd;
      const own = await ask.known(team());
      if (own === undefined) return refusals.silent;
      if (user.data['https://slack.com/team_id'] !== own) return ofAnotherTeam;
      return { ok: true, person: { platform, id, name: user.data.name || id } };
    },
  };
}

const ofAnotherTeam = refused(
  'This account is of another Slack workspace: sign in with one of the workspace that Flowbot is in.',
);

/**
 * What an ID token says. Its signature tells nothing more here: it came from Slack itself, over the connection on which the
 * secret was shown.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
function claimsIn(token: string): z.infer<typeof claimsShape> | undefined {
  const [, payload = ''] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token) ?? [];
  return claimsShape.safeParse(parseJson(Buffer.from(payload, 'base64url').toString()).body).data;
}
