import { needsEdge } from '../steps/approval-exits.ts';
import { following, type Neighbours, preceding, remembered, sortSteps } from './graph.ts';
import { FAILED, type ResolvedEdge } from './resolve-edges.ts';
import type { StepDefinition } from './step-definition.ts';

type Steps = ReadonlyMap<string, StepDefinition>;

/** What can, and what must, have run when a step begins. Failures that nothing takes up are left out of account. */
export interface Certainty {
  /** Whether some way leads from `step` to `reader`, so that its output can be there. */
  canPrecede(step: string, reader: string): boolean;
  /** Whether `step` has run on every way to `reader`. */
  surelyPrecedes(step: string, reader: string): boolean;
  /** Whether `step` runs in every run that ends well. */
  surelyRuns(step: string): boolean;
}

/** Works out what precedes what. Only for flows of sound shape. */
export function certaintyOf(steps: Steps, edges: readonly ResolvedEdge[]): Certainty {
  const graph = graphOf([...steps.keys()], edges);
  const { only, before, stretch } = graph;
  const shared = sharedBefore(steps, graph);
  const follows = followersOf(steps, edges, graph);
  const roots = union(graph.ids.filter((id) => graph.sources.get(id)?.length === 0).map(only));
  const ofEveryRun = follows(roots);
  // A step waits for all that leads to it, so what surely follows from something that has run has run too.
  const surely = remembered((reader) => follows(shared(reader) | roots) & before(reader));
  const has = (set: StepSet, step: string) => (set & only(step)) !== 0n;
  return {
    canPrecede(step, reader) {
      if (has(before(reader), step)) return true;
      // Sent back, a step can read what came after it, unless that is about to run again as well.
      return edges.some(
        ({ sendBack, from, to }) =>
          sendBack &&
          has(before(from) | only(from), step) &&
          has(stretch(to), reader) &&
          !has(stretch(to), step),
      );
    },
    surelyPrecedes: (step, reader) => has(shared(reader), step) || has(surely(reader), step),
    surelyRuns: (step) => has(ofEveryRun, step),
  };
}

/** A set of steps, one bit each: all sets of a large flow are worked out in no time. */
type StepSet = bigint;
type SetOf = (step: string) => StepSet;

interface Graph {
  readonly ids: readonly string[];
  /** Every edge leads forwards in it. */
  readonly order: readonly string[];
  readonly sources: Neighbours;
  /** For each step, the steps that send work back to it. */
  readonly senders: Neighbours;
  readonly only: SetOf;
  /** All steps from which a way leads to a step. */
  readonly before: SetOf;
  /** A step and all that come after it. */
  readonly stretch: SetOf;
}

function graphOf(ids: readonly string[], edges: readonly ResolvedEdge[]): Graph {
  const bits = new Map(ids.map((id, index) => [id, 1n << BigInt(index)]));
  const only: SetOf = (step) => bits.get(step) ?? 0n;
  const back = edges.filter((edge) => edge.sendBack);
  const forward = edges.filter((edge) => !edge.sendBack);
  const { order } = sortSteps(ids, forward);
  const sources = preceding(ids, forward);
  const targets = following(ids, forward);
  return {
    ids,
    order,
    sources,
    senders: preceding(ids, back),
    only,
    before: inOrder(order, (id, known) => union(all(sources, id).map((from) => known(from) | only(from)))),
    stretch: inOrder(order.toReversed(), (id, known) => union(all(targets, id).map(known)) | only(id)),
  };
}

/** For each step, what all ways to it have in common. */
function sharedBefore(steps: Steps, { ids, order, sources, senders, only, stretch }: Graph): SetOf {
  const everything = union(ids.map(only));
  let earlier: SetOf = () => everything;
  for (;;) {
    const shared = inOrder(order, (id, known) => {
      const ways = all(sources, id).map((from) => known(from) | only(from));
      // Sent back, a step runs even if its own edges have not led to it.
      const back = all(senders, id).map((from) => (earlier(from) | only(from)) & ~stretch(id));
      return intersection([steps.get(id)?.runWhen === 'all' ? union(ways) : intersection(ways), ...back]);
    });
    // What work that is sent back brings along depends on later steps: the sets shrink until they agree.
    if (ids.every((id) => shared(id) === earlier(id))) return shared;
    earlier = shared;
  }
}

/** For a set of steps that run, all that then surely run, themselves included. */
function followersOf(
  steps: Steps,
  edges: readonly ResolvedEdge[],
  { ids, order, only }: Graph,
): (set: StepSet) => StepSet {
  const leaving = Map.groupBy(edges, (edge) => edge.from);
  const follows = inOrder(order.toReversed(), (id, known) => {
    const own = leaving.get(id) ?? [];
    const ways = exitsThatGoOn(steps.get(id), own).map((exit) => {
      const sure = union(sureTargets(steps, own, exit).map(known));
      // Whichever an agent picks, one of them runs.
      return sure | intersection(chosenTargets(steps, own, exit).map(known));
    });
    return intersection(ways) | only(id);
  });
  const pairs = ids.map((id) => [only(id), follows(id)] as const);
  return (set) => pairs.reduce((found, [step, next]) => (set & step ? found | next : found), 0n);
}

/** The exits after which a run goes on: not those that end it or always send work back. */
function exitsThatGoOn(
  step: StepDefinition | undefined,
  leaving: readonly ResolvedEdge[],
): readonly string[] {
  const exits = step?.body?.type.exits(step.body.config) ?? ['done'];
  return [...exits, FAILED].filter((exit) => {
    const edges = leaving.filter((edge) => edge.exit === exit);
    if (edges.length === 0) return exit !== FAILED && !(step?.type === 'approval' && needsEdge(exit));
    return !edges.some((edge) => edge.sendBack && !edge.when && !edge.choice);
  });
}

/** The steps that surely run when a step leaves by an exit. */
function sureTargets(steps: Steps, leaving: readonly ResolvedEdge[], exit: string): readonly string[] {
  return leaving
    .filter((edge) => edge.exit === exit && !edge.sendBack && !edge.when && !edge.choice)
    .map((edge) => edge.to)
    .filter((to) => steps.get(to)?.runWhen !== 'all');
}

/** The steps among which an agent picks, where each runs when it is picked. */
function chosenTargets(steps: Steps, leaving: readonly ResolvedEdge[], exit: string): readonly string[] {
  const targets = leaving.filter((edge) => edge.choice && edge.exit === exit).map((edge) => edge.to);
  return targets.some((to) => steps.get(to)?.runWhen === 'all') ? [] : targets;
}

/** Works a set out for each step in turn; `known` gives those of steps whose turn was earlier. */
function inOrder(order: readonly string[], work: (id: string, known: SetOf) => StepSet): SetOf {
  const sets = new Map<string, StepSet>();
  const known: SetOf = (id) => sets.get(id) ?? 0n;
  for (const id of order) sets.set(id, work(id, known));
  return known;
}

function all(neighbours: Neighbours, id: string): readonly string[] {
  return neighbours.get(id) ?? [];
}

function union(sets: readonly StepSet[]): StepSet {
  return sets.reduce((one, other) => one | other, 0n);
}

/** What is in all of the sets; nothing when there are none. */
function intersection([first = 0n, ...others]: readonly StepSet[]): StepSet {
  return others.reduce((one, other) => one & other, first);
}
