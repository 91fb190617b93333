import compress from '@fastify/compress';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import { createSight, type Sight } from '../../commands/visitor.ts';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Ids } from '../../ports/ids.ts';
import type { SignIn } from '../../ports/sign-in.ts';
import { type Door, type Entry, isAtLeast } from '../access/door.ts';
import type { Sessions } from '../access/sessions.ts';
import { failed, PROBLEMS, type Problem, type Result } from '../problem.ts';
import { track } from '../track.ts';
import { addAssets } from './assets.ts';
import { framed } from './frame.ts';
import { html } from './html.ts';
import { createLive } from './live.ts';
import { addLogin } from './login.ts';
import { type Outcome, type Page, type Shown, wrong } from './page.ts';
import { PAGES } from './pages.ts';

/** The pages, once they are there. */
export interface Pages {
  /** Begins to answer; until then browsers are told to come again. */
  open(): void;
  /** Takes nothing any more, and ends what keeps pages up to date. */
  close(): Promise<void>;
}

/** What the pages work with. */
export interface PagesOptions {
  readonly bot: Bot;
  readonly door: Door;
  readonly sessions: Sessions;
  /** With which accounts people can sign in, by platform. */
  readonly signIns: ReadonlyMap<SignIn['platform'], SignIn>;
  readonly ids: Ids;
  readonly version: string;
}

/** Forms are longer than what programs send: people paste whole documents. */
const BODY_MAX_BYTES = 1024 * 1024;

/** Ids of forms, as `Ids` makes them. */
const keyPattern = /^[a-z0-9-]{4,40}$/;

/** Adds all pages, what they are made of, and what keeps them up to date. */
export function addPages(app: FastifyInstance, options: PagesOptions): Pages {
  const { bot, door, ids, version } = options;
  const live = createLive(bot);
  const assets = addAssets(app);
  const underWay = new Set<Promise<unknown>>();
  let isOpen = false;

  async function admit(request: FastifyRequest, access: Page['access']): Promise<Result<Entry>> {
    if (!isOpen) return failed('unavailable', 'Flowbot is starting, or stops.', { retryAfterS: 1 });
    const entry = await door.admit(request);
    if (!entry.ok || isAtLeast(entry.value, access)) return entry;
    return failed('not-allowed', `This takes the role ${access}; you have the role ${entry.value.access}.`);
  }

  async function visit(request: FastifyRequest, reply: FastifyReply, page: Page): Promise<FastifyReply> {
    const entry = await admit(request, page.access);
    if (!entry.ok) {
      if (entry.problem.code === 'not-signed-in' && request.method === 'GET') {
        return reply.redirect(`/login?to=${encodeURIComponent(request.url)}`, 303);
      }
      return answer(request, reply, wrong(entry.problem), undefined);
    }
    const event = eventOf(request.body) ?? ids.next();
    const sight = createSight(bot, entry.value, event);
    const read = readVisit(page, request);
    const outcome = read.ok
      ? await page.run({ bot, visitor: entry.value, sight, event, nextKey: ids.next, ...read.value })
      : wrong(read.problem);
    return answer(request, reply, outcome, { ...entry.value, sight });
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: Outcome,
    visitor: (Entry & { readonly sight: Sight }) | undefined,
  ): Promise<FastifyReply> {
    switch (outcome.kind) {
      case 'to':
        return reply.redirect(outcome.path, 303);
      case 'part':
        return reply.type(HTML).send(String(html`${outcome.content}`));
      case 'problem': {
        const { retryAfterS } = outcome.problem;
        if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS));
        return send(request, reply, problemPage(outcome.problem), visitor);
      }
      case 'page':
        return send(request, reply, outcome, visitor);
    }
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: Shown,
    visitor: (Entry & { readonly sight: Sight }) | undefined,
  ): Promise<FastifyReply> {
    const waiting = visitor && isOpen ? await visitor.sight.questions() : [];
    const page = framed(shown, {
      assets,
      path: request.url,
      ...(visitor && { visitor }),
      canLeave: visitor?.by === 'session',
      waiting: waiting.filter(({ isTheirs, approvers }) => isTheirs || approvers === undefined).length,
      hasPlayground: bot.chats.has('playground'),
      version,
    });
    return reply
      .code(shown.status ?? 200)
      .type(HTML)
      .send(String(page));
  }

  app.register(async (scope) => {
    await scope.register(formbody, { bodyLimit: BODY_MAX_BYTES });
    // Streams go as they are: what is kept back to be compressed would come late.
    await scope.register(compress, {
      encodings: ['gzip'],
      customTypes: /^text\/(?:html|css|javascript)|^image\/svg/,
    });
    scope.addHook('onRequest', async (_request, reply) => {
      // With no referrer at all browsers would not say that a form comes from our own page.
      reply.header('referrer-policy', 'same-origin');
    });
    scope.setErrorHandler((error: { readonly statusCode?: number; readonly code?: string }, request, reply) =>
      answer(request, reply, wrong(problemOf(bot, error, request)), undefined),
    );
    addLogin(scope, { ...options, send: (request, reply, shown) => send(request, reply, shown, undefined) });
    const anywhere = { config: { fromAnywhere: true } };
    for (const page of PAGES) {
      scope.route({
        ...anywhere,
        method: page.method,
        url: page.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        handler: (request, reply) => track(underWay, visit(request, reply, page)),
      });
    }
    scope.get('/live', anywhere, async (request, reply) => {
      const entry = await admit(request, 'viewer');
      if (!entry.ok) return reply.code(PROBLEMS[entry.problem.code][0]).send();
      const asked = z.object({ run: z.string().optional() }).safeParse(request.query);
      if (!asked.success) return reply.code(422).send();
      const { run } = asked.data;
      const stored = run === undefined ? undefined : await bot.store.run(run);
      if (run === undefined) return live.open(reply);
      const isSeen = stored && (await createSight(bot, entry.value, ids.next()).sees(stored.row));
      return isSeen ? live.open(reply, run) : reply.code(404).send();
    });
    scope.addHook('preClose', async () => live.close());
  });

  return {
    open() {
      isOpen = true;
    },
    async close() {
      isOpen = false;
      live.close();
      await Promise.allSettled(underWay);
    },
  };
}

