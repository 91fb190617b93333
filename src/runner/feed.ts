import { eventsOf } from '../engine/events/events-of.ts';
import type { FlowEvent } from '../engine/events/map.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { RunEvent } from '../engine/run/event.ts';
import { replay } from '../engine/run/replay.ts';
import { isFinal, type RunState } from '../engine/run/state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import type { Bus } from './bus.ts';
import type { Plans } from './plans.ts';

/** The place of an event among those of its run: it stays the same for good, and later ones are greater. */
export interface FeedPosition {
  /** Which event of the journal it follows from, from 1. */
  readonly entry: number;
  /** Which of those that follow from it, from 1. */
  readonly part: number;
}

/** An event with its place. */
export interface FedEvent {
  readonly at: FeedPosition;
  readonly event: FlowEvent;
}

/** Whoever follows a run. Calls come in order, each at most once. */
export interface Follower {
  take(events: readonly FedEvent[]): void;
  /** The run has ended, and everything was taken. */
  ended(): void;
}

/** What happens in runs from the beginning, as it is told by the bus, worked out from their journals: nothing is missed. */
export interface Feed {
  /** All that has happened in a run behind a place. */
  past(run: string, after?: FeedPosition): Promise<readonly FedEvent[]>;
  /**
   * Gives a follower what has happened behind a place, and then what happens. @returns what ends it
   * @param after undefined = from the beginning
   */
  follow(run: string, after: FeedPosition | undefined, follower: Follower): Promise<() => void>;
}

/** Before everything. */
const FEED_START: FeedPosition = { entry: 0, part: 0 };

/** How far a run is worked out. */
interface Folded {
  /** Events of the journal that are dealt with. */
  readonly entries: number;
  readonly state: RunState | undefined;
}

interface Followed {
  /** Of the version that the run is pinned to; absent = not looked up yet, or there is no such run. */
  plan?: Plan;
  folded: Folded;
  readonly followers: Set<Follower>;
  /** Those who follow, with those whose turn to begin has not come. */
  members: number;
  /** Everything about one run happens one after the other. */
  queue: Promise<void>;
  isStale: boolean;
  lookedAtMs: number;
  /** Drops the look that is to come. */
  dropLook?: () => void;
}

/** Least time between two looks into the journal of a run, in milliseconds: what happens meanwhile is told together. */
const LOOK_GAP_MS = 100;

/** Makes it. Runs that nobody follows cost nothing, and those who follow one share the work. */
export function createFeed(deps: {
  readonly store: Store;
  readonly plans: Plans;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}): Feed {
  const { store, plans, bus, clock, log } = deps;
  const followed = new Map<string, Followed>();
  let stopListening: (() => void) | undefined;

  async function planOf(run: string): Promise<Plan | undefined> {
    const stored = await store.run(run);
    return stored && plans.get(stored.row.version);
  }

  async function past(run: string, after = FEED_START): Promise<readonly FedEvent[]> {
    const plan = await planOf(run);
    if (!plan) return [];
    const { events } = advance(plan, run, { entries: 0, state: undefined }, await store.journal(run));
    return events.filter(({ at }) => isBehind(at, after));
  }

  /** Brings a run up to date, and tells those who follow it. */
  async function catchUp(run: string, one: Followed): Promise<void> {
    one.dropLook?.();
    one.isStale = false;
    one.lookedAtMs = clock.now();
    const plan = one.plan ?? (await planOf(run));
    if (!plan) return;
    one.plan = plan;
    const news = await store.journal(run, one.folded.entries);
    const { events, folded } = advance(plan, run, one.folded, news);
    one.folded = folded;
    const isOver = folded.state !== undefined && isFinal(folded.state.status);
    for (const follower of [...one.followers]) {
      if (events.length > 0) follower.take(events);
      if (isOver) follower.ended();
    }
  }

  function leave(run: string, one: Followed): void {
    one.members -= 1;
    if (one.members > 0) return;
    one.dropLook?.();
    followed.delete(run);
    if (followed.size > 0) return;
    stopListening?.();
    stopListening = undefined;
  }

  function enqueue(one: Followed, work: () => Promise<void>): Promise<void> {
    const done = one.queue.then(work);
    one.queue = done.catch(() => undefined);
    return done;
  }

  /** Everything that became true at once, or soon after another, is one look into the journal. */
  function wake(run: string): void {
    const one = followed.get(run);
    if (!one || one.isStale) return;
    one.isStale = true;
    const atMs = one.lookedAtMs + LOOK_GAP_MS;
    if (atMs <= clock.now()) lookAt(run, one);
    else one.dropLook = clock.alarm(atMs, () => lookAt(run, one));
  }

  function lookAt(run: string, one: Followed): void {
    enqueue(one, () => catchUp(run, one)).catch((error: unknown) =>
      log.error('Those who follow a run could not be told what happened.', error, { run }),
    );
  }

  return {
    past,
    async follow(run, after, follower) {
      const known = followed.get(run);
      const one: Followed = known ?? {
        folded: { entries: 0, state: undefined },
        followers: new Set(),
        members: 0,
        queue: Promise.resolve(),
        isStale: false,
        lookedAtMs: clock.now(),
      };
      followed.set(run, one);
      stopListening ??= bus.onAny((event) => wake(event.run));
      one.members += 1;
      let isGone = false;
      const goAway = () => {
        if (isGone) return;
        isGone = true;
        one.followers.delete(own);
        leave(run, one);
      };
      const own: Follower = {
        take: follower.take,
        ended() {
          goAway();
          follower.ended();
        },
      };
      await enqueue(one, async () => {
        await catchUp(run, one);
        const { entries, state } = one.folded;
        const events = (await past(run, after)).filter(({ at }) => at.entry <= entries);
        if (isGone) return;
        one.followers.add(own);
        if (events.length > 0) own.take(events);
        if (state && isFinal(state.status)) own.ended();
      }).catch((error: unknown) => {
        goAway();
        throw error;
      });
      return goAway;
    },
  };
}

/** Works out what follows from further events of a journal. */
function advance(
  plan: Plan,
  run: string,
  { entries, state }: Folded,
  news: readonly RunEvent[],
): { readonly events: readonly FedEvent[]; readonly folded: Folded } {
  const events: FedEvent[] = [];
  let now = state;
  for (const { index, event: cause, before, moved } of replay(plan, run, news, state)) {
    for (const [part, event] of eventsOf(plan, before, cause, moved).entries()) {
      events.push({ at: { entry: entries + index + 1, part: part + 1 }, event });
    }
    now = moved.state;
  }
  return { events, folded: { entries: entries + news.length, state: now } };
}

/** Whether a place is behind another one. */
function isBehind(one: FeedPosition, other: FeedPosition): boolean {
  return one.entry === other.entry ? one.part > other.part : one.entry > other.entry;
}
