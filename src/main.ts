import type { FastifyInstance } from 'fastify';
import { platform as discordPlatform } from './adapters/discord/addresses.ts';
import { createHttp } from './adapters/http/index.ts';
import { platform as playgroundPlatform } from './adapters/playground/directory.ts';
import { createPlayground, type Playground } from './adapters/playground/index.ts';
import { platform as slackPlatform } from './adapters/slack/addresses.ts';
import type { Slack } from './adapters/slack/index.ts';
import { openSqliteStore } from './adapters/sqlite/index.ts';
import { systemClock } from './adapters/system/clock.ts';
import { randomIds } from './adapters/system/ids.ts';
import { createLog } from './adapters/system/log.ts';
import { createSecrets } from './adapters/system/secrets.ts';
import type { Bot } from './commands/bot.ts';
import { createCoolDowns } from './commands/cool-down.ts';
import { tellFlowNews } from './commands/flow-news.ts';
import { rememberFlowVersions } from './commands/flow-versions.ts';
import { createInbound } from './commands/inbound.ts';
import { scheduleHands } from './commands/schedule-hands.ts';
import type { Config } from './config.ts';
import { parseAddress } from './engine/flow/address.ts';
import type { Surroundings } from './engine/flow/check-surroundings.ts';
import { addressesOf } from './engine/flow/destinations.ts';
import type { Plan } from './engine/flow/plan.ts';
import { loadFlowSet } from './loader/flow-set.ts';
import { readFlowFolder } from './loader/folder.ts';
import { type FolderWatch, watchFolder } from './loader/watch.ts';
import type { Chat } from './ports/chat.ts';
import type { Clock } from './ports/clock.ts';
import type { Http } from './ports/http.ts';
import type { Ids } from './ports/ids.ts';
import type { Log } from './ports/log.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Store } from './ports/store.ts';
import { createRunner } from './runner/index.ts';
import { addHealthRoutes } from './server/health.ts';
import { addHookRoutes } from './server/hooks.ts';
import { createServer } from './server/index.ts';

/** The outside world of a Flowbot: each part can be replaced by another that keeps the port's promises. */
export interface World {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly store: Store;
  readonly http: Http;
  readonly chats: readonly Chat[];
  /** Adds pages to the server. */
  readonly routes: (app: FastifyInstance) => void;
  /** Makes conversations exist that flows name, where the platform allows it. */
  readonly ensureChannels: (names: readonly string[]) => void;
  /** Least time between two edits of one post, in milliseconds. */
  readonly editGapMs: number;
  /** Lets go of everything the world holds open. */
  close(): Promise<void>;
}

/** A Flowbot that can be started and stopped once. */
export interface Flowbot {
  readonly bot: Bot;
  /** Address of the HTTP server, known once started. */
  readonly url: string;
  /**
   * Loads the flows, goes on with unfinished work, connects the chats and begins to answer. Rejects when `stop` is
   * called meanwhile.
   * @param whenLoaded is waited for before the chats are connected, which takes as long as their platforms are silent
   */
  start(whenLoaded?: () => Promise<void>): Promise<void>;
  /** Instead of `start`: loads the flows for commands on `bot`, which are recorded but not performed until a start. */
  prepare(): Promise<void>;
  /** Resolves when it can't go on, with a sentence that says why: somebody has to mend it and start it again. */
  readonly dead: Promise<string>;
  /** Takes nothing new, lets calls finish for a while, and closes; may be called twice, and during `start`. */
  stop(): Promise<void>;
}

/** Time that calls under way get to finish when Flowbot stops, in milliseconds. */
const STOP_GRACE_MS = 10_000;

/** What flows find in the world that `openWorld` makes, for checking them without connecting. */
export function surroundingsOf({ secrets, slack, discord, command }: Config): Surroundings {
  const platforms = [...(slack ? [slackPlatform] : []), ...(discord ? [discordPlatform] : [])];
  return {
    secrets: [...secrets.keys()],
    platforms: platforms.length > 0 ? platforms : [playgroundPlatform],
    command,
  };
}

/**
 * The world on this machine: SQLite, the chats, real HTTP. Rejects when the database is in use.
 * @param onDead a platform does not take the bot any more
 */
export async function openWorld(
  config: Config,
  url: () => string,
  onDead: (why: string) => void,
): Promise<World> {
  // Only what is used is loaded: the clients of the platforms are large.
  const slackModule = config.slack && (await import('./adapters/slack/index.ts'));
  const discordModule = config.discord && (await import('./adapters/discord/index.ts'));
  const secrets = createSecrets(config.secrets, config.ownSecrets);
  const log = createLog(secrets, config.logLevel);
  const store = openSqliteStore({ file: config.dbFile });
  const http = createHttp();
  const base = { clock: systemClock, ids: randomIds, secrets, log, store, http };
  const slack = config.slack && slackModule?.createSlack(config.slack, { clock: systemClock, log });
  const discord =
    config.discord && discordModule?.createDiscord(config.discord, { clock: systemClock, log, onDead });
  const chat =
    slack || discord ? realChats(slack, discord) : playgroundChat(openPlayground(config, log, url, store));
  return {
    ...base,
    ...chat,
    async close() {
      await chat.close();
      await http.close();
      await store.close();
    },
  };
}

type ChatOfWorld = Pick<World, 'chats' | 'routes' | 'ensureChannels' | 'editGapMs' | 'close'>;

function realChats(slack: Slack | undefined, discord: Chat | undefined): ChatOfWorld {
  return {
    chats: [slack, discord].filter((chat) => chat !== undefined),
    routes: (app) => slack?.routes(app),
    ensureChannels: () => {},
    editGapMs: 2_000,
    close: async () => {},
  };
}

