import { onTestFinished } from 'vitest';
import { createSlack } from '../../../src/adapters/slack/index.ts';
import type { SlackStandIn, SlackStandInOptions } from '../../fakes/slack/index.ts';
import { type Live, startLive } from '../chat/flowbot.ts';
import { clockOf, createWorkspace, type Transport } from './harness.ts';

export type { Live } from '../chat/flowbot.ts';
export { onceAsked, onceShown } from '../chat/waiting.ts';

/** Starts a Flowbot for a workspace. @param flows YAML by id. @param speed of its clock, as `clockOf` says */
export async function goLive(
  slack: SlackStandIn,
  transport: Transport,
  flows: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  speed?: number,
): Promise<Live> {
  return startLive({
    flows,
    env: () => ({
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      ...(transport === 'socket'
        ? { SLACK_APP_TOKEN: slack.appToken }
        : { SLACK_SIGNING_SECRET: slack.signingSecret }),
      ...env,
    }),
    connect({ slack: settings }, log) {
      if (!settings) throw new Error('no Slack');
      const clock = clockOf(slack, speed);
      const chat = createSlack(settings, { clock, log });
      return { clock, chats: [chat], routes: (app) => chat.routes(app) };
    },
    async onceConnected({ url }) {
      if (transport === 'http') slack.eventsUrl = `${url}/slack/events`;
      else await slack.onceConnected(2);
    },
  });
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
