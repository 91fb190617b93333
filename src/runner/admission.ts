import type { Plan } from '../engine/flow/plan.ts';
import type { RunStart } from '../engine/run/event.ts';
import { isFinal, type RunStatus } from '../engine/run/state.ts';

/** What is asked of a run that is to start. */
export interface Candidate {
  readonly plan: Pick<Plan, 'id' | 'name' | 'maxRuns' | 'whenFull' | 'priority'>;
  /** The schedule that starts it, where its runs follow each other. */
  readonly schedule?: string;
}

/** Whether a run may start. `why` is a sentence for people. */
export type Placed =
  | { readonly kind: 'now' }
  | { readonly kind: 'queued'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Decides which runs may work, and in which order those that wait begin. Knows all runs that have not ended. */
export interface Admission {
  /** Decides about a new run, and counts it from now on unless it is refused. */
  place(run: string, candidate: Candidate): Placed;
  /** A run has this status now; one that is not known is taken in. */
  moved(run: string, candidate: Candidate, status: RunStatus): void;
  /** It could not begin, and waits on behind those that wait already. */
  again(run: string): void;
  /** It never came to be. */
  forget(run: string): void;
  /** Runs that may begin now, in this order; they count as begun. */
  next(): readonly string[];
  /** Why a run waits, in a sentence for people; undefined = it does not. */
  why(run: string): string | undefined;
}

interface Known {
  readonly run: string;
  readonly candidate: Candidate;
  /** Counts the runs as they came. */
  nth: number;
  status: RunStatus;
}

const ranks = { high: 0, normal: 1, low: 2 } as const;

/**
 * Makes it.
 * @param atWorkMax most runs that work at the same time, all flows together; those that wait for people do not count
 * @param isPaused whether none of those that wait may begin
 */
export function createAdmission(atWorkMax: number, isPaused: () => boolean = () => false): Admission {
  const known = new Map<string, Known>();
  const byFlow = new Map<string, Set<Known>>();
  const bySchedule = new Map<string, Set<Known>>();
  /** In the order in which they came. */
  const queued = new Set<Known>();
  /** How many have begun and not ended, by flow and by schedule. */
  const begunByFlow = new Map<string, number>();
  const begunBySchedule = new Map<string, number>();
  /** When a run of a flow was admitted last, as a count: flows take turns. */
  const turns = new Map<string, number>();
  let atWork = 0;
  /** Nothing has changed since no run could begin. */
  let isSettled = false;
  let came = 0;
  let turn = 0;

  function add(run: string, candidate: Candidate, status: RunStatus): void {
    came += 1;
    const one: Known = { run, candidate, nth: came, status };
    known.set(run, one);
    setOf(byFlow, candidate.plan.id).add(one);
    if (candidate.schedule !== undefined) setOf(bySchedule, candidate.schedule).add(one);
    count(one, 1);
  }

  function remove(one: Known): void {
    count(one, -1);
    known.delete(one.run);
    drop(byFlow, one.candidate.plan.id, one);
    if (one.candidate.schedule !== undefined) drop(bySchedule, one.candidate.schedule, one);
  }

  function setStatus(one: Known, status: RunStatus): void {
    if (one.status === status) return;
    count(one, -1);
    one.status = status;
    count(one, 1);
  }

  function count(one: Known, by: 1 | -1): void {
    const { status, candidate } = one;
    isSettled = false;
    if (status === 'running') atWork += by;
    if (status !== 'queued') {
      tally(begunByFlow, candidate.plan.id, by);
      if (candidate.schedule !== undefined) tally(begunBySchedule, candidate.schedule, by);
    } else if (by === 1) queued.add(one);
    else queued.delete(one);
  }

  /** What keeps a run from beginning: those that have begun, and those that came before it. */
  function obstacle({ plan, schedule }: Candidate, nth: number): string | undefined {
    const comesFirst = (one: Known) => one.nth !== nth && (one.status !== 'queued' || one.nth < nth);
    if (schedule !== undefined) {
      const last = [...setOf(bySchedule, schedule)].findLast(comesFirst);
      if (last) return `It waits until the run before it (${last.run}) has ended.`;
    }
    if (plan.maxRuns !== undefined) {
      const open = [...setOf(byFlow, plan.id)].filter(comesFirst);
      const [first] = open;
      if (first && open.length >= plan.maxRuns) {
        return open.length === 1
          ? `It waits until run ${first.run} of ${plan.name} has ended.`
          : `It waits behind ${open.length} runs of ${plan.name}, of which ${plan.maxRuns} may be open at a time.`;
      }
    }
    return atWork < atWorkMax ? undefined : `It waits for its turn: ${atWork} runs are at work.`;
  }

  /** The run that begins next. In one pass, as thousands may wait: it agrees with `obstacle`. */
  function pick(): Known | undefined {
    if (atWork >= atWorkMax) return undefined;
    /** Those that have begun or came before, by flow; schedules that have a run which comes before. */
    const ahead = new Map<string, number>();
    const taken = new Set<string>();
    let first: Known | undefined;
    for (const one of queued) {
      const { plan, schedule } = one.candidate;
      const before = ahead.get(plan.id) ?? begunByFlow.get(plan.id) ?? 0;
      ahead.set(plan.id, before + 1);
      const follows = schedule !== undefined && (taken.has(schedule) || begunBySchedule.has(schedule));
      if (schedule !== undefined) taken.add(schedule);
      if (follows || (plan.maxRuns !== undefined && before >= plan.maxRuns)) continue;
      if (!first || comesBefore(one, first)) first = one;
    }
    return first;
  }

  /** Whether one begins before another that came before it. */
  function comesBefore({ candidate: { plan } }: Known, { candidate: { plan: other } }: Known): boolean {
    const byRank = ranks[plan.priority] - ranks[other.priority];
    return (byRank || (turns.get(plan.id) ?? 0) - (turns.get(other.id) ?? 0)) < 0;
  }

  return {
    place(run, candidate) {
      const { id, name, maxRuns, whenFull } = candidate.plan;
      if (whenFull === 'refuse' && maxRuns !== undefined && setOf(byFlow, id).size >= maxRuns) {
        const others = maxRuns === 1 ? 'a run of it has not ended' : `${maxRuns} of its runs have not ended`;
        return { kind: 'refused', why: `${name} can’t start now: ${others}.` };
      }
      const why = obstacle(candidate, Number.POSITIVE_INFINITY);
      add(run, candidate, why === undefined ? 'running' : 'queued');
      return why === undefined ? { kind: 'now' } : { kind: 'queued', why };
    },
    moved(run, candidate, status) {
      const one = known.get(run);
      if (one && isFinal(status)) remove(one);
      else if (one) setStatus(one, status);
      else if (!isFinal(status)) add(run, candidate, status);
    },
    again(run) {
      const one = known.get(run);
      if (!one || one.status === 'queued') return;
      came += 1;
      one.nth = came;
      setStatus(one, 'queued');
    },
    forget(run) {
      const one = known.get(run);
      if (one) remove(one);
    },
    next() {
      if (isSettled || isPaused()) return [];
      const begun: string[] = [];
      for (let one = pick(); one; one = pick()) {
        setStatus(one, 'running');
        turn += 1;
        turns.set(one.candidate.plan.id, turn);
        begun.push(one.run);
      }
      isSettled = true;
      return begun;
    },
    why(run) {
      const one = known.get(run);
      if (one?.status !== 'queued') return undefined;
      if (isPaused()) return 'It waits until Flowbot is resumed.';
      return obstacle(one.candidate, one.nth) ?? 'It begins in a moment.';
    },
  };
}

/** What admission asks of a run. */
export function candidateOf(plan: Plan, { schedule }: Pick<RunStart, 'schedule'>): Candidate {
  const follows = plan.triggers.some(
    (trigger) => trigger.type === 'schedule' && trigger.id === schedule?.id && trigger.overlap === 'queue',
  );
  return { plan, ...(follows && schedule && { schedule: schedule.id }) };
}

function tally(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function setOf(sets: Map<string, Set<Known>>, key: string): Set<Known> {
  let set = sets.get(key);
  if (!set) {
    set = new Set();
    sets.set(key, set);
  }
  return set;
}

function drop(sets: Map<string, Set<Known>>, key: string, one: Known): void {
  const set = sets.get(key);
  set?.delete(one);
  if (set?.size === 0) sets.delete(key);
}
