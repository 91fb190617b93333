import { setTimeout as tick } from 'node:timers/promises';
import { z } from 'zod';
import { createDiscordStandIn, type DiscordStandIn } from '../tests/fakes/discord/index.ts';
import { type Burst, type BurstBot, numbered, waitsOf, withBot } from './burst.ts';

/** Events before those that count. */
const warmUps = 500;

/**
 * Sends messages or `/flow` commands to a Flowbot, all at once, and waits until each has been a run. The first answer to a
 * command is what Discord waits for. Nothing answers a message on Discord: posts may come as fast as Discord takes them,
 * so it counts when the bot has stored it, which is when Slack would be told; from then on it is never lost.
 */
export async function discordBurst(what: 'messages' | 'commands', count: number): Promise<Burst> {
  const discord = await createDiscordStandIn({ clock: { now: Date.now }, answerMs: 10_000 });
  const person = discord.people.ana;
  const typed = (texts: readonly string[]) => texts.map((text) => ({ person, place: discord.channel, text }));
  const burst = (texts: readonly string[]): Promise<unknown> =>
    what === 'messages'
      ? discord.burst(typed(texts.map((text) => `!${text}`)))
      : discord.commandBurst(typed(texts.map((text) => `run ${text}`)));
  try {
    return await withBot({ DISCORD_API_URL: discord.apiUrl, DISCORD_TOKEN: discord.token }, async (bot) => {
      await discord.until(() => discord.commands().length > 0);
      // Connections are opened, and what every process compiles and looks up is there: in the bot, and in the stand-in,
      // whose slow start would count as the bot's.
      await discord.burst(typed(numbered(200, 'good morning')));
      await burst(numbered(warmUps, 'echo'));
      await bot.runs(warmUps);
      await discord.quiet();

      const stored = what === 'messages' ? watchInbox(bot) : undefined;
      const begunAtMs = Date.now();
      await burst(numbered(count, 'echo'));
      const runs = await bot.runs(warmUps + count);
      const allRunMs = Date.now() - begunAtMs;
      const answeredAtMs = (await stored?.end()) ?? answers(discord);
      const sentAtMs = told(discord, what === 'messages' ? 'MESSAGE_CREATE' : 'INTERACTION_CREATE');
      const sent = [...sentAtMs].filter(([, atMs]) => atMs >= begunAtMs).slice(0, count);
      return {
        waits: waitsOf(
          sent.flatMap(([id, atMs]) => {
            const answered = answeredAtMs.get(id);
            return answered === undefined ? [] : [answered - atMs];
          }),
        ),
        lost: sent.filter(([id]) => !answeredAtMs.has(id)).length,
        doubled: runs - warmUps - count,
        allRunMs,
      };
    });
  } finally {
    await discord.close();
  }
}

const toldShape = z.object({
  t: z.string(),
  d: z.object({ id: z.string(), author: z.object({ id: z.string() }).optional() }),
});

/** When what people did was told to the bot, by id. */
function told({ gateway, botId }: DiscordStandIn, t: string): ReadonlyMap<string, number> {
  const atMs = new Map<string, number>();
  for (const packet of [...gateway.sessions.values()].flatMap((session) => session.told)) {
    const { success, data } = toldShape.safeParse(JSON.parse(packet.text));
    if (success && data.t === t && data.d.author?.id !== botId) atMs.set(data.d.id, packet.atMs);
  }
  return atMs;
}

/** When interactions were answered first, by id. */
function answers(discord: DiscordStandIn): ReadonlyMap<string, number> {
  const atMs = new Map<string, number>();
  for (const { route, params, atMs: answered } of discord.calls()) {
    const id = route.endsWith('/callback') ? params.interaction : undefined;
    if (id !== undefined && !atMs.has(id)) atMs.set(id, answered);
  }
  return atMs;
}

/** Looks into the bot's file all the time, for messages that are stored: when each was seen there first, by id. */
function watchInbox({ db }: BurstBot): { end(): Promise<ReadonlyMap<string, number>> } {
  const newer = db.prepare<[number], { n: number; id: string }>('SELECT n, id FROM deliveries WHERE n > ?');
  const atMs = new Map<string, number>();
  let last = 0;
  let isOver = false;
  const look = (): void => {
    for (const { n, id } of newer.all(last)) {
      last = n;
      atMs.set(id.replace('discord:m:', ''), Date.now());
    }
  };
  const looking = (async () => {
    while (!isOver) {
      look();
      await tick(1);
    }
  })();
  return {
    async end() {
      isOver = true;
      await looking;
      look();
      return atMs;
    },
  };
}
