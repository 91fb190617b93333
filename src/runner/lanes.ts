import type { Plan } from '../engine/flow/plan.ts';
import type { CallEffect } from '../engine/run/effect.ts';
import type { Inheritance, LaneResult, ParentRun, RunEvent, RunStart } from '../engine/run/event.ts';
import {
  BY_ITS_STEP,
  type LaneRef,
  laneInput,
  laneRef,
  laneResult,
  laneStart,
  laneUsage,
} from '../engine/run/lane-runs.ts';
import { nestedStep } from '../engine/run/lanes.ts';
import { planRetry } from '../engine/run/retry.ts';
import { isFinal, OPEN_STATUSES, type RunState } from '../engine/run/state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import { inheritanceOf, inheritedLaneKey } from './inherit.ts';
import { backOffMs, pause } from './patience.ts';
import { laneVersion, type Plans } from './plans.ts';
import { createQueues } from './queues.ts';
import type { Runs } from './runs.ts';

type LaneEffect = Extract<CallEffect, { kind: 'lane' }>;

/** Runs that steps of other runs start: begins them, cancels them, and tells the steps what became of them. */
export interface Lanes {
  /** Starts the run, or goes on with the one that was started before. */
  begin(run: string, effect: LaneEffect): void;
  /** The step does not want the run any more. Keys of other calls and timers are passed over. */
  abandon(run: string, key: string): void;
  /** A run that a step has started has moved. */
  moved(state: RunState, parent: ParentRun): void;
  /** Resolves when the step that has started a run knows where it is now. */
  told(above: ParentRun): Promise<void>;
  /** Cancels the runs whose step stopped waiting for them when the last process ended. */
  resume(): Promise<void>;
  /** Starts nothing more; resolves when nothing is under way. The next start goes on. */
  stop(): Promise<void>;
}

