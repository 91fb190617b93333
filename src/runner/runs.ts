import { auditOf } from '../engine/audit/audit-of.ts';
import { eventsOf } from '../engine/events/events-of.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { CallEffect, Effect } from '../engine/run/effect.ts';
import type { RunEvent, RunStart } from '../engine/run/event.ts';
import { REMIND_AFTER_MS } from '../engine/run/question-timers.ts';
import { OPEN_STATUSES, type RunState } from '../engine/run/state.ts';
import { begin, type Transition, transition } from '../engine/run/transition.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Commit, RunRow, Store } from '../ports/store.ts';
import { type Admission, type Candidate, candidateOf, type Placed } from './admission.ts';
import { type AskedQuestion, createAsked } from './asked.ts';
import type { Bus } from './bus.ts';
import type { Plans } from './plans.ts';
import { createQueues } from './queues.ts';
import { changeOf, endedBy, postsOf } from './run-changes.ts';
import { spentBy } from './spent-by.ts';

/** What the rest of the runner does with a transition once it is durable. */
export interface Performer {
  /** @param state where the run is now */
  call(state: RunState, effect: CallEffect): void;
  /** A run is to start one of its lane. */
  lane(run: string, effect: Extract<CallEffect, { kind: 'lane' }>): void;
  /** A run has moved. */
  moved(state: RunState, plan: Plan): void;
  abandon(run: string, key: string): void;
  /** A post has new content. */
  show(post: string): void;
  timer(dueMs: number): void;
}

/** What became of a run that was asked for. */
export type Started =
  /** `repeat`: the same trigger had started it before. `queued`: it waits for its turn; why, in a sentence for people. */
  | { readonly kind: 'started'; readonly run: string; readonly repeat: boolean; readonly queued?: string }
  /** There are too many of its flow; a sentence for people. */
  | { readonly kind: 'refused'; readonly why: string };

/** What the caller makes of the run's present state: an event to apply, or nothing. */
export type Decide<R> = (
  state: RunState,
  plan: Plan,
  row: RunRow,
) => {
  readonly event?: RunEvent;
  /** Id of the chat event that the event follows from: with it that is done, and never handled again. */
  readonly delivered?: string;
  readonly result: R;
};

/** Moves runs: one event at a time each, durable before anything follows from it. */
export interface Runs {
  /**
   * Starts a run of a version of a flow.
   * @param startKey what a repeat of the same trigger would share: it starts one run at most.
   */
  start(request: {
    readonly version: string;
    readonly plan: Plan;
    readonly start: RunStart;
    readonly atMs: number;
    readonly startKey?: string;
  }): Promise<Started>;
  /** Lets `decide` look at a run and applies its event. Undefined = there is no such run. */
  dispatch<R>(run: string, decide: Decide<R>): Promise<R | undefined>;
  /**
   * Goes on with the runs that wait for their turn. Call once, before anything starts.
   * @param following ids of the schedules whose runs follow each other
   */
  admit(following: readonly string[]): Promise<void>;
  /** Lets those begin whose turn has come: nothing is paused any more. */
  goOn(): void;
  /** Why a run waits for its turn, in a sentence for people; undefined = it does not. */
  whyQueued(run: string): string | undefined;
  /** An open question, if it was asked or changed lately: without a look into the store. */
  asked(question: string): AskedQuestion | undefined;
  /** Resolves when no run is being moved. What could not begin is left to the next start. */
  idle(): Promise<void>;
}

interface Loaded {
  readonly row: RunRow;
  readonly revision: number;
  readonly state: RunState;
  readonly plan: Plan;
}

