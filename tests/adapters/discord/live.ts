import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDiscord } from '../../../src/adapters/discord/index.ts';
import { createHttp } from '../../../src/adapters/http/index.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { randomIds } from '../../../src/adapters/system/ids.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import { readConfig } from '../../../src/config.ts';
import { createFlowbot, type Flowbot } from '../../../src/main.ts';
import {
  createDiscordStandIn,
  type DiscordStandIn,
  type DiscordStandInOptions,
} from '../../fakes/discord/index.ts';
import { createKeptLog, type KeptLog } from '../../fakes/log.ts';
import { clockOf } from './harness.ts';

export { onceAsked, onceShown } from '../chat/waiting.ts';

/** A whole Flowbot with its own database, connected to a Discord. */
export interface Live {
  readonly flowbot: Flowbot;
  readonly log: KeptLog;
  /** Why the adapter gave up, as often as it said so. */
  readonly deaths: readonly string[];
  /** Adds a flow, or changes it. */
  write(id: string, text: string): void;
  /** Ends it and starts another one on the same database. */
  restart(): Promise<void>;
  /** Ends it; Discord goes on. */
  stop(): Promise<void>;
  /** Starts it again after `stop`. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a Flowbot for a Discord. @param flows YAML by id. @param editGapMs least time between two edits of a post
 * @param speed of its clock, as `clockOf` says
 */
export async function goLive(
  discord: DiscordStandIn,
  flows: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  editGapMs = 0,
  speed?: number,
): Promise<Live> {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-discord-'));
  mkdirSync(join(folder, 'flows'));
  const write = (id: string, text: string) => writeFileSync(join(folder, 'flows', `${id}.flow.yaml`), text);
  for (const [id, text] of Object.entries(flows)) write(id, text);
  const log = createKeptLog();
  const deaths: string[] = [];
  let flowbot: Flowbot;

  async function start(): Promise<void> {
    const read = readConfig(
      {
        FLOWBOT_FLOWS: join(folder, 'flows'),
        FLOWBOT_DB: join(folder, 'flowbot.db'),
        FLOWBOT_PORT: '0',
        DISCORD_API_URL: discord.apiUrl,
        DISCORD_TOKEN: discord.token,
        ...env,
      },
      folder,
    );
    if (!read.ok || !read.config.discord) throw new Error(read.ok ? 'no Discord' : read.faults.join('\n'));
    const clock = clockOf(discord, speed);
    const onDead = (why: string) => void deaths.push(why);
    const chat = createDiscord(read.config.discord, { clock, log, onDead });
    flowbot = await createFlowbot(read.config, (config) => {
      const store = openSqliteStore({ file: config.dbFile });
      const http = createHttp();
      return {
        clock,
        log,
        store,
        http,
        ids: randomIds,
        secrets: createSecrets(config.secrets, config.ownSecrets),
        chats: [chat],
        routes: () => {},
        ensureChannels: () => {},
        editGapMs,
        async close() {
          await http.close();
          await store.close();
        },
      };
    });
    await flowbot.start();
    await discord.onceConnected();
  }

  await start();
  return {
    log,
    deaths,
    write,
    get flowbot() {
      return flowbot;
    },
    start,
    stop: () => flowbot.stop(),
    async restart() {
      await flowbot.stop();
      await start();
    },
    async close() {
      await flowbot.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a Discord with a Flowbot, for one test. @param flows YAML by id. */
export async function openLive(
  flows: Readonly<Record<string, string>>,
  options: DiscordStandInOptions & {
    readonly env?: Readonly<Record<string, string>>;
    readonly editGapMs?: number;
    readonly speed?: number;
  } = {},
): Promise<{ readonly discord: DiscordStandIn; readonly live: Live }> {
  const { env, editGapMs, speed, ...how } = options;
  const discord = await createDiscordStandIn(how);
  const live = await goLive(discord, flows, env, editGapMs, speed);
  onTestFinished(async () => {
    await live.close();
    await discord.close();
  });
  return { discord, live };
}