function playgroundChat(playground: Playground): ChatOfWorld {
  return {
    chats: [playground],
    routes: (app) => playground.routes(app),
    ensureChannels: (names) => playground.ensureChannels(names),
    editGapMs: 1_000,
    close: () => playground.close(),
  };
}

function openPlayground(config: Config, log: Log, url: () => string, store: Store): Playground {
  try {
    return createPlayground({
      file: `${config.dbFile}.playground`,
      clock: systemClock,
      ids: randomIds,
      log,
      command: config.command,
      url,
    });
  } catch (error) {
    // The lock of the database must not be held by a Flowbot that does not start.
    void store.close();
    throw error;
  }
}

/**
 * Puts a Flowbot together. Nothing runs before `start`.
 * @param open makes the world; the server's address is known to it only once started.
 */
export async function createFlowbot(
  config: Config,
  open: (
    config: Config,
    url: () => string,
    onDead: (why: string) => void,
  ) => World | Promise<World> = openWorld,
): Promise<Flowbot> {
  let url: () => string = () => '';
  const { promise: dead, resolve: onDead } = Promise.withResolvers<string>();
  const world = await open(config, () => url(), onDead);
  const { clock, log, store } = world;
  const server = await createServer({ host: config.host, port: config.port, log });
  url = () => server.url;
  world.routes(server.app);
  addHealthRoutes(server.app, world.chats);

  const chats = new Map(world.chats.map((chat) => [chat.platform, chat]));
  const runner = await createRunner({
    ...world,
    chats,
    runsAtOnce: config.runsAtOnce,
    admins: config.admins,
    humanReminderMs: config.humanReminderMs,
  });
  const bot: Bot = {
    ...runner,
    store,
    chats,
    clock,
    log,
    settings: {
      prefix: config.prefix,
      command: config.command,
      admins: config.admins,
      people: config.people,
    },
    coolDowns: createCoolDowns(),
    reload,
  };
  const inbound = createInbound(bot);
  const hooks = addHookRoutes(server.app, { bot, secrets: world.secrets });
  let watch: FolderWatch | undefined;
  let isConnected = false;
  let started: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  function takeFlows(folder: Awaited<ReturnType<typeof readFlowFolder>>): void {
    const set = loadFlowSet(folder, {
      secrets: world.secrets.names(),
      platforms: [...chats.keys()],
      command: config.command,
    });
    world.ensureChannels(set.flows.flatMap(({ plan }) => conversationsOf(plan)));
    runner.catalog.replace(set);
    for (const file of set.broken)
      log.warn('A flow file was not loaded.', { file: file.file, faults: [...file.faults] });
    for (const warning of set.warnings) log.warn('A flow file has a doubtful place.', { warning });
    log.info('Flows are loaded.', { flows: set.flows.map((flow) => flow.id) });
    if (isConnected) tellNews();
  }

  function tellNews(): void {
    tellFlowNews(bot).catch((error: unknown) => log.error('Admins could not be told about flows.', error));
  }

  async function reload(): Promise<void> {
    takeFlows(await readFlowFolder(config.flowsDir));
  }

  async function loadFlows(): Promise<void> {
    const folder = await readFlowFolder(config.flowsDir);
    takeFlows(folder);
    watch = await watchFolder(config.flowsDir, takeFlows, {
      known: folder,
      onError: (error) => log.error('The folder of flows can no longer be watched.', error),
    });
  }

  async function connectChats(): Promise<void> {
    // Read first: what comes in from now on is handled as it comes.
    const kept = await store.undelivered();
    await Promise.all([...chats.values()].map((chat) => chat.start(inbound)));
    inbound.resume(kept);
    await runner.schedules.start(scheduleHands(bot));
    isConnected = true;
    tellNews();
  }

  async function begin(whenLoaded: () => Promise<void>): Promise<void> {
    // Listening comes first: nothing may begin when the port turns out to be taken.
    const openHooks = async () => hooks.open();
    const rememberFlows = () => rememberFlowVersions(bot);
    for (const stage of [
      loadFlows,
      rememberFlows,
      server.listen,
      runner.resume,
      openHooks,
      whenLoaded,
      connectChats,
    ]) {
      if (stopped) throw new Error('Flowbot was stopped while it was starting.');
      await stage();
    }
  }

  return {
    bot,
    dead,
    get url() {
      return server.url;
    },
    start(whenLoaded = async () => {}) {
      started = begin(whenLoaded);
      return started;
    },
    async prepare() {
      takeFlows(await readFlowFolder(config.flowsDir));
      await runner.stop(0);
      await runner.admit();
    },
    stop() {
      stopped ??= (async () => {
        // Together: what is under way may wait for a platform, which a chat that stops no longer does.
        await Promise.all([inbound.stop(), hooks.close(), ...[...chats.values()].map((chat) => chat.stop())]);
        // A start under way has nothing to wait for any more, and goes no further.
        await started?.catch(() => undefined);
        await watch?.close();
        await server.close();
        await runner.stop(STOP_GRACE_MS);
        await world.close();
      })();
      return stopped;
    },
  };
}

/** The conversations a flow names, as their platforms know them. */
function conversationsOf(plan: Plan): readonly string[] {
  const listened = plan.triggers.flatMap((trigger) => (trigger.type === 'command' ? (trigger.in ?? []) : []));
  const all = [...addressesOf(plan).map((destination) => destination.address), ...listened];
  return all.flatMap((address) => parseAddress(address)?.rest ?? []);
}
