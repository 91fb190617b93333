import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createClient } from '../src/client/index.ts';
import { withBot } from './burst.ts';
import { openStub, percentile, timed } from './setting.ts';

/** Steps per second beside the run that is listened to, without and with listeners. */
export interface Listened {
  readonly alone: number;
  readonly followed: number;
  /** What each listener has had: all of the run. */
  readonly events: number;
}

const ROUNDS = 3;
const LONG_STEPS = 200;
const RUNS = 1_600;
const STEPS = 3;
const IN_FLIGHT = 16;

const program = fileURLToPath(new URL('./listening.ts', import.meta.url));

/**
 * The same work again and again, in turn with nobody who follows its long run and with so many, who read in a process of their
 * own. Of each the median.
 */
export async function listenedRun(listeners: number): Promise<Listened> {
  const stub = await openStub();
  const flow = (count: number, path: string) => {
    const ask = `{ type: http, url: "http://127.0.0.1:${stub.port}${path}", allowHosts: ["127.0.0.1"] }`;
    const steps = Array.from({ length: count }, (_, index) => `  s${index}: ${ask}`);
    return `triggers: [{ type: api }]\nsteps:\n${steps.join('\n')}\n`;
  };
  const audience = fork(program, { execArgv: [] });
  try {
    return await withBot(
      {},
      async ({ url }) => {
        const api = createClient({ url });
        const took: Record<'alone' | 'followed', number[]> = { alone: [], followed: [] };
        let events = 0;
        for (let round = 0; round <= ROUNDS; round += 1) {
          for (const kind of ['alone', 'followed'] as const) {
            const heard = once(audience, 'message');
            const { id } = await api.start('long');
            const ms = await timed(async () => {
              if (kind === 'followed') audience.send({ url, run: id, listeners });
              const lane = async (_: unknown, nth: number): Promise<void> => {
                for (let run = nth; run < RUNS; run += IN_FLIGHT) await api.start('short', { waitS: 60 });
              };
              await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
            });
            while ((await api.run(id)).ok === null) await new Promise((resolve) => setTimeout(resolve, 10));
            // The first round only warms up.
            if (round > 0) took[kind].push(ms);
            if (kind === 'followed') events = z.object({ each: z.number() }).parse((await heard)[0]).each;
          }
        }
        const perSecond = (ms: readonly number[]) => (RUNS * STEPS * 1_000) / percentile(ms, 0.5);
        return { alone: perSecond(took.alone), followed: perSecond(took.followed), events };
      },
      { long: flow(LONG_STEPS, '/slow'), short: flow(STEPS, '/') },
    );
  } finally {
    audience.kill('SIGKILL');
    stub.server.close();
  }
}
