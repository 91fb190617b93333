import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { inFolder, percentile } from './setting.ts';

/** What became of a burst of events. */
export interface Burst {
  /** From sending an event until its first answer, in milliseconds. */
  readonly waits: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  /** Events without an answer. */
  readonly lost: number;
  /** Runs more than one for each event. */
  readonly doubled: number;
  /** From the first event until all runs had ended. */
  readonly allRunMs: number;
}

/** A Flowbot in a process of its own. It has the flows `echo`, which does nothing but end, and `ask`, which asks first. */
export interface BurstBot {
  readonly url: string;
  /** Its file. */
  readonly db: Database.Database;
  /** Waits until so many runs have ended; how many there are then. */
  runs(count: number): Promise<number>;
}

const flows = {
  echo: `
name: Echo
triggers: [{ type: command, command: echo }, { type: manual }]
steps:
  say: { type: template, text: "{{start.json.prompt}}" }
`,
  ask: `
name: Ask
triggers: [{ type: command, command: ask }]
steps:
  review: { type: approval }
`,
};

const program = fileURLToPath(new URL('./bot.ts', import.meta.url));

/** Lets a bot live as long as the work takes. @param env connects it to a platform @param more flows, by id */
export async function withBot<T>(
  env: Readonly<Record<string, string>>,
  work: (bot: BurstBot) => Promise<T>,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  return inFolder(async (folder) => {
    const flowsDir = join(folder, 'flows');
    // Not beside the flows: what is above them is watched.
    const file = join(folder, 'data', 'flowbot.db');
    mkdirSync(flowsDir);
    for (const [id, text] of Object.entries({ ...flows, ...more })) {
      writeFileSync(join(flowsDir, `${id}.flow.yaml`), text);
    }
    const child = fork(program, {
      execArgv: [],
      env: {
        ...process.env,
        FLOWBOT_PORT: '0',
        FLOWBOT_DB: file,
        FLOWBOT_FLOWS: flowsDir,
        FLOWBOT_LOG: 'error',
        ...env,
      },
    });
    const ended = once(child, 'exit');
    try {
      const [message] = await Promise.race([once(child, 'message'), ended]);
      const { success, data } = z.object({ url: z.string() }).safeParse(message);
      if (!success) throw new Error('The bot did not start.');
      const { url } = data;
      const db = new Database(file, { readonly: true });
      try {
        return await work({ url, db, runs: (count) => runsIn(db, count) });
      } finally {
        db.close();
      }
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
}

/** Texts of so many commands. */
export function numbered(count: number, text: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${text} ${index}`);
}

/** Sums up how long first answers took, in milliseconds. */
export function waitsOf(waitsMs: readonly number[]): Burst['waits'] {
  return {
    p50Ms: percentile(waitsMs, 0.5),
    p99Ms: percentile(waitsMs, 0.99),
    maxMs: percentile(waitsMs, 1),
  };
}

/** Prints what became of a burst. @param answer what the first answer is */
export function printBurst(title: string, answer: string, { waits, lost, doubled, allRunMs }: Burst): void {
  const { p50Ms, p99Ms, maxMs } = waits;
  console.log(title);
  console.log(
    `  ${answer.padEnd(38)}p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, max ${maxMs.toFixed(0)} ms`,
  );
  console.log(`  ${'lost, doubled'.padEnd(38)}${lost}, ${doubled}`);
  console.log(`  ${'until all runs had ended'.padEnd(38)}${allRunMs.toFixed(0)} ms`);
}

async function runsIn(db: Database.Database, count: number): Promise<number> {
  const ended = db.prepare<[], number>("SELECT count(*) FROM runs WHERE status = 'succeeded'").pluck();
  while ((ended.get() ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 20));
  return db.prepare<[], number>('SELECT count(*) FROM runs').pluck().get() ?? 0;
}
