import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Access, Bot } from '../../commands/bot.ts';
import { API_PLATFORM, type Visitor } from '../../commands/visitor.ts';
import type { AccessToken } from '../../config-tokens.ts';
import { accountOf, COMMAND_LINE, type Person } from '../../engine/people.ts';
import { createFailureLimit } from '../failure-limit.ts';
import { allowedHosts, isForeign, isLocal } from '../guard.ts';
import { failed, type Problem, type Result } from '../problem.ts';
import { cookieName, readCookies } from './cookies.ts';
import type { Session, Sessions } from './sessions.ts';

/** Where the server answers, and what lets people in. */
export interface DoorSettings {
  readonly host: string;
  readonly port: () => number;
  /** Where others reach it, through a proxy: `https://flow.example.com`. */
  readonly publicUrl?: string;
  readonly tokens: readonly AccessToken[];
  /** People can sign in with an account of a chat. */
  readonly hasSignIn: boolean;
  /** The account of this machine that Flowbot runs as. */
  readonly hostName: string;
}

/** What a request shows of who sent it. */
export interface Knock {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The address of who connected. */
  readonly ip: string;
}

/** A visitor, and how they came in. */
export interface Entry extends Visitor {
  /** `host`: from this machine, without a login. */
  readonly by: 'host' | 'token' | 'session';
}

/** Lets people in at the page, the API and MCP. */
export interface Door {
  /** Who sent a request; or why it is not served. Nobody who is not known gets in. */
  admit(knock: Knock): Promise<Result<Entry>>;
  /** Why a request that shows no token is not served at all, whoever sent it; undefined = it may be. */
  objection(knock: Knock): Problem | undefined;
  /** The session of whoever shows a token. @param ip too many unknown ones from there are not looked at */
  sessionOf(secret: string, ip: string): Result<Session>;
  /** Whether there are any. */
  readonly hasTokens: boolean;
  /** Where pages are reached: `https://flow.example.com`. */
  origin(): string;
}

/** The cookie of whoever is signed in. */
export const SESSION_COOKIE = 'flowbot';

/**
 * Makes the door:
 *
 * - A token (`authorization: Bearer …`) or a session says who it is. What a token may do is set with it; who has signed in with
 *   a chat account may do what they may do there.
 * - Without either, whoever sits at this machine is let in as the host, as on its command line, as long as there are no
 *   tokens, no sign-in and no public address: behind a proxy everybody seems to sit at this machine.
 * - A request without a token must name this server in its Host header, and one that can change something must come from
 *   its own page (Origin) or set `x-flowbot: 1`.
 */
export function createDoor(
  { chats, clock }: Pick<Bot, 'chats' | 'clock'>,
  sessions: Sessions,
  settings: DoorSettings,
): Door {
  const tokens = new Map(settings.tokens.map((token) => [hashOf(token.secret), token]));
  const limit = createFailureLimit(clock.now);
  const publicOrigin = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).origin;
  const isOpen = tokens.size === 0 && !settings.hasSignIn && publicOrigin === undefined;

  function origin(): string {
    return publicOrigin ?? `http://${hosts()[0]}`;
  }

  function hosts(): readonly string[] {
    const own = allowedHosts(settings.host, settings.port());
    return publicOrigin === undefined ? own : [...own, new URL(publicOrigin).host];
  }

  function objection({ method, headers }: Knock): Problem | undefined {
    const host = headers.host?.toLowerCase();
    if (host === undefined || !hosts().includes(host))
      return refusal(`This server answers only as ${new URL(origin()).host}: open it under that address.`);
    if (isForeign(headers)) return refusal('Requests from pages of other sites are not accepted.');
    if (method === 'GET' || method === 'HEAD') return undefined;
    const from = headers.origin?.toLowerCase();
    if (from === undefined) {
      if (headers['x-flowbot'] === '1') return undefined;
      return refusal('A request that is not sent by a page needs a token, or the header "x-flowbot: 1".');
    }
    // Of a site that is reached by https, whoever is on the way could make a page that comes by http.
    const isPublic = publicOrigin !== undefined && host === new URL(publicOrigin).host;
    if (from === publicOrigin || (!isPublic && from === `http://${host}`)) return undefined;
    return refusal('Requests from pages of other sites are not accepted.');
  }

  async function admit(knock: Knock): Promise<Result<Entry>> {
    const { headers, ip } = knock;
    const bearer = bearerOf(headers.authorization);
    if (bearer !== undefined) {
      const found = tokens.get(hashOf(bearer));
      return found ? letIn(await visitorOf(found), 'token') : unknownToken(ip);
    }
    const problem = objection(knock);
    if (problem) return { ok: false, problem };
    const secret = readCookies(headers.cookie).get(cookieName(origin(), SESSION_COOKIE));
    const session = secret === undefined ? undefined : await sessions.find(secret);
    const signedIn = session && (await visitorIn(session));
    if (signedIn) return letIn(signedIn, 'session');
    if (isOpen && isLocal(ip)) return letIn(hostVisitor(), 'host');
    return failed(
      'not-signed-in',
      'Sign in first: programs send a token as "authorization: Bearer <token>".',
    );
  }

  function unknownToken(ip: string): Result<never> {
    // A right token always gets in, so that nobody can lock others out.
    const closedForMs = limit.closedForMs(ip);
    if (closedForMs === 0 && !limit.failed(ip))
      return failed('not-signed-in', 'This token is not known: see FLOWBOT_TOKENS.');
    const retryAfterS = Math.max(1, Math.ceil(limit.closedForMs(ip) / 1_000));
    return failed('too-many', 'Too many unknown tokens came from there: try again in a minute.', {
      retryAfterS,
    });
  }

  async function visitorIn(session: Session): Promise<Visitor | undefined> {
    if (session.kind === 'person') return { person: session.person, access: 'member' };
    const found = tokens.get(session.hash);
    return found && visitorOf(found);
  }

  async function visitorOf({ name, role, person }: AccessToken): Promise<Visitor> {
    if (person === undefined) return { person: { platform: API_PLATFORM, id: name, name }, access: role };
    return { person: await named(accountOf(person)), access: role };
  }

  async function named(account: Pick<Person, 'platform' | 'id'>): Promise<Person> {
    return { ...account, name: (await chats.get(account.platform)?.nameOf(account.id)) ?? account.id };
  }

  function hostVisitor(): Visitor {
    const { hostName } = settings;
    return { person: { platform: COMMAND_LINE, id: hostName, name: hostName }, access: 'host' };
  }

  function sessionOf(secret: string, ip: string): Result<Session> {
    const hash = hashOf(secret);
    return tokens.has(hash) ? { ok: true, value: { kind: 'token', hash } } : unknownToken(ip);
  }

  return { admit, objection, sessionOf, hasTokens: tokens.size > 0, origin };
}

function letIn(visitor: Visitor, by: Entry['by']): Result<Entry> {
  return { ok: true, value: { ...visitor, by } };
}

function refusal(detail: string): Problem {
  return { code: 'not-allowed', detail };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : (/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
}

/** Look-ups by hash take no longer the more of a token is right. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}

const RANK: Readonly<Record<Access, number>> = {
  viewer: 0,
  runner: 1,
  approver: 2,
  admin: 3,
  host: 3,
  // What people of a chat may do is decided for each thing.
  member: 3,
};

/** Whether a visitor was let in for at least this. */
export function isAtLeast({ access }: Visitor, wanted: AccessToken['role']): boolean {
  return RANK[access] >= RANK[wanted];
}
