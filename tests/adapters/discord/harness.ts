import { onTestFinished } from 'vitest';
import { createDiscord } from '../../../src/adapters/discord/index.ts';
import type { Chat } from '../../../src/ports/chat.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { type ChatHarness, createInbox } from '../../contracts/chat.ts';
import {
  createDiscordStandIn,
  type DiscordStandIn,
  type DiscordStandInOptions,
} from '../../fakes/discord/index.ts';
import { createKeptLog, type KeptLog } from '../../fakes/log.ts';

/** A Discord with the adapter connected to it. */
export interface DiscordHarness extends ChatHarness, Omit<DiscordStandIn, keyof ChatHarness> {
  readonly discord: DiscordStandIn;
  readonly people: DiscordStandIn['people'];
  readonly log: KeptLog;
  /** Why the adapter gave up, as often as it said so. */
  readonly deaths: readonly string[];
}

/** What a harness can be made with. */
export interface DiscordHarnessOptions extends DiscordStandInOptions {
  /** The only server that is served; default: all. */
  readonly guildId?: string;
  /** A Discord that is there already, as a test has prepared it. */
  readonly discord?: DiscordStandIn;
}

/** Starts a Discord and connects a new adapter to it. */
export async function createDiscordHarness(options: DiscordHarnessOptions = {}): Promise<DiscordHarness> {
  const { guildId, discord: given, ...how } = options;
  const discord = given ?? (await createDiscordStandIn(how));
  const inbox = createInbox();
  inbox.offer({
    words: [
      {
        name: 'run',
        summary: 'Starts a flow here.',
        options: [
          { name: 'flow', summary: 'The flow.', required: true, completes: true },
          { name: 'input', summary: 'Its input.', required: false, completes: true },
        ],
      },
    ],
    flows: [],
  });
  const log = createKeptLog();
  const deaths: string[] = [];
  let chat = await connect();

  async function connect(): Promise<Chat> {
    const chat = createDiscord(
      {
        token: discord.token,
        apiUrl: discord.apiUrl,
        command: `/${how.command ?? 'flow'}`,
        ...(guildId !== undefined && { guildId }),
      },
      { clock: clockOf(discord), log, onDead: (why) => void deaths.push(why) },
    );
    await chat.start(inbox);
    await discord.onceConnected();
    return chat;
  }

  return {
    ...discord,
    get nonceWindowMs() {
      return discord.nonceWindowMs;
    },
    set nonceWindowMs(ms) {
      discord.nonceWindowMs = ms;
    },
    discord,
    inbox,
    log,
    deaths,
    get chat() {
      return chat;
    },
    async restart() {
      await chat.stop();
      chat = await connect();
      await discord.retry();
    },
    async close() {
      await chat.stop();
      await discord.close();
    },
  };
}

/**
 * The platform's time. Waits of a second or more are over `speed` times as fast, so that tests need not sit them out;
 * who waited finds that the time has passed. Limits of ten seconds and more leave a busy machine at least three.
 */
export function clockOf(discord: Pick<DiscordStandIn, 'nowMs' | 'pass'>, speed = 10): Clock {
  return {
    now: discord.nowMs,
    alarm(atMs, wake) {
      const forMs = Math.max(0, atMs - discord.nowMs());
      const ring = () => {
        discord.pass(Math.max(0, atMs - discord.nowMs()));
        wake();
      };
      const shortMs = forMs < 1_000 ? forMs : Math.max(forMs / speed, forMs < 10_000 ? 0 : 3_000);
      const timer = setTimeout(ring, Math.min(shortMs, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
  };
}

/** Connects an adapter to a new Discord, for one test. */
export async function openDiscord(options: DiscordHarnessOptions = {}): Promise<DiscordHarness> {
  const harness = await createDiscordHarness(options);
  onTestFinished(() => harness.close());
  return harness;
}
