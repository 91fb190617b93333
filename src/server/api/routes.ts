import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import { createSight } from '../../commands/visitor.ts';
import type { Json } from '../../engine/json.ts';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Feed } from '../../runner/feed.ts';
import { type Door, type Entry, isAtLeast } from '../access/door.ts';
import { done, failed, PROBLEMS, type Problem, problemBody, type Result, sendProblem } from '../problem.ts';
import { track } from '../track.ts';
import { createIdempotency, keyFault, type Reply } from './idempotency.ts';
import { openApi } from './openapi.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { createRunStreams, eventView, readPosition } from './run-events.ts';
import { look } from './runs.ts';
import { waitForRun } from './wait.ts';

/** The API, once it is there. */
export interface Api {
  /** Begins to answer; until then clients are told to come again. */
  open(): void;
  /** Takes nothing any more, ends all streams, and answers at once those who wait for a run. */
  close(): Promise<void>;
}

/** What the API works with. */
export interface ApiOptions {
  readonly bot: Bot;
  readonly door: Door;
  readonly feed: Feed;
  readonly ids: Ids;
  /** Of Flowbot, for the document. */
  readonly version: string;
}

/** Most requests that are worked on at once. */
const AT_ONCE_MAX = 256;
/** When a client that was not served should come again, in seconds. */
const AGAIN_S = 1;

/** Adds `/v1`: the operations, the events of a run, and the OpenAPI document. */
export function addApiRoutes(app: FastifyInstance, { bot, door, feed, ids, version }: ApiOptions): Api {
  const idempotency = createIdempotency(bot);
  const streams = createRunStreams({ feed, clock: bot.clock });
  const underWay = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  /** Requests that only wait for their run: they cost nothing, and may be many. */
  let waiting = 0;
  let isOpen = false;

  /** Lets in whoever may do something; problems are answered. */
  async function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Operation['access'],
  ): Promise<Entry | undefined> {
    const entry = await entryOf(request, access);
    if (entry.ok) return entry.value;
    sendProblem(reply, entry.problem);
    return undefined;
  }

  async function entryOf(request: FastifyRequest, access: Operation['access']): Promise<Result<Entry>> {
    if (!isOpen) return again('Flowbot is not ready.');
    if (underWay.size - waiting >= AT_ONCE_MAX) return again('Flowbot has too much to do at the moment.');
    const entry = await door.admit(request);
    if (!entry.ok || isAtLeast(entry.value, access)) return entry;
    return failed(
      'not-allowed',
      `This takes a token of the role ${access}; yours has the role ${entry.value.access}.`,
    );
  }

  async function perform(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Operation,
  ): Promise<unknown> {
    const visitor = await admit(request, reply, operation.access);
    if (!visitor) return reply;
    const parsed = parseRequest(operation, request);
    if (!parsed.ok) return sendProblem(reply, parsed.problem);
    const given = request.headers['idempotency-key'];
    const key = operation.method === 'POST' && typeof given === 'string' ? given : undefined;
    const fault = key === undefined ? undefined : keyFault(key);
    if (fault !== undefined) return sendProblem(reply, { code: 'bad-request', detail: fault });
    const event = key === undefined ? ids.next() : idempotency.eventOf({ key, visitor });
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const work = async (): Promise<Reply> => {
      const sight = createSight(bot, visitor, event);
      const result = await operation.run({
        bot,
        visitor,
        sight,
        event,
        waitForRun: (run, forMs) => wait(run, forMs, AbortSignal.any([gone.signal, stopping.signal])),
        ...parsed.value,
      });
      return result.ok
        ? { status: operation.answer.status, body: plain(result.value) }
        : replyOf(result.problem);
    };
    if (key === undefined) return answer(reply, await work(), false);
    const path = new URL(request.url, 'http://flowbot').pathname;
    const what = `${operation.method} ${path}`;
    const once = await idempotency.once({ key, visitor, what, body: request.body }, work);
    if (!once.ok) return sendProblem(reply, once.problem);
    return answer(reply, once.value.reply, once.value.isRepeat);
  }

  async function wait(run: string, forMs: number, signal: AbortSignal): Promise<void> {
    waiting += 1;
    try {
      await waitForRun(bot, run, forMs, signal);
    } finally {
      waiting -= 1;
    }
  }

  async function events(
    request: FastifyRequest<{ Params: { run: string }; Querystring: { after?: string } }>,
    reply: FastifyReply,
  ): Promise<unknown> {
    const visitor = await admit(request, reply, 'viewer');
    if (!visitor) return reply;
    const { run } = request.params;
    const found = await look({ bot, sight: createSight(bot, visitor, ids.next()) }, run);
    if (!found.ok) return sendProblem(reply, found.problem);
    const last = request.headers['last-event-id'];
    const written = typeof last === 'string' && last !== '' ? last : request.query.after;
    const after = written === undefined ? undefined : readPosition(written);
    if (written !== undefined && !after) {
      const detail = 'What to begin behind is the id of an event, such as 12.1.';
      return sendProblem(reply, { code: 'does-not-fit', detail, errors: [{ pointer: 'after', detail }] });
    }
    if (!(request.headers.accept ?? '').includes('text/event-stream')) {
      return reply.send({ events: (await feed.past(run, after)).map(eventView) });
    }
    const opened = await streams.open(reply, run, after);
    return opened.ok ? opened.value : sendProblem(reply, opened.problem);
  }

  app.register(
    async (scope) => {
      const options = { config: { fromAnywhere: true } };
      scope.setErrorHandler(
        (error: { readonly statusCode?: number; readonly code?: string }, request, reply) => {
          sendProblem(reply, problemOf(bot, error, request));
        },
      );
      for (const operation of OPERATIONS) {
        scope.route({
          ...options,
          method: operation.method,
          url: operation.path.replace(/^\/v1/, '').replaceAll(/\{(\w+)\}/g, ':$1'),
          handler: (request, reply) => track(underWay, perform(request, reply, operation)),
        });
      }
      scope.get<{ Params: { run: string }; Querystring: { after?: string } }>(
        '/runs/:run/events',
        options,
        events,
      );
      const document = openApi(OPERATIONS, { version, url: () => door.origin() });
      scope.get('/openapi.json', options, async (request, reply) => {
        const visitor = await admit(request, reply, 'viewer');
        return visitor ? document() : reply;
      });
      for (const url of ['/', '/*']) {
        scope.route({ ...options, method: ANY_METHOD, url, handler: sendNothingThere });
      }
      scope.addHook('preClose', async () => streams.close());
    },
    { prefix: '/v1' },
  );

  return {
    open() {
      isOpen = true;
    },
    async close() {
      isOpen = false;
      stopping.abort();
      streams.close();
      await Promise.allSettled(underWay);
    },
  };
}

