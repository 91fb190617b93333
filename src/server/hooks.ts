import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Bot } from '../commands/bot.ts';
import { type HookResult, startByWebhook } from '../commands/webhook.ts';
import type { WebhookTrigger } from '../engine/flow/plan.ts';
import { ChatUnavailable } from '../ports/chat.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { createFailureLimit, type FailureLimit } from './failure-limit.ts';
import { readHookBody } from './hook-body.ts';
import { deliveryIds } from './hook-delivery.ts';
import { type Proof, proves } from './signatures.ts';
import { track } from './track.ts';

/** The addresses that other systems call. */
export interface Hooks {
  /** Begins to start runs; until then senders are told to come again. */
  open(): void;
  /** Starts nothing any more; resolves when what was under way has ended. */
  close(): Promise<void>;
}

/** Longest body, in bytes. */
const bodyMaxBytes = 1024 * 1024;
/** When a sender should come again, in seconds. */
const againAfterS = 10;

/** Headers that prove who sent a request, which nobody needs to see after that. */
const proving = /authorization|cookie|signature|token|secret|password|credential|api-?key|assertion/;

/** An answer: its status and its JSON. */
interface HookAnswer {
  readonly status: number;
  readonly body: object;
  readonly retryAfterS?: number;
}

/** The webhook of a flow, with the secret that its sender must know. */
interface Hook {
  readonly flow: LoadedFlow;
  readonly trigger: WebhookTrigger;
  readonly secret: string;
}

/**
 * Adds `POST /hooks/<flow>/<secret>` and `POST /hooks/<flow>`. Whoever does not prove to know the secret gets one and
 * the same answer, whether there is such a flow or not.
 */
export function addHookRoutes(
  app: FastifyInstance,
  { bot, secrets }: { readonly bot: Bot; readonly secrets: Secrets },
): Hooks {
  const limit = createFailureLimit(bot.clock.now);
  /** A request to a flow that is not there is held against it, and so takes as long as others. */
  const nobodysSecret = randomBytes(32).toString('hex');
  const underWay = new Set<Promise<unknown>>();
  /** By start key. */
  const starting = new Map<string, Promise<HookResult>>();
  let isOpen = false;

  async function answer(request: FastifyRequest, flow: string, pathSecret?: string): Promise<HookAnswer> {
    if (!isOpen) return again('Flowbot is not ready.');
    const closedForMs = limit.closedForMs(flow);
    if (closedForMs > 0) return tooMany(Math.ceil(closedForMs / 1_000));
    const hook = findHook(bot, secrets, flow, pathSecret !== undefined);
    const proof: Proof = {
      headers: request.headers,
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      ...(pathSecret !== undefined && { pathSecret }),
    };
    const { verify } = hook?.trigger ?? { verify: pathSecret === undefined ? 'gitlab' : 'path' };
    const isProven = proves(verify, proof, hook?.secret ?? nobodysSecret, bot.clock.now());
    if (!hook || !isProven) {
      noteFailure(bot, limit, flow, hook !== undefined);
      return pathSecret === undefined ? unproven : nothingHere;
    }
    return start(hook, request, proof.body);
  }

  async function start({ flow, trigger }: Hook, request: FastifyRequest, bytes: Buffer): Promise<HookAnswer> {
    const { headers } = request;
    // What GitHub sends when the webhook is made.
    if (trigger.verify === 'github' && headers['x-github-event'] === 'ping')
      return { status: 200, body: { ok: true } };
    const read = readHookBody(bytes, headers);
    if (!read.ok) return { status: read.status, body: { error: read.error } };
    const { body, text } = read;
    const nowMs = bot.clock.now();
    const startKeys = deliveryIds(trigger.verify, { headers, bytes, body, nowMs }).map(
      (id) => `webhook:${flow.id}:${id}`,
    );
    const shown = { body, text, headers: shownHeaders(headers), query: queryOf(request.url), startKeys };
    const result = await once(startKeys[0], () => startByWebhook(bot, flow, trigger, secrets.redact(shown)));
    switch (result.kind) {
      case 'started':
        return { status: 202, body: { run: result.run, repeat: result.repeat } };
      case 'refused':
        return { status: 409, body: { error: result.why } };
      case 'incomplete': {
        const problems = result.problems.map(({ field, message }) => ({ field, message: `${message}.` }));
        const error = `The input does not fit: ${problems.map(({ message }) => message).join(' ')}`;
        return { status: 400, body: { error, problems } };
      }
    }
  }

  /** A repeat that comes while the first is under way hears the same: else the first might stand in its way. */
  async function once(key: string | undefined, work: () => Promise<HookResult>): Promise<HookResult> {
    const first = key === undefined ? undefined : starting.get(key);
    if (first) {
      const result = await first;
      return result.kind === 'started' ? { ...result, repeat: true } : result;
    }
    const result = work();
    if (key === undefined) return result;
    starting.set(key, result);
    return result.finally(() => starting.delete(key));
  }

  async function respond(reply: FastifyReply, answering: Promise<HookAnswer>): Promise<unknown> {
    const { status, body, retryAfterS } = await track(underWay, answering.catch(laterOrThrow));
    if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS));
    return reply.code(status).send(body);
  }

  app.register(async (scope) => {
    // Signatures are over the bytes as they came.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const options = { bodyLimit: bodyMaxBytes, config: { fromAnywhere: true } };
    scope.post<{ Params: { flow: string } }>('/hooks/:flow', options, (request, reply) =>
      respond(reply, answer(request, request.params.flow)),
    );
    // The secret is the rest of the address, as names in the middle of one can't be of any length.
    scope.post<{ Params: { flow: string; '*': string } }>('/hooks/:flow/*', options, (request, reply) =>
      respond(reply, answer(request, request.params.flow, request.params['*'])),
    );
    scope.route({
      ...options,
      method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '/hooks/*',
      handler: (_request, reply) =>
        reply.code(405).header('allow', 'POST').send({ error: 'Webhooks are sent with POST.' }),
    });
  });

  return {
    open() {
      isOpen = true;
    },
    async close() {
      isOpen = false;
      await Promise.allSettled(underWay);
    },
  };
}

