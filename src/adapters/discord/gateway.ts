import {
  Client,
  Events,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  Options,
  Partials,
} from 'discord.js';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

/** The connection over which Discord tells what happens. */
export interface Gateway {
  /** What Discord has told about servers, channels and roles; empty before it is connected. */
  readonly client: Client;
  /** Connects, for as long as Discord can't be reached. Rejects when the token or an intent is not accepted, or when it is stopped meanwhile. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Why nothing comes in; undefined = it does. */
  readonly down: string | undefined;
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
  4014: 'The Message Content Intent was switched off while Flowbot ran: start it again, or switch the intent on in the Developer Portal (Bot).',
};

/** Makes the connection. Nothing is connected before `start`. */
export function createGateway(options: {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the contents of messages may be asked for, known when it starts. */
  readonly readsMessages: () => boolean;
  /** Everything that Discord tells, in order, as it comes. */
  readonly take: (packet: GatewayDispatchPayload) => void;
  /** What was told since then (epoch ms) may have been lost. */
  readonly onGap: (sinceMs: number) => void;
  /** It does not come back by itself. */
  readonly onDead: (why: string) => void;
}): Gateway {
  const { token, clock, log, take, onGap, onDead } = options;
  let client = createClient(options);
  let isStopped = false;
  /** When each connection last told something (epoch ms). */
  const heardMs = new Map<number, number>();
  let down: string | undefined = 'Not connected to Discord yet.';
  const stopping = Promise.withResolvers<void>();

  function listen(to: Client): void {
    to.on(Events.Raw, (packet: GatewayDispatchPayload, shard: number) => {
      if (isStopped) return;
      const lastMs = heardMs.get(shard);
      heardMs.set(shard, clock.now());
      take(packet);
      // A new session: what was told between the last one and this is lost.
      if (packet.t === GatewayDispatchEvents.Ready && lastMs !== undefined) onGap(lastMs);
    });
    to.on(Events.ShardReady, () => up(to));
    to.on(Events.ShardResume, () => up(to));
    to.on(Events.ShardReconnecting, () => {
      down = 'The connection to Discord is lost; it is made again.';
    });
    to.on(Events.ShardDisconnect, ({ code }) => {
      down = closedForGood[code] ?? `Discord closed the connection for good (${code}).`;
      if (to.isReady()) onDead(down);
    });
    // Without a listener one error would end the process.
    to.on(Events.Error, (error) =>
      log.warn('The connection to Discord has an error.', { error: error.message }),
    );
    to.on(Events.ShardError, (error) =>
      log.warn('The connection to Discord has an error.', { error: error.message }),
    );
  }

  function up(to: Client): void {
    if (to.ws.shards.every(({ status }) => status === 0)) down = undefined;
  }

  async function connect(): Promise<void> {
    client = createClient(options);
    listen(client);
    const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
    await client.login(token);
    await Promise.race([ready, stopping.promise]);
  }

  return {
    get client() {
      return client;
    },
    get down() {
      return down;
    },
    async start() {
      for (let waitMs = againMs.first; !isStopped; waitMs = Math.min(againMs.longest, waitMs * 2)) {
        try {
          await connect();
          if (!isStopped) return;
        } catch (error) {
          await client.destroy();
          const why = whyNot(error);
          if (why !== undefined) throw new Error(why);
          if (isStopped) break;
          log.warn('Discord can’t be reached; trying again.', { afterMs: waitMs, error: String(error) });
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
function createClient({
  apiUrl,
  readsMessages,
}: Pick<Parameters<typeof createGateway>[0], 'apiUrl' | 'readsMessages'>): Client {
  return new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      ...(readsMessages() ? [GatewayIntentBits.MessageContent] : []),
    ],
    partials: [Partials.Channel],
    allowedMentions: { parse: [], repliedUser: false },
    waitGuildTimeout: guildsWaitMs,
    shards: 'auto',
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      UserManager: 0,
      GuildMemberManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user.id },
    }),
    ...(apiUrl !== undefined && { rest: { api: apiUrl } }),
  });
}

/** Why another try to connect would be in vain; undefined = it may help. */
function whyNot(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && error.code === 'TokenInvalid') return closedForGood[4004];
  const known: Readonly<Record<string, number>> = {
    'Authentication failed': 4004,
    'Used invalid intents': 4013,
    'Used disallowed intents': 4014,
    'Used an invalid API version': 4012,
    'Sharding is required': 4011,
    'Invalid shard': 4010,
  };
  const code = known[error.message];
  return code === undefined ? undefined : closedForGood[code];
}
