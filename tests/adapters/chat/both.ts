import { onTestFinished } from 'vitest';
import { createDiscord } from '../../../src/adapters/discord/index.ts';
import { createSlack } from '../../../src/adapters/slack/index.ts';
import type { Identities } from '../../../src/engine/identities.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../../fakes/discord/index.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { clockOf } from '../discord/harness.ts';
import { createWorkspace } from '../slack/harness.ts';
import { type Live, startLive } from './flowbot.ts';

/** One Flowbot that is connected to a Slack and a Discord, whose time is the same. */
export interface Both {
  readonly slack: SlackStandIn;
  readonly discord: DiscordStandIn;
  readonly live: Live;
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
  const live = await startLive({
    flows,
    // JSON is YAML.
    settings: JSON.stringify({ people: Object.fromEntries(people.map((one, nth) => [`person${nth}`, one])) }),
    env: () => ({
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_TOKEN: discord.token,
    }),
    connect(config, log) {
      if (!config.slack || !config.discord) throw new Error('Slack and Discord are not both configured');
      const clock = clockOf(discord);
      const onSlack = createSlack(config.slack, { clock, log });
      const onDiscord = createDiscord(config.discord, { clock, log, onDead: () => {} });
      return { clock, chats: [onSlack, onDiscord], routes: (app) => onSlack.routes(app) };
    },
    async onceConnected({ url }) {
      slack.eventsUrl = `${url}/slack/events`;
      await discord.onceConnected();
    },
  });
  onTestFinished(async () => {
    await live.close();
    await slack.close();
    await discord.close();
  });
  return { slack, discord, live };
}
