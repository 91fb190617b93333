import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Activity } from '../activity.ts';
import { readBody, type SentBody } from './body.ts';
import { type BodyFault, checkBody } from './check.ts';
import { DiscordError, errorBody, invalidForm, refusal } from './errors.ts';
import type { Faults, RequestFault } from './faults.ts';
import { isSnowflake } from './ids.ts';
import { isSignedFor } from './payloads.ts';
import type { Call, Reply, Route, Tools } from './route.ts';
import { installationRoutes } from './routes/installation.ts';
import { interactionRoutes } from './routes/interactions.ts';
import { messageRoutes } from './routes/messages.ts';
import { placeRoutes } from './routes/places.ts';
import { threadRoutes } from './routes/threads.ts';
import { isWire, type Wire } from './wire.ts';
import type { World } from './world.ts';

/** A request of the bot, as it came. */
export interface ApiCall {
  readonly method: string;
  /** Without `/api/v10`, with the query. */
  readonly path: string;
  /** `POST /channels/:channel/messages`; empty: there is no such route. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[];
  /** The platform's time. */
  readonly atMs: number;
  /** Undefined = not answered. */
  status: number | undefined;
  /** The code it was refused with. */
  code: number | undefined;
}

/** Something wrong with a body of the bot. */
export interface KeptFault extends BodyFault {
  readonly route: string;
}

/** Answers the HTTP API. */
export interface Rest {
  readonly calls: readonly ApiCall[];
  /** What was wrong with bodies. */
  readonly bodyFaults: readonly KeptFault[];
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

const routes = [
  ...installationRoutes,
  ...interactionRoutes,
  ...messageRoutes,
  ...placeRoutes,
  ...threadRoutes,
].map((route) => ({ route, ...patternOf(route.name) }));

/** Makes it. @param options `hasToken`: whether a bot's token is right */
export function createRest(options: {
  readonly world: World;
  readonly tools: Tools;
  readonly faults: Faults;
  readonly activity: Activity;
  readonly hasToken: (token: string) => boolean;
}): Rest {
  const { world, tools, faults, activity, hasToken } = options;
  const calls: ApiCall[] = [];
  const bodyFaults: KeptFault[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const done = activity.begin();
    response.once('close', done);
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname.startsWith('/attachments/')) {
      download(url, response);
      return;
    }
    const path = /^\/api\/v10(\/.*)$/.exec(url.pathname)?.[1];
    const method = request.method ?? 'GET';
    const found = path === undefined ? undefined : find(method, path);
    const sent = await readBody(request).catch((error: unknown) =>
      error instanceof DiscordError ? error : Promise.reject(error),
    );
    const body: SentBody = sent instanceof DiscordError ? { raw: undefined, files: [] } : sent;
    const record: ApiCall = {
      method,
      path: `${path ?? url.pathname}${url.search}`,
      route: found?.route.name ?? '',
      params: found?.params ?? {},
      body: body.raw,
      files: body.files,
      atMs: world.nowMs(),
      status: undefined,
      code: undefined,
    };
    calls.push(record);
    const fault = faults.take(record.route);
    if (fault && fail(fault, record, response)) return;
    const reply = answer(() => {
      if (found === undefined) throw refusal('notFound');
      if (!found.route.isOpen && !isAuthorized(request)) throw refusal('unauthorized');
      if (sent instanceof DiscordError) throw sent;
      return run(found.route, {
        ...body,
        body: isWire(body.raw) ? body.raw : {},
        query: url.searchParams,
        params: found.params,
      });
    }, record);
    if (fault?.kind === 'lost') response.destroy();
    else if (fault?.kind === 'status') sendPage(response, fault.status);
    else if (fault?.kind !== 'hang') {
      if (fault?.kind === 'late') await fault.release;
      record.status = reply.status;
      sendJson(response, reply);
    }
  }

