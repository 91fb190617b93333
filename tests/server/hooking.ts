import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { afterEach } from 'vitest';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import { isJsonObject, type Json } from '../../src/engine/json.ts';
import { addHookRoutes, type Hooks } from '../../src/server/hooks.ts';
import { createServer, type Server } from '../../src/server/index.ts';
import { createDesk, type Desk } from '../commands/desk.ts';
import type { Answering } from '../fakes/http.ts';

/** The value of the secret TOKEN. */
export const secret = 'tok-12345';

/** A flow that a webhook starts; it lives in #releases. */
export const hooked = (webhook: string, more = '') => `
name: Release
conversation: "red:#releases"
input:
  type: object
  properties:
    version: { type: string, title: Version }
    stage: { type: string }
    count: { type: integer, title: Count }
  required: [version]
triggers: [{ type: webhook, secret: TOKEN, input: { stage: final }, ${webhook} }]
${more}
steps: { say: { type: message, text: "{{input.version}} is {{input.stage}}" } }
`;
/** Takes the version from what `release` is. */
export const keep = 'keep: { version: release.tag_name, count: count }';
export const release = JSON.stringify({ release: { tag_name: 'v1.2' } });
/** The headers of a request with JSON. */
export const json = { 'content-type': 'application/json' };

/** The bot whose addresses are called. */
export let desk: Desk;
let server: Server | undefined;
/** Its addresses; they are open. */
export let hooks: Hooks;
afterEach(() => server?.close());

/** A bot with these flows and its server. */
export async function open(
  flows: Readonly<Record<string, string>>,
  known = secret,
  answering?: Answering,
): Promise<void> {
  desk = await createDesk(flows, answering);
  await serve(desk.bot, known);
}

/** Its server, in the place of the one before. */
export async function serve(bot: Desk['bot'], known = secret): Promise<void> {
  await server?.close();
  server = await createServer({ host: '127.0.0.1', port: 0, log: desk.log });
  hooks = addHookRoutes(server.app, { bot, secrets: createSecrets(new Map([['TOKEN', known]])) });
  hooks.open();
  await server.listen();
}

/** The process ends, without a word, and the next one goes on. */
export async function restart(): Promise<void> {
  desk = await desk.restart();
  await serve(desk.bot);
}

/** What the sender hears. */
interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Json;
}

/** Sends a request with exactly these headers, as from another machine behind a proxy. */
export function send(
  path: string,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string | string[]>> = json,
  method = 'POST',
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${server?.url}${path}`,
      { method, headers: { host: 'flow.example.com', ...headers } },
      (incoming) => {
        incoming.setEncoding('utf8');
        let text = '';
        incoming.on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: text === '' ? null : JSON.parse(text),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const hmac = (content: string | Buffer, key = secret) =>
  createHmac('sha256', key).update(content).digest('hex');
const nowS = () => Math.floor(desk.clock.now() / 1_000);

/** The headers by which each system proves who it is. */
const signers: Readonly<Record<string, (body: string | Buffer) => Readonly<Record<string, string>>>> = {
  hmac(body) {
    const timestamp = String(nowS());
    const content = Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body)]);
    return { 'x-flowbot-timestamp': timestamp, 'x-flowbot-signature': `sha256=${hmac(content)}` };
  },
  github: (body) => ({
    'x-hub-signature-256': `sha256=${hmac(body)}`,
    'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'x-github-event': 'release',
  }),
  gitlab: () => ({ 'x-gitlab-token': secret, 'idempotency-key': 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f' }),
  stripe: (body) => ({
    'stripe-signature': `t=${nowS()},v1=${hmac(`${nowS()}.${body.toString()}`)},v0=${'0'.repeat(64)}`,
  }),
  alertmanager: () => ({ authorization: `Bearer ${secret}` }),
};
/** All ways to prove but the address. */
export const signedKinds = Object.keys(signers);

/** The headers of a request that is signed like this. */
export const sign = (kind: string, body: string | Buffer): Readonly<Record<string, string>> => ({
  ...json,
  ...signers[kind]?.(body),
});

/** Where a hook of this kind is called, and with what. */
export const call = (kind: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  kind === 'path'
    ? send(`/hooks/release/${secret}`, body, { ...json, 'idempotency-key': 'once', ...headers })
    : send('/hooks/release', body, { ...sign(kind, body), ...headers });

/** What stands in #releases, once all is quiet. */
export const posts = async () => {
  await desk.settle();
  return (await desk.red.posts(desk.red.here)).map(({ text }) => text);
};
/** A field of an answer; null = it has none. */
export const field = (body: Json, name: string): Json => (isJsonObject(body) ? (body[name] ?? null) : null);
/** How a run began. */
export const startOf = async (run: Json) => (await desk.store.run(String(run)))?.state.start;
