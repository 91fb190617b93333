import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createHttp, type HttpOptions } from '../../../src/adapters/http/index.ts';
import type { HttpOutcome, HttpRequest } from '../../../src/ports/http.ts';

/** A request as a server saw it. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on loopback that ends with the test. */
export interface Loopback {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly port: number;
  /** Requests in the order they came in (HTTP servers only). */
  readonly seen: readonly Seen[];
}

/** Starts an HTTP server that records each request with its body before it answers. */
export async function serve(
  answer: (seen: Seen, response: ServerResponse, request: IncomingMessage) => void,
): Promise<Loopback> {
  const seen: Seen[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
    seen.push(one);
    answer(one, response, request);
  };
  const server = createServer(listener);
  return { ...(await listen(server)), seen };
}

/** Starts a server that speaks bytes: for broken answers and for none at all. */
export async function serveBytes(onSocket: (socket: Socket) => void): Promise<Loopback> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    onSocket(socket);
  });
  return { ...(await listen(server)), seen: [] };
}

/** Answers every request on a connection with the same bytes. */
export function always(answer: string | Buffer, end = true): (socket: Socket) => void {
  return (socket) => socket.on('data', () => (end ? socket.end(answer) : socket.write(answer)));
}

/** Makes a server listen on loopback and end with the test. */
export async function listen(server: Server): Promise<{ origin: string; port: number }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { origin: `http://127.0.0.1:${address.port}`, port: address.port };
}

/** A GET with generous limits that may ask loopback. */
export function request(url: string, change: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'GET',
    url,
    headers: {},
    timeoutMs: 20_000,
    maxBytes: 1_000_000,
    redirects: 0,
    allowHosts: ['127.0.0.1'],
    ...change,
  };
}

/** A client that ends with the test. */
export function client(options?: HttpOptions): ReturnType<typeof createHttp> {
  const http = createHttp(options);
  onTestFinished(() => http.close());
  return http;
}

/** Sends one request with a client of its own. */
export function send(url: string, change: Partial<HttpRequest> = {}): Promise<HttpOutcome> {
  return client().send(request(url, change), new AbortController().signal);
}