/** Makes them. */
export function createLanes(deps: {
  readonly store: Store;
  readonly runs: () => Runs;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly log: Log;
}): Lanes {
  const { store, plans, clock, log } = deps;
  const queues = createQueues();
  const stopping = new AbortController();
  /** What the steps know of their runs, as JSON, by id of the run. */
  const told = new Map<string, string>();

  /** One thing at a time about one lane, again and again until it is done. @param call the one in the run above */
  function take(run: string, call: string, work: () => Promise<void>): void {
    const lane = startKey(run, call);
    void queues.take(lane, async () => {
      for (let tries = 0; !stopping.signal.aborted; tries += 1) {
        try {
          return await work();
        } catch (error) {
          log.error('A run of a lane could not be moved; trying again.', error, { run, lane });
          await pause(clock, backOffMs(tries), stopping.signal).catch(() => undefined);
        }
      }
    });
  }

  async function start(run: string, effect: LaneEffect): Promise<void> {
    const runs = deps.runs();
    const above = await runs.dispatch(run, (state, plan, row) => ({ result: { state, plan, row } }));
    if (!above || !isWanted(above.state, effect)) return;
    const version = laneVersion(above.row.version, effect.uses);
    const plan = await plans.get(version);
    const input = laneInput(plan, effect.input);
    if (!input.ok) return tell(run, { ...ended(effect, ''), result: input.result });
    const before = await earlier(above.state, effect, { version, plan, input: input.input });
    if (before.kind === 'done') {
      return tell(run, { ...ended(effect, before.run), result: before.result });
    }
    const start = laneStart(above, plan, effect, input.input);
    const started = await runs.start({
      version,
      plan,
      start: before.kind === 'retry' ? { ...start, retryOf: before.inherits } : start,
      atMs: clock.now(),
      startKey: startKey(run, effect.key),
    });
    // It was started before: its step may not have heard what became of it.
    if (started.kind === 'started' && started.repeat) await report(started.run);
  }

  /** What the run that this one retries has made of the lane, when the lane is still the same. */
  async function earlier(
    { start: { retryOf } }: RunState,
    effect: LaneEffect,
    now: { readonly version: string; readonly plan: Plan; readonly input: RunStart['input'] },
  ): Promise<Earlier> {
    const id = effect.round === 1 ? retryOf?.lanes?.[inheritedLaneKey({ call: effect.key })] : undefined;
    const lane = id === undefined ? undefined : await store.run(id);
    if (!lane || lane.row.version !== now.version) return { kind: 'none' };
    const { state } = lane;
    if (JSON.stringify(state.start.input) !== JSON.stringify(now.input)) return { kind: 'none' };
    if (state.status === 'succeeded') return { kind: 'done', run: lane.row.id, result: laneResult(state) };
    const retry = planRetry(now.plan, state);
    return 'refused' in retry
      ? { kind: 'none' }
      : { kind: 'retry', inherits: await inheritanceOf(store, retry) };
  }

  async function report(lane: string): Promise<void> {
    const found = await deps.runs().dispatch(lane, (state) => ({ result: state }));
    if (found?.start.parent) await tellParent(found, found.start.parent);
  }

  async function tellParent(state: RunState, parent: ParentRun): Promise<void> {
    const at = laneRef(parent.call);
    if (!at) return;
    const usage = laneUsage(state);
    if (isFinal(state.status)) {
      await tell(parent.run, { ...ended(at, state.id), result: laneResult(state), ...usage });
      told.delete(state.id);
      return;
    }
    const news = { type: 'lane.moved', atMs: clock.now(), ...at, status: state.status, ...usage } as const;
    await tell(parent.run, news);
  }

  async function tell(run: string, event: RunEvent): Promise<void> {
    await deps.runs().dispatch(run, () => ({ event, result: undefined }));
  }

  function ended({ step, round, attempt, index }: LaneRef, run: string) {
    return { type: 'lane.ended', atMs: clock.now(), step, round, attempt, index, run } as const;
  }

  async function cancel(lane: string): Promise<void> {
    await deps.runs().dispatch(lane, ({ status }) => ({
      ...(!isFinal(status) && { event: { type: 'run.cancelled', atMs: clock.now(), by: BY_ITS_STEP } }),
      result: undefined,
    }));
  }

  return {
    begin(run, effect) {
      take(run, effect.key, () => start(run, effect));
    },
    abandon(run, key) {
      if (!laneRef(key)) return;
      take(run, key, async () => {
        const lane = await store.runOfStartKey(startKey(run, key));
        if (lane !== undefined) await cancel(lane);
      });
    },
    moved(state, parent) {
      const news = JSON.stringify([state.status, laneUsage(state)]);
      // That it is at work is what its step takes it for.
      if (news === (told.get(state.id) ?? AT_WORK)) return;
      told.set(state.id, news);
      take(parent.run, parent.call, () => tellParent(state, parent));
    },
    told: ({ run, call }) => queues.take(startKey(run, call), async () => {}),
    async resume() {
      for (const row of await store.runs({ lanes: true, statuses: OPEN_STATUSES })) {
        const lane = await store.run(row.id);
        const parent = lane?.state.start.parent;
        const above = parent && (await store.run(parent.run));
        const at = parent && laneRef(parent.call);
        if (parent && at && above && !isWanted(above.state, at)) {
          take(parent.run, parent.call, () => cancel(row.id));
        }
      }
    },
    async stop() {
      stopping.abort();
      await queues.idle();
    },
  };
}

type Earlier =
  | { readonly kind: 'none' }
  | { readonly kind: 'done'; readonly run: string; readonly result: LaneResult }
  | { readonly kind: 'retry'; readonly inherits: Inheritance };

const AT_WORK = JSON.stringify(['running', {}]);

/** Whether the step still waits for the run. */
function isWanted(state: RunState, lane: LaneRef): boolean {
  return !isFinal(state.status) && nestedStep({ state }, lane) !== undefined;
}

/** What a repeat of the same call of a step would share. */
function startKey(run: string, key: string): string {
  return `lane/${run}/${key}`;
}
