import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Log } from '../ports/log.ts';
import { objection, securityHeaders, urlHost } from './guard.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests may come from anywhere: they prove by a signature who sent them, or do nothing. */
    readonly fromAnywhere?: boolean;
  }
}

/** What people see at an address where nothing is. */
const NOT_FOUND_PAGE =
  '<!doctype html><html lang="en"><title>Nothing here · Flowbot</title><main><h1>There is nothing here</h1><p><a href="/">Go to the beginning</a></p></main></html>';
/** Longest time in which a request has to be there as a whole, in milliseconds. */
const REQUEST_MAX_MS = 60_000;
/** Longest request body, in bytes. */
const maxBodyBytes = 256 * 1024;

/** Flowbot's HTTP server. Pages and APIs add their routes to `app` before `listen`. */
export interface Server {
  readonly app: FastifyInstance;
  /** Known after `listen` when it was 0. */
  readonly port: number;
  /** `http://host:port` without a slash at the end; with port 0 the port is known after `listen`. */
  readonly url: string;
  /** Begins to answer. Rejects with a sentence when the port is in use or not allowed. */
  listen(): Promise<void>;
  /** Ends open requests and streams, then stops; may be called twice. */
  close(): Promise<void>;
}

/**
 * Makes the server: JSON bodies of at most 256 kB unless a route says otherwise, every request checked for its Host and Origin, every fault
 * answered as `{ error: sentence }`.
 *
 * @param options `port` 0 takes a free one.
 */
export async function createServer(options: {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** Why whoever sent a request may not use what only this machine may, as a sentence; undefined = they may. */
  readonly objectsTo?: (request: FastifyRequest) => Promise<string | undefined>;
}): Promise<Server> {
  const { host, log } = options;
  const app = fastify({
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    // Whoever sends slowly must not hold connections for ever.
    requestTimeout: REQUEST_MAX_MS,
    // A HEAD of an event stream would be held open like the stream itself.
    exposeHeadRoutes: false,
  });
  app.removeContentTypeParser('text/plain');
  const port = () => {
    const address = app.server.address();
    return typeof address === 'object' && address !== null ? address.port : options.port;
  };

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders);
    if (request.routeOptions.config.fromAnywhere) return;
    const refusal = objection(request, { host, port: port() }) ?? (await options.objectsTo?.(request));
    if (refusal !== undefined) await reply.code(403).send({ error: refusal });
  });
  app.setNotFoundHandler((request, reply) => {
    if (request.method === 'GET' && request.headers.accept?.includes('text/html')) {
      return reply.code(404).type('text/html; charset=utf-8').send(NOT_FOUND_PAGE);
    }
    reply.code(404).send({ error: `There is nothing at ${request.method} ${request.url}.` });
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error(`${request.method} ${request.routeOptions.url ?? '?'} failed`, error);
    reply.code(status).send({ error: sentence(error, status, request.routeOptions.bodyLimit) });
  });

  return {
    app,
    get port() {
      return port();
    },
    get url() {
      return `http://${urlHost(host)}:${port()}`;
    },
    async listen() {
      await app.listen({ host, port: options.port }).catch((error: unknown) => {
        throw listenFault(error, host, options.port);
      });
    },
    close: () => app.close(),
  };
}

/** @param bodyMaxBytes longest body that the route takes */
function sentence(error: FastifyError, status: number, bodyMaxBytes = maxBodyBytes): string {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return `The body is too large: at most ${size(bodyMaxBytes)} are accepted.`;
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'Only JSON is accepted: send the header "content-type: application/json".';
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return 'The body is not valid JSON.';
    default:
      return status >= 500 ? 'Something went wrong inside Flowbot; its log says more.' : error.message;
  }
}

function size(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} kB` : `${kilobytes / 1024} MB`;
}

function listenFault(error: unknown, host: string, port: number): Error {
  const where = `${urlHost(host)}:${port}`;
  const next = 'set FLOWBOT_PORT to another port';
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new Error(`${where} is in use by another program: stop it, or ${next}.`, { cause: error });
    case 'EACCES':
      return new Error(`This user may not listen on ${where}: ${next} above 1023.`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${host} is not an address of this machine: set FLOWBOT_HOST to one that is.`, {
        cause: error,
      });
    default:
      return new Error(`The server could not listen on ${where}.`, { cause: error });
  }
}
