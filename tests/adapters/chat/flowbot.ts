import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttp } from '../../../src/adapters/http/index.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { randomIds } from '../../../src/adapters/system/ids.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import { type Config, readConfig } from '../../../src/config.ts';
import { createFlowbot, type Flowbot } from '../../../src/main.ts';
import { openHands, type World } from '../../../src/world.ts';
import { createKeptLog, type KeptLog } from '../../fakes/log.ts';
import { createOutside } from '../../fakes/outside.ts';

/** A whole Flowbot with its own database, connected to stand-ins. */
export interface Live {
  readonly flowbot: Flowbot;
  readonly log: KeptLog;
  /** Adds a flow, or changes it. */
  write(id: string, text: string): void;
  /** Ends it and starts another one on the same database. */
  restart(): Promise<void>;
  /** Ends it; the stand-ins go on. */
  stop(): Promise<void>;
  /** Starts it again after `stop`. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** How a Flowbot is started. */
export interface LiveOptions {
  /** YAML of flows by id, and of agents as `agents/<name>`. */
  readonly flows: Readonly<Record<string, string>>;
  /** Read at each start. */
  readonly env: () => Readonly<Record<string, string>>;
  /** Text of its `flowbot.yaml`. */
  readonly settings?: string;
  /** Least time between two edits of a post; default 0. */
  readonly editGapMs?: number;
  /** Makes the chats of each start. */
  connect(config: Config, log: KeptLog): Pick<World, 'clock' | 'chats'> & Partial<Pick<World, 'routes'>>;
  /** Resolves when what people do reaches it. */
  onceConnected(flowbot: Flowbot): Promise<void>;
}

/** Starts one. */
export async function startLive(options: LiveOptions): Promise<Live> {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-live-'));
  mkdirSync(join(folder, 'flows'));
  mkdirSync(join(folder, 'agents'));
  const write = (id: string, text: string) =>
    writeFileSync(join(folder, id.includes('/') ? `${id}.agent.yaml` : `flows/${id}.flow.yaml`), text);
  for (const [id, text] of Object.entries(options.flows)) write(id, text);
  if (options.settings !== undefined) writeFileSync(join(folder, 'flowbot.yaml'), options.settings);
  const log = createKeptLog();
  let flowbot: Flowbot;

  async function start(): Promise<void> {
    const read = readConfig(
      {
        FLOWBOT_FLOWS: join(folder, 'flows'),
        FLOWBOT_DB: join(folder, 'flowbot.db'),
        FLOWBOT_PORT: '0',
        ...options.env(),
      },
      folder,
    );
    if (!read.ok) throw new Error(read.faults.join('\n'));
    const connected = options.connect(read.config, log);
    flowbot = await createFlowbot(read.config, (config) => {
      const store = openSqliteStore({ file: config.dbFile });
      const http = createHttp();
      const secrets = createSecrets(config.secrets, config.ownSecrets);
      const hands = openHands(config, secrets);
      return {
        ...createOutside(),
        ...hands,
        routes: () => {},
        ...connected,
        log,
        store,
        http,
        ids: randomIds,
        secrets,
        ensureChannels: () => {},
        editGapMs: options.editGapMs ?? 0,
        async close() {
          await http.close();
          await hands.close();
          await store.close();
        },
      };
    });
    await flowbot.start();
    await options.onceConnected(flowbot);
  }

  await start();
  return {
    log,
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
