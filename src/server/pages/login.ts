import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import type { SignIn } from '../../ports/sign-in.ts';
import { cookieName, readCookies, writeCookie } from '../access/cookies.ts';
import { type Door, SESSION_COOKIE } from '../access/door.ts';
import { SESSION_MS, type Session, type Sessions } from '../access/sessions.ts';
import { AGREE_MS, createSignInFlows } from '../access/sign-ins.ts';
import { createFailureLimit } from '../failure-limit.ts';
import { PROBLEMS, type Problem } from '../problem.ts';
import { type Content, html } from './html.ts';
import type { Shown } from './page.ts';
import { alert } from './parts.ts';

/** What signing in works with. */
export interface LoginOptions {
  readonly bot: Bot;
  readonly door: Door;
  readonly sessions: Sessions;
  readonly signIns: ReadonlyMap<SignIn['platform'], SignIn>;
  /** Answers with a page that nobody need be let in for. */
  readonly send: (request: FastifyRequest, reply: FastifyReply, shown: Shown) => Promise<FastifyReply>;
}

/** The cookie of a sign-in that has begun. */
const BEGUN_COOKIE = 'flowbot-sign-in';
const NAMES: Readonly<Record<SignIn['platform'], string>> = { slack: 'Slack', discord: 'Discord' };

const text = z.string().max(4_096).catch('');
const bodySchema = z.looseObject({ token: text, to: text }).catch({ token: '', to: '' });
const querySchema = z
  .looseObject({ to: text, state: text, code: text, error: text })
  .catch({ to: '', state: '', code: '', error: '' });

/** Adds the page to sign in, and all ways of it: by a token, and with accounts of chats; and out. */
export function addLogin(app: FastifyInstance, login: LoginOptions): void {
  const { bot, door, sessions, signIns, send } = login;
  const options = { config: { fromAnywhere: true } };
  const flows = createSignInFlows(bot, door.origin);
  const begun = createFailureLimit(bot.clock.now);

  /** Answers whoever sends from elsewhere; undefined = it may be served. */
  function refusal(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined {
    const problem = door.objection(request);
    return problem && fail(request, reply, problem);
  }

  function fail(
    request: FastifyRequest,
    reply: FastifyReply,
    { code, detail, retryAfterS }: Problem,
    to = '/',
  ): Promise<FastifyReply> {
    if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS));
    return send(request, reply, { ...loginPage(to, detail), status: PROBLEMS[code][0] });
  }

  function loginPage(to: string, why?: string): Shown {
    return { title: 'Sign in', main: html`<h1>Sign in</h1>${alert(why)}${waysIn(login, to)}` };
  }

  /** Ends the session of a browser, if it has one. */
  async function end(request: FastifyRequest): Promise<void> {
    const secret = readCookies(request.headers.cookie).get(cookieName(door.origin(), SESSION_COOKIE));
    if (secret !== undefined) await sessions.close(secret);
  }

  async function letIn(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Session,
    to: string,
  ): Promise<FastifyReply> {
    // The browser forgets it, so nobody could end it any more.
    await end(request);
    const secret = await sessions.open(session);
    return reply
      .header('set-cookie', [
        writeCookie(door.origin(), SESSION_COOKIE, secret, SESSION_MS / 1_000),
        writeCookie(door.origin(), BEGUN_COOKIE, '', 0),
      ])
      .redirect(to, 303);
  }

  app.get('/login', options, async (request, reply) => {
    const refused = refusal(request, reply);
    return refused ?? send(request, reply, loginPage(pathIn(querySchema.parse(request.query).to)));
  });

  app.post('/login', options, async (request, reply) => {
    const refused = refusal(request, reply);
    if (refused) return refused;
    const { token, to } = bodySchema.parse(request.body ?? {});
    const session = door.sessionOf(token.trim(), request.ip);
    if (session.ok) return letIn(request, reply, session.value, pathIn(to));
    const { problem } = session;
    const isUnknown = problem.code === 'not-signed-in';
    return fail(
      request,
      reply,
      isUnknown ? { ...problem, detail: 'This token is not known.' } : problem,
      pathIn(to),
    );
  });

  app.post('/logout', options, async (request, reply) => {
    const refused = refusal(request, reply);
    if (refused) return refused;
    await end(request);
    return reply
      .header('set-cookie', writeCookie(door.origin(), SESSION_COOKIE, '', 0))
      .redirect('/login', 303);
  });

  for (const signIn of signIns.values()) {
    app.get(`/login/${signIn.platform}`, options, async (request, reply) => {
      const refused = refusal(request, reply);
      if (refused) return refused;
      if (begun.closedForMs(request.ip) > 0 || begun.failed(request.ip)) {
        return fail(request, reply, {
          code: 'too-many',
          detail: 'Too many sign-ins were begun there: try again in a minute.',
          retryAfterS: Math.max(1, Math.ceil(begun.closedForMs(request.ip) / 1_000)),
        });
      }
      const { address, browser } = await flows.begin(signIn, pathIn(querySchema.parse(request.query).to));
      return reply
        .header('set-cookie', writeCookie(door.origin(), BEGUN_COOKIE, browser, AGREE_MS / 1_000))
        .redirect(address, 303);
    });

    app.get(`/login/${signIn.platform}/callback`, options, async (request, reply) => {
      const refused = refusal(request, reply);
      if (refused) return refused;
      const { state, code, error } = querySchema.parse(request.query);
      if (error !== '') {
        const detail = `${NAMES[signIn.platform]} says that nobody signed in: you did not agree, or something is not set up.`;
        return fail(request, reply, { code: 'not-signed-in', detail });
      }
      const browser = readCookies(request.headers.cookie).get(cookieName(door.origin(), BEGUN_COOKIE)) ?? '';
      const finished = await flows.finish(signIn, { state, code, browser });
      if (!finished.ok) return fail(request, reply, { code: 'not-signed-in', detail: finished.why });
      return letIn(request, reply, { kind: 'person', person: finished.person }, finished.to);
    });
  }
}

function waysIn({ signIns, door }: LoginOptions, to: string): Content {
  const query = to === '/' ? '' : `?to=${encodeURIComponent(to)}`;
  const chats = [...signIns.keys()].map(
    (platform) =>
      html`<a class="button" href="/login/${platform}${query}">Sign in with ${NAMES[platform]}</a>`,
  );
  if (chats.length === 0 && !door.hasTokens) {
    return html`<p>Nobody can sign in yet: whoever runs this Flowbot sets FLOWBOT_TOKENS, or an application of Slack or Discord to sign in with.</p>`;
  }
  return html`${chats.length > 0 && html`<div class="actions">${chats}</div>`}${door.hasTokens && tokenForm(to)}`;
}

function tokenForm(to: string): Content {
  return html`<form method="post" action="/login"><input type="hidden" name="to" value="${to}">
<label for="token">Token</label><input type="password" id="token" name="token" required autocomplete="current-password">
<p class="hint">One of FLOWBOT_TOKENS: whoever runs this Flowbot can give you one.</p>
<div class="actions"><button class="primary">Sign in</button></div></form>`;
}

/** A path of ours that somebody may be led to; anything else is the beginning. */
export function pathIn(written: string): string {
  const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(written) && !written.includes('\\');
  return isPath ? written : '/';
}