  function run(route: Route, call: Call): Reply {
    const wrong = Object.entries(call.params).find(
      ([name, value]) => !isTextual.has(name) && !isSnowflake(value),
    );
    if (wrong) {
      const [name, value] = wrong;
      const message = `Value "${value}" is not snowflake.`;
      throw invalidForm([{ path: [`${name}_id`], code: 'NUMBER_TYPE_COERCE', message }]);
    }
    if (route.schema) {
      const found = checkBody(route.schema(world, call), route.checked ? route.checked(call) : call.raw);
      bodyFaults.push(...found.map((fault) => ({ ...fault, route: route.name })));
      if (found.length > 0) {
        const listed = found.map(({ path, message }) => ({
          path: path.split('.').filter(Boolean),
          code: 'BASE_TYPE_BAD_VALUE',
          message,
        }));
        throw invalidForm(listed);
      }
    }
    return route.run(world, call, tools);
  }

  function answer(act: () => Reply, record: ApiCall): Reply {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      record.code = error.code;
      return { status: error.status, body: errorBody(error) };
    } finally {
      activity.changed();
    }
  }

  /** Fails in place of doing it; false: do it. */
  function fail(fault: RequestFault, record: ApiCall, response: ServerResponse): boolean {
    const refuse = (status: number, body: Wire, headers: Readonly<Record<string, string>> = {}) => {
      record.status = status;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      sendJson(response, { status, body });
      return true;
    };
    switch (fault.kind) {
      case 'error':
        record.code = fault.code;
        return refuse(fault.status, { message: fault.message, code: fault.code });
      case '429':
        return refuse(429, tooMany(fault), tooManyHeaders(fault));
      case 'status':
        if (fault.isDone) return false;
        record.status = fault.status;
        sendPage(response, fault.status);
        return true;
      case 'reset':
        response.destroy();
        return true;
      case 'hang':
        return !fault.isDone;
      case 'lost':
      case 'late':
        return false;
    }
  }

  function isAuthorized({ headers }: IncomingMessage): boolean {
    const token = /^Bot (.+)$/.exec(headers.authorization ?? '')?.[1];
    return token !== undefined && hasToken(token);
  }

  /** Without a token, but only with a signature that has not run out. */
  function download({ pathname, searchParams }: URL, response: ServerResponse): void {
    if (faults.take(fileDownload)) {
      response.destroy();
      return;
    }
    const file = world.attachments.get(pathname.split('/')[2] ?? '');
    const isRight = file && isSignedFor(file.id, searchParams, world.nowMs());
    if (!isRight)
      response.writeHead(404, { 'content-type': 'text/plain' }).end('This content is no longer available.');
    else response.writeHead(200, { 'content-type': file.contentType }).end(file.bytes);
  }

  return { calls, bodyFaults, handle };
}

/** What a request for the bytes of a file counts as, for faults: the connection breaks. */
export const fileDownload = 'GET file';

/** Parts of paths that are no ids. */
const isTextual: ReadonlySet<string> = new Set(['token', 'answer']);

function find(
  method: string,
  path: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  for (const { route, verb, pattern } of routes) {
    const match = verb === method ? pattern.exec(path) : null;
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [
      name,
      decodeURIComponent(value ?? ''),
    ]);
    return { route, params: Object.fromEntries(params) };
  }
  return undefined;
}

function patternOf(name: string): { readonly verb: string; readonly pattern: RegExp } {
  const [verb = '', path = ''] = name.split(' ');
  return { verb, pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`) };
}

function tooMany({ retryAfterS, isGlobal }: Extract<RequestFault, { kind: '429' }>): Wire {
  return { message: 'You are being rate limited.', retry_after: retryAfterS, global: isGlobal === true };
}

function tooManyHeaders({
  retryAfterS,
  isGlobal,
}: Extract<RequestFault, { kind: '429' }>): Readonly<Record<string, string>> {
  return {
    ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
    ...(isGlobal && { 'x-ratelimit-global': 'true' }),
    'x-ratelimit-scope': isGlobal ? 'global' : 'user',
  };
}

/** An answer without a body has no type either. */
function sendJson(response: ServerResponse, { status, body }: Reply): void {
  if (response.destroyed) return;
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendPage(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Server error</h1>');
}