const ANY_METHOD = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function sendNothingThere(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { pathname } = new URL(request.url, 'http://flowbot');
  const detail = `There is nothing at ${request.method} ${pathname}: GET /v1/openapi.json lists what there is.`;
  return sendProblem(reply, { code: 'not-found', detail });
}

function again(detail: string): Result<never> {
  return failed('unavailable', detail, { retryAfterS: AGAIN_S });
}

function answer(reply: FastifyReply, { status, body }: Reply, isRepeat: boolean): FastifyReply {
  if (isRepeat) reply.header('idempotency-replayed', 'true');
  const type = status >= 400 ? 'application/problem+json' : 'application/json; charset=utf-8';
  return reply.code(status).type(type).send(JSON.stringify(body));
}

function replyOf(problem: Problem): Reply {
  return { status: PROBLEMS[problem.code][0], body: plain(problemBody(problem)) };
}

/** As it will be sent. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

/** The parts of a request, as the schemas of an operation want them. */
function parseRequest(operation: Operation, request: FastifyRequest) {
  const parts = [
    ['params', operation.params, request.params, ''],
    ['query', operation.query, request.query, ''],
    ['body', operation.body, request.body ?? {}, '/'],
  ] as const;
  const values: Record<string, unknown> = {};
  const errors: { pointer: string; detail: string }[] = [];
  for (const [name, schema, given, root] of parts) {
    const result = (schema ?? z.object({})).safeParse(given);
    if (result.success) values[name] = result.data;
    for (const { path, message } of result.error?.issues ?? []) {
      const where = path.map(String).join('/');
      errors.push({ pointer: `${root}${where}`, detail: `${where === '' ? name : where}: ${message}.` });
    }
  }
  if (errors.length > 0) {
    const detail = `The request does not fit: ${errors.map((error) => error.detail).join(' ')}`;
    return failed('does-not-fit', detail, { errors });
  }
  return done({ params: values.params, query: values.query, body: values.body });
}

function problemOf(
  { log }: Bot,
  error: { readonly statusCode?: number; readonly code?: string },
  request: FastifyRequest,
): Problem {
  if (error instanceof ChatUnavailable) {
    return { code: 'unavailable', detail: 'The chat can’t be reached at the moment.', retryAfterS: 10 };
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'too-large', detail: 'A body has at most 256 kB.' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'not-json', detail: 'Send JSON, with the header "content-type: application/json".' };
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return { code: 'bad-request', detail: 'The body is not valid JSON.' };
    default:
      if ((error.statusCode ?? 500) < 500)
        return { code: 'bad-request', detail: 'The request can’t be read.' };
      log.error(`${request.method} ${request.routeOptions.url ?? '?'} failed`, error, runOf(request));
      return { code: 'internal', detail: 'Something went wrong inside Flowbot; its log says more.' };
  }
}

/** The run that a request names, if it names one. */
function runOf({ params }: FastifyRequest): { readonly run?: string } {
  return z.object({ run: z.string() }).safeParse(params).data ?? {};
}
