import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { conversationId } from '../src/adapters/slack/addresses.ts';
import { createSlackStandIn } from '../tests/fakes/slack/index.ts';
import { inFolder } from './setting.ts';

/** What became of a burst of events. */
export interface Burst {
  readonly ackP50Ms: number;
  readonly ackP99Ms: number;
  readonly ackMaxMs: number;
  readonly lost: number;
  /** Runs more than one for each message. */
  readonly doubled: number;
  /** From the first event until all runs had ended. */
  readonly allRunMs: number;
}

const flow = `
name: Echo
triggers: [{ type: command, command: echo }]
steps:
  say: { type: template, text: "{{start.json.prompt}}" }
`;

const bot = fileURLToPath(new URL('./slack-bot.ts', import.meta.url));

/** Sends commands to a Flowbot in a process of its own, all at once, and waits until each has been a run. */
export async function slackBurst(transport: 'socket' | 'http', count: number): Promise<Burst> {
  return inFolder(async (folder) => {
    const slack = await createSlackStandIn({
      clock: { now: Date.now },
      conversationId: (team, channel) => conversationId({ team, channel }),
      settleMs: 10_000,
    });
    mkdirSync(join(folder, 'flows'));
    writeFileSync(join(folder, 'flows', 'echo.flow.yaml'), flow);
    const db = join(folder, 'flowbot.db');
    const child = fork(bot, {
      execArgv: [],
      env: {
        ...process.env,
        FLOWBOT_PORT: '0',
        FLOWBOT_DB: db,
        FLOWBOT_FLOWS: join(folder, 'flows'),
        FLOWBOT_LOG: 'error',
        SLACK_API_URL: slack.apiUrl,
        SLACK_BOT_TOKEN: slack.botToken,
        ...(transport === 'socket'
          ? { SLACK_APP_TOKEN: slack.appToken }
          : { SLACK_SIGNING_SECRET: slack.signingSecret }),
      },
    });
    const [message] = await once(child, 'message');
    const { url } = z.object({ url: z.string() }).parse(message);
    if (transport === 'http') slack.eventsUrl = `${url}/slack/events`;
    else await slack.onceConnected(2);
    const place = slack.channel;
    const person = slack.people.ana;
    const typed = (of: number, text: string) =>
      Array.from({ length: of }, (_, index) => ({ person, place, text: `${text} ${index}` }));
    // Connections are opened, and what every process compiles and looks up once is there.
    await slack.burst(typed(200, 'good morning'));
    await slack.say(person, place, '!echo first');
    await runsIn(db, 1);

    const before = slack.delivered().length;
    const begunAt = performance.now();
    await slack.burst(typed(count, '!echo'));
    const runs = await runsIn(db, count + 1);
    const allRunMs = performance.now() - begunAt;
    const sent = slack.delivered().slice(before);
    const waits = sent
      .flatMap(({ sentAtMs, ackedAtMs }) => (ackedAtMs === undefined ? [] : [ackedAtMs - sentAtMs]))
      .toSorted((one, other) => one - other);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await slack.close();
    return {
      ackP50Ms: waits[Math.floor(waits.length * 0.5)] ?? Number.NaN,
      ackP99Ms: waits[Math.floor(waits.length * 0.99)] ?? Number.NaN,
      ackMaxMs: waits.at(-1) ?? Number.NaN,
      lost: slack.undelivered().filter(isOf(person.id)).length,
      doubled: runs - count - 1,
      allRunMs,
    };
  });
}

/** Whether an event tells what a person wrote; the bot's own posts come back to it as events too. */
function isOf(user: string): (body: unknown) => boolean {
  const shape = z.object({ event: z.object({ user: z.literal(user) }) });
  return (body) => shape.safeParse(body).success;
}

/** Waits until so many runs have ended; how many there are then. */
async function runsIn(file: string, count: number): Promise<number> {
  const db = new Database(file, { readonly: true });
  try {
    const ended = db.prepare<[], number>("SELECT count(*) FROM runs WHERE status = 'succeeded'").pluck();
    while ((ended.get() ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 20));
    return db.prepare<[], number>('SELECT count(*) FROM runs').pluck().get() ?? 0;
  } finally {
    db.close();
  }
}
