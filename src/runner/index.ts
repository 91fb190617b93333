import type { Chat } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Http } from '../ports/http.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Store } from '../ports/store.ts';
import { createAdmission } from './admission.ts';
import { createCalls } from './calls.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { checkHandler } from './effects/check.ts';
import { historyHandler } from './effects/history.ts';
import { httpHandler } from './effects/http.ts';
import { messageHandler } from './effects/message.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { readPause } from './pause.ts';
import { createPlans, type Plans } from './plans.ts';
import { createRuns, type Runs } from './runs.ts';
import { createSchedules, type Schedules } from './schedules.ts';
import { createTimers } from './timers.ts';

/** The shell around the engine: it loads, commits and performs what the engine decides. */
export interface Runner {
  readonly catalog: Catalog;
  readonly plans: Plans;
  readonly runs: Runs;
  readonly outbox: Outbox;
  readonly schedules: Schedules;
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
}): Promise<Runner> {
  const { store } = deps;
  const plans = createPlans(store);
  const catalog = createCatalog(await store.switches(), await readPause(store));
  const schedules = createSchedules({ ...deps, catalog });
  const outbox = createOutbox(deps);
  // Runs hand calls and timers on, which come back as events of runs.
  const late: { runs?: Runs } = {};
  const runsOf = (): Runs => {
    if (!late.runs) throw new Error('The runner is not put together yet.');
    return late.runs;
  };
  const calls = createCalls({
    ...deps,
    runs: runsOf,
    handlers: {
      http: httpHandler(deps),
      history: historyHandler(deps),
      message: messageHandler({ ...deps, outbox }),
      check: checkHandler(deps),
    },
  });
  const timers = createTimers({ ...deps, runs: runsOf });
  const runs = createRuns({
    store,
    plans,
    ids: deps.ids,
    clock: deps.clock,
    log: deps.log,
    admins: deps.admins,
    remindAfterMs: deps.humanReminderMs ?? null,
    admission: createAdmission(deps.runsAtOnce, () => catalog.paused !== undefined),
    performer: {
      call: calls.perform,
      abandon: calls.abandon,
      show: outbox.wake,
      timer: timers.set,
    },
  });
  late.runs = runs;
  catalog.follow(runs.goOn);
  const admit = () => runs.admit(followingSchedules(catalog));

  return {
    catalog,
    plans,
    runs,
    outbox,
    schedules,
    admit,
    async resume() {
      await admit();
      for (const call of await store.calls()) calls.resume(call);
      for (const post of await store.pendingPosts()) outbox.wake(post.key);
      await timers.start();
    },
    async stop(graceMs) {
      timers.stop();
      await schedules.stop();
      await calls.stop(graceMs);
      await outbox.stop();
      await runs.idle();
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