const nothingHere: HookAnswer = { status: 404, body: { error: 'There is nothing here.' } };
const unproven: HookAnswer = {
  status: 401,
  body: { error: 'The request does not prove that its sender may start anything here.' },
};

function tooMany(retryAfterS: number): HookAnswer {
  return {
    status: 429,
    body: { error: 'Too many requests did not prove who sent them. Try again in a minute.' },
    retryAfterS,
  };
}

function again(error: string): HookAnswer {
  return { status: 503, body: { error }, retryAfterS: againAfterS };
}

function laterOrThrow(error: unknown): HookAnswer {
  if (error instanceof ChatUnavailable) return again('The chat of this flow can’t be reached at the moment.');
  throw error;
}

/** The webhook at an address; undefined when there is none, or its flow is switched off. */
function findHook({ catalog }: Bot, secrets: Secrets, id: string, isByPath: boolean): Hook | undefined {
  const flow = catalog.flow(id);
  const trigger = flow?.plan.triggers.find((one) => one.type === 'webhook');
  const secret = trigger && secrets.get(trigger.secret);
  if (!flow || !trigger || secret === undefined || !catalog.isEnabled(flow)) return undefined;
  return (trigger.verify === 'path') === isByPath ? { flow, trigger, secret } : undefined;
}

/** Whoever runs Flowbot is told once a minute, and only of flows that are there: anybody can make up others. */
function noteFailure({ log }: Bot, limit: FailureLimit, flow: string, isThere: boolean): void {
  if (limit.failed(flow) && isThere)
    log.warn('A webhook is closed for a minute: too many requests did not prove who sent them.', { flow });
}

function shownHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const shown = Object.entries(headers).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    value === undefined || proving.test(name) ? [] : [[name, [value].flat().join(', ')]],
  );
  return Object.fromEntries(shown);
}

function queryOf(url: string): Readonly<Record<string, string>> {
  const at = url.indexOf('?');
  const fields = at < 0 ? [] : [...new URLSearchParams(url.slice(at + 1))];
  return Object.fromEntries(fields.filter(([name]) => name !== '__proto__' && !proving.test(name)));
}
