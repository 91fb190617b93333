import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createHttp } from '../../../src/adapters/http/index.ts';
import type { SignIn } from '../../../src/ports/sign-in.ts';
import { type Loopback, serve } from '../http/loopback.ts';

/** What a platform knows of our app. */
export const app = { clientId: '100.200', clientSecret: 's3cret-of-the-app' };
/** Where browsers may come back to. */
const home = 'https://flow.example.com/';
export const redirectUri = `${home}signed-in`;

/** How a request is answered in place of the right way. */
export type Fault = (response: ServerResponse) => void;

/** A platform with somebody who signs in, on loopback; it ends with the test. */
export interface Provider {
  readonly apiUrl: string;
  readonly seen: Loopback['seen'];
  /** Who agrees when a browser comes; the platform’s own words for them. */
  account: Readonly<Record<string, unknown>>;
  /** Put over what the platform puts into its ID tokens. */
  claims: Readonly<Record<string, unknown>>;
  /** How requests of a path are answered instead. */
  readonly faults: Map<string, Fault>;
  /** Time of the platform, in milliseconds. */
  readonly nowMs: number;
}

/** A sign-in as the caller keeps it. */
export interface Kept {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Something that is kept for a sign-in. */
export function kept(change: Partial<Kept> = {}): Kept {
  return { state: 'state-1', nonce: 'nonce-1', verifier: 'v'.repeat(43), redirectUri, ...change };
}

/** A person opens the address and agrees: what their browser brings back. Throws when the platform shows a fault instead. */
export async function agree(
  signIn: SignIn,
  { verifier, ...request }: Kept,
): Promise<{ code: string; state: string }> {
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const answer = await fetch(signIn.address({ ...request, challenge }), { redirect: 'manual' });
  const back = answer.headers.get('location');
  if (back === null) throw new Error(`the platform says: ${await answer.text()}`);
  const { searchParams } = new URL(back);
  return { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' };
}

/** A client that ends with the test. */
export function client(): ReturnType<typeof createHttp> {
  const http = createHttp();
  onTestFinished(() => http.close());
  return http;
}

/** A code that was given out. */
interface Grant {
  readonly query: URLSearchParams;
  readonly account: Provider['account'];
}

/** Sign in with Slack, for an app without PKCE. */
export function createSlackProvider(): Promise<Provider> {
  const nowMs = Date.UTC(2026, 0, 5, 9);
  return createProvider(nowMs, {
    page: '/openid/connect/authorize',
    isRefused: (query) => query.get('scope') !== 'openid profile' || query.has('code_challenge'),
    routes: {
      'POST /api/openid.connect.token'({ form, grants, tokens, provider }) {
        if (form.has('code_verifier')) return [200, { ok: false, error: 'internal_error' }];
        if (form.get('client_id') !== app.clientId) return [200, { ok: false, error: 'invalid_client_id' }];
        if (form.get('client_secret') !== app.clientSecret)
          return [200, { ok: false, error: 'bad_client_secret' }];
        const grant = taken(grants, form);
        if (!grant) return [200, { ok: false, error: 'invalid_code' }];
        if (form.get('redirect_uri') !== grant.query.get('redirect_uri'))
          return [200, { ok: false, error: 'bad_redirect_uri' }];
        const claims = {
          iss: 'https://slack.com',
          sub: grant.account.sub,
          aud: app.clientId,
          exp: nowMs / 1_000 + 300,
          nonce: grant.query.get('nonce'),
          ...provider.claims,
        };
        return [
          200,
          { ok: true, access_token: give(tokens, grant), token_type: 'Bearer', id_token: jwt(claims) },
        ];
      },
      'GET /api/openid.connect.userInfo'({ bearer, tokens }) {
        const grant = tokens.get(bearer);
        return [200, grant ? { ok: true, ...grant.account } : { ok: false, error: 'invalid_auth' }];
      },
    },
  });
}

/** OAuth2 of Discord. */
export function createDiscordProvider(): Promise<Provider> {
  return createProvider(Date.UTC(2026, 0, 5, 9), {
    page: '/oauth2/authorize',
    isRefused: (query) => query.get('scope') !== 'identify' || query.get('code_challenge_method') !== 'S256',
    routes: {
      'POST /api/v10/oauth2/token'({ form, grants, tokens }) {
        if (form.get('client_id') !== app.clientId || form.get('client_secret') !== app.clientSecret)
          return [401, { error: 'invalid_client' }];
        const grant = taken(grants, form);
        const verifier = form.get('code_verifier') ?? '';
        if (!/^[\w.~-]{43,128}$/.test(verifier))
          return [400, { error: 'invalid_request', error_description: 'Invalid "code_verifier"' }];
        const challenge = createHash('sha256').update(verifier).digest('base64url');
        if (!grant || challenge !== grant.query.get('code_challenge'))
          return [400, { error: 'invalid_grant' }];
        if (form.get('redirect_uri') !== grant.query.get('redirect_uri'))
          return [400, { error: 'invalid_request' }];
        return [
          200,
          { access_token: give(tokens, grant), token_type: 'Bearer', expires_in: 604_800, scope: 'identify' },
        ];
      },
      'GET /api/v10/users/@me'({ bearer, tokens }) {
        const grant = tokens.get(bearer);
        return grant ? [200, grant.account] : [401, { message: '401: Unauthorized', code: 0 }];
      },
    },
  });
}

/** What a route is given. */
interface Asked {
  readonly form: URLSearchParams;
  readonly bearer: string;
  readonly grants: Map<string, Grant>;
  readonly tokens: Map<string, Grant>;
  readonly provider: Provider;
}

async function createProvider(
  nowMs: number,
  how: {
    readonly page: string;
    readonly isRefused: (query: URLSearchParams) => boolean;
    readonly routes: Readonly<Record<string, (asked: Asked) => readonly [status: number, body: unknown]>>;
  },
): Promise<Provider> {
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Grant>();
  const faults = new Map<string, Fault>();
  const server = await serve(({ method, path, headers, body }, response) => {
    const { pathname, searchParams: query } = new URL(path, 'http://platform');
    const fault = faults.get(pathname);
    if (fault) return fault(response);
    if (pathname === how.page) return open(query, response);
    const form = new URLSearchParams(body);
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const route = how.routes[`${method} ${pathname}`];
    if (!route || (method === 'POST' && !isForm)) return void response.writeHead(404).end();
    const [status, given] = route({ form, bearer, grants, tokens, provider });
    json(status, given)(response);
  });

  function open(query: URLSearchParams, response: ServerResponse): void {
    const redirectTo = query.get('redirect_uri') ?? '';
    const isKnown = query.get('client_id') === app.clientId && redirectTo.startsWith(home);
    if (!isKnown || query.get('response_type') !== 'code' || how.isRefused(query))
      return void response.writeHead(400).end('This app asks in a wrong way.');
    const code = `code-${grants.size + 1}`;
    grants.set(code, { query, account: provider.account });
    const back = new URL(redirectTo);
    back.search = new URLSearchParams({ code, state: query.get('state') ?? '' }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  const provider: Provider = {
    apiUrl: `${server.origin}/api`,
    seen: server.seen,
    account: {},
    claims: {},
    faults,
    nowMs,
  };
  return provider;
}

/** Answers with JSON. */
export function json(status: number, body: unknown): Fault {
  return jsonText(JSON.stringify(body), status);
}

function jsonText(text: string, status = 200): Fault {
  return (response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** A code counts once. */
function taken(grants: Map<string, Grant>, form: URLSearchParams): Grant | undefined {
  const code = form.get('code') ?? '';
  const grant = grants.get(code);
  grants.set(code, { query: new URLSearchParams(), account: {} });
  return form.get('grant_type') === 'authorization_code' && grant?.query.has('client_id') ? grant : undefined;
}

function give(tokens: Map<string, Grant>, grant: Grant): string {
  const token = `token-${tokens.size + 1}`;
  tokens.set(token, grant);
  return token;
}

function jwt(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.c2lnbmVk`;
}

/** Answers that nobody can use, and what is said then. */
export const badAnswers: readonly (readonly [what: string, fault: Fault, says: 'odd' | 'silent'])[] = [
  [
    'no JSON',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'),
    'odd',
  ],
  ['broken JSON', jsonText('{"ok": tru'), 'odd'],
  ['JSON of another kind', json(200, ['ok']), 'odd'],
  ['nothing', (response) => void response.writeHead(200).end(), 'odd'],
  ['JSON nested without end', jsonText(`${'['.repeat(20_000)}${']'.repeat(20_000)}`), 'odd'],
  [
    'a redirect',
    (response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/api/elsewhere' }).end(),
    'odd',
  ],
  ['a code of an error that is no code', json(200, { ok: false, error: '<b>hi</b>' }), 'odd'],
  ['a rate limit', json(429, { ok: false, error: 'ratelimited' }), 'silent'],
  ['a failure', json(503, {}), 'silent'],
  ['a lost connection', (response) => void response.destroy(), 'silent'],
  ['no answer in time', () => {}, 'silent'],
  [
    'the beginning of an answer, and nothing more',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    'silent',
  ],
];
