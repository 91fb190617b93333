import type { ScheduleTrigger } from '../engine/flow/plan.ts';
import { FINAL_STATUSES, isFinal } from '../engine/run/state.ts';
import { nextTime } from '../engine/schedule/times.ts';
import { type Skipped, turnAt } from '../engine/schedule/turn.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Pause, RunRow, Store, StoredSchedule } from '../ports/store.ts';
import type { Catalog, LoadedFlow } from './catalog.ts';

/** A schedule of a flow that is switched on. */
export interface LiveSchedule {
  readonly flow: LoadedFlow;
  readonly trigger: ScheduleTrigger;
  readonly paused?: Pause;
  /** When it starts something next (epoch ms), unless it is paused; undefined = never. */
  readonly nextMs?: number;
}

/** What became of one time of a schedule. */
export type Fired =
  | { readonly kind: 'started'; readonly run: string }
  /** It can't be started, and trying again soon would not help: why. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Nobody can tell now: it is tried again. */
  | { readonly kind: 'later' };

/** News of a schedule for the people of its conversation. */
export type ScheduleNews =
  | { readonly kind: 'skipped'; readonly skipped: Skipped; readonly made: readonly number[] }
  /** The last run has not ended. Told once for each such run. */
  | { readonly kind: 'overlapped'; readonly by: RunRow }
  | { readonly kind: 'refused'; readonly dueMs: number; readonly why: string }
  | { readonly kind: 'paused'; readonly why: string };

/** What schedules need of those who start runs and tell people. */
export interface ScheduleHands {
  /** Starts the run of a time (epoch ms); a repeat starts none. */
  fire(flow: LoadedFlow, trigger: ScheduleTrigger, dueMs: number): Promise<Fired>;
  /** @param key the same for a repeat of the same news */
  tell(flow: LoadedFlow, trigger: ScheduleTrigger, news: ScheduleNews, key: string): Promise<void>;
}

