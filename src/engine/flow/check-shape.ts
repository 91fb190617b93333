import type { Fault } from '../fault.ts';
import { type Arrow, following, preceding, reach, reachFromEach, sortSteps } from './graph.ts';
import type { ResolvedEdge, ResolvedEdges } from './resolve-edges.ts';
import type { StepDefinition } from './step-definition.ts';

type Steps = ReadonlyMap<string, StepDefinition>;

/** Most names in one sentence. */
const NAMES_MAX = 12;

/** What the edges make of the steps. */
export interface Shape {
  readonly roots: readonly string[];
  readonly faults: readonly Fault[];
  /** No cycle, one beginning, and every step can be reached: it can be told what comes before what. */
  readonly isSound: boolean;
}

/** Checks that a flow begins in one place, never runs in a circle unasked, and leaves no step out. */
export function checkShape(steps: Steps, resolved: ResolvedEdges): Shape {
  const ids = [...steps.keys()];
  const forward = resolved.edges.filter((edge) => !edge.sendBack);
  const circles = openCircles(ids, forward);
  const begin = beginning(ids, circles.rest, resolved);
  // Where edges are missing because they could not be made out, these would only repeat it.
  const gaps = resolved.isComplete
    ? [...begin.faults, ...unreachable(ids, begin.roots, circles.rest), ...joinFaults(steps, forward)]
    : [];
  const faults = [...circles.faults, ...gaps, ...sendBackFaults(ids, forward, resolved.edges)];
  const isSound = resolved.faults.length + circles.faults.length + gaps.length === 0;
  return { roots: begin.roots, faults, isSound };
}

/** For each target of a send-back edge: itself and every step after it, in the order of the flow. */
export function stretchesOf(
  steps: readonly string[],
  edges: readonly ResolvedEdge[],
): ReadonlyMap<string, readonly string[]> {
  const forward = edges.filter((edge) => !edge.sendBack);
  const next = following(steps, forward);
  const targets = new Set(edges.filter((edge) => edge.sendBack).map((edge) => edge.to));
  return new Map(
    [...targets].map((target) => {
      const after = reach([target], next);
      return [target, steps.filter((step) => after.has(step))];
    }),
  );
}

/** One fault for each circle, and the edges that are left when what leads back to its first step is taken out. */
function openCircles(
  ids: readonly string[],
  forward: readonly ResolvedEdge[],
): { readonly faults: readonly Fault[]; readonly rest: readonly ResolvedEdge[] } {
  const faults: Fault[] = [];
  let rest = forward;
  for (;;) {
    const { cycle } = sortSteps(ids, rest);
    if (!cycle) return { faults, rest };
    const leadsBack = (edge: Arrow) => edge.from === cycle.at(-2) && edge.to === cycle.at(-1);
    faults.push({
      severity: 'error',
      rule: 'cycle',
      path: rest.find(leadsBack)?.path ?? ['edges'],
      message: `The steps ${abridged(cycle, ' -> ')} run in a circle.`,
      fix: 'Give the edge that leads back { …, sendBack: true }, or remove it.',
    });
    rest = rest.filter((edge) => !leadsBack(edge));
  }
}

/** Names for a sentence: of many only the first and the last. */
function abridged(names: readonly string[], joint: string): string {
  return (
    names.length <= NAMES_MAX ? names : [...names.slice(0, NAMES_MAX - 2), '…', ...names.slice(-1)]
  ).join(joint);
}

function beginning(
  ids: readonly string[],
  forward: readonly ResolvedEdge[],
  { started }: ResolvedEdges,
): { readonly roots: readonly string[]; readonly faults: readonly Fault[] } {
  const entered = new Set(forward.map((edge) => edge.to));
  if (started.length > 0) {
    const roots = [...new Set(started.map(({ step }) => step))];
    const faults = started
      .filter(({ step }) => entered.has(step))
      .map(
        ({ step, path }): Fault => ({
          severity: 'error',
          rule: 'start',
          path,
          message: `start leads to ${step}, but other edges lead there too.`,
          fix: 'Remove one of the two.',
        }),
      );
    return { roots, faults };
  }
  const roots = ids.filter((id) => !entered.has(id));
  if (roots.length <= 1) return { roots, faults: [] };
  return {
    roots,
    faults: [
      {
        severity: 'error',
        rule: 'roots',
        path: ['edges'],
        message: `The flow begins in several places: ${abridged(roots, ', ')}.`,
        fix: `Lead an edge to all but one of them, or say what is meant: ${abridged(
          roots.map((root) => `"start -> ${root}"`),
          ', ',
        )}.`,
      },
    ],
  };
}

