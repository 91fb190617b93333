import { setTimeout as after } from 'node:timers/promises';
import { conversationId } from '../src/adapters/slack/addresses.ts';
import type { Person } from '../src/engine/people.ts';
import { onceAsked } from '../tests/adapters/chat/waiting.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../tests/fakes/discord/index.ts';
import { createSlackStandIn, type SlackStandIn } from '../tests/fakes/slack/index.ts';
import { type Burst, type BurstBot, waitsOf, withBot } from './burst.ts';

/** Parts in which people press, and the time between two, in milliseconds: all within one second. */
const waves = { count: 10, gapMs: 90 };

/** Many people of Slack press the button of one question within one second; each press has to be acknowledged in 3 s. */
export async function slackCrowd(count: number): Promise<Burst> {
  const slack = await createSlackStandIn({
    clock: { now: Date.now },
    conversationId: (team, channel) => conversationId({ team, channel }),
    settleMs: 10_000,
  });
  const env = {
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
  };
  try {
    return await withBot(env, async (bot) => {
      slack.eventsUrl = `${bot.url}/slack/events`;
      const allMs = await press(bot, slack, slack.addPeople(count));
      const clicks = slack.delivered().filter(({ what }) => what === 'block_actions');
      const waits = clicks.flatMap(({ sentAtMs, ackedAtMs }) =>
        ackedAtMs === undefined ? [] : [ackedAtMs - sentAtMs],
      );
      return { waits: waitsOf(waits), lost: count - waits.length, doubled: 0, allRunMs: allMs };
    });
  } finally {
    await slack.close();
  }
}

/** The same on Discord, where each press has to be answered in 3 s. */
export async function discordCrowd(count: number): Promise<Burst> {
  const discord = await createDiscordStandIn({ clock: { now: Date.now }, answerMs: 10_000 });
  try {
    return await withBot({ DISCORD_API_URL: discord.apiUrl, DISCORD_TOKEN: discord.token }, async (bot) => {
      await discord.until(() => discord.commands().length > 0);
      const allMs = await press(bot, discord, discord.addPeople(count));
      const answeredAtMs = new Map<string, number>();
      for (const { route, params, atMs } of discord.calls()) {
        const id = route.endsWith('/callback') ? params.interaction : undefined;
        if (id !== undefined && !answeredAtMs.has(id)) answeredAtMs.set(id, atMs);
      }
      const waits = [...answeredAtMs].map(([id, atMs]) => atMs - madeAtMs(id));
      return { waits: waitsOf(waits), lost: count - waits.length, doubled: 0, allRunMs: allMs };
    });
  } finally {
    await discord.close();
  }
}

/** Asks a question and has everybody press its button. How long it took until the run had ended, in milliseconds. */
async function press(
  bot: BurstBot,
  platform: SlackStandIn | DiscordStandIn,
  people: readonly Person[],
): Promise<number> {
  const root = await platform.say(platform.people.ana, platform.channel, '!ask');
  const asked = await onceAsked(platform, { ...platform.channel, thread: root.id }, 'Approve');
  const presses = people.map((person) => ({ person, ...asked }));
  const begunAt = performance.now();
  await Promise.all(
    Array.from({ length: waves.count }, async (_, wave) => {
      await after(wave * waves.gapMs);
      await platform.clickBurst(presses.filter((_, nth) => nth % waves.count === wave));
    }),
  );
  await bot.runs(1);
  const tookMs = performance.now() - begunAt;
  await platform.quiet();
  return tookMs;
}

/** When Discord made something, from its id: https://docs.discord.com/developers/reference#snowflakes */
function madeAtMs(id: string): number {
  return Number(BigInt(id) >> 22n) + 1_420_070_400_000;
}
