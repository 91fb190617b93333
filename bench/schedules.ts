import { join } from 'node:path';
import { createTask } from 'node-cron';
import { openSqliteStore } from '../src/adapters/sqlite/index.ts';
import { compile } from '../src/engine/flow/compile.ts';
import type { Json } from '../src/engine/json.ts';
import { nextTime } from '../src/engine/schedule/times.ts';
import { createCatalog, type LoadedFlow } from '../src/runner/catalog.ts';
import { createSchedules } from '../src/runner/schedules.ts';
import { createHandClock } from '../tests/fakes/clock.ts';
import { heapNow, inFolder, quiet, timed } from './setting.ts';

/** What many schedules cost. */
export interface Scheduled {
  /** From loaded flows until every schedule is stored and the first alarm set. */
  readonly startMs: number;
  /** A look at the clock when nothing is due, in microseconds. */
  readonly idleTickUs: number;
  /** A look when a hundredth of them is due, for each that starts, in microseconds; starting the run not counted. */
  readonly dueUs: number;
  /** Working out the next time of one, in microseconds. */
  readonly nextUs: number;
  readonly heapBytesEach: number;
  /** The same number of tasks of node-cron: making and starting them, and their heap. */
  readonly peer: { readonly startMs: number; readonly heapBytesEach: number };
}

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'UTC'];

/** Follows so many schedules, of which a hundredth is due in each minute. */
export async function manySchedules(count: number): Promise<Scheduled> {
  const crons = Array.from({ length: count }, (_, nth) => ({
    cron: `${nth % 60} ${nth % 24} * * ${nth % 2 === 0 ? '1-5' : '*'}`,
    timezone: zones[nth % zones.length] ?? 'UTC',
  }));
  const ours = await inFolder(async (folder) => {
    const before = heapNow();
    const store = openSqliteStore({ file: join(folder, 'schedules.db') });
    const clock = createHandClock();
    const catalog = createCatalog({});
    catalog.replace({ flows: crons.map(flowOf), broken: [], warnings: [], agents: new Map() });
    const schedules = createSchedules({ store, catalog, clock, log: quiet });
    const startMs = await timed(() =>
      schedules.start({ fire: async () => ({ kind: 'started', run: 'r' }), tell: async () => {} }),
    );
    const heapBytesEach = (heapNow() - before) / count;

    const rules = schedules.all.map(({ trigger }) => trigger.times.rule);
    const nextMs = await timed(async () => {
      for (const rule of rules) nextTime(rule, clock.now());
    });
    // All times of the day pass, minute by minute; a look is over when everything it wrote is stored.
    let dueMs = 0;
    let fired = 0;
    let idleMs = Number.POSITIVE_INFINITY;
    for (let minute = 0; minute < 120; minute += 1) {
      const due = schedules.all.filter(
        (one) => (one.nextMs ?? Number.POSITIVE_INFINITY) <= clock.now() + 60_000,
      ).length;
      const tookMs = await timed(async () => {
        clock.pass(60_000);
        // The next alarm is set when all that was due is stored.
        while (clock.nextMs() === undefined) await new Promise(setImmediate);
      });
      fired += due;
      dueMs += tookMs;
      if (due === 0) idleMs = Math.min(idleMs, tookMs);
    }
    await schedules.stop();
    await store.close();
    return {
      startMs,
      idleTickUs: idleMs * 1_000,
      dueUs: (dueMs * 1_000) / Math.max(1, fired),
      nextUs: (nextMs * 1_000) / count,
      heapBytesEach,
    };
  });
  return { ...ours, peer: peerOf(crons) };
}

function flowOf(
  { cron, timezone }: { readonly cron: string; readonly timezone: string },
  nth: number,
): LoadedFlow {
  const id = `flow-${nth}`;
  const definition: Json = {
    triggers: [{ type: 'schedule', cron, timezone }],
    steps: { say: { type: 'template', text: 'hello' } },
  };
  const { plan, faults } = compile(definition, id);
  if (!plan) throw new Error(JSON.stringify(faults));
  return { id, file: `${id}.flow.yaml`, version: id, definition, plan };
}

function peerOf(crons: readonly { readonly cron: string; readonly timezone: string }[]): Scheduled['peer'] {
  const before = heapNow();
  const begunAt = performance.now();
  const tasks = crons.map(({ cron, timezone }) => {
    const task = createTask(cron, () => {}, { timezone, unref: true });
    void task.start();
    return task;
  });
  const startMs = performance.now() - begunAt;
  const heapBytesEach = (heapNow() - before) / crons.length;
  for (const task of tasks) void task.destroy();
  return { startMs, heapBytesEach };
}
