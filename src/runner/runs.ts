import type { Plan } from '../engine/flow/plan.ts';
import type { CallEffect, Effect } from '../engine/run/effect.ts';
import type { RunEvent, RunStart } from '../engine/run/event.ts';
import { runPost } from '../engine/run/settle.ts';
import type { Question, RunState } from '../engine/run/state.ts';
import { begin, type Transition, transition } from '../engine/run/transition.ts';
import type { Output } from '../engine/steps/step-type.ts';
import type { Ids } from '../ports/ids.ts';
import type { Commit, QuestionRow, RunRow, Store } from '../ports/store.ts';
import type { Plans } from './plans.ts';

/** What the rest of the runner does with a transition once it is durable. */
export interface Performer {
  call(run: string, effect: CallEffect): void;
  abandon(run: string, key: string): void;
  /** A post has new content. */
  show(post: string): void;
  timer(dueMs: number): void;
}

/** What became of a run that was asked for. `repeat` = the same trigger had started it before. */
export interface Started {
  readonly run: string;
  readonly repeat: boolean;
}

/** What the caller makes of the run's present state: an event to apply, or nothing. */
export type Decide<R> = (state: RunState, plan: Plan) => { readonly event?: RunEvent; readonly result: R };

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
  /** Resolves when no run is being moved. */
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
}): Runs {
  const { store, plans, performer } = deps;
  const queues = new Map<string, Promise<unknown>>();
  /** Runs with calls under way; those that only wait live in the store alone. */
  const hot = new Map<string, Loaded>();

  /** One thing at a time per run. */
  function inTurn<T>(run: string, work: () => Promise<T>): Promise<T> {
    const before = queues.get(run) ?? Promise.resolve();
    const result = before.then(work, work);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    queues.set(run, settled);
    void settled.then(() => {
      if (queues.get(run) === settled) queues.delete(run);
    });
    return result;
  }

  async function load(run: string): Promise<Loaded | undefined> {
    const cached = hot.get(run);
    if (cached) return cached;
    const stored = await store.run(run);
    if (!stored) return undefined;
    return { ...stored, plan: await plans.get(stored.row.version) };
  }

  function keep(loaded: Loaded): void {
    if (loaded.state.status === 'running') hot.set(loaded.row.id, loaded);
    else hot.delete(loaded.row.id);
  }

  function perform(run: string, effects: readonly Effect[]): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'http':
        case 'message':
          performer.call(run, effect);
          break;
        case 'abandon':
          performer.abandon(run, effect.key);
          break;
        case 'timer':
          performer.timer(effect.dueMs);
          break;
        case 'card':
          performer.show(effect.post);
          break;
      }
    }
  }

  async function move<R>(run: string, decide: Decide<R>): Promise<R | undefined> {
    const loaded = await load(run);
    if (!loaded) return undefined;
    const { event, result } = decide(loaded.state, loaded.plan);
    if (!event) return result;
    const next = transition(loaded.plan, loaded.state, event);
    const row = { ...loaded.row, status: next.state.status, updatedAtMs: event.atMs };
    const stale = next.state === loaded.state;
    const outcome = await store.commit({
      run: {
        ...changeOf(loaded, row, next),
        // A stale event changes nothing and does not belong in the journal; its call has ended all the same.
        events: stale ? [] : [event],
        ended: endedBy(event, next.effects),
      },
      posts: postsOf(row, next.effects),
    });
    if (outcome.kind !== 'committed') {
      // Somebody else moved the run since it was loaded: look again.
      hot.delete(run);
      return move(run, decide);
    }
    keep({ row, revision: outcome.revision, state: next.state, plan: loaded.plan });
    perform(run, next.effects);
    return result;
  }

  return {
    async start(request) {
      const id = deps.ids.next();
      const event: RunEvent = { type: 'run.started', atMs: request.atMs, start: request.start };
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
      };
      return inTurn(id, async () => {
        const outcome = await store.commit({
          run: {
            ...changeOf(undefined, row, next),
            ...(request.startKey !== undefined && { startKey: request.startKey }),
            ...(request.start.schedule && { schedule: request.start.schedule.id }),
            events: [event],
            ended: [],
          },
          posts: postsOf(row, next.effects),
        });
        if (outcome.kind === 'duplicate') return { run: outcome.run, repeat: true };
        if (outcome.kind === 'conflict') throw new Error(`The run id ${id} is taken.`);
        keep({ row, revision: outcome.revision, state: next.state, plan: request.plan });
        perform(id, next.effects);
        return { run: id, repeat: false };
      });
    },

    dispatch(run, decide) {
      return inTurn(run, () => move(run, decide));
    },

    async idle() {
      while (queues.size > 0) await Promise.all(queues.values());
    },
  };
}

