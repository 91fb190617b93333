import { onTestFinished } from 'vitest';
import { conversationId } from '../../../src/adapters/slack/addresses.ts';
import { createSlack, type Slack } from '../../../src/adapters/slack/index.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { createServer, type Server } from '../../../src/server/index.ts';
import { type ChatHarness, createInbox } from '../../contracts/chat.ts';
import { createKeptLog, type KeptLog } from '../../fakes/log.ts';
import { createSlackStandIn, type SlackStandIn, type SlackStandInOptions } from '../../fakes/slack/index.ts';

/** How events come. */
export type Transport = 'socket' | 'http';

/** A workspace with the adapter connected to it. */
export interface SlackHarness extends ChatHarness {
  readonly slack: SlackStandIn;
  readonly chat: Slack;
  readonly log: KeptLog;
}

/** Starts a workspace whose places are those of the adapter. */
export function createWorkspace(options: SlackStandInOptions = {}): Promise<SlackStandIn> {
  return createSlackStandIn({
    conversationId: (team, channel) => conversationId({ team, channel }),
    ...options,
  });
}

/** Starts a workspace and connects a new adapter to it. */
export async function createSlackHarness(
  transport: Transport,
  options: SlackStandInOptions = {},
): Promise<SlackHarness> {
  const slack = await createWorkspace(options);
  // The two events of a mention have one id for the bot, and this inbox keeps repeats.
  slack.mentionEvents = 'message';
  const inbox = createInbox();
  const log = createKeptLog();
  let { chat, server } = await connect();

  async function connect(): Promise<{ chat: Slack; server: Server }> {
    const chat = createSlack(
      {
        botToken: slack.botToken,
        events:
          transport === 'socket'
            ? { kind: 'socket', appToken: slack.appToken }
            : { kind: 'http', signingSecret: slack.signingSecret },
        apiUrl: slack.apiUrl,
      },
      { clock: clockOf(slack), log },
    );
    const server = await createServer({ host: '127.0.0.1', port: 0, log });
    chat.routes(server.app);
    await server.listen();
    if (transport === 'http') slack.eventsUrl = `${server.url}/slack/events`;
    await chat.start(inbox);
    // What is on its way is sent again when another connection opens.
    if (transport === 'socket') await slack.onceConnected(2);
    return { chat, server };
  }

  async function end(): Promise<void> {
    await chat.stop();
    await server.close();
  }

  return {
    ...slack,
    slack,
    inbox,
    log,
    get chat() {
      return chat;
    },
    async restart() {
      await end();
      ({ chat, server } = await connect());
      await slack.retry();
    },
    async close() {
      await end();
      await slack.close();
    },
  };
}

/**
 * The workspace's time. Waits of a second or more are over `speed` times as fast, so that tests need not sit them out;
 * who waited finds that the time has passed.
 */
export function clockOf(slack: SlackStandIn, speed = 10): Clock {
  return {
    now: slack.nowMs,
    alarm(atMs, wake) {
      const forMs = Math.max(0, atMs - slack.nowMs());
      const ring = () => {
        slack.pass(Math.max(0, atMs - slack.nowMs()));
        wake();
      };
      const timer = setTimeout(ring, Math.min(forMs < 1_000 ? forMs : forMs / speed, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
  };
}

/** Connects an adapter to a new workspace, for one test. */
export async function openSlack(
  transport: Transport,
  options: SlackStandInOptions = {},
): Promise<SlackHarness> {
  const harness = await createSlackHarness(transport, options);
  onTestFinished(() => harness.close());
  return harness;
}
