import { createHmac } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { ackLimitMs, type Parcel, type Receipt, realNowMs, type Transport } from './delivery.ts';
import type { Wire } from './wire.ts';

/** Events over HTTP: signed requests to the bot's address. */
export interface HttpDelivery extends Transport {
  /** Sends any body, signed; every part of the signature can be made up. */
  sendSigned(message: SignedMessage): Promise<BotAnswer>;
  close(): void;
}

/** A request to the bot. */
export interface SignedMessage {
  readonly body: string;
  /** Seconds since the epoch; default: now. */
  readonly timestamp?: string;
  /** Default: the right one; `''` = unsigned. */
  readonly signature?: string;
  /** Default: `application/json`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the bot answered. */
export interface BotAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** How a request can be given up, and when it has a connection. */
interface Sending {
  readonly signal?: AbortSignal;
  readonly onLeave?: () => void;
}

/** Makes it. @param options `formType`: the content type of commands and interactions */
export function createHttpDelivery(options: {
  readonly url: () => string;
  readonly signingSecret: string;
  readonly nowMs: () => number;
  readonly formType: () => string;
}): HttpDelivery {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  function sendSigned(
    { body, contentType = 'application/json', headers = {}, ...made }: SignedMessage,
    sending: Sending = {},
  ): Promise<BotAnswer> {
    const timestamp = made.timestamp ?? String(Math.floor(options.nowMs() / 1000));
    const digest = createHmac('sha256', options.signingSecret)
      .update(`v0:${timestamp}:${body}`)
      .digest('hex');
    const signature = made.signature ?? `v0=${digest}`;
    return post(options.url(), body, {
      agent,
      ...sending,
      headers: {
        'content-type': contentType,
        'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
        'x-slack-request-timestamp': timestamp,
        ...(signature !== '' && { 'x-slack-signature': signature }),
        ...headers,
      },
    });
  }

  return {
    sendSigned: (message) => sendSigned(message),
    async send(parcel, { record, limitMs, again }): Promise<Receipt> {
      const isEvent = parcel.kind === 'events_api';
      const retry = isEvent && parcel.attempts > 0;
      // Slack waits as long for every answer; a busy bot is never given less.
      const patience = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      const onLeave = () => {
        record.sentAtMs = realNowMs();
        timer = setTimeout(() => patience.abort(), Math.max(limitMs, ackLimitMs));
      };
      try {
        const { status, body, headers } = await sendSigned(
          {
            body: isEvent ? JSON.stringify(parcel.payload) : formOf(parcel),
            contentType: isEvent ? 'application/json' : options.formType(),
            ...(retry && {
              headers: {
                'x-slack-retry-num': String(Math.min(3, parcel.attempts)),
                'x-slack-retry-reason': again ? 'http_timeout' : parcel.failure,
              },
            }),
          },
          { signal: patience.signal, onLeave },
        );
        if (status < 200 || status > 299) {
          return { kind: 'failed', reason: 'http_error', isFinal: headers['x-slack-no-retry'] === '1' };
        }
        record.ackedAtMs = realNowMs();
        return { kind: 'taken', response: responseOf(body) };
      } catch {
        return { kind: 'failed', reason: patience.signal.aborted ? 'http_timeout' : 'connection_failed' };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

function formOf({ kind, payload }: Parcel): string {
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return new URLSearchParams(textFields(payload)).toString();
}

function textFields(fields: Wire): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]));
}

/** JSON, text, or nothing. */
function responseOf(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return { text: body };
  }
}

function post(
  url: string,
  body: string,
  options: Sending & { readonly agent: Agent; readonly headers: Record<string, string> },
): Promise<BotAnswer> {
  const { agent, signal, onLeave, headers } = options;
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    const sent = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': length }, ...(signal && { signal }) },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: Buffer.concat(chunks).toString(),
            headers: answer.headers,
          }),
        );
      },
    );
    if (onLeave) sent.on('socket', onLeave);
    sent.on('error', reject);
    sent.end(body);
  });
}