/** Starts runs when their time comes. How far it is stands in the store; only one alarm is in memory. */
export interface Schedules {
  /** By id. */
  readonly all: readonly LiveSchedule[];
  /** Makes up for what was missed, as each schedule says, and goes on. Call once, when flows are loaded. */
  start(hands: ScheduleHands): Promise<void>;
  /** False = there is no such schedule. */
  pause(id: string, pause: Pause): Promise<boolean>;
  /** Goes on with the next time: those in between stay skipped. */
  resume(id: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Wait before another try of what can't be told now, in milliseconds. */
const RETRY_MS = 60_000;
/** Longest time between two looks: then it is seen that the clock was set back, in milliseconds. */
const HOP_MS = 600_000;
/** Most runs of a schedule that wait for each other: what takes longer than its interval would pile up for ever. */
const QUEUED_MAX = 10;
/** Schedules that are dealt with at the same time. */
const AT_ONCE = 50;

/** A schedule and how far it is. */
interface Kept {
  readonly flow: LoadedFlow;
  readonly trigger: ScheduleTrigger;
  stored: StoredSchedule;
  nextMs: number | undefined;
}

/** Makes the part that starts scheduled runs. */
export function createSchedules(deps: {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
}): Schedules {
  const { store, catalog, clock, log } = deps;
  let live = new Map<string, Kept>();
  /** Schedules that are stored, whether their flow is there or not. */
  const known = new Map<string, StoredSchedule>();
  let hands: ScheduleHands | undefined;
  let cancel: (() => void) | undefined;
  /** One thing at a time. */
  let work: Promise<void> = Promise.resolve();
  let isStopped = false;
  /** The flows are others than those that were taken last. */
  let isBehind = false;

  function inTurn(what: () => Promise<void>): Promise<void> {
    work = work.then(what, what);
    return work;
  }

  /** Takes the schedules of the flows as they are now. Those with other times begin anew. */
  async function follow(): Promise<void> {
    const now = clock.now();
    const changed: StoredSchedule[] = [];
    const next = new Map<string, Kept>();
    // Paused altogether is as if there were no flows: nothing is caught up with afterwards.
    for (const flow of catalog.paused ? [] : catalog.flows) {
      for (const trigger of flow.plan.triggers) {
        if (trigger.type !== 'schedule' || !catalog.isEnabled(flow)) continue;
        // One that has begun, but could not be stored, keeps its beginning.
        const before = live.get(trigger.id)?.stored ?? known.get(trigger.id);
        const stored = before?.when === trigger.when ? before : begun(trigger, now, before);
        if (stored !== known.get(trigger.id)) changed.push(stored);
        next.set(trigger.id, { flow, trigger, stored, nextMs: nextOf(trigger, stored) });
      }
    }
    const gone: string[] = [];
    for (const [id, stored] of known) {
      if (next.has(id)) continue;
      // Switched off, or its file is broken: it is still paused when it comes back.
      if (!stored.paused) gone.push(id);
      else if (stored.when !== '') changed.push({ ...stored, when: '' });
    }
    live = next;
    await save(changed, gone);
  }

  async function save(changed: readonly StoredSchedule[], gone: readonly string[] = []): Promise<void> {
    if (changed.length + gone.length === 0) return;
    await store.saveSchedules(changed, gone);
    for (const id of gone) known.delete(id);
    for (const stored of changed) {
      known.set(stored.id, stored);
      const kept = live.get(stored.id);
      if (!kept) continue;
      kept.stored = stored;
      kept.nextMs = nextOf(kept.trigger, stored);
    }
  }

  function arm(): void {
    cancel?.();
    cancel = undefined;
    if (isStopped || !hands) return;
    let earliest: number | undefined;
    for (const { nextMs, stored } of live.values()) {
      if (nextMs !== undefined && !stored.paused && (earliest === undefined || nextMs < earliest))
        earliest = nextMs;
    }
    if (earliest !== undefined) cancel = clock.alarm(Math.min(earliest, clock.now() + HOP_MS), ring);
  }

  function ring(): void {
    inTurn(look).catch((error: unknown) => {
      log.error('Schedules could not be looked at; trying again.', error);
      cancel?.();
      if (!isStopped) cancel = clock.alarm(clock.now() + RETRY_MS, ring);
    });
  }

  async function look(): Promise<void> {
    if (isBehind) {
      isBehind = false;
      await follow().catch((error: unknown) => {
        isBehind = true;
        throw error;
      });
    }
    const now = clock.now();
    // The clock was set back: their times come again, and find that their runs were started.
    await save(
      [...live.values()]
        .filter(({ stored }) => stored.doneMs > now)
        .map(({ stored, trigger }) => ({ ...stored, doneMs: now - trigger.times.shiftMs })),
    );
    const due = [...live.values()].filter(
      ({ nextMs, stored }) => nextMs !== undefined && nextMs <= now && !stored.paused,
    );
    for (let at = 0; at < due.length && !isStopped; at += AT_ONCE) {
      const batch = due.slice(at, at + AT_ONCE).filter(({ flow }) => isInForce(flow));
      const turned = await Promise.all(batch.map((kept) => turn(kept, now)));
      await save(turned.map(({ stored }) => stored));
      for (const { stored, retryMs } of turned) {
        const kept = live.get(stored.id);
        if (kept && retryMs !== undefined) kept.nextMs = retryMs;
      }
    }
    arm();
  }

  /** Whether a flow may start something; a look takes its time, and people may have changed their minds meanwhile. */
  function isInForce(flow: LoadedFlow): boolean {
    return !catalog.paused && catalog.flow(flow.id) === flow && catalog.isEnabled(flow);
  }

  /** One schedule whose time has come. Rejects never: it must not keep others from starting. */
  async function turn(
    { flow, trigger, stored }: Kept,
    nowMs: number,
  ): Promise<{ readonly stored: StoredSchedule; readonly retryMs?: number }> {
    const { fire, skipped, doneMs } = turnAt(trigger.times, stored.doneMs, nowMs);
    const retryMs = nowMs + RETRY_MS;
    let current = stored;
    try {
      const open = fire.length > 0 ? await inTheWay(trigger) : undefined;
      // A run that began later is no obstacle: it is of this time, or of one that is made up for together with it.
      const isFree = (dueMs: number) => !open || open.startedAtMs >= dueMs + trigger.times.shiftMs;
      if (open && !fire.every(isFree)) await tell(flow, trigger, { kind: 'overlapped', by: open }, open.id);
      for (const dueMs of fire.filter(isFree)) {
        const done = await fireOne(flow, trigger, current, dueMs);
        if (done === 'later') return { stored: current, retryMs };
        if (done.kind === 'paused') {
          current = { ...current, paused: done.pause };
          break;
        }
        // Else what was skipped before it would not be told any more.
        if (!skipped) current = { ...current, doneMs: dueMs };
      }
    } catch (error) {
      log.error('A scheduled run could not be started; trying again.', error, { schedule: trigger.id });
      return { stored: current, retryMs };
    }
    const isTold =
      !skipped || (await tell(flow, trigger, { kind: 'skipped', skipped, made: fire }, `${skipped.lastMs}`));
    if (!isTold && fire.length === 0) return { stored: current, retryMs };
    return { stored: { ...current, doneMs } };
  }

  async function fireOne(
    flow: LoadedFlow,
    trigger: ScheduleTrigger,
    stored: StoredSchedule,
    dueMs: number,
  ): Promise<'later' | { readonly kind: 'done' } | { readonly kind: 'paused'; readonly pause: Pause }> {
    const failures = await failuresInARow(trigger, stored);
    if (failures !== undefined) {
      const why = `${failures} runs in a row have failed`;
      await tell(flow, trigger, { kind: 'paused', why }, `${dueMs}`);
      return { kind: 'paused', pause: { atMs: clock.now(), why } };
    }
    const fired = await theHands().fire(flow, trigger, dueMs);
    if (fired.kind === 'later') return 'later';
    if (fired.kind === 'refused') {
      log.warn('A scheduled run was not started.', { schedule: trigger.id, why: fired.why });
      // One line for all of them, until a run has started again.
      const last = await lastRun(trigger.id);
      await tell(flow, trigger, { kind: 'refused', dueMs, why: fired.why }, last?.id ?? 'first');
    }
    return { kind: 'done' };
  }

  /** The last runs, if so many have failed that the schedule is to be paused. */
  async function failuresInARow(
    { id, pauseAfterFailures: most }: ScheduleTrigger,
    { resumedAtMs = 0 }: StoredSchedule,
  ): Promise<number | undefined> {
    if (most === undefined) return undefined;
    const ended = await store.runs({ schedule: id, statuses: FINAL_STATUSES, limit: most });
    const last = ended.filter(({ status, startedAtMs }) => status === 'failed' && startedAtMs > resumedAtMs);
    return last.length === most ? most : undefined;
  }

  /** A run of the schedule that keeps the next one from starting. */
  async function inTheWay({ id, overlap }: ScheduleTrigger): Promise<RunRow | undefined> {
    switch (overlap) {
      case 'allow':
        return undefined;
      case 'skip': {
        const last = await lastRun(id);
        return last && !isFinal(last.status) ? last : undefined;
      }
      case 'queue': {
        const waiting = await store.runs({ schedule: id, statuses: ['queued'], limit: QUEUED_MAX });
        return waiting.length < QUEUED_MAX ? undefined : waiting[0];
      }
    }
  }

  async function lastRun(schedule: string): Promise<RunRow | undefined> {
    const [last] = await store.runs({ schedule, limit: 1 });
    return last;
  }

  /** False = people can't be told now; that is in the log, and must not keep runs from starting. */
  async function tell(
    flow: LoadedFlow,
    trigger: ScheduleTrigger,
    news: ScheduleNews,
    key: string,
  ): Promise<boolean> {
    log.info('A schedule has news.', {
      schedule: trigger.id,
      kind: news.kind,
      ...(news.kind === 'overlapped' && { run: news.by.id }),
    });
    try {
      await theHands().tell(flow, trigger, news, `schedule/${trigger.id}/${news.kind}/${key}`);
      return true;
    } catch (error) {
      log.error('People could not be told about a schedule.', error, { schedule: trigger.id });
      return false;
    }
  }

  function theHands(): ScheduleHands {
    if (!hands) throw new Error('Schedules have not been started yet.');
    return hands;
  }

  /** Changes how far one is, between two looks. */
  async function change(
    id: string,
    make: (stored: StoredSchedule, trigger: ScheduleTrigger) => StoredSchedule,
  ): Promise<boolean> {
    let found = false;
    await inTurn(async () => {
      const kept = live.get(id);
      if (!kept) return;
      found = true;
      await save([make(kept.stored, kept.trigger)]);
      arm();
    });
    return found;
  }

  return {
    get all() {
      return [...live.values()].map(
        ({ flow, trigger, stored, nextMs }): LiveSchedule => ({
          flow,
          trigger,
          ...(stored.paused && { paused: stored.paused }),
          ...(nextMs !== undefined && { nextMs }),
        }),
      );
    },
    async start(given) {
      for (const stored of await store.schedules()) known.set(stored.id, stored);
      hands = given;
      // What changes from here on is looked at behind this.
      const begun = inTurn(async () => {
        await follow();
        arm();
      });
      catalog.follow(() => {
        isBehind = true;
        ring();
      });
      await begun;
    },
    pause: (id, paused) => change(id, (stored) => ({ ...stored, paused })),
    resume: (id) =>
      change(id, ({ paused: _, ...stored }, { times }) => ({
        ...stored,
        doneMs: clock.now() - times.shiftMs,
        resumedAtMs: clock.now(),
      })),
    async stop() {
      isStopped = true;
      cancel?.();
      await work.catch(() => {});
    },
  };
}

/** A schedule that begins now: what was before does not count. A pause does. */
function begun(
  { id, when, times }: ScheduleTrigger,
  nowMs: number,
  before: StoredSchedule | undefined,
): StoredSchedule {
  return {
    id,
    when,
    doneMs: nowMs - times.shiftMs,
    resumedAtMs: nowMs,
    ...(before?.paused && { paused: before.paused }),
  };
}

function nextOf({ times }: ScheduleTrigger, { doneMs }: StoredSchedule): number | undefined {
  const next = nextTime(times.rule, doneMs);
  return next === undefined ? undefined : next + times.shiftMs;
}
