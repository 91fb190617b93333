import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDiscord } from '../../../src/adapters/discord/index.ts';
import { createHttp } from '../../../src/adapters/http/index.ts';
import { createSlack } from '../../../src/adapters/slack/index.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { randomIds } from '../../../src/adapters/system/ids.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import { readConfig } from '../../../src/config.ts';
import type { Identities } from '../../../src/engine/identities.ts';
import { createFlowbot, type Flowbot } from '../../../src/main.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../../fakes/discord/index.ts';
import { createKeptLog, type KeptLog } from '../../fakes/log.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { clockOf } from '../discord/harness.ts';
import { createWorkspace } from '../slack/harness.ts';

/** One Flowbot that is connected to a Slack and a Discord, whose time is the same. */
export interface Both {
  readonly slack: SlackStandIn;
  readonly discord: DiscordStandIn;
  readonly live: {
    readonly flowbot: Flowbot;
    readonly log: KeptLog;
    restart(): Promise<void>;
    stop(): Promise<void>;
    start(): Promise<void>;
  };
}

/** Starts it, for one test. @param flows YAML by id @param people accounts that belong to one person */
export async function openBoth(
  flows: Readonly<Record<string, string>>,
  people: Identities = [],
): Promise<Both> {
  let nowMs = Date.now();
  const turned = {
    now: () => nowMs,
    pass(ms: number) {
      nowMs += ms;
    },
  };
  const slack = await createWorkspace({ clock: turned });
  const discord = await createDiscordStandIn({ clock: turned });
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-both-'));
  mkdirSync(join(folder, 'flows'));
  for (const [id, text] of Object.entries(flows)) {
    writeFileSync(join(folder, 'flows', `${id}.flow.yaml`), text);
  }
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
        SLACK_SIGNING_SECRET: slack.signingSecret,
        DISCORD_API_URL: discord.apiUrl,
        DISCORD_TOKEN: discord.token,
      },
      folder,
    );
    if (!read.ok) throw new Error(read.faults.join('\n'));
    const { slack: slackConfig, discord: discordConfig } = read.config;
    if (!slackConfig || !discordConfig) throw new Error('Slack and Discord are not both configured');
    const clock = clockOf(discord);
    const onSlack = createSlack(slackConfig, { clock, log });
    const onDiscord = createDiscord(discordConfig, { clock, log, onDead: () => {} });
    flowbot = await createFlowbot({ ...read.config, people }, (config) => {
      const store = openSqliteStore({ file: config.dbFile });
      const http = createHttp();
      return {
        clock,
        log,
        store,
        http,
        ids: randomIds,
        secrets: createSecrets(config.secrets, config.ownSecrets),
        chats: [onSlack, onDiscord],
        routes: (app) => onSlack.routes(app),
        ensureChannels: () => {},
        editGapMs: 0,
        async close() {
          await http.close();
          await store.close();
        },
      };
    });
    await flowbot.start();
    slack.eventsUrl = `${flowbot.url}/slack/events`;
    await discord.onceConnected();
  }

  await start();
  onTestFinished(async () => {
    await flowbot.stop();
    rmSync(folder, { recursive: true, force: true });
    await slack.close();
    await discord.close();
  });
  return {
    slack,
    discord,
    live: {
      log,
      get flowbot() {
        return flowbot;
      },
      start,
      stop: () => flowbot.stop(),
      async restart() {
        await flowbot.stop();
        await start();
      },
    },
  };
}
