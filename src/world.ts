import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createAgentRuntimes } from './adapters/agents/index.ts';
import { platform as discordPlatform } from './adapters/discord/addresses.ts';
import { createHttp } from './adapters/http/index.ts';
import { createTools } from './adapters/mcp/index.ts';
import { createSignIns } from './adapters/oauth/index.ts';
import { createDrawings } from './adapters/pictures/index.ts';
import { platform as playgroundPlatform } from './adapters/playground/directory.ts';
import { createPlayground, type Playground } from './adapters/playground/index.ts';
import { withBuiltIns } from './adapters/programs/built-in/index.ts';
import { createPrograms } from './adapters/programs/index.ts';
import { platform as slackPlatform } from './adapters/slack/addresses.ts';
import type { Slack } from './adapters/slack/index.ts';
import { openSqliteStore } from './adapters/sqlite/index.ts';
import { systemClock } from './adapters/system/clock.ts';
import { randomIds } from './adapters/system/ids.ts';
import { createLog } from './adapters/system/log.ts';
import { createSecrets } from './adapters/system/secrets.ts';
import { createWorkspaces } from './adapters/workspaces/index.ts';
import type { Config } from './config.ts';
import type { Surroundings } from './engine/flow/check-surroundings.ts';
import type { Library } from './engine/library.ts';
import { loadPlugins } from './plugins/load.ts';
import type { AgentRuntimes } from './ports/agents.ts';
import type { Chat } from './ports/chat.ts';
import type { Clock } from './ports/clock.ts';
import type { Drawings } from './ports/drawings.ts';
import type { Http } from './ports/http.ts';
import type { Ids } from './ports/ids.ts';
import type { Log } from './ports/log.ts';
import type { PluginSteps } from './ports/plugins.ts';
import type { Programs } from './ports/programs.ts';
import type { Secrets } from './ports/secrets.ts';
import type { SignIn } from './ports/sign-in.ts';
import type { Store } from './ports/store.ts';
import type { Tools } from './ports/tools.ts';
import type { Workspaces } from './ports/workspaces.ts';

/** The outside world of a Flowbot: each part can be replaced by another that keeps the port's promises. */
export interface World {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly store: Store;
  readonly http: Http;
  readonly agents: AgentRuntimes;
  readonly programs: Programs;
  readonly workspaces: Workspaces;
  readonly tools: Tools;
  /** The code behind the step types of plugins. */
  readonly plugins: PluginSteps;
  /** By name: the built-in ones and those of plugins. */
  readonly stepTypes: Library['stepTypes'];
  readonly chats: readonly Chat[];
  readonly drawings: Drawings;
  /** With which accounts people can sign in to the pages, by platform. */
  readonly signIns: ReadonlyMap<SignIn['platform'], SignIn>;
  /** Adds pages to the server. */
  readonly routes: (app: FastifyInstance) => void;
  /** Makes conversations exist that flows name, where the platform allows it. */
  readonly ensureChannels: (names: readonly string[]) => void;
  /** Least time between two edits of one post, in milliseconds. */
  readonly editGapMs: number;
  /** Lets go of everything the world holds open. */
  close(): Promise<void>;
}

/** What flows find in the world that `openWorld` makes, for checking them without connecting. Rejects when a plugin is broken. */
export async function surroundingsOf(config: Config): Promise<Surroundings> {
  const { secrets, slack, discord } = config;
  const platforms = [...(slack ? [slackPlatform] : []), ...(discord ? [discordPlatform] : [])];
  return surroundingsIn(config, {
    secrets: [...secrets.keys()],
    platforms: platforms.length > 0 ? platforms : [playgroundPlatform],
    stepTypes: (await pluginsOf(config)).stepTypes,
  });
}

/** What flows find in a world that is there. */
export function surroundingsIn(
  { command, mcpServers, repository }: Config,
  world: Pick<Surroundings, 'secrets' | 'platforms' | 'stepTypes'>,
): Surroundings {
  return {
    ...world,
    command,
    mcpServers: [...mcpServers.keys()],
    hasRepository: repository !== undefined,
  };
}

/** The step types of this host. Rejects with all that is wrong with its plugins. */
async function pluginsOf({ plugins, baseDir }: Config): Promise<Pick<World, 'plugins' | 'stepTypes'>> {
  const { stepTypes, runners, faults } = await loadPlugins(plugins, baseDir);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { plugins: runners, stepTypes };
}

/**
 * The world on this machine: SQLite, the chats, real HTTP, programs and agents. Rejects when the database is in use, or a
 * plugin is broken.
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
  const plugins = await pluginsOf(config);
  const secrets = createSecrets(config.secrets, config.ownSecrets);
  const log = createLog(secrets, config.logLevel);
  const store = openSqliteStore({ file: config.dbFile });
  const http = createHttp();
  const hands = openHands(config, secrets);
  const drawings = createDrawings();
  const base = {
    clock: systemClock,
    ids: randomIds,
    secrets,
    log,
    store,
    http,
    drawings,
    ...hands,
    ...plugins,
  };
  const slack = config.slack && slackModule?.createSlack(config.slack, { clock: systemClock, log });
  const discord =
    config.discord && discordModule?.createDiscord(config.discord, { clock: systemClock, log, onDead });
  const chat =
    slack || discord ? realChats(slack, discord) : playgroundChat(openPlayground(config, log, url, store));
  return {
    ...base,
    ...chat,
    signIns: signInsOf(config, http, slack, discord),
    async close() {
      await chat.close();
      await http.close();
      await drawings.close();
      await hands.close();
      await store.close();
    },
  };
}

/** Accounts of the chats that are connected; each says itself who belongs to it. */
function signInsOf(
  { signIn, slack: slackSettings, discord: discordSettings }: Config,
  http: Http,
  slack: Slack | undefined,
  discord: Chat | undefined,
): World['signIns'] {
  const [slackApi, discordApi] = [slackSettings?.apiUrl, discordSettings?.apiUrl];
  return createSignIns(
    {
      ...(signIn.slack &&
        slack && {
          slack: { ...signIn.slack, team: slack.team, ...(slackApi !== undefined && { apiUrl: slackApi }) },
        }),
      ...(signIn.discord &&
        discord && {
          discord: {
            ...signIn.discord,
            isMember: async (id) => (await discord.standing({ id })) === 'member',
            ...(discordApi !== undefined && { apiUrl: discordApi }),
          },
        }),
    },
    { http, clock: systemClock },
  );
}

/** What works for flows on this machine: agents, tools, programs and the folders they work in. */
type Hands = Pick<World, 'agents' | 'tools' | 'programs' | 'workspaces' | 'close'>;

/** Makes them; nothing is started before it is used. */
export function openHands(config: Config, secrets: Secrets): Hands {
  const { environment, mcpServers, baseDir, repository } = config;
  const programs = createPrograms({ clock: systemClock, environment });
  const tools = createTools({ servers: mcpServers, secrets, clock: systemClock, environment, cwd: baseDir });
  const agents = createAgentRuntimes({
    clock: systemClock,
    secrets,
    programs,
    environment: config.givable,
  });
  return {
    agents,
    tools,
    programs: withBuiltIns(programs),
    workspaces: createWorkspaces({
      folder: join(dirname(config.dbFile), 'workspaces'),
      programs,
      ...(repository && { repository }),
    }),
    async close() {
      await Promise.all([...agents.values()].map((runtime) => runtime.close()));
      await tools.close();
      await programs.close();
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