/** Makes the part of the runner that moves runs. */
export function createRuns(deps: {
  readonly store: Store;
  readonly plans: Plans;
  readonly ids: Ids;
  readonly performer: Performer;
  readonly admission: Admission;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** Person addresses of those who hear what is wrong. */
  readonly admins: readonly string[];
  /** How long questions wait until people are reminded, in milliseconds; null = for ever. */
  readonly remindAfterMs: number | null;
}): Runs {
  const { admins, store, plans, performer, admission, bus, clock, log } = deps;
  const asked = createAsked();
  const queues = createQueues();
  /** Runs with calls under way; those that only wait live in the store alone. */
  const hot = new Map<string, Loaded>();
  /** Cancels the alarms of runs that could not begin. */
  const retries = new Set<() => void>();

  async function load(run: string): Promise<Loaded | undefined> {
    const cached = hot.get(run);
    if (cached) return cached;
    const stored = await store.run(run);
    if (!stored) return undefined;
    return { ...stored, plan: await plans.get(stored.row.version) };
  }

  function keep(loaded: Loaded): void {
    const { row, state, plan } = loaded;
    asked.note(state);
    if (state.status === 'running') hot.set(row.id, loaded);
    else hot.delete(row.id);
    // Runs that a step has started work in the place of the one whose step it is.
    if (!state.start.parent) admission.moved(row.id, candidateOf(plan, state.start), state.status);
    performer.moved(state, plan);
  }

  /** Lets runs begin whose turn has come. */
  function admitNext(): void {
    for (const run of admission.next()) {
      queues
        .take(run, () => move(run, admitted))
        .catch((error: unknown) => {
          log.error('A run whose turn has come could not begin; trying again.', error, { run });
          // It keeps its place until then, so that the store is not asked again and again.
          const cancel = clock.alarm(clock.now() + RETRY_MS, () => {
            retries.delete(cancel);
            admission.again(run);
            admitNext();
          });
          retries.add(cancel);
        });
    }
  }

  /** One that can't be read must not keep the others from beginning, nor Flowbot from starting. */
  async function loadQueued(run: string): Promise<Loaded | undefined> {
    try {
      return await load(run);
    } catch (error) {
      log.error('A queued run can never begin.', error, { run });
      return undefined;
    }
  }

  /** What begins a run whose turn has come. */
  const admitted: Decide<void> = ({ status }) => ({
    ...(status === 'queued' && { event: { type: 'run.admitted', atMs: clock.now() } }),
    result: undefined,
  });

  /** What a durable transition leads to. */
  function follow(
    loaded: Loaded,
    effects: readonly Effect[],
    posts: NonNullable<Commit['posts']>,
    before: RunState | undefined,
    event: RunEvent,
    happened: Transition['happened'],
  ): void {
    keep(loaded);
    if (bus.isHeard) bus.tell(eventsOf(loaded.plan, before, event, { state: loaded.state, happened }));
    perform(loaded.state, effects);
    for (const { key } of posts) performer.show(key);
    admitNext();
  }

  function perform(state: RunState, effects: readonly Effect[]): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'http':
        case 'history':
        case 'message':
        case 'check':
        case 'agent':
        case 'script':
        case 'tool':
        case 'plugin':
          performer.call(state, effect);
          break;
        case 'lane':
          performer.lane(state.id, effect);
          break;
        case 'abandon':
          performer.abandon(state.id, effect.key);
          break;
        case 'timer':
          performer.timer(effect.dueMs);
          break;
        // They became posts.
        case 'card':
        case 'alert':
          break;
      }
    }
  }

  async function move<R>(run: string, decide: Decide<R>): Promise<R | undefined> {
    const loaded = await load(run);
    if (!loaded) return undefined;
    const { event, delivered, result } = decide(loaded.state, loaded.plan, loaded.row);
    if (!event) return result;
    const next = transition(loaded.plan, loaded.state, event);
    const row = { ...loaded.row, status: next.state.status, updatedAtMs: event.atMs };
    const stale = next.state === loaded.state;
    const spent = stale ? undefined : spentBy(row, next.state.start, event, loaded.plan);
    const posts = postsOf(row, next.state.start, next.effects, admins);
    const outcome = await store.commit({
      run: {
        ...changeOf(loaded, row, next),
        // A stale event changes nothing and does not belong in the journal; its call has ended all the same.
        events: stale ? [] : [event],
        ended: endedBy(event, next.effects, loaded.state),
      },
      ...(spent && { spent }),
      posts,
      audit: auditOf(loaded.state, event, next.state, row),
      ...(delivered !== undefined && { delivered: [delivered] }),
    });
    if (outcome.kind !== 'committed') {
      // Somebody else moved the run since it was loaded: look again.
      hot.delete(run);
      return move(run, decide);
    }
    const { revision } = outcome;
    const { plan, state: before } = loaded;
    follow({ row, revision, state: next.state, plan }, next.effects, posts, before, event, next.happened);
    return result;
  }

  return {
    async start(request) {
      const id = deps.ids.next();
      const { parent } = request.start;
      const placed: Placed = parent
        ? { kind: 'now' }
        : admission.place(id, candidateOf(request.plan, request.start));
      if (placed.kind === 'refused') {
        // A repeat of what started the run that is in its own way.
        const earlier =
          request.startKey === undefined ? undefined : await store.runOfStartKey(request.startKey);
        return earlier === undefined ? placed : { kind: 'started', run: earlier, repeat: true };
      }
      const { remindAfterMs } = deps;
      const event: RunEvent = {
        type: 'run.started',
        atMs: request.atMs,
        start: {
          ...request.start,
          ...(remindAfterMs !== REMIND_AFTER_MS && { remindAfterMs }),
        },
        ...(placed.kind === 'queued' && { queued: true }),
      };
      const next = begin(request.plan, id, event);
      const row: RunRow = {
        id,
        flow: request.plan.id,
        version: request.version,
        status: next.state.status,
        startedAtMs: request.atMs,
        updatedAtMs: request.atMs,
        ...(request.start.person && { startedBy: request.start.person }),
        ...(request.start.home && { home: request.start.home }),
        ...(parent && { parent: { run: parent.run, root: parent.root } }),
      };
      const posts = postsOf(row, next.state.start, next.effects, admins);
      const begun = queues.take(id, async (): Promise<Started> => {
        const outcome = await store.commit({
          run: {
            ...changeOf(undefined, row, next),
            ...(request.startKey !== undefined && { startKey: request.startKey }),
            ...(request.start.schedule && { schedule: request.start.schedule.id }),
            events: [event],
            ended: [],
          },
          posts,
          audit: auditOf(undefined, event, next.state, row),
        });
        if (outcome.kind === 'duplicate') {
          admission.forget(id);
          admitNext();
          return { kind: 'started', run: outcome.run, repeat: true };
        }
        if (outcome.kind === 'conflict') throw new Error(`The run id ${id} is taken.`);
        const { revision } = outcome;
        const { plan } = request;
        follow(
          { row, revision, state: next.state, plan },
          next.effects,
          posts,
          undefined,
          event,
          next.happened,
        );
        return {
          kind: 'started',
          run: id,
          repeat: false,
          ...(placed.kind === 'queued' && { queued: placed.why }),
        };
      });
      begun.catch(() => {
        admission.forget(id);
        admitNext();
      });
      return begun;
    },

    async admit(following) {
      const schedules = new Map<string, string>();
      for (const schedule of following) {
        for (const { id } of await store.runs({ schedule, statuses: OPEN_STATUSES }))
          schedules.set(id, schedule);
      }
      for (const row of (await store.runs({ statuses: OPEN_STATUSES })).toReversed()) {
        const loaded = row.status === 'queued' ? await loadQueued(row.id) : undefined;
        if (row.status === 'queued' && !loaded) continue;
        const schedule = schedules.get(row.id);
        admission.moved(
          row.id,
          loaded
            ? candidateOf(loaded.plan, loaded.state.start)
            : { plan: begunPlan(row.flow), ...(schedule !== undefined && { schedule }) },
          row.status,
        );
      }
      admitNext();
    },

    goOn: admitNext,

    whyQueued: (run) => admission.why(run),

    asked: asked.find,

    dispatch(run, decide) {
      return queues.take(run, () => move(run, decide));
    },

    async idle() {
      await queues.idle();
      for (const cancel of retries) cancel();
      retries.clear();
    },
  };
}

/** Wait before a run that could not begin is tried again, in milliseconds. */
const RETRY_MS = 60_000;

/** Of a run that has begun only its flow matters to others. */
function begunPlan(id: string): Candidate['plan'] {
  return { id, name: id, whenFull: 'queue', priority: 'normal' };
}
