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
  /** It could not begin, and waits on. */
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
  readonly nth: number;
  status: RunStatus;
}

const ranks = { high: 0, normal: 1, low: 2 } as const;

/**
 * Makes it.
 * @param atWorkMax most runs that work at the same time, all flows together; those that wait for people do not count
 */
export function createAdmission(atWorkMax: number): Admission {
  const known = new Map<string, Known>();
  const byFlow = new Map<string, Set<Known>>();
  const bySchedule = new Map<string, Set<Known>>();
  const queued = new Set<Known>();
  /** When a run of a flow was admitted last, as a count: flows take turns. */
  const turns = new Map<string, number>();
  let atWork = 0;
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
    count(one, -1);
    one.status = status;
    count(one, 1);
  }

  function count(one: Known, by: 1 | -1): void {
    if (one.status === 'running') atWork += by;
    if (one.status === 'queued' && by === 1) queued.add(one);
    if (one.status === 'queued' && by === -1) queued.delete(one);
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

  /** The run that begins next. */
  function pick(): Known | undefined {
    const free = [...queued].filter(({ candidate, nth }) => obstacle(candidate, nth) === undefined);
    const turnOf = ({ candidate }: Known) => turns.get(candidate.plan.id) ?? 0;
    const rankOf = ({ candidate }: Known) => ranks[candidate.plan.priority];
    const [first] = free.toSorted(
      (one, other) => rankOf(one) - rankOf(other) || turnOf(one) - turnOf(other) || one.nth - other.nth,
    );
    return first;
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
      if (one) setStatus(one, 'queued');
    },
    forget(run) {
      const one = known.get(run);
      if (one) remove(one);
    },
    next() {
      const begun: string[] = [];
      for (let one = pick(); one; one = pick()) {
        setStatus(one, 'running');
        turn += 1;
        turns.set(one.candidate.plan.id, turn);
        begun.push(one.run);
      }
      return begun;
    },
    why(run) {
      const one = known.get(run);
      if (one?.status !== 'queued') return undefined;
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
