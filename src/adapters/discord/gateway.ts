import {
  Client,
  DiscordjsErrorCodes,
  Events,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  Options,
  Partials,
  Status,
} from 'discord.js';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { Connections, createSessionPace } from './connections.ts';
import { createGaps } from './gaps.ts';

/** The connection over which Discord tells what happens. */
export interface Gateway {
  /** What Discord has told about servers, channels and roles; empty before it is connected. */
  readonly client: Client;
  /**
   * Connects, for as long as Discord can't be reached. Rejects when the token or an intent is not accepted, or when it
   * is stopped meanwhile.
   *
   * @param how `readsMessages`: whether the contents of messages may be asked for; `heardMs`: until when the last
   * process heard Discord (epoch ms), undefined = there was none
   */
  start(how: { readonly readsMessages: boolean; readonly heardMs: number | undefined }): Promise<void>;
  stop(): Promise<void>;
  /** Why nothing comes in; undefined = it does. */
  readonly down: string | undefined;
  /** Since when nothing comes in of some server (epoch ms), because it can't be reached; undefined = of all it does. */
  readonly missingSinceMs: number | undefined;
}

/** Waits before the next try to connect, doubled each time, in milliseconds. */
const againMs = { first: 1_000, longest: 300_000 };
/** How long servers that do not come are waited for, in milliseconds: what people do meanwhile is handled all the same. */
const guildsWaitMs = 3_000;

const closedForGood: Readonly<Record<number, string>> = {
  4004: 'Discord does not accept DISCORD_TOKEN: reset it in the Developer Portal (Bot) and set the new one.',
  4010: 'Discord does not accept the shard of this process.',
  4011: 'Discord wants the bot’s servers on more connections: start Flowbot again.',
  4012: 'Discord does not speak this version of its protocol any more: update Flowbot.',
  4013: 'Discord does not accept the intents that Flowbot asks for: update Flowbot.',
  4014: 'Discord does not let the bot read messages any more: switch the Message Content Intent on in the Developer Portal (Bot), or start Flowbot again to go on without it.',
};

/** Makes the connection. Nothing is connected before `start`. */
export function createGateway(options: {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Everything that Discord tells, in order, as it comes. */
  readonly take: (packet: GatewayDispatchPayload) => void;
  /** What was told since then (epoch ms) about a server may have been lost; undefined = of direct conversations. */
  readonly onGap: (sinceMs: number, server: string | undefined) => void;
  /** It does not come back by itself. */
  readonly onDead: (why: string) => void;
}): Gateway {
  const { token, clock, log, take, onGap, onDead } = options;
  const gaps = createGaps({ clock, onGap });
  let client = createClient(options, false);
  let isStopped = false;
  let down: string | undefined = 'Not connected to Discord yet.';
  let lastTrouble: string | undefined;
  const stopping = Promise.withResolvers<void>();

  /** A client that was given up may still have something to say. */
  function isOver(one: Client): boolean {
    return isStopped || one !== client;
  }

  /** Resolves with the reason when a connection is given up for good before all are there. */
  function listen(to: Client): Promise<string> {
    const closed = Promise.withResolvers<string>();
    relieve(to, log);
    to.on(Events.Raw, (packet: GatewayDispatchPayload, shard: number) => {
      if (isOver(to)) return;
      try {
        gaps.heard(packet, shard);
        take(packet);
      } catch (error) {
        log.error(malformed, error);
      }
    });
    to.on(Events.ShardReady, () => up(to));
    to.on(Events.ShardResume, () => up(to));
    to.on(Events.ShardReconnecting, () => {
      if (!isOver(to)) down = 'The connection to Discord is lost; it is made again.';
    });
    to.on(Events.ShardDisconnect, ({ code }) => {
      if (isOver(to)) return;
      const why = closedForGood[code] ?? `Discord closed the connection for good (${code}).`;
      down = why;
      if (to.isReady()) onDead(why);
      else closed.resolve(why);
    });
    // Without listeners an error would end the process.
    to.on(Events.Error, trouble);
    to.on(Events.ShardError, trouble);
    return closed.promise;
  }

  /** The same one each half a second says nothing new. */
  function trouble({ message }: Error): void {
    if (message === lastTrouble) return;
    lastTrouble = message;
    log.warn('The connection to Discord has an error.', { error: message });
  }

  function up(to: Client): void {
    if (isOver(to) || !to.ws.shards.every(({ status }) => status === Status.Ready)) return;
    down = undefined;
    lastTrouble = undefined;
  }

  async function connect(readsMessages: boolean): Promise<void> {
    const made = createClient(options, readsMessages);
    client = made;
    const closed = listen(made).then((why) => {
      throw new ClosedForGood(why);
    });
    const ready = new Promise<void>((resolve) => made.once(Events.ClientReady, () => resolve()));
    const login = made.login(token).then(() => ready);
    await Promise.race([login, closed, stopping.promise]);
  }

  return {
    get client() {
      return client;
    },
    get down() {
      return down;
    },
    get missingSinceMs() {
      return gaps.openSinceMs;
    },
    async start({ readsMessages, heardMs }) {
      gaps.begin(heardMs);
      for (let waitMs = againMs.first; !isStopped; waitMs = Math.min(againMs.longest, waitMs * 2)) {
        try {
          await connect(readsMessages);
          if (!isStopped) return;
        } catch (error) {
          await client.destroy();
          const why = whyNot(error);
          if (why !== undefined) throw new Error(why);
          if (isStopped) break;
          down = isUsedUp(error) ? usedUp : 'Discord can’t be reached; it is tried again.';
          log.warn(down, { afterMs: waitMs, error: String(error) });
          await pause(waitMs);
        }
      }
      throw new Error('Flowbot stops.');
    },
    async stop() {
      isStopped = true;
      down = 'Stopped.';
      stopping.resolve();
      await client.destroy();
    },
  };

  async function pause(forMs: number): Promise<void> {
    const { promise: due, resolve } = Promise.withResolvers<void>();
    const cancel = clock.alarm(clock.now() + forMs, resolve);
    await Promise.race([due, stopping.promise]);
    cancel();
  }
}