/** What a transition changes of a run, as the store wants it. */
function changeOf(
  before: Loaded | undefined,
  row: RunRow,
  next: Transition,
): Omit<NonNullable<Commit['run']>, 'events' | 'ended'> {
  const { outputs, ...state } = next.state;
  return {
    row,
    expectedRevision: before?.revision ?? 0,
    state,
    outputs: changedOutputs(before?.state.outputs ?? {}, outputs),
    calls: next.effects.filter((effect) => effect.kind === 'http' || effect.kind === 'message'),
    timers: next.effects.flatMap((effect) =>
      effect.kind === 'timer' ? [{ key: effect.key, dueMs: effect.dueMs }] : [],
    ),
    questions: changedQuestions(row, before?.state.questions ?? {}, next.state.questions),
  };
}

function changedOutputs(
  before: Readonly<Record<string, Output>>,
  after: Readonly<Record<string, Output>>,
): readonly (readonly [string, Output | null])[] {
  const changed = Object.entries(after).filter(([step, output]) => before[step] !== output);
  const gone = Object.keys(before).filter((step) => !Object.hasOwn(after, step));
  return [...changed, ...gone.map((step) => [step, null] as const)];
}

function changedQuestions(
  row: RunRow,
  before: Readonly<Record<string, Question>>,
  after: Readonly<Record<string, Question>>,
): { readonly open: readonly QuestionRow[]; readonly closed: readonly string[] } {
  const changed = Object.values(after).filter((question) => before[question.id] !== question);
  return {
    open: changed
      .filter((question) => question.state.status === 'open')
      .map((question) => ({
        id: question.id,
        run: row.id,
        flow: row.flow,
        title: question.title,
        openedAtMs: question.openedAtMs,
        ...(question.approvers && { approvers: question.approvers }),
        ...(row.home && { home: row.home }),
      })),
    closed: changed.filter((question) => question.state.status !== 'open').map((question) => question.id),
  };
}

/** Calls and timers that this event, or what followed from it, has ended. */
function endedBy(event: RunEvent, effects: readonly Effect[]): readonly string[] {
  const abandoned = effects.flatMap((effect) => (effect.kind === 'abandon' ? [effect.key] : []));
  switch (event.type) {
    case 'step.done':
    case 'step.failed':
    case 'step.unknown':
      return [`${event.step}/${event.round}/${event.attempt}`, ...abandoned];
    case 'timer.fired':
      return [event.timer, ...abandoned];
    default:
      return abandoned;
  }
}

/** Cards live in the run's home: its own card first, everything else after it in the same thread. */
function postsOf(row: RunRow, effects: readonly Effect[]): NonNullable<Commit['posts']> {
  const { home, id } = row;
  if (!home) return [];
  const card = runPost(id);
  return effects.flatMap((effect) =>
    effect.kind === 'card'
      ? [
          {
            key: effect.post,
            run: id,
            target: effect.post === card ? home : { ...home, under: card },
            content: effect.content,
          },
        ]
      : [],
  );
}
