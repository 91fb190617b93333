import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createClient } from '../src/client/index.ts';
import { type BurstBot, withBot } from './burst.ts';
import { openStub, percentile, timed } from './setting.ts';

/** How fast a bot works. */
export interface Pace {
  readonly stepsPerSecond: number;
  /** In a second of the bot's own processor time: what else is at work on the machine doesn't count. */
  readonly stepsPerCpuSecond: number;
}

/** The same work, without and with listeners. */
export interface Listened {
  readonly alone: Pace;
  readonly followed: Pace;
  /** What each listener has had: all of the run. */
  readonly events: number;
}

const ROUNDS = 5;
const LONG_STEPS = 200;
const STEPS = 3;
const IN_FLIGHT = 16;

const program = fileURLToPath(new URL('./listening.ts', import.meta.url));

/**
 * A long run, and beside it as many of three steps as get done until it ends: again and again, in turn with nobody who
 * follows the long one and with so many, who read in a process of their own. Of each the median.
 */
export async function listenedRun(listeners: number): Promise<Listened> {
  const stub = await openStub();
  const flow = (count: number, path: string) => {
    const ask = `{ type: http, url: "http://127.0.0.1:${stub.port}${path}", allowHosts: ["127.0.0.1"] }`;
    const steps = Array.from({ length: count }, (_, index) => `  s${index}: ${ask}`);
    return `triggers: [{ type: api }]\nsteps:\n${steps.join('\n')}\n`;
  };
  const audience = fork(program, { execArgv: [] });
  const left = once(audience, 'exit');
  try {
    return await withBot(
      {},
      async (bot) => {
        const alone: Pace[] = [];
        const followed: Pace[] = [];
        let events = 0;
        const paceFollowed = async (): Promise<Pace> => {
          let followedRun = '';
          const pace = await paceOf(bot, async (run) => {
            followedRun = run;
            events = await heardBy(audience, left, { url: bot.url, run, listeners });
          });
          const all = await eventsOf(bot.url, followedRun);
          if (events !== all) throw new Error(`Listeners had ${events} of ${all} events.`);
          return pace;
        };
        for (let round = 0; round <= ROUNDS; round += 1) {
          // In turn the first: the file grows all the time.
          const before = round % 2 === 0 ? await paceOf(bot) : undefined;
          const listened = await paceFollowed();
          const silent = before ?? (await paceOf(bot));
          if (round === 0) continue; // warms up
          alone.push(silent);
          followed.push(listened);
        }
        return { alone: medianOf(alone), followed: medianOf(followed), events };
      },
      { long: flow(LONG_STEPS, '/slow'), short: flow(STEPS, '/') },
    );
  } finally {
    audience.kill('SIGKILL');
    stub.server.close();
  }
}

/** @param follow follows the long run until it has ended */
async function paceOf(
  { url, db }: BurstBot,
  follow: (run: string) => Promise<void> = async () => {},
): Promise<Pace> {
  const api = createClient({ url });
  const ended = db.prepare<[string], number>("SELECT status = 'succeeded' FROM runs WHERE id = ?").pluck();
  const beforeS = await cpuSeconds(url);
  const { id } = await api.start('long');
  let steps = LONG_STEPS;
  const lane = async (): Promise<void> => {
    while (ended.get(id) === 0) {
      await api.start('short', { waitS: 60 });
      steps += STEPS;
    }
  };
  const heard = follow(id);
  const ms = await timed(() => Promise.all(Array.from({ length: IN_FLIGHT }, lane)));
  await heard;
  return {
    stepsPerSecond: (steps * 1_000) / ms,
    stepsPerCpuSecond: steps / ((await cpuSeconds(url)) - beforeS),
  };
}

/** How many events each listener has had, once the run has ended. @param left when the audience has, which fails it */
async function heardBy(
  audience: ChildProcess,
  left: Promise<unknown[]>,
  order: { readonly url: string; readonly run: string; readonly listeners: number },
): Promise<number> {
  const heard = Promise.race([once(audience, 'message'), left]);
  audience.send(order);
  return z.object({ each: z.number() }).parse((await heard)[0]).each;
}

/** How many events there are of a run that has ended. */
async function eventsOf(url: string, run: string): Promise<number> {
  let count = 0;
  for await (const _event of createClient({ url }).events(run)) count += 1;
  return count;
}

async function cpuSeconds(url: string): Promise<number> {
  const figures = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (.+)$/m.exec(figures)?.[1]);
}

function medianOf(paces: readonly Pace[]): Pace {
  const median = (of: (pace: Pace) => number) => percentile(paces.map(of), 0.5);
  return {
    stepsPerSecond: median((pace) => pace.stepsPerSecond),
    stepsPerCpuSecond: median((pace) => pace.stepsPerCpuSecond),
  };
}
