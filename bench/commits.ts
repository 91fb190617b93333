/** How fast the store commits on this machine, beside what the machine could do. Run: `node bench/commits.ts`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { openSqliteStore } from '../src/adapters/sqlite/index.ts';
import type { CallEffect } from '../src/engine/run/effect.ts';
import type { RunState } from '../src/engine/run/state.ts';
import type { Commit, RunRow } from '../src/ports/store.ts';

/** How long each figure is measured, in milliseconds. */
const MEASURE_MS = 1_000;

/** Plain commits a second into a new SQLite file (WAL, synchronous FULL), one small row a transaction. */
export async function rawCommitRate(file: string): Promise<number> {
  return transactionRate(file, (db) => {
    db.exec('create table raw (n integer primary key, data text not null)');
    const insert = db.prepare('insert into raw (data) values (?)');
    const data = 'x'.repeat(100);
    return () => insert.run(data);
  });
}

/**
 * The limit of our group commit: the row changes of 32 realistic commits in each transaction, with all texts ready
 * and nobody to tell. Counted in commits a second.
 */
function rawGroupRate(file: string): number {
  const rate = transactionRate(file, (db) => {
    db.exec(`create table runs (n integer primary key, revision integer not null, state text not null);
      create table journal (n integer primary key, run integer not null, event text not null);
      create index journal_run on journal (run);
      create table calls (n integer primary key, run integer not null, key text not null, effect text not null);
      create unique index calls_key on calls (run, key)`);
    const insert = db.prepare('insert into runs (n, revision, state) values (?, 0, ?)');
    const update = db.prepare('update runs set revision = ?, state = ? where n = ?');
    const append = db.prepare('insert into journal (run, event) values (?, ?)');
    const begin = db.prepare('insert into calls (run, key, effect) values (?, ?, ?)');
    const end = db.prepare('delete from calls where run = ? and key = ?');
    const { run } = step('run', 0);
    const texts = [run?.state, run?.events[0], run?.calls[0]].map((data) => JSON.stringify(data));
    const [state, event, effect] = texts;
    for (let n = 1; n <= 32; n += 1) insert.run(n, state);
    let revision = 0;
    return () => {
      revision += 1;
      for (let n = 1; n <= 32; n += 1) {
        update.run(revision, state, n);
        append.run(n, event);
        end.run(n, `call-${revision - 1}`);
        begin.run(n, `call-${revision}`, effect);
      }
    };
  });
  return 32 * rate;
}

/** Transactions a second: `prepare` sets a new file up and returns what one of them does. */
function transactionRate(file: string, prepare: (db: Database.Database) => () => void): number {
  const db = new Database(file);
  try {
    db.pragma('journal_mode = wal');
    db.pragma('synchronous = full');
    const transaction = db.transaction(prepare(db));
    let done = 0;
    const startMs = performance.now();
    while (performance.now() - startMs < MEASURE_MS) {
      transaction.immediate();
      done += 1;
    }
    return done / ((performance.now() - startMs) / 1_000);
  } finally {
    db.close();
  }
}

/** Commits a second of the real store with so many runs in flight. */
async function storeCommitRate(file: string, inFlight: number): Promise<number> {
  const store = openSqliteStore({ file });
  let done = 0;
  const startMs = performance.now();
  const move = async (run: string) => {
    for (let revision = 0; performance.now() - startMs < MEASURE_MS; revision += 1) {
      await store.commit(step(run, revision));
      done += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: inFlight }, (_, index) => move(`run-${index}`)));
    return done / ((performance.now() - startMs) / 1_000);
  } finally {
    await store.close();
  }
}

/** Start to finish of many runs of four commits each, with so many in flight: commits a second. */
async function storeRunRate(file: string, inFlight: number): Promise<number> {
  const store = openSqliteStore({ file });
  let done = 0;
  const startMs = performance.now();
  const move = async (worker: number) => {
    for (let run = 0; performance.now() - startMs < MEASURE_MS; run += 1) {
      for (let revision = 0; revision < 4; revision += 1) {
        await store.commit(step(`run-${worker}-${run}`, revision));
        done += 1;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: inFlight }, (_, index) => move(index)));
    return done / ((performance.now() - startMs) / 1_000);
  } finally {
    await store.close();
  }
}

/** A realistic commit: 1 kB of state, an event of 300 bytes, a call that ends and one that begins. */
function step(run: string, revision: number): Commit {
  const row: RunRow = {
    id: run,
    flow: 'release',
    version: 'f00d',
    status: revision === 0 ? 'queued' : 'running',
    startedAtMs: 1_000,
    updatedAtMs: 1_000 + revision,
    startedBy: { platform: 'slack', id: 'U0ANA', name: 'Ana' },
    home: { platform: 'slack', conversation: 'C0REL', thread: '1700000000.000100' },
  };
  const { outputs: _, ...state } = stateOf(run);
  const attempt = { step: 'draft', round: 1, attempt: 1 };
  const output = { text: 'y'.repeat(200), json: {} };
  return {
    run: {
      row,
      expectedRevision: revision,
      state,
      outputs: [],
      events: [{ type: 'step.done', atMs: 1_000 + revision, output, ...attempt }],
      calls: [call(revision)],
      timers: [],
      ended: [call(revision - 1).key],
      questions: { open: [], closed: [] },
    },
  };
}

function call(revision: number): CallEffect {
  return {
    kind: 'message',
    key: `call-${revision}`,
    post: `post-${revision}`,
    to: 'slack:#releases',
    prose: [{ kind: 'markdown', text: 'z'.repeat(100) }],
    step: 'publish',
    round: 1,
    attempt: 1,
  };
}

function stateOf(id: string): RunState {
  const step = { status: 'pending', round: 1, live: 0, dead: 0, tainted: 0 } as const;
  return {
    id,
    status: 'running',
    start: { trigger: 'command', text: 'w'.repeat(200), prompt: '', input: {}, files: [] },
    startedAtMs: 1_000,
    steps: { draft: step, review: step, publish: step, check: step, notify: step, close: step },
    fates: { 0: 'live', 1: 'dead' },
    outputs: {},
    feedback: {},
    sentBack: {},
    draining: [],
    questions: {},
    review: {},
    httpRequests: 1,
    agentSteps: 0,
    spentMs: 10,
  };
}

type Measure = (file: string) => number | Promise<number>;

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-bench-'));
  const measures: Readonly<Record<string, Measure>> = {
    'raw: one row a transaction': rawCommitRate,
    'raw: the rows of 32 commits a transaction': rawGroupRate,
    'store: one run, 1 in flight': (file) => storeCommitRate(file, 1),
    'store: 32 runs, 32 in flight': (file) => storeCommitRate(file, 32),
    'store: new runs of 4 commits, 1 in flight': (file) => storeRunRate(file, 1),
    'store: new runs of 4 commits, 32 in flight': (file) => storeRunRate(file, 32),
  };
  try {
    for (const round of [1, 2, 3]) {
      for (const [name, measure] of Object.entries(measures)) {
        const rate = await measure(join(folder, `${round}-${name.replaceAll(/\W+/g, '-')}.db`));
        console.log(`${Math.round(rate).toString().padStart(7)}/s  ${name}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
