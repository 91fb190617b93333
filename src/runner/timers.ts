import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store, StoredTimer } from '../ports/store.ts';
import type { Runs } from './runs.ts';

/** Fires the timers of runs. Due times are in the store; only one alarm, for the earliest, is in memory. */
export interface Timers {
  /** A timer was stored: it may be earlier than the alarm. */
  set(dueMs: number): void;
  /** Fires what is due and sets the alarm. */
  start(): Promise<void>;
  stop(): void;
}

/** Timers fired per turn. */
const BATCH = 200;
/** Wait before another try of a timer that could not be fired, in milliseconds. */
const RETRY_MS = 60_000;

/** Makes the timers. */
export function createTimers(deps: {
  readonly store: Store;
  readonly runs: () => Runs;
  readonly clock: Clock;
  readonly log: Log;
}): Timers {
  const { store, clock, log } = deps;
  let alarm: { readonly dueMs: number; readonly cancel: () => void } | undefined;
  let stopped = false;

  function arm(dueMs: number): void {
    if (stopped || (alarm && alarm.dueMs <= dueMs)) return;
    alarm?.cancel();
    const cancel = clock.alarm(dueMs, () => {
      alarm = undefined;
      fireDue().catch((error: unknown) => {
        log.error('Timers could not be fired; trying again.', error);
        arm(clock.now() + RETRY_MS);
      });
    });
    alarm = { dueMs, cancel };
  }

  async function fireDue(): Promise<void> {
    const stuck = new Set<string>();
    while (!stopped) {
      const due = await store.dueTimers(clock.now(), BATCH + stuck.size);
      const left = due.filter((timer) => !stuck.has(timerId(timer)));
      if (left.length === 0) break;
      await Promise.all(
        left.map(async (timer) => {
          if (!(await fire(timer))) stuck.add(timerId(timer));
        }),
      );
    }
    if (stuck.size > 0) return arm(clock.now() + RETRY_MS);
    const next = await store.nextTimerMs();
    if (next !== undefined) arm(next);
  }

  /** A run that can't be moved must not keep the timers of others from firing. False = it is still due. */
  async function fire({ run, key }: StoredTimer): Promise<boolean> {
    try {
      await deps.runs().dispatch(run, () => ({
        event: { type: 'timer.fired', atMs: clock.now(), timer: key },
        result: undefined,
      }));
      return true;
    } catch (error) {
      log.error('A timer could not be fired; trying again.', error, { run, timer: key });
      return false;
    }
  }

  return {
    set: arm,
    start: fireDue,
    stop() {
      stopped = true;
      alarm?.cancel();
    },
  };
}

function timerId({ run, key }: StoredTimer): string {
  return JSON.stringify([run, key]);
}
