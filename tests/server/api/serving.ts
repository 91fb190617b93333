import { request } from 'node:http';
import { afterEach } from 'vitest';
import type { AccessToken } from '../../../src/config-tokens.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/engine/json.ts';
import type { SignIn } from '../../../src/ports/sign-in.ts';
import { createFeed } from '../../../src/runner/feed.ts';
import { createDoor, type Door, type DoorSettings } from '../../../src/server/access/door.ts';
import { createSessions, type Sessions } from '../../../src/server/access/sessions.ts';
import { type Api, addApiRoutes } from '../../../src/server/api/routes.ts';
import { createServer, type Server } from '../../../src/server/index.ts';
import { addPages } from '../../../src/server/pages/routes.ts';
import { createDesk, type Desk } from '../../commands/desk.ts';
import type { Answering } from '../../fakes/http.ts';
import { createCountingIds } from '../../fakes/ids.ts';

/** Tokens of every role, and one that speaks for Ana of red. */
export const tokens: readonly AccessToken[] = [
  { name: 'looker', role: 'viewer', secret: 'viewer-token-0123456789' },
  { name: 'ci', role: 'runner', secret: 'runner-token-0123456789' },
  { name: 'gate', role: 'approver', secret: 'approver-token-0123456789' },
  { name: 'boss', role: 'admin', secret: 'admin-token-0123456789' },
  { name: 'ana', role: 'approver', secret: 'ana-token-0123456789ab', person: 'red:U0ANA' },
];
/** The header that lets in as one of them. */
export const as = (name: string) => ({
  authorization: `Bearer ${tokens.find((token) => token.name === name)?.secret}`,
});

/** With which accounts people can sign in: set before `open`. */
export const signIns = new Map<SignIn['platform'], SignIn>();
/** The bot behind the server. */
export let desk: Desk;
export let door: Door;
export let sessions: Sessions;
export let api: Api;
export let server: Server;
let isServing = false;
afterEach(async () => {
  if (isServing) await server.close();
  isServing = false;
});

/** A bot with these flows, and its server with the API. Without tokens whoever sits at this machine needs no login. */
export async function open(
  flows: Readonly<Record<string, string>>,
  settings: Partial<DoorSettings> = { tokens },
  answering?: Answering,
  more?: More,
): Promise<void> {
  desk = await createDesk(flows, answering);
  await serve(settings, more);
}

/** The process ends, without a word, and the next one goes on. */
export async function restart(settings: Partial<DoorSettings> = { tokens }, more?: More): Promise<void> {
  desk = await desk.restart();
  await serve(settings, more);
}

/** Adds further routes. */
type More = (app: Server['app'], door: Door) => void;

async function serve(settings: Partial<DoorSettings>, more?: More): Promise<void> {
  if (isServing) await server.close();
  server = await createServer({ host: '127.0.0.1', port: 0, log: desk.log });
  isServing = true;
  const { bot } = desk;
  sessions = createSessions(bot);
  door = createDoor(bot, sessions, {
    host: '127.0.0.1',
    port: () => server.port,
    tokens: [],
    hasSignIn: false,
    hostName: 'root',
    ...settings,
  });
  const feed = createFeed({
    store: desk.store,
    plans: bot.plans,
    bus: bot.events,
    clock: bot.clock,
    log: desk.log,
  });
  api = addApiRoutes(server.app, { bot, door, feed, ids: createCountingIds(), version: '1.2.3' });
  api.open();
  addPages(server.app, { bot, door, sessions, signIns, ids: createCountingIds(), version: '1.2.3' }).open();
  more?.(server.app, door);
  await server.listen();
}

/** What a client hears. */
export interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: JsonObject;
}

/** Sends a request with exactly these headers. @param body sent as JSON; a text as it is */
export function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: Json,
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request(
      `${server.url}${path}`,
      { method, headers: { ...json, ...headers } },
      (incoming) => {
        incoming.setEncoding('utf8');
        let text = '';
        incoming.on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('end', () => {
          const parsed: Json = /json/.test(String(incoming.headers['content-type'])) ? JSON.parse(text) : {};
          const { statusCode = 0 } = incoming;
          resolve({
            status: statusCode,
            headers: incoming.headers,
            text,
            body: isJsonObject(parsed) ? parsed : {},
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

export const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  send('GET', path, headers);
export const post = (path: string, headers: Readonly<Record<string, string>>, body: Json = {}) =>
  send('POST', path, headers, body);

/** A stream of server-sent events, as a client reads it. */
export interface Listening {
  readonly status: number;
  /** Ids and names so far. */
  readonly events: { readonly id: string; readonly name: string; readonly data: JsonObject }[];
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Follows a run. */
export function listen(path: string, headers: Readonly<Record<string, string>>): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${server.url}${path}`,
      { headers: { accept: 'text/event-stream', ...headers } },
      (incoming) => {
        const events: Listening['events'] = [];
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        let rest = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => {
          const frames = (rest + chunk).split('\n\n');
          rest = frames.pop() ?? '';
          for (const frame of frames) {
            const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1] ?? '';
            if (field('data') !== '')
              events.push({ id: field('id'), name: field('event'), data: JSON.parse(field('data')) });
          }
        });
        incoming.on('close', end);
        resolve({ status: incoming.statusCode ?? 0, events, ended, stop: () => outgoing.destroy() });
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}
