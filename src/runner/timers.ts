import { isOverdue, timerOf } from '../engine/run/question-timers.ts';
import type { Question, RunState } from '../engine/run/state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store, StoredDelivery, StoredTimer } from '../ports/store.ts';
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
/** The same for one that expires a question to which an answer may be under way, and how long that waits at most. */
const HOLD_MS = 1_000;
const HOLD_MAX_MS = 60_000;
const again = { stuck: RETRY_MS, held: HOLD_MS } as const;

/** Makes the timers. */
export function createTimers(deps: {
  readonly store: Store;
  readonly runs: () => Runs;
  readonly clock: Clock;
  readonly log: Log;
}): Timers {
  const { store, clock, log } = deps;
  let alarm: { readonly dueMs: number; readonly cancel: () => void } | undefined;
  /** Since when timers that expire questions wait for answers. */
  const holds = new Map<string, number>();
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
    /** Those that are still due, and when each is tried again. */
    const left = new Map<string, number>();
    while (!stopped) {
      const all = await store.dueTimers(clock.now(), BATCH + left.size);
      const due = all.filter((timer) => !left.has(timerId(timer)));
      if (due.length === 0) break;
      const answers = (await store.undelivered()).filter(mayAnswer);
      await Promise.all(
        due.map(async (timer) => {
          const outcome = await fire(timer, answers);
          if (outcome !== 'done') left.set(timerId(timer), clock.now() + again[outcome]);
        }),
      );
    }
    for (const id of holds.keys()) if (!left.has(id)) holds.delete(id);
    if (left.size > 0) return arm(Math.min(...left.values()));
    const next = await store.nextTimerMs();
    if (next !== undefined) arm(next);
  }

  /**
   * A run that can't be moved must not keep the timers of others from firing.
   * @param answers events that may answer a question, and are not handled yet
   */
  async function fire(
    timer: StoredTimer,
    answers: readonly StoredDelivery[],
  ): Promise<'done' | 'held' | 'stuck'> {
    const { run, key } = timer;
    try {
      const outcome = await deps.runs().dispatch(run, (state) => {
        if (isHeld(timer, state, answers)) return { result: 'held' } as const;
        return { event: { type: 'timer.fired', atMs: clock.now(), timer: key }, result: 'done' } as const;
      });
      return outcome ?? 'done';
    } catch (error) {
      log.error('A timer could not be fired; trying again.', error, { run, timer: key });
      return 'stuck';
    }
  }

  /** What people answered in time counts, however late it is handled: their question does not expire before that. */
  function isHeld(timer: StoredTimer, state: RunState, answers: readonly StoredDelivery[]): boolean {
    const deadlineMs = expiringBy(timer.key, state)?.expiry?.atMs;
    if (deadlineMs === undefined || !answers.some(({ receivedAtMs }) => receivedAtMs < deadlineMs))
      return false;
    const sinceMs = holds.get(timerId(timer)) ?? clock.now();
    holds.set(timerId(timer), sinceMs);
    return Math.abs(clock.now() - sinceMs) < HOLD_MAX_MS;
  }

  /** The open question that a timer would expire now. */
  function expiringBy(timer: string, { questions }: RunState): Question | undefined {
    return Object.values(questions).find(
      (question) =>
        question.state.status === 'open' &&
        timerOf(question.id, timer) !== undefined &&
        isOverdue(question, clock.now()),
    );
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

/** Whether an event may be an answer; what it answers is found out when it is handled. */
function mayAnswer({ event: { type } }: StoredDelivery): boolean {
  return type === 'click' || type === 'submit' || type === 'command';
}

function timerId({ run, key }: StoredTimer): string {
  return JSON.stringify([run, key]);
}
