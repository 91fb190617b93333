import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createHttp } from '../../../src/adapters/http/index.ts';
import { createSlack } from '../../../src/adapters/slack/index.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { randomIds } from '../../../src/adapters/system/ids.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import { readConfig } from '../../../src/config.ts';
import { createFlowbot, type Flowbot } from '../../../src/main.ts';
import { createKeptLog, type KeptLog } from '../../fakes/log.ts';
import type { SlackStandIn, SlackStandInOptions } from '../../fakes/slack/index.ts';
import { clockOf, createWorkspace, type Transport } from './harness.ts';

export { onceAsked, onceShown } from '../chat/waiting.ts';

/** A whole Flowbot with its own database, connected to a workspace. */
export interface Live {
  readonly flowbot: Flowbot;
  readonly log: KeptLog;
  /** Adds a flow, or changes it. */
  write(id: string, text: string): void;
  /** Ends it and starts another one on the same database. */
  restart(): Promise<void>;
  /** Ends it; the workspace goes on. */
  stop(): Promise<void>;
  /** Starts it again after `stop`. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a Flowbot for a workspace. @param flows YAML by id. @param speed of its clock, as `clockOf` says */
export async function goLive(
  slack: SlackStandIn,
  transport: Transport,
  flows: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  speed?: number,
): Promise<Live> {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-slack-'));
  mkdirSync(join(folder, 'flows'));
  const write = (id: string, text: string) => writeFileSync(join(folder, 'flows', `${id}.flow.yaml`), text);
  for (const [id, text] of Object.entries(flows)) write(id, text);
  const log = createKeptLog();
  let flowbot: Flowbot;

  async function start(): Promise<void> {
    const read = readConfig(
      {
        FLOWBOT_FLOWS: join(folder, 'flows'),
        FLOWBOT_DB: join(folder, 'flowbot.db'),
        FLOWBOT_PORT: '0',
        SLACK_API_URL: slack.apiUrl,
        SLACK_BOT_TOKEN: slack.botToken,
        ...(transport === 'socket'
          ? { SLACK_APP_TOKEN: slack.appToken }
          : { SLACK_SIGNING_SECRET: slack.signingSecret }),
        ...env,
      },
      folder,
    );
    if (!read.ok || !read.config.slack) throw new Error(read.ok ? 'no Slack' : read.faults.join('\n'));
    const clock = clockOf(slack, speed);
    const chat = createSlack(read.config.slack, { clock, log });
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
        routes: (app) => chat.routes(app),
        ensureChannels: () => {},
        editGapMs: 0,
        async close() {
          await http.close();
          await store.close();
        },
      };
    });
    await flowbot.start();
    if (transport === 'http') slack.eventsUrl = `${flowbot.url}/slack/events`;
    else await slack.onceConnected(2);
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

/** Starts a workspace with a Flowbot, for one test. @param flows YAML by id. */
export async function openLive(
  transport: Transport,
  flows: Readonly<Record<string, string>>,
  options: SlackStandInOptions & {
    readonly env?: Readonly<Record<string, string>>;
    readonly speed?: number;
  } = {},
): Promise<{ readonly slack: SlackStandIn; readonly live: Live }> {
  const { env, speed, ...how } = options;
  const slack = await createWorkspace(how);
  const live = await goLive(slack, transport, flows, env, speed);
  onTestFinished(async () => {
    await live.close();
    await slack.close();
  });
  return { slack, live };
}
