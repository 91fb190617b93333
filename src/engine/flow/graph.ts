/** An edge as far as the shape of a flow is concerned. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** For each step, where its arrows lead. */
export type Neighbours = ReadonlyMap<string, readonly string[]>;

/** Where arrows lead from each step. */
export function following(steps: Iterable<string>, arrows: readonly Arrow[]): Neighbours {
  return neighbours(steps, arrows, (arrow) => [arrow.from, arrow.to]);
}

/** Where arrows come from to each step. */
export function preceding(steps: Iterable<string>, arrows: readonly Arrow[]): Neighbours {
  return neighbours(steps, arrows, (arrow) => [arrow.to, arrow.from]);
}

function neighbours(
  steps: Iterable<string>,
  arrows: readonly Arrow[],
  ends: (arrow: Arrow) => readonly [string, string],
): Neighbours {
  const all = new Map<string, string[]>();
  for (const step of steps) all.set(step, []);
  for (const arrow of arrows) {
    const [at, next] = ends(arrow);
    all.get(at)?.push(next);
  }
  return all;
}

/** Everything that can be reached from the given steps, those included. */
export function reach(from: Iterable<string>, next: Neighbours): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...from];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (seen.has(step)) continue;
    seen.add(step);
    open.push(...(next.get(step) ?? []));
  }
  return seen;
}

/** `reach` from single steps, worked out once for each. */
export function reachFromEach(next: Neighbours): (step: string) => ReadonlySet<string> {
  return remembered((step) => reach([step], next));
}

/** A function of a step that is worked out once for each. */
export function remembered<T>(work: (step: string) => T): (step: string) => T {
  const known = new Map<string, T>();
  return (step) => {
    const before = known.get(step);
    if (before !== undefined) return before;
    const result = work(step);
    known.set(step, result);
    return result;
  };
}

/**
 * Steps in an order in which every arrow leads forwards, the given order kept where it can be. Steps on a cycle,
 * or behind one, are left out of `order`; `cycle` names one cycle as it is walked, from its first step in the
 * given order back to that step.
 */
export function sortSteps(
  steps: readonly string[],
  arrows: readonly Arrow[],
): { readonly order: readonly string[]; readonly cycle?: readonly string[] } {
  const next = following(steps, arrows);
  const open = new Map(steps.map((step) => [step, 0]));
  for (const arrow of arrows) open.set(arrow.to, (open.get(arrow.to) ?? 0) + 1);
  const order: string[] = [];
  const free = steps.filter((step) => open.get(step) === 0);
  for (let step = free.shift(); step !== undefined; step = free.shift()) {
    order.push(step);
    for (const target of next.get(step) ?? []) {
      const left = (open.get(target) ?? 0) - 1;
      open.set(target, left);
      if (left === 0) free.push(target);
    }
  }
  if (order.length === steps.length) return { order };
  const done = new Set(order);
  const stuck = steps.filter((step) => !done.has(step));
  return { order, cycle: fromFirst(findCycle(stuck, preceding(steps, arrows), done), steps) };
}

/** Walks backwards among steps that all wait for each other until one comes again. */
function findCycle(
  stuck: readonly string[],
  before: Neighbours,
  done: ReadonlySet<string>,
): readonly string[] {
  const walked = new Set<string>();
  let step = stuck[0];
  while (step !== undefined && !walked.has(step)) {
    walked.add(step);
    step = before.get(step)?.find((candidate) => !done.has(candidate));
  }
  const back = [...walked];
  return back.slice(step === undefined ? 0 : back.indexOf(step)).reverse();
}

/** A circle of steps, turned so that it begins and ends at the step that is written first. */
function fromFirst(circle: readonly string[], steps: readonly string[]): readonly string[] {
  const inCircle = new Set(circle);
  const first = steps.find((step) => inCircle.has(step)) ?? '';
  const at = circle.indexOf(first);
  return [...circle.slice(at), ...circle.slice(0, at), first];
}
