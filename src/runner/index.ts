import type { Library } from '../engine/library.ts';
import type { HostBudget } from '../engine/run/day-budget.ts';
import { isFinal } from '../engine/run/state.ts';
import type { AgentRuntimes } from '../ports/agents.ts';
import type { Chat } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Http } from '../ports/http.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { PluginSteps } from '../ports/plugins.ts';
import type { Programs } from '../ports/programs.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Store, StoredCall } from '../ports/store.ts';
import type { Tools } from '../ports/tools.ts';
import type { Workspaces } from '../ports/workspaces.ts';
import { createAdmission } from './admission.ts';
import { createProviders } from './agents/providers.ts';
import { createAgentTools } from './agents/tools.ts';
import { type Bus, createBus } from './bus.ts';
import { createCache } from './cache.ts';
import { createCalls } from './calls.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { createDays } from './days.ts';
import { agentHandler } from './effects/agent.ts';
import { checkHandler } from './effects/check.ts';
import { historyHandler } from './effects/history.ts';
import { httpHandler } from './effects/http.ts';
import { messageHandler } from './effects/message.ts';
import { pluginHandler } from './effects/plugin.ts';
import { scriptHandler } from './effects/script.ts';
import { toolHandler } from './effects/tool.ts';
import { createLanes } from './lanes.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { readPause } from './pause.ts';
import { createPlans, type Plans } from './plans.ts';
import { createRuns, type Runs } from './runs.ts';
import { createSchedules, type Schedules } from './schedules.ts';
import { createTimers } from './timers.ts';
import { createTrees } from './trees.ts';
import { createSharedWorkspaces } from './workspaces.ts';

/** The shell around the engine: it loads, commits and performs what the engine decides. */
export interface Runner {
  readonly catalog: Catalog;
  readonly plans: Plans;
  readonly runs: Runs;
  readonly outbox: Outbox;
  readonly schedules: Schedules;
  /** What happens in runs, for whoever wants to know. */
  readonly events: Bus;
  /** Goes on with everything the last process left unfinished. Call once, when the flows are loaded. */
  resume(): Promise<void>;
  /** Instead of `resume`, when nothing is to be performed: takes in the runs that stand in the way of others. */
  admit(): Promise<void>;
  /** Takes no new work, gives calls `graceMs` to finish, and leaves the rest to the next start. */
  stop(graceMs: number): Promise<void>;
}

/** Puts the runner together. */
export async function createRunner(deps: {
  readonly store: Store;
  readonly chats: ReadonlyMap<string, Chat>;
  readonly http: Http;
  readonly agents: AgentRuntimes;
  readonly programs: Programs;
  readonly workspaces: Workspaces;
  readonly tools: Tools;
  readonly plugins: PluginSteps;
  /** By name: the built-in ones and those of plugins. */
  readonly stepTypes: Library['stepTypes'];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly editGapMs: number;
  /** Most runs that work at the same time; those that wait for people do not count. */
  readonly runsAtOnce: number;
  /** Person addresses of those who hear what is wrong. */
  readonly admins: readonly string[];
  /** How long questions wait until people are reminded, in milliseconds; undefined = for ever. */
  readonly humanReminderMs: number | undefined;
  /** Most agents at work at once, over all runs. */
  readonly agentsAtOnce: number;
  /** Longest time for one attempt of an agent, in milliseconds. */
  readonly agentTimeLimitMs: number;
  /** What all flows together may use up on a day; absent = anything. */
  readonly budget?: HostBudget;
}): Promise<Runner> {
  const { store } = deps;
  const plans = createPlans(store, deps.stepTypes);
  const catalog = createCatalog(await store.switches(), await readPause(store));
  const schedules = createSchedules({ ...deps, catalog });
  const outbox = createOutbox(deps);
  const events = createBus(deps.log);
  const trees = createTrees({ ...deps, plans, told: (above) => lanes.told(above) });
  const workspaces = createSharedWorkspaces({ ...deps, plans });
  const days = createDays({ ...deps, plans, outbox });
  // Runs hand calls and timers on, which come back as events of runs.
  const late: { runs?: Runs } = {};
  const runsOf = (): Runs => {
    if (!late.runs) throw new Error('The runner is not put together yet.');
    return late.runs;
  };
  const calls = createCalls({
    ...deps,
    runs: runsOf,
    trees,
    cache: createCache(deps),
    days,
    handlers: {
      http: httpHandler(deps),
      history: historyHandler(deps),
      message: messageHandler({ ...deps, outbox }),
      check: checkHandler(deps),
      agent: agentHandler({
        ...deps,
        plans,
        shared: workspaces,
        runs: runsOf,
        providers: createProviders(deps),
        agentTools: createAgentTools({ ...deps, accessNow: (agent) => catalog.agents.get(agent)?.access }),
        standing: trees.standing,
        overDay: days.over,
      }),
      script: scriptHandler({ ...deps, workspaces }),
      tool: toolHandler(deps),
      plugin: pluginHandler(deps),
    },
  });
  const lanes = createLanes({ ...deps, plans, runs: runsOf });
  const timers = createTimers({ ...deps, runs: runsOf });
  const runs = createRuns({
    store,
    plans,
    ids: deps.ids,
    bus: events,
    clock: deps.clock,
    log: deps.log,
    admins: deps.admins,
    remindAfterMs: deps.humanReminderMs ?? null,
    admission: createAdmission(deps.runsAtOnce, () => catalog.paused !== undefined),
    performer: {
      call: calls.perform,
      lane: lanes.begin,
      moved(state, plan) {
        trees.note(state, plan);
        if (state.start.parent) lanes.moved(state, state.start.parent);
        if (isFinal(state.status) && plan.workspace !== 'none') void workspaces.ended(state.id, state.status);
      },
      abandon(run, key) {
        calls.abandon(run, key);
        lanes.abandon(run, key);
      },
      show: outbox.wake,
      timer: timers.set,
    },
  });
  late.runs = runs;
  catalog.follow(runs.goOn);
  const admit = () => runs.admit(followingSchedules(catalog));

  async function resumeCall({ run, effect, begun }: StoredCall): Promise<void> {
    if (effect.kind === 'lane') {
      lanes.begin(run, effect);
      return;
    }
    const stored = await store.run(run);
    if (stored) calls.resume(stored.state, { run, effect, begun });
  }

  return {
    catalog,
    plans,
    runs,
    outbox,
    schedules,
    events,
    admit,
    async resume() {
      await admit();
      await workspaces.sweep();
      await lanes.resume();
      for (const call of await store.calls()) await resumeCall(call);
      for (const post of await store.pendingPosts()) outbox.wake(post.key);
      await timers.start();
    },
    async stop(graceMs) {
      timers.stop();
      await schedules.stop();
      await calls.stop(graceMs);
      await lanes.stop();
      await outbox.stop();
      await runs.idle();
      await workspaces.idle();
    },
  };
}

/** Schedules whose runs follow each other. */
function followingSchedules({ flows }: Catalog): readonly string[] {
  return flows.flatMap(({ plan }) =>
    plan.triggers.flatMap((trigger) =>
      trigger.type === 'schedule' && trigger.overlap === 'queue' ? [trigger.id] : [],
    ),
  );
}
