import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { setTimeout as tick } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Activity } from '../activity.ts';
import { guildCreate, userOf } from './payloads.ts';
import { isWire, numberOf, textOf, type Wire } from './wire.ts';
import type { Happening, World } from './world.ts';

/** Bits of the intents that matter here. */
export const intent = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildMessages: 1 << 9,
  directMessages: 1 << 12,
  messageContent: 1 << 15,
} as const;

/** All intents that exist. */
const knownIntents = ((1 << 17) - 1) | (1 << 20) | (1 << 21) | (1 << 24) | (1 << 25);

/** A bot's session: it outlives its connection, so that the bot can take it up again. */
export interface Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [index: number, count: number];
  seq: number;
  /** What was told since the beginning, by number. */
  readonly told: { readonly seq: number; readonly text: string; readonly atMs: number }[];
  socket: WebSocket | undefined;
  /** How many times the bot has shown that it lives. */
  beats: number;
}

/** What a test sets. */
export interface GatewaySettings {
  /** Shards that Discord recommends; fewer are refused with 4011. Default 1. */
  shards: number;
  /** How often the bot shows that it lives (real milliseconds); default 45 s. */
  heartbeatIntervalMs: number;
  /** Heartbeats are not answered. */
  isSilent: boolean;
  /** How many times the bot may still identify; default 1000. */
  identifiesLeft: number;
  /** Servers that can't be reached: nothing is told about them. */
  readonly unavailable: Set<string>;
}

/** Tells the bot what happens. */
export interface Gateway {
  readonly settings: GatewaySettings;
  /** Sessions that are connected or can be taken up again. */
  readonly sessions: ReadonlyMap<string, Session>;
  tell(happening: Happening): void;
  /** Tells the newest one that is wanted once more, with a new number. Throws when there was none. */
  repeat(wanted: (happening: Happening) => boolean): void;
  /** The next so many happenings of this kind are not told at all. */
  drop(t: string, count: number): void;
  connections(): number;
  /** Says op 7: the bot shall reconnect. */
  reconnect(): void;
  /** Says op 9. */
  invalidate(isResumable: boolean): void;
  /** Closes all connections with a code. */
  closeAll(code: number): void;
  /** Cuts all connections without a word. */
  terminate(): void;
  /** The next so many connections are refused before they open. */
  refuse(count: number): void;
  /** A server can't be reached: nothing is told about it until it is over. */
  outage(guildId: string): void;
  outageOver(guildId: string): void;
  /** Sends any text as it is. */
  sendText(text: string): void;
  /** Where connections were opened: `/gw`, `/resume`. */
  readonly opened: readonly string[];
  /** Resolves when connected bots have read all that was told; at most 1 s. */
  heard(): Promise<void>;
  /** How many times a bot identified, and took up a session. */
  counts(): { readonly identified: number; readonly resumed: number };
}