const HTML = 'text/html; charset=utf-8';

/** What a form is known by, so that one that is sent twice counts once. */
function eventOf(body: unknown): string | undefined {
  const key = z.looseObject({ key: z.string().regex(keyPattern) }).safeParse(body).data?.key;
  return key === undefined ? undefined : `page-${key}`;
}

function problemPage({ code, detail }: Problem): Shown {
  const [status, title] = PROBLEMS[code];
  return {
    title,
    status,
    main: html`<h1>${title}</h1><p>${detail}</p><p><a href="/">Go to the beginning</a></p>`,
  };
}

/** The parts of a request, as the schemas of a page want them. */
function readVisit(page: Page, request: FastifyRequest) {
  const parts = [
    ['params', page.params, request.params],
    ['query', page.query, request.query],
    ['body', page.body, request.body ?? {}],
  ] as const;
  const values: Record<string, unknown> = {};
  for (const [name, schema, given] of parts) {
    const result = (schema ?? z.looseObject({})).safeParse(given);
    if (result.success) values[name] = result.data;
    else {
      const faults = result.error.issues.map(({ path, message }) => `${path.join('.') || name}: ${message}.`);
      return failed('does-not-fit', `This page can’t be shown so: ${faults.join(' ')}`);
    }
  }
  return { ok: true as const, value: { params: values.params, query: values.query, body: values.body } };
}

function problemOf(
  { log }: Bot,
  error: { readonly statusCode?: number; readonly code?: string },
  request: FastifyRequest,
): Problem {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { code: 'too-large', detail: 'A form has at most 1 MB: go back, and send less.' };
  }
  if (error instanceof ChatUnavailable) {
    return {
      code: 'unavailable',
      detail: 'The chat can’t be reached at the moment: try again.',
      retryAfterS: 10,
    };
  }
  if ((error.statusCode ?? 500) < 500) return { code: 'bad-request', detail: 'The request can’t be read.' };
  log.error(`${request.method} ${request.routeOptions.url ?? '?'} failed`, error);
  return { code: 'internal', detail: 'Something went wrong inside Flowbot; its log says more.' };
}
