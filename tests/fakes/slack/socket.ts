import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { setTimeout as tick } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Activity } from '../activity.ts';
import { type Delivered, type Parcel, type Receipt, realNowMs, type Transport } from './delivery.ts';
import { isWire, type Wire } from './wire.ts';

/** Socket Mode: the bot connects, envelopes go to any one of its connections. */
export interface Sockets extends Transport {
  /** A new address, good for one connection. */
  issueUrl(): string;
  connections(): number;
  /** The next so many attempts to connect are refused. */
  refuse(count: number): void;
  /** Cuts all connections without a word. */
  drop(): void;
  /** Says why, then closes every connection, as Slack does every few hours. `warning` only says it. */
  disconnect(
    reason: 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets',
  ): Promise<void>;
}

interface Waiter {
  readonly parcel: Parcel;
  readonly record: Delivered;
  readonly socket: WebSocket;
  readonly end: (receipt: Receipt) => void;
}

const connectionsMax = 10;

/** Takes WebSocket connections at a server. @param options `onOpen`: the first connection is up; `onAck`: perhaps a late one */
export function createSockets(options: {
  readonly server: Server;
  readonly baseUrl: () => string;
  readonly appId: string;
  readonly activity: Activity;
  readonly onOpen: () => void;
  readonly onAck: (parcel: Parcel) => void;
}): Sockets {
  const { server, appId, activity } = options;
  const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const tickets = new Set<string>();
  const open: WebSocket[] = [];
  const waiters = new Map<string, Waiter>();
  let refusals = 0;
  let turn = 0;

  server.on('upgrade', (request, stream, head) => {
    const url = new URL(request.url ?? '/', 'ws://localhost');
    const isWelcome = url.pathname === '/link/' && tickets.delete(url.searchParams.get('ticket') ?? '');
    if (refusals > 0 || !isWelcome) {
      refusals = Math.max(0, refusals - 1);
      stream.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    upgrades.handleUpgrade(request, stream, head, connected);
  });

  function connected(socket: WebSocket): void {
    if (open.length >= connectionsMax) {
      socket.send(JSON.stringify(farewell('too_many_websockets')));
      socket.close();
      return;
    }
    const isFirst = !open.some(isUp);
    open.push(socket);
    socket.on('message', (data) => {
      const read = readJson(String(data));
      if (read === undefined) socket.close(1007);
      else acknowledged(read);
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      open.splice(open.indexOf(socket), 1);
      for (const waiter of waiters.values()) {
        if (waiter.socket === socket) waiter.end({ kind: 'failed', reason: 'connection_failed' });
      }
      activity.changed();
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: open.length,
        debug_info: { host: 'applink-1', build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: appId },
      }),
    );
    activity.changed();
    if (isFirst) options.onOpen();
  }

  function acknowledged({ envelope_id, payload }: Wire): void {
    const waiter = typeof envelope_id === 'string' ? waiters.get(envelope_id) : undefined;
    if (waiter === undefined || typeof envelope_id !== 'string') return;
    waiters.delete(envelope_id);
    waiter.record.ackedAtMs ??= realNowMs();
    const isEmpty = payload === undefined || (isWire(payload) && Object.keys(payload).length === 0);
    if (!isEmpty && !waiter.parcel.acceptsPayload) {
      waiter.end({ kind: 'failed', reason: 'payload_not_accepted' });
      return;
    }
    waiter.end({ kind: 'taken', response: isEmpty ? undefined : payload });
    options.onAck(waiter.parcel);
  }

  return {
    async send(parcel, { record, limitMs, again }) {
      const up = open.filter(isUp);
      turn += 1;
      const socket = up[turn % Math.max(1, up.length)];
      if (socket === undefined) return { kind: 'failed', reason: 'no_connection' };
      const envelopeId = (again ? parcel.envelopeId : undefined) ?? randomUUID();
      parcel.envelopeId = envelopeId;
      const { promise, resolve } = Promise.withResolvers<Receipt>();
      let isOver = false;
      const end = (receipt: Receipt) => {
        isOver = true;
        resolve(receipt);
      };
      waiters.set(envelopeId, { parcel, record, socket, end });
      socket.send(
        JSON.stringify({
          envelope_id: envelopeId,
          type: parcel.kind,
          payload: parcel.payload,
          accepts_response_payload: parcel.acceptsPayload,
          ...(parcel.kind === 'events_api' && {
            retry_attempt: parcel.attempts,
            retry_reason: parcel.attempts === 0 ? '' : 'timeout',
          }),
        }),
      );
      void giveUpAfter(limitMs, () => isOver).then(() => end({ kind: 'failed', reason: 'timeout' }));
      return promise;
    },
    issueUrl() {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `${options.baseUrl().replace('http', 'ws')}/link/?ticket=${ticket}&app_id=${appId}`;
    },
    connections: () => open.length,
    refuse(count) {
      refusals = count;
    },
    drop() {
      for (const socket of [...open]) socket.terminate();
    },
    async disconnect(reason) {
      const closing = open.map((socket) => {
        socket.send(JSON.stringify(farewell(reason)));
        if (reason === 'warning') return undefined;
        socket.close(1000);
        return new Promise((resolve) => socket.once('close', resolve));
      });
      await Promise.all(closing);
    },
  };
}

function isUp({ readyState, OPEN }: WebSocket): boolean {
  return readyState === OPEN;
}

function readJson(text: string): Wire | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isWire(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function farewell(reason: string): object {
  return { type: 'disconnect', reason, debug_info: { host: 'applink-1' } };
}

/** Waits in short ticks, so that a busy process gets to its sockets before the time is up. */
async function giveUpAfter(limitMs: number, isOver: () => boolean): Promise<void> {
  const ticks = 10;
  for (let passed = 0; passed < ticks && !isOver(); passed += 1) {
    await tick(limitMs / ticks, undefined, { ref: false });
  }
}
