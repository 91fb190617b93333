import { setImmediate as turn } from 'node:timers/promises';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import { compile } from '../../src/engine/flow/compile.ts';
import type { Plan } from '../../src/engine/flow/plan.ts';
import type { Json } from '../../src/engine/json.ts';
import type { Person, Place } from '../../src/engine/people.ts';
import type { AgentRuntimes } from '../../src/ports/agents.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Tools } from '../../src/ports/tools.ts';
import type { Workspaces } from '../../src/ports/workspaces.ts';
import { createRunner, type Runner } from '../../src/runner/index.ts';
import { createFakeChat, type FakeChat } from '../fakes/chat.ts';
import { createHandClock, type HandClock } from '../fakes/clock.ts';
import { type Answering, createFakeHttp, type FakeHttp } from '../fakes/http.ts';
import { createCountingIds } from '../fakes/ids.ts';
import { createKeptLog, type KeptLog } from '../fakes/log.ts';
import { createOutside } from '../fakes/outside.ts';
import { createMemoryStore } from '../fakes/store.ts';
import { createFakeWorkspaces } from '../fakes/workspaces.ts';

/** A runner on fakes. */
export interface Bench {
  readonly runner: Runner;
  readonly store: Store;
  readonly clock: HandClock;
  readonly http: FakeHttp;
  readonly log: KeptLog;
  readonly platform: FakeChat;
  /** Starts a run of a flow, given as its steps (and edges). */
  start(flow: Json, options?: { readonly home?: Place; readonly startKey?: string }): Promise<string>;
  /** Waits until everything waits. Time stands still. */
  settle(): Promise<void>;
  /** Lets time pass, and what follows from it happen. */
  pass(ms: number): Promise<void>;
  /** The process dies without a word (or stops, with a grace), and the next one goes on. */
  restart(graceMs?: number): Promise<Bench>;
}

export const ana: Person = { platform: 'fake', id: 'U0ANA', name: 'Ana' };
export const bo: Person = { platform: 'fake', id: 'U0BO', name: 'Bo' };
export const releases: Place = { platform: 'fake', conversation: 'C-releases' };

/** What outlives a bench, or is replaced by a test. */
export interface BenchParts {
  readonly store: Store;
  readonly clock: HandClock;
  readonly http: FakeHttp;
  readonly log: KeptLog;
  readonly platform: FakeChat;
  readonly secrets: Readonly<Record<string, string>>;
  /** Runtimes of agents. */
  readonly agents: AgentRuntimes;
  readonly tools: Tools;
  readonly workspaces: Workspaces;
}

/** Sets up a runner. */
export async function createBench(
  parts: Partial<BenchParts> & { readonly answering?: Answering } = {},
): Promise<Bench> {
  const clock = parts.clock ?? createHandClock();
  return open({
    clock,
    store: parts.store ?? createMemoryStore(),
    http: parts.http ?? createFakeHttp(parts.answering),
    log: parts.log ?? createKeptLog(),
    platform: parts.platform ?? createFakeChat({ nowMs: clock.now }),
    secrets: parts.secrets ?? {},
    agents: parts.agents ?? new Map(),
    tools: parts.tools ?? createOutside().tools,
    workspaces: parts.workspaces ?? createFakeWorkspaces(),
  });
}

const ids = createCountingIds();

async function open(parts: BenchParts): Promise<Bench> {
  const { clock, platform } = parts;
  const runner = await createRunner({
    ...createOutside(),
    ...parts,
    ids,
    secrets: createSecrets(new Map(Object.entries(parts.secrets))),
    chats: new Map([['fake', platform.chat]]),
    editGapMs: 1_000,
    runsAtOnce: 1_000,
    admins: ['fake:U0ANA'],
    humanReminderMs: undefined,
  });
  await runner.resume();

  async function settle(): Promise<void> {
    for (let turns = 0; turns < 8; turns += 1) await turn();
  }

  await settle();
  return {
    ...parts,
    runner,
    settle,
    async start(flow, { home = releases, startKey } = {}) {
      const plan = planOf(flow);
      // Readable in tests; what follows a `#` would name a lane.
      const version = JSON.stringify(flow).replaceAll('#', '');
      await runner.plans.add(version, flow, plan);
      const started = await runner.runs.start({
        version,
        plan,
        atMs: clock.now(),
        start: { trigger: 'manual', text: '', prompt: '', input: {}, person: ana, home, files: [] },
        ...(startKey !== undefined && { startKey }),
      });
      await settle();
      if (started.kind === 'refused') throw new Error(started.why);
      return started.run;
    },
    async pass(ms) {
      const untilMs = clock.now() + ms;
      for (let nextMs = clock.nextMs(); nextMs !== undefined && nextMs <= untilMs; nextMs = clock.nextMs()) {
        clock.pass(Math.max(0, nextMs - clock.now()));
        await settle();
      }
      clock.pass(untilMs - clock.now());
      await settle();
    },
    async restart(graceMs) {
      if (graceMs !== undefined) {
        const stopped = runner.stop(graceMs);
        await settle();
        clock.pass(graceMs);
        await stopped;
      }
      platform.reconnect();
      return open(parts);
    },
  };
}

/** A flow as it is compiled. */
export function planOf(flow: Json): Plan {
  const { plan, faults } = compile(flow, 'sample');
  if (!plan) throw new Error(faults.map((fault) => fault.message).join('\n'));
  return plan;
}
