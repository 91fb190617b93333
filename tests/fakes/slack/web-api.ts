import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from '../activity.ts';
import { realNowMs } from './delivery.ts';
import { refusal, SlackError } from './errors.ts';
import type { Faults, MethodFault } from './faults.ts';
import { type Caller, type Method, needScopes, readArgs } from './method.ts';
import { chatMethods } from './methods/chat.ts';
import { conversationMethods } from './methods/conversations.ts';
import { fileMethods, shareDue } from './methods/files.ts';
import { installationMethods } from './methods/installation.ts';
import { peopleMethods } from './methods/people.ts';
import { viewMethods } from './methods/views.ts';
import { respond } from './response-urls.ts';
import { isWire, type Wire } from './wire.ts';
import type { Workspace } from './workspace.ts';

/** A call of the Web API, as it came. */
export interface ApiCall {
  readonly method: string;
  /** JSON texts are read. */
  readonly args: Wire;
  /** Real milliseconds since the epoch. */
  readonly atMs: number;
  /** The code it was refused with; undefined = done, or not answered. */
  error: string | undefined;
}

const methods: Readonly<Record<string, Method>> = {
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
  ...installationMethods,
  ...peopleMethods,
  ...viewMethods,
};

/** Answers the Web API, `response_url`s, uploads and downloads. @param options `tokens`: who a token is */
export function createWebApi(options: {
  readonly workspace: Workspace;
  readonly tokens: Readonly<Record<string, Caller['token']>>;
  readonly faults: Faults;
  readonly activity: Activity;
  readonly openConnection: () => string;
}): {
  readonly calls: readonly ApiCall[];
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
} {
  const { workspace, tokens, faults, activity } = options;
  const calls: ApiCall[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const done = activity.begin();
    response.once('close', done);
    const body = await bodyOf(request);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, area, name = ''] = url.pathname.split('/');
    const fields = () => ({ ...Object.fromEntries(url.searchParams), ...fieldsOf(request, body) });
    switch (area) {
      case 'api':
        await call(name, fields(), request, response);
        return;
      case 'response': {
        const given = readJson(body.toString());
        const { status, body: answer } = respond(workspace, name, isWire(given) ? given : {});
        sendJson(response, status, answer);
        return;
      }
      case 'upload':
        upload(name, await uploadedBytes(request, body), response);
        return;
      case 'files':
        download(name, request, response);
        return;
      default:
        response.writeHead(404).end();
    }
  }

  async function call(
    name: string,
    given: Wire,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { token: inBody, ...args } = given;
    const record: ApiCall = { method: name, args: readable(args), atMs: realNowMs(), error: undefined };
    calls.push(record);
    shareDue(workspace);
    const fault = faults.take(isUnseen(name, args) ? `${name}, unseen` : name);
    if (fault?.kind === 'delay') await sleep(fault.ms);
    if (fault && fail(fault, response)) return;
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? inBody;
    const answer = run(name, args, typeof token === 'string' ? token : undefined);
    if (typeof answer.error === 'string') record.error = answer.error;
    response.setHeader('x-oauth-scopes', workspace.scopes.join(','));
    response.setHeader('x-accepted-oauth-scopes', methods[name]?.scopes?.join(',') ?? '');
    if (fault?.kind === 'lost') response.destroy();
    else if (fault?.kind === 'cut') sendCut(response, answer);
    else if (fault?.kind === 'status') sendStatus(response, fault.status);
    else sendJson(response, 200, answer);
  }

  /** Fails in place of doing it; false: do it. */
  function fail(fault: MethodFault, response: ServerResponse): boolean {
    switch (fault.kind) {
      case 'error':
        sendJson(response, 200, refusal(new SlackError(fault.code, fault.messages)));
        return true;
      case '429':
        if (fault.retryAfterS !== undefined) response.setHeader('retry-after', fault.retryAfterS);
        sendJson(response, 429, { ok: false, error: 'ratelimited' });
        return true;
      case 'status':
        if (fault.isDone) return false;
        sendStatus(response, fault.status);
        return true;
      case 'html':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Slack</title>');
        return true;
      case 'reset':
        response.destroy();
        return true;
      case 'lost':
      case 'cut':
      case 'delay':
        return false;
    }
  }

  function run(name: string, given: Wire, token: string | undefined): Wire {
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (method === undefined) throw new SlackError('unknown_method', [], { req_method: name });
      const caller = callerOf(method, token);
      const args = readArgs(method, given);
      if (caller === 'bot') needScopes(workspace, ...(method.scopes ?? []));
      return {
        ok: true,
        ...method.run(args, workspace, { token: caller, openConnection: options.openConnection }),
      };
    } catch (error) {
      if (error instanceof SlackError) return refusal(error);
      throw error;
    }
  }

  function callerOf(method: Method, token: string | undefined): Caller['token'] {
    if (token === undefined) throw new SlackError('not_authed');
    const caller = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
    if (caller === undefined) throw new SlackError('invalid_auth');
    if (caller !== 'config' && workspace.revoked === 'account_inactive')
      throw new SlackError('account_inactive');
    if (caller === 'bot' && workspace.revoked) throw new SlackError(workspace.revoked);
    const wanted = method.token ?? 'bot';
    if (wanted !== caller && !(wanted === 'bot or app' && caller !== 'config')) {
      throw new SlackError('not_allowed_token_type');
    }
    return caller;
  }

  function upload(id: string, bytes: Buffer, response: ServerResponse): void {
    const file = workspace.files.get(id);
    if (file === undefined || file.length !== bytes.length) {
      response.writeHead(file ? 400 : 404).end();
      return;
    }
    file.bytes = bytes;
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`OK - ${bytes.length}`);
  }

  /** Without a token that may read files, the answer is a login page with status 200. */
  function download(id: string, request: IncomingMessage, response: ServerResponse): void {
    const fault = faults.take(fileDownload);
    if (fault && fail(fault, response)) return;
    const file = workspace.files.get(id);
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const mayRead =
      Object.hasOwn(tokens, token) && tokens[token] === 'bot' && workspace.scopes.includes('files:read');
    if (!mayRead || workspace.revoked) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
    } else if (file?.bytes === undefined) {
      response.writeHead(404).end();
    } else {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.bytes);
    }
  }

  return { calls, handle };
}

/** What a request for the bytes of a file counts as, for faults. */
export const fileDownload = 'GET file';

/** A file that is completed without a channel is seen by nobody, so it does not count as a post. */
function isUnseen(method: string, args: Wire): boolean {
  return method === 'files.completeUploadExternal' && args.channel_id === undefined;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Bytes come as they are, or as the file of a form. */
async function uploadedBytes(request: IncomingMessage, body: Buffer): Promise<Buffer> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return body;
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  const file = [...form.values()].find((value) => typeof value !== 'string');
  return file ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
}

function fieldsOf(request: IncomingMessage, body: Buffer): Wire {
  if (body.length === 0) return {};
  if (request.headers['content-type']?.startsWith('application/json')) {
    const read = readJson(body.toString());
    return isWire(read) ? read : {};
  }
  return Object.fromEntries(new URLSearchParams(body.toString()));
}

/** Arguments with their JSON texts read, for tests to look at. */
function readable(args: Wire): Wire {
  const read = (value: unknown) =>
    typeof value === 'string' && /^[[{]/.test(value) ? (readJson(value) ?? value) : value;
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, read(value)]));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: Wire): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function sendStatus(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Server error</h1>');
}

function sendCut(response: ServerResponse, body: Wire): void {
  const text = JSON.stringify(body);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}