function unreachable(
  ids: readonly string[],
  roots: readonly string[],
  forward: readonly Arrow[],
): readonly Fault[] {
  const reached = reach(roots, following(ids, forward));
  return ids
    .filter((id) => !reached.has(id))
    .map((id) => ({
      severity: 'error',
      rule: 'unreachable',
      path: ['steps', id],
      message: `No way leads from the beginning of the flow to ${id}, so it can never run.`,
      fix: `Add an edge such as "${roots[0]} -> ${id}", or remove the step.`,
    }));
}

function joinFaults(steps: Steps, forward: readonly ResolvedEdge[]): readonly Fault[] {
  return [...steps.values()]
    .filter((step) => step.type === 'join')
    .flatMap((step): Fault[] => {
      const incoming = forward.filter((edge) => edge.to === step.id).length;
      if (incoming >= 2) return [];
      return [
        {
          severity: 'error',
          rule: 'join-branches',
          path: ['steps', step.id],
          message: `${step.id} joins branches, but ${incoming === 0 ? 'no edge leads' : 'only one edge leads'} to it.`,
          fix: 'Lead at least two edges to it.',
        },
      ];
    });
}

/** What is wrong with the edges that send work back, each by itself and together. */
function sendBackFaults(
  ids: readonly string[],
  forward: readonly ResolvedEdge[],
  edges: readonly ResolvedEdge[],
): readonly Fault[] {
  const after = reachFromEach(following(ids, forward));
  const before = reachFromEach(preceding(ids, forward));
  const faults: Fault[] = [];
  const spans: Span[] = [];
  const sound: ResolvedEdge[] = [];
  for (const edge of edges.filter((one) => one.sendBack)) {
    const { from, to } = edge;
    if (!before(from).has(to)) {
      faults.push(wrongTarget(edge));
      continue;
    }
    sound.push(edge);
    const span = { edge, steps: after(to).intersection(before(from)) };
    const rival = spans.find((other) => overlapsPartly(span, other));
    if (rival) faults.push(overlapping(edge, rival.edge));
    // Several edges may send the same stretch back.
    else if (!spans.some((other) => other.edge.from === from && other.edge.to === to)) spans.push(span);
  }
  return [...faults, ...neverTaken(forward, sound)];
}

/** What lies between a send-back's target and its source, both included. */
interface Span {
  readonly edge: ResolvedEdge;
  readonly steps: ReadonlySet<string>;
}

/** Two spans may lie inside each other or apart. */
function overlapsPartly(one: Span, other: Span): boolean {
  return !isInside(one, other) && !isInside(other, one) && !one.steps.isDisjointFrom(other.steps);
}

/** What lies between two steps of a span is in it as well, so its ends are enough to know. */
function isInside({ edge }: Span, { steps }: Span): boolean {
  return steps.has(edge.from) && steps.has(edge.to);
}

function wrongTarget({ from, to, path }: ResolvedEdge): Fault {
  return {
    severity: 'error',
    rule: 'send-back-target',
    path,
    message: `${from} can't send work back to ${to}, which does not come before it.`,
    fix: `Send it back to a step on the way to ${from}.`,
  };
}

function overlapping({ from, to, path }: ResolvedEdge, other: ResolvedEdge): Fault {
  return {
    severity: 'error',
    rule: 'send-back-overlap',
    path,
    message: `The send-back ${from} -> ${to} overlaps with ${other.from} -> ${other.to}: some steps belong to both, others to one of them.`,
    fix: 'Let one lie wholly inside the other, or keep them apart.',
  };
}

/** An exit that always sends work back leads nowhere else. */
function neverTaken(forward: readonly ResolvedEdge[], sendBacks: readonly ResolvedEdge[]): readonly Fault[] {
  const always = sendBacks.filter((edge) => !edge.when);
  const back = new Map(always.map(({ from, exit, to }) => [`${from}.${exit}`, to]));
  return forward.flatMap(({ from, exit, to, path }): Fault[] => {
    const target = back.get(`${from}.${exit}`);
    if (target === undefined) return [];
    return [
      {
        severity: 'warning',
        rule: 'never-taken',
        path,
        message: `${from}.${exit} -> ${to} is never taken: that exit sends work back to ${target}.`,
        fix: 'Lead it from another exit, or say under when: of the send-back when it is to be taken.',
      },
    ];
  });
}
