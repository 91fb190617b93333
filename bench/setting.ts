import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttp } from '../src/adapters/http/index.ts';
import { openSqliteStore } from '../src/adapters/sqlite/index.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import { randomIds } from '../src/adapters/system/ids.ts';
import { createSecrets } from '../src/adapters/system/secrets.ts';
import { compile } from '../src/engine/flow/compile.ts';
import type { Json } from '../src/engine/json.ts';
import { isFinal } from '../src/engine/run/state.ts';
import { versionOf } from '../src/loader/versions.ts';
import type { Log } from '../src/ports/log.ts';
import type { Store } from '../src/ports/store.ts';
import type { LoadedFlow } from '../src/runner/catalog.ts';
import { createRunner, type Runner } from '../src/runner/index.ts';
import { createOutside } from '../tests/fakes/outside.ts';

/** Says only what went wrong. */
export const quiet: Log = { info: () => {}, warn: console.warn, error: console.error };

/** A runner on a real SQLite file, without chats, that tells when runs come to rest. */
export interface Setting {
  readonly runner: Runner;
  readonly store: Store;
  /** Resolves when the run waits or has ended. */
  atRest(run: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a runner on a file, as `flowbot start` does. */
export async function openSetting(file: string): Promise<Setting> {
  const store = openSqliteStore({ file });
  const http = createHttp();
  const resting = new Set<string>();
  const waiting = new Map<string, () => void>();
  const watched: Store = {
    ...store,
    async commit(commit) {
      const outcome = await store.commit(commit);
      const row = commit.run?.row;
      if (row && outcome.kind === 'committed' && (isFinal(row.status) || row.status === 'waiting')) {
        resting.add(row.id);
        waiting.get(row.id)?.();
      }
      return outcome;
    },
  };
  const runner = await createRunner({
    ...createOutside(),
    store: watched,
    chats: new Map(),
    http,
    secrets: createSecrets(new Map()),
    clock: systemClock,
    ids: randomIds,
    log: quiet,
    editGapMs: 0,
    runsAtOnce: 1_000,
    admins: [],
    humanReminderMs: undefined,
  });
  return {
    runner,
    store,
    atRest: (run) =>
      new Promise((resolve) => {
        const done = (): void => {
          resting.delete(run);
          waiting.delete(run);
          resolve();
        };
        if (resting.has(run)) done();
        else waiting.set(run, done);
      }),
    async close() {
      await runner.stop(1_000);
      await http.close();
      await store.close();
    },
  };
}

/** A flow as if it had been loaded from a file. */
export function loaded(definition: Json): LoadedFlow {
  const { plan, faults } = compile(definition, 'bench');
  if (!plan) throw new Error(faults.map((fault) => fault.message).join('\n'));
  return { id: plan.id, file: 'bench', version: versionOf(definition), definition, plan };
}

/** Starts a run of a flow with an input. */
export async function startRun(
  setting: Setting,
  flow: LoadedFlow,
  input: { readonly [key: string]: Json },
): Promise<string> {
  const started = await setting.runner.runs.start({
    version: flow.version,
    plan: flow.plan,
    atMs: Date.now(),
    start: { trigger: 'manual', text: '', prompt: '', input, files: [] },
  });
  if (started.kind === 'refused') throw new Error(started.why);
  return started.run;
}

/** How long the local server takes to answer at `/slow`, in milliseconds. */
const SLOW_MS = 20;

/** A local server that answers every request with `{"ok":true}`, at once but for those to `/slow`. */
export async function openStub(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer((request, response) => {
    request.resume();
    const answer = () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"ok":true}');
    };
    request.on('end', () => (request.url === '/slow' ? setTimeout(answer, SLOW_MS) : answer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The stub has no port.');
  return { port: address.port, server };
}

/** Runs work in a folder of its own, removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The value below which the given part of the sorted values lie. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Bytes of the heap in use, after a collection where Node allows one. */
export function heapNow(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** How long something takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
}
