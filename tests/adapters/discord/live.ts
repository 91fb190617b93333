import { onTestFinished } from 'vitest';
import { createDiscord } from '../../../src/adapters/discord/index.ts';
import {
  createDiscordStandIn,
  type DiscordStandIn,
  type DiscordStandInOptions,
} from '../../fakes/discord/index.ts';
import { type Live as AnyLive, startLive } from '../chat/flowbot.ts';
import { clockOf } from './harness.ts';

export { onceAsked, onceShown } from '../chat/waiting.ts';

/** A whole Flowbot with its own database, connected to a Discord. */
export interface Live extends AnyLive {
  /** Why the adapter gave up, as often as it said so. */
  readonly deaths: readonly string[];
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
  const deaths: string[] = [];
  const live = await startLive({
    flows,
    env: () => ({ DISCORD_API_URL: discord.apiUrl, DISCORD_TOKEN: discord.token, ...env }),
    editGapMs,
    connect({ discord: settings }, log) {
      if (!settings) throw new Error('no Discord');
      const clock = clockOf(discord, speed);
      const onDead = (why: string) => void deaths.push(why);
      return { clock, chats: [createDiscord(settings, { clock, log, onDead })] };
    },
    onceConnected: () => discord.onceConnected(),
  });
  return Object.assign(live, { deaths });
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
