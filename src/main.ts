import { userName } from './adapters/system/user-name.ts';
import type { Bot } from './commands/bot.ts';
import { createCoolDowns } from './commands/cool-down.ts';
import { tellFlowNews } from './commands/flow-news.ts';
import { rememberFlowVersions } from './commands/flow-versions.ts';
import { createInbound } from './commands/inbound.ts';
import { scheduleHands } from './commands/schedule-hands.ts';
import type { Config } from './config.ts';
import { parseAddress } from './engine/flow/address.ts';
import { addressesOf } from './engine/flow/destinations.ts';
import type { Plan } from './engine/flow/plan.ts';
import { loadFlowSet } from './loader/flow-set.ts';
import { type FlowModule, importModules } from './loader/modules.ts';
import { readSources, type Sources } from './loader/sources.ts';
import { type FolderWatch, watchFolders } from './loader/watch.ts';
import { createFeed } from './runner/feed.ts';
import { createRunner } from './runner/index.ts';
import { createDoor, isAtLeast } from './server/access/door.ts';
import { createSessions } from './server/access/sessions.ts';
import { addApiRoutes } from './server/api/routes.ts';
import { addHealthRoutes } from './server/health.ts';
import { addHookRoutes } from './server/hooks.ts';
import { createServer } from './server/index.ts';
import { addMcpRoutes } from './server/mcp/routes.ts';
import { createFigures } from './server/metrics/figures.ts';
import { measuredInbound, measuredStore, recordEvents } from './server/metrics/recording.ts';
import { addMetricsRoute } from './server/metrics/routes.ts';
import { addPages } from './server/pages/routes.ts';
import { version } from './version.ts';
import { openWorld, surroundingsIn, type World } from './world.ts';

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

/** What the playground says to others once somebody has to be let in: who uses it acts as anybody in it. */
const FOR_ADMINS = 'The playground is for admins: sign in at /login with a token of the role admin.';

/** Time that calls under way get to finish when Flowbot stops, in milliseconds. */
const STOP_GRACE_MS = 10_000;

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
  const { clock, log } = world;
  const figures = createFigures();
  const precise = () => performance.now();
  const store = measuredStore(world.store, figures, precise);
  const server = await createServer({
    host: config.host,
    port: config.port,
    log,
    objectsTo: async (request) => {
      const entry = await door.admit(request);
      return entry.ok && isAtLeast(entry.value, 'admin') ? undefined : FOR_ADMINS;
    },
  });
  url = () => server.url;
  world.routes(server.app);
  addHealthRoutes(server.app, world.chats);

  const chats = new Map(world.chats.map((chat) => [chat.platform, chat]));
  const runner = await createRunner({
    ...world,
    store,
    chats,
    runsAtOnce: config.runsAtOnce,
    admins: config.admins,
    humanReminderMs: config.humanReminderMs,
    agentsAtOnce: config.agentsAtOnce,
    agentTimeLimitMs: config.agentTimeLimitMs,
    ...(config.budget && { budget: config.budget }),
  });
  const bot: Bot = {
    ...runner,
    store,
    chats,
    drawings: world.drawings,
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
  const inbound = measuredInbound(createInbound(bot), figures, precise);
  recordEvents(figures, bot.events, (flow) => (bot.catalog.flow(flow) ? flow : 'other'));
  const hooks = addHookRoutes(server.app, { bot, secrets: world.secrets });
  const sessions = createSessions(bot);
  const door = createDoor(bot, sessions, {
    host: config.host,
    port: () => server.port,
    ...(config.publicUrl !== undefined && { publicUrl: config.publicUrl }),
    tokens: config.tokens,
    hasSignIn: world.signIns.size > 0,
    hostName: userName(),
  });
  const feed = createFeed({ store, plans: runner.plans, bus: runner.events, clock, log });
  const api = addApiRoutes(server.app, { bot, door, feed, ids: world.ids, version: version() });
  const mcp = addMcpRoutes(server.app, { bot, door, ids: world.ids, version: version() });
  const pages = addPages(server.app, {
    bot,
    door,
    sessions,
    signIns: world.signIns,
    ids: world.ids,
    version: version(),
  });
  addMetricsRoute(server.app, { bot, door, figures });
  const folders = { flows: config.flowsDir, agents: config.agentsDir, schemas: config.schemasDir };
  /** Flows that are code: they run once, at start. */
  let modules: readonly FlowModule[] = [];
  let watch: FolderWatch | undefined;
  let isConnected = false;
  let started: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  function takeFlows(sources: Sources): void {
    const surroundings = surroundingsIn(config, {
      secrets: world.secrets.names(),
      platforms: [...chats.keys()],
      stepTypes: world.stepTypes,
    });
    const set = loadFlowSet({ ...sources, modules }, surroundings);
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
    takeFlows(await readSources(folders));
  }

  async function loadFirst(): Promise<Sources> {
    const sources = await readSources(folders);
    modules = await importModules(sources);
    takeFlows(sources);
    return sources;
  }

  async function loadFlows(): Promise<void> {
    const known = await loadFirst();
    watch = await watchFolders(Object.values(folders), () => readSources(folders), takeFlows, {
      known,
      onError: (error) => log.error('The folders of flows can no longer be watched.', error),
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
    const openHooks = async () => {
      hooks.open();
      api.open();
      mcp.open();
      pages.open();
    };
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
      await loadFirst();
      await runner.stop(0);
      await runner.admit();
    },
    stop() {
      stopped ??= (async () => {
        // Together: what is under way may wait for a platform, which a chat that stops no longer does.
        await Promise.all([
          inbound.stop(),
          hooks.close(),
          api.close(),
          mcp.close(),
          pages.close(),
          ...[...chats.values()].map((chat) => chat.stop()),
        ]);
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