/** Takes connections at a server. @param options `hasToken`: whether a bot's token is right */
export function createGateway(options: {
  readonly server: Server;
  readonly world: () => World;
  readonly activity: Activity;
  readonly hasToken: (token: string) => boolean;
}): Gateway {
  const { server, activity } = options;
  const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const settings: GatewaySettings = {
    shards: 1,
    heartbeatIntervalMs: 45_000,
    isSilent: false,
    identifiesLeft: 1000,
    unavailable: new Set(),
  };
  const sessions = new Map<string, Session>();
  const open = new Set<WebSocket>();
  const drops = new Map<string, number>();
  const opened: string[] = [];
  let lastTold: Happening[] = [];
  let refusals = 0;
  let identified = 0;
  let resumed = 0;

  server.on('upgrade', (request, stream, head) => {
    const { pathname } = new URL(request.url ?? '/', 'ws://localhost');
    if (refusals > 0 || !['/gw', '/gw/', '/resume', '/resume/'].includes(pathname)) {
      refusals = Math.max(0, refusals - 1);
      stream.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    opened.push(pathname);
    upgrades.handleUpgrade(request, stream, head, connected);
  });

  function connected(socket: WebSocket): void {
    open.add(socket);
    let session: Session | undefined;
    socket.on('error', () => socket.terminate());
    socket.on('close', (code) => {
      open.delete(socket);
      if (session?.socket === socket) {
        session.socket = undefined;
        // Who says goodbye gives up the session.
        if (code === 1000 || code === 1001) sessions.delete(session.id);
      }
      activity.changed();
    });
    socket.on('message', (data) => {
      const packet = readPacket(String(data));
      if (packet === undefined) socket.close(4002, 'Error while decoding payload');
      else session = received(socket, session, packet);
    });
    send(socket, {
      op: 10,
      d: { heartbeat_interval: settings.heartbeatIntervalMs, _trace: [] },
      s: null,
      t: null,
    });
    activity.changed();
  }

  function received(socket: WebSocket, session: Session | undefined, { op, d }: Wire): Session | undefined {
    switch (op) {
      case 1:
        if (session) session.beats += 1;
        if (!settings.isSilent) send(socket, { op: 11, d: null, s: null, t: null });
        activity.changed();
        return session;
      case 2:
        if (session === undefined) return identify(socket, isWire(d) ? d : {});
        socket.close(4005, 'Already authenticated.');
        return session;
      case 6:
        return resume(socket, isWire(d) ? d : {});
      case 3:
      case 4:
      case 8:
        if (session === undefined) socket.close(4003, 'Not authenticated.');
        return session;
      default:
        socket.close(4001, 'Unknown opcode.');
        return session;
    }
  }

  function identify(socket: WebSocket, d: Wire): Session | undefined {
    const world = options.world();
    const refuse = (code: number, why: string) => {
      socket.close(code, why);
      return undefined;
    };
    settings.identifiesLeft -= 1;
    const intents = d.intents;
    const shard = readShard(d.shard);
    if (!options.hasToken(textOf(d.token))) return refuse(4004, 'Authentication failed.');
    if (shard === undefined) return refuse(4010, 'Invalid shard.');
    if (shard[1] < settings.shards) return refuse(4011, 'Sharding required.');
    if (typeof intents !== 'number' || (intents | knownIntents) !== knownIntents || !isWire(d.properties)) {
      return refuse(4013, 'Invalid intent(s).');
    }
    const isDisallowed =
      (intents & intent.messageContent && !world.portal.messageContent) ||
      (intents & intent.guildMembers && !world.portal.guildMembers);
    if (isDisallowed) return refuse(4014, 'Disallowed intent(s).');
    identified += 1;
    const session: Session = {
      id: randomUUID().replaceAll('-', ''),
      intents,
      shard,
      seq: 0,
      told: [],
      socket,
      beats: 0,
    };
    sessions.set(session.id, session);
    const guilds = [...world.guilds.values()].filter(({ id }) => isOf(shard, id));
    dispatch(session, 'READY', {
      v: 10,
      user: { ...userOf(world, world.botId), verified: true, mfa_enabled: true, flags: 0, email: null },
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: `${world.baseUrl().replace('http', 'ws')}/resume`,
      session_type: 'normal',
      shard,
      private_channels: [],
      presences: [],
      relationships: [],
      geo_ordered_rtc_regions: [],
      application: { id: world.appId, flags: applicationFlags(world) },
      _trace: [],
    });
    if (intents & intent.guilds) {
      for (const guild of guilds) {
        if (!settings.unavailable.has(guild.id)) dispatch(session, 'GUILD_CREATE', guildCreate(world, guild));
      }
    }
    activity.changed();
    return session;
  }

  function resume(socket: WebSocket, d: Wire): Session | undefined {
    const session = sessions.get(textOf(d.session_id));
    if (!options.hasToken(textOf(d.token))) socket.close(4004, 'Authentication failed.');
    else if (session === undefined) send(socket, { op: 9, d: false, s: null, t: null });
    else if (numberOf(d.seq) > session.seq) socket.close(4007, 'Invalid seq');
    else {
      if (session.socket !== socket) session.socket?.close(4000);
      session.socket = socket;
      resumed += 1;
      for (const { seq, text } of session.told) if (seq > numberOf(d.seq)) socket.send(text);
      dispatch(session, 'RESUMED', { _trace: [] });
      activity.changed();
      return session;
    }
    return undefined;
  }

  function dispatch(session: Session, t: string, d: Wire, data = JSON.stringify(d)): void {
    session.seq += 1;
    const text = `{"op":0,"s":${session.seq},"t":"${t}","d":${data}}`;
    session.told.push({ seq: session.seq, text, atMs: options.world().nowMs() });
    session.socket?.send(text);
  }

  function tell(happening: Happening): void {
    if (settings.unavailable.has(happening.guildId ?? '')) return;
    lastTold = [...lastTold.slice(-20), happening];
    const toDrop = drops.get(happening.t) ?? 0;
    if (toDrop > 0) {
      drops.set(happening.t, toDrop - 1);
      return;
    }
    let whole: string | undefined;
    let blank: string | undefined;
    for (const session of sessions.values()) {
      if (!hears(session, happening)) continue;
      const isBlank = happening.blank !== undefined && !(session.intents & intent.messageContent);
      if (isBlank) blank ??= JSON.stringify(happening.blank);
      else whole ??= JSON.stringify(happening.d);
      dispatch(session, happening.t, happening.d, isBlank ? blank : whole);
    }
  }

  const upSockets = () => [...open].filter(({ readyState, OPEN }) => readyState === OPEN);

  return {
    settings,
    sessions,
    tell,
    repeat(wanted) {
      const last = lastTold.findLast(wanted);
      if (last === undefined) throw new Error('nothing of that kind was told yet');
      tell(last);
    },
    drop: (t, count) => void drops.set(t, count),
    connections: () => [...sessions.values()].filter(({ socket }) => socket !== undefined).length,
    reconnect() {
      for (const socket of upSockets()) send(socket, { op: 7, d: null, s: null, t: null });
    },
    invalidate(isResumable) {
      for (const session of [...sessions.values()]) {
        if (session.socket) send(session.socket, { op: 9, d: isResumable, s: null, t: null });
        // Nothing is told until the bot takes the session up again.
        session.socket = undefined;
        if (!isResumable) sessions.delete(session.id);
      }
    },
    closeAll(code) {
      for (const session of [...sessions.values()]) {
        if (!resumableCodes.has(code)) sessions.delete(session.id);
      }
      for (const socket of upSockets()) socket.close(code);
    },
    terminate() {
      for (const socket of [...open]) socket.terminate();
    },
    refuse(count) {
      refusals = count;
    },
    outage(guildId) {
      const d = { id: guildId, unavailable: true };
      tell({ t: 'GUILD_DELETE', d, intents: intent.guilds, guildId });
      settings.unavailable.add(guildId);
    },
    outageOver(guildId) {
      settings.unavailable.delete(guildId);
      const guild = options.world().guilds.get(guildId);
      if (guild === undefined) return;
      tell({ t: 'GUILD_CREATE', d: guildCreate(options.world(), guild), intents: intent.guilds, guildId });
    },
    sendText(text) {
      for (const socket of upSockets()) socket.send(text);
    },
    opened,
    async heard() {
      const asked = [...sessions.values()].flatMap((session) => {
        const { socket, beats } = session;
        if (socket === undefined || settings.isSilent) return [];
        send(socket, { op: 1, d: null, s: null, t: null });
        return [{ session, socket, beats }];
      });
      const isDone = () =>
        asked.every(({ session, socket, beats }) => session.socket !== socket || session.beats > beats);
      // Many short ticks, so that a busy process gets to its sockets between them.
      for (let ticks = 0; ticks < 500 && !isDone(); ticks += 1) await tick(2);
    },
    counts: () => ({ identified, resumed }),
  };
}

/** Sessions closed with one of these can be taken up again. */
const resumableCodes: ReadonlySet<number> = new Set([1006, 4000, 4001, 4002, 4008]);

/** What the portal says about intents. */
export function applicationFlags({ portal }: World): number {
  return (portal.messageContent ? 1 << 19 : 0) | (portal.guildMembers ? 1 << 15 : 0);
}

function hears({ intents, shard }: Session, happening: Happening): boolean {
  if (happening.intents !== 0 && !(intents & happening.intents)) return false;
  return isOf(shard, happening.guildId);
}

/** Direct messages go to the first shard. */
function isOf([index, count]: Session['shard'], guildId: string | undefined): boolean {
  return guildId === undefined ? index === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === index;
}

function readShard(shard: unknown): Session['shard'] | undefined {
  if (shard === undefined) return [0, 1];
  if (!Array.isArray(shard)) return undefined;
  const [index, count]: readonly unknown[] = shard;
  if (typeof index !== 'number' || typeof count !== 'number' || index < 0 || index >= count) return undefined;
  return [index, count];
}

function readPacket(text: string): Wire | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isWire(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function send(socket: WebSocket, packet: Wire): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(packet));
}
