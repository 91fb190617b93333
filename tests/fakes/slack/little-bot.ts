import { createServer, type IncomingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';
import type { SlackStandIn } from './index.ts';
import { isWire, type Wire } from './wire.ts';

/** An answer of the Web API. */
export interface ApiAnswer extends Wire {
  readonly ok: boolean;
  readonly error?: string;
}

/** Calls the Web API as the SDK does: a form, objects as JSON text. */
export async function callApi(
  slack: SlackStandIn,
  method: string,
  args: Wire = {},
  token: string | undefined = slack.botToken,
): Promise<ApiAnswer> {
  const answer = await fetch(`${slack.apiUrl}${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(formFields(args)),
  });
  return JSON.parse(await answer.text());
}

function formFields(args: Wire): Record<string, string> {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.fromEntries(
    Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, text(value)]),
  );
}

/** An envelope of Socket Mode, as it came. */
export interface Envelope {
  readonly envelope_id: string;
  readonly type: string;
  readonly payload: Wire;
  readonly retry_attempt?: number;
  readonly retry_reason?: string;
}

/** A bot in Socket Mode that acknowledges what it is told to. */
export interface SocketBot {
  readonly envelopes: readonly Envelope[];
  /** Other messages: `hello`, `disconnect`. */
  readonly notices: readonly Wire[];
  /** What it answers; undefined: nothing at all. Default: an empty acknowledgement. */
  answer: (envelope: Envelope) => Wire | undefined;
  readonly closed: Promise<number>;
  close(): void;
}

/** Connects one. */
export async function connectBot(
  slack: SlackStandIn,
  answer: SocketBot['answer'] = () => ({}),
): Promise<SocketBot> {
  const opened = await callApi(slack, 'apps.connections.open', {}, slack.appToken);
  const socket = new WebSocket(String(opened.url));
  const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));
  const envelopes: Envelope[] = [];
  const notices: Wire[] = [];
  const bot: SocketBot = { envelopes, notices, answer, closed, close: () => socket.close() };
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.on('message', (data) => {
      const read: unknown = JSON.parse(String(data));
      if (isEnvelope(read)) {
        envelopes.push(read);
        const payload = bot.answer(read);
        if (payload) socket.send(JSON.stringify({ envelope_id: read.envelope_id, payload }));
      } else if (isWire(read)) {
        notices.push(read);
        resolve();
      }
    });
  });
  return bot;
}

function isEnvelope(value: unknown): value is Envelope {
  return isWire(value) && typeof value.envelope_id === 'string' && isWire(value.payload);
}

/** A bot behind an address that answers with what it is told to. */
export interface HttpBot {
  readonly url: string;
  readonly requests: readonly { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  answer: () => {
    readonly status: number;
    readonly body?: string;
    readonly headers?: Record<string, string>;
  };
  close(): Promise<void>;
}

/** Starts one. */
export async function startHttpBot(): Promise<HttpBot> {
  const requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    requests.push({ headers: request.headers, body });
    const { status, body: said = '', headers = {} } = bot.answer();
    response.writeHead(status, headers).end(said);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const bot: HttpBot = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/slack/events`,
    requests,
    answer: () => ({ status: 200 }),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return bot;
}