/** Keeps what is needed to know places and roles, and no messages: duplicates are recognised in the store. */
function createClient(
  { apiUrl, clock }: { readonly apiUrl: string | undefined; readonly clock: Clock },
  readsMessages: boolean,
): Client {
  return new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      ...(readsMessages ? [GatewayIntentBits.MessageContent] : []),
    ],
    partials: [Partials.Channel],
    allowedMentions: { parse: [], repliedUser: false },
    waitGuildTimeout: guildsWaitMs,
    shards: 'auto',
    ws: {
      buildStrategy: (manager) => new Connections(manager),
      buildIdentifyThrottler: (manager) => createSessionPace(manager, clock),
    },
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      UserManager: 0,
      GuildMemberManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user.id },
    }),
    ...(apiUrl !== undefined && { rest: { api: apiUrl } }),
  });
}

/**
 * The library lets what is not as it should be end the process; here it is only noted. And what people do it makes into
 * objects that nobody asks for, which takes as long as all that is done about it. Rests on a method that is not
 * documented: without it, nothing changes.
 */
function relieve({ ws }: Client, log: Log): void {
  const handle: unknown = Reflect.get(ws, 'handlePacket');
  if (typeof handle !== 'function') return;
  Reflect.set(ws, 'handlePacket', (...packet: readonly unknown[]): boolean => {
    if (isInteraction(packet[0])) return true;
    try {
      return Reflect.apply(handle, ws, packet) === true;
    } catch (error) {
      log.error(malformed, error);
      return false;
    }
  });
}

function isInteraction(packet: unknown): boolean {
  return (
    typeof packet === 'object' &&
    packet !== null &&
    't' in packet &&
    packet.t === GatewayDispatchEvents.InteractionCreate
  );
}

const malformed = 'Something that Discord told is not as it should be.';
const usedUp =
  'Discord lets the bot connect only so many times a day, and that is used up; it is tried again until it may.';

function isUsedUp(error: unknown): boolean {
  return error instanceof Error && /^Not enough sessions remaining/.test(error.message);
}

/** Why another try to connect would be in vain; undefined = it may help. */
function whyNot(error: unknown): string | undefined {
  if (error instanceof ClosedForGood) return error.message;
  const isToken =
    error instanceof Error && 'code' in error && error.code === DiscordjsErrorCodes.TokenInvalid;
  return isToken ? closedForGood[4004] : undefined;
}

/** Discord has closed a connection and takes no new one. */
class ClosedForGood extends Error {
  override readonly name = 'ClosedForGood';
}
