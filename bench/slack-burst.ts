import { z } from 'zod';
import { conversationId } from '../src/adapters/slack/addresses.ts';
import { createSlackStandIn } from '../tests/fakes/slack/index.ts';
import { type Burst, numbered, waitsOf, withBot } from './burst.ts';

/** Sends commands to a Flowbot, all at once, and waits until each has been a run. The first answer is the acknowledgement. */
export async function slackBurst(transport: 'socket' | 'http', count: number): Promise<Burst> {
  const slack = await createSlackStandIn({
    clock: { now: Date.now },
    conversationId: (team, channel) => conversationId({ team, channel }),
    settleMs: 10_000,
  });
  const env = {
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.botToken,
    ...(transport === 'socket'
      ? { SLACK_APP_TOKEN: slack.appToken }
      : { SLACK_SIGNING_SECRET: slack.signingSecret }),
  };
  const person = slack.people.ana;
  const typed = (texts: readonly string[]) => texts.map((text) => ({ person, place: slack.channel, text }));
  try {
    return await withBot(env, async (bot) => {
      if (transport === 'http') slack.eventsUrl = `${bot.url}/slack/events`;
      else await slack.onceConnected(2);
      // Connections are opened, and what every process compiles and looks up once is there.
      await slack.burst(typed(numbered(200, 'good morning')));
      await slack.say(person, slack.channel, '!echo first');
      await bot.runs(1);

      const before = slack.delivered().length;
      const begunAt = performance.now();
      await slack.burst(typed(numbered(count, '!echo')));
      const runs = await bot.runs(count + 1);
      const allRunMs = performance.now() - begunAt;
      const sent = slack.delivered().slice(before);
      return {
        waits: waitsOf(
          sent.flatMap(({ sentAtMs, ackedAtMs }) => (ackedAtMs === undefined ? [] : [ackedAtMs - sentAtMs])),
        ),
        lost: slack.undelivered().filter(isOf(person.id)).length,
        doubled: runs - count - 1,
        allRunMs,
      };
    });
  } finally {
    await slack.close();
  }
}

/** Whether an event tells what a person wrote; the bot's own posts come back to it as events too. */
function isOf(user: string): (body: unknown) => boolean {
  const shape = z.object({ event: z.object({ user: z.literal(user) }) });
  return (body) => shape.safeParse(body).success;
}
