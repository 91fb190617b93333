import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../ports/clock.ts';
import { isSigned } from './signature.ts';

/** Events over HTTP. */
export interface EventsRoute extends Receiver {
  /** Adds `POST /slack/events`, where Slack sends events, commands and interactions. */
  routes(app: FastifyInstance): void;
}

/** Longest request, in bytes. Slack's own client library takes four megabytes. */
const bodyMaxBytes = 4 * 1024 * 1024;

/** Makes the receiver for signed requests. */
export function createEventsRoute(options: {
  readonly signingSecret: string;
  readonly clock: Clock;
}): EventsRoute {
  let bolt: App | undefined;
  let isOpen = false;

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const text = typeof request.body === 'string' ? request.body : '';
    if (!isSigned({ headers: request.headers, body: text }, options.signingSecret, options.clock.now())) {
      // Slack asks so whether the certificate is right, without signing it.
      if (text.length < 1_000 && new URLSearchParams(text).get('ssl_check') === '1') {
        return reply.code(200).send();
      }
      return reply.code(401).send({ error: 'The request is not signed by Slack for this app.' });
    }
    const body = readBody(text, request.headers['content-type']);
    if (!isObject(body)) return reply.code(400).send({ error: 'The body is neither JSON nor a form.' });
    if (body.type === 'url_verification') return { challenge: body.challenge };
    // A refusal makes Slack send events again later.
    if (!bolt || !isOpen) return reply.code(503).send({ error: 'Flowbot is not ready.' });
    const acknowledged = Promise.withResolvers<unknown>();
    const event: ReceiverEvent = {
      body,
      ...retryOf(request),
      ack: async (response) => acknowledged.resolve(response),
    };
    const taken = bolt.processEvent(event);
    const response = await Promise.race([acknowledged.promise, taken]);
    return response === undefined || response === '' ? reply.code(200).send() : response;
  }

  return {
    init(app) {
      bolt = app;
    },
    async start() {
      isOpen = true;
    },
    async stop() {
      isOpen = false;
    },
    routes(app) {
      app.register(async (scope) => {
        // The signature is over the bytes as they came.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
        scope.post('/slack/events', { bodyLimit: bodyMaxBytes, config: { fromAnywhere: true } }, answer);
      });
    },
  };
}

function retryOf(request: FastifyRequest): Pick<ReceiverEvent, 'retryNum' | 'retryReason'> {
  const number = request.headers['x-slack-retry-num'];
  const reason = request.headers['x-slack-retry-reason'];
  return {
    ...(typeof number === 'string' && { retryNum: Number(number) }),
    ...(typeof reason === 'string' && { retryReason: reason }),
  };
}

/** Events come as JSON, commands as a form, interactions as JSON in a form. */
function readBody(text: string, contentType: string | undefined): unknown {
  const [type = ''] = (contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return parseJson(text);
  const form = Object.fromEntries(new URLSearchParams(text));
  return typeof form.payload === 'string' ? parseJson(form.payload) : form;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
