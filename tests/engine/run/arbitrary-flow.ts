import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary, type Library } from '../../../src/engine/library.ts';
import { agentCalled } from '../../fakes/agent.ts';
import { exitsOf, type FlowKind, stepOf, stepRecipe } from './arbitrary-steps.ts';

/** The agent of these flows, and the schema of what some of its steps have to write. */
export const agentLibrary: Library = {
  ...bareLibrary,
  agents: new Map([['helper', agentCalled('helper')]]),
  schemas: new Map([
    ['note', { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] }],
  ]),
};

/**
 * Sound flows of up to ten steps, as a flow file has them: conditions, approvals of every kind, Joins, calls, waits,
 * lanes, agents, rules and expressions on edges, edges from `failed`, and work sent back. Every step can be reached from the first.
 */
export function arbitraryFlow(
  kind: FlowKind = { sendBacks: true, failures: true },
): fc.Arbitrary<JsonObject> {
  return recipe.map((written) => flowOf(written, kind));
}

/**
 * Flows in which several branches, and all of them together, are reviewed and sent back while other calls are still
 * under way: what is hardest for a run to get right.
 */
export const arbitraryReviews: fc.Arbitrary<JsonObject> = fc
  .record({
    branches: fc.array(fc.record({ slow: fc.nat(2), rounds: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
    meet: fc.constantFrom<JsonObject>(
      { type: 'join' },
      { type: 'join', onFailure: 'continue' },
      { type: 'template', text: 'met', runWhen: 'all' },
      { type: 'template', text: 'met' },
    ),
    early: fc.boolean(),
    late: fc.constantFrom('no', 'root', 'draft0'),
  })
  .map(({ branches, meet, early, late }) => {
    const steps: Record<string, JsonObject> = { root: call, side: call, meet };
    const edges: Json[] = ['root -> side -> meet'];
    const sendBack = (from: string, to: string, maxRounds: number) =>
      edges.push({ from: `${from}.rejected`, to, sendBack: true, maxRounds });
    for (const [index, { slow, rounds }] of branches.entries()) {
      const [draft, review] = [`draft${index}`, `review${index}`];
      steps[draft] = call;
      // Work that is sent back to a draft leaves what runs beside it alone, so that a review can show it.
      steps[review] = {
        type: 'approval',
        show: late === 'draft0' && index === 0 ? [draft, 'side'] : [draft],
      };
      edges.push(`root -> ${draft} -> ${review}`, `${review}.approved -> meet`);
      sendBack(review, draft, rounds);
      for (let count = 0; count < slow; count += 1) {
        steps[`slow${index}_${count}`] = { ...call, attempts: 2 };
        edges.push(`${draft} -> slow${index}_${count} -> meet`);
      }
    }
    if (early) {
      steps.check = { type: 'approval' };
      edges.push('root -> check', 'check.approved -> meet');
      sendBack('check', 'root', 2);
    }
    if (late !== 'no') {
      steps.sign = { type: 'approval', show: ['meet'] };
      edges.push('meet -> sign');
      sendBack('sign', late, 2);
    }
    return { maxParallel: 6, steps, edges };
  });

const call: JsonObject = { type: 'http', url: 'https://api.example.com/', method: 'POST' };

const way = fc.record({ from: fc.nat(99), exit: fc.nat(99), when: fc.nat(5) });

const recipe = fc.record({
  steps: fc.array(
    fc.record({
      ...stepRecipe,
      ways: fc.array(way, { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 10 },
  ),
  backs: fc.array(
    fc.record({
      from: fc.nat(99),
      to: fc.nat(99),
      exit: fc.nat(99),
      when: fc.nat(4),
      rounds: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 4 },
  ),
  maxParallel: fc.integer({ min: 1, max: 4 }),
  limited: fc.boolean(),
  reads: fc.nat(99),
});

type Recipe = typeof recipe extends fc.Arbitrary<infer T> ? T : never;
type Step = Recipe['steps'][number];

/** Names that every object has, too: they are fine for steps. */
const ids = ['draft', 'constructor', 'b', 'toString', 'd', 'e', 'valueOf', 'g', 'h', 'i'];

interface Edge {
  readonly from: number;
  readonly exit: string;
  readonly to: number;
}

function flowOf({ steps, backs, maxParallel, limited, reads }: Recipe, kind: FlowKind): JsonObject {
  const edges: Edge[] = [];
  const written: Json[] = [];
  const exits = (at: number) => exitsOf(steps[at], kind.failures, at === steps.length - 1);
  for (const [to, step] of steps.entries()) {
    for (const { from, exit, when } of to === 0 ? [] : step.ways) {
      const edge: Edge = { from: from % to, exit: pick(exits(from % to), exit), to };
      if (edges.some((other) => label(other) === label(edge))) continue;
      edges.push(edge);
      const condition = conditionOf(when, exit, edge, kind.failures);
      written.push({ ...ends(edge), ...condition });
    }
  }
  // An answer of its own has to lead somewhere.
  for (const [from] of steps.entries()) {
    const edge: Edge = { from, exit: 'hold', to: from + 1 };
    if (!exits(from).includes('hold') || edges.some((one) => one.from === from && one.exit === 'hold'))
      continue;
    edges.push(edge);
    written.push(ends(edge));
  }
  const spans: Span[] = [];
  for (const { from, to, exit, when, rounds } of kind.sendBacks ? backs : []) {
    const source = from % steps.length;
    const target = pick([...before(source, edges), source], to);
    const back: Edge = { from: source, exit: pick(exits(source), exit), to: target };
    const span = { back, inside: between(target, source, edges) };
    if (spans.some((other) => clash(span, other) || label(other.back) === label(back))) continue;
    spans.push(span);
    const more = { sendBack: true, feedback: exit % 2 === 0, maxRounds: rounds };
    written.push({ ...ends(back), ...more, ...conditionOf(when, exit, back, kind.failures) });
  }
  const source = (at: number, choice: number): string | undefined => {
    const earlier = before(at, edges);
    return earlier.length === 0 ? undefined : ids[pick(earlier, choice)];
  };
  const entries = steps.map((step, at): [string, JsonObject] => {
    const incoming = edges.filter((edge) => edge.to === at).length;
    return [ids[at] ?? '', stepOf(step, incoming, source(at, step.reads), kind, at === steps.length - 1)];
  });
  return {
    maxParallel,
    ...(limited && { timeout: '1h' }),
    ...(reads % 3 === 0 && { budget: { tokens: 15, wallTime: '30m' } }),
    ...(reads % 3 === 1 && kind.agents && { budget: { costUsd: 1, maxTurns: 4 }, alerts: [0.5, 0.75] }),
    steps: Object.fromEntries(entries),
    edges: kind.agents ? withPicks(steps, edges, written) : written,
    ...(kind.failures && reads < steps.length && { output: `{{${ids[reads]}.text}}` }),
  };
}

/** Lets agents pick among the steps that follow them, where every second one does. */
function withPicks(
  steps: readonly Step[],
  edges: readonly Edge[],
  written: readonly Json[],
): readonly Json[] {
  let all = written;
  for (const [from, step] of steps.entries()) {
    const among = edges.flatMap((edge) => (edge.from === from && edge.exit === 'done' ? [edge.to] : []));
    if (step.kind !== 'agent' || step.asks % 2 === 0 || among.length === 0) continue;
    const join = steps.findIndex(
      ({ kind }, at) =>
        (kind === 'stop' || kind === 'continue') &&
        edges.filter(({ to }) => to === at).length > 1 &&
        among.every((to) => before(at, edges).includes(to)),
    );
    const meet = join < 0 ? {} : { join: ids[join] ?? '', min: 1 + (step.asks % among.length) };
    const picks = { from: ids[from] ?? '', choose: among.map((to) => ids[to] ?? ''), ...meet };
    all = [...all.filter((edge) => !leadsOn(edge, `${ids[from]}.done`)), picks];
  }
  return all;
}

/** Whether an edge leaves by this exit, and not back. */
function leadsOn(edge: Json, exit: string): boolean {
  return isJsonObject(edge) && edge.from === exit && edge.sendBack !== true;
}

/** What must hold for some edges: a rule, or an expression, which can't always be worked out where things may fail. */
function conditionOf(when: number, choice: number, { from }: Edge, failures: boolean): JsonObject {
  if (when === 0) return { when: rule(choice) };
  if (when !== 1) return {};
  const expressions = [
    `${ids[from]}.text != "no"`,
    `size(${ids[from]}.text) > 1`,
    `${ids[from]}.json.score > 1`,
  ];
  return { when: pick(failures ? expressions : expressions.slice(0, 2), choice) };
}

/** Holds for about every second text. */
function rule(choice: number): JsonObject {
  return { path: 'text', contains: 'aeio'.charAt(choice % 4) };
}

function ends({ from, exit, to }: Edge): JsonObject {
  return { from: `${ids[from]}.${exit}`, to: ids[to] ?? '' };
}

function label({ from, exit, to }: Edge): string {
  return `${from}.${exit} -> ${to}`;
}

function pick<T>(from: readonly T[], choice: number): T {
  const picked = from[choice % from.length];
  if (picked === undefined) throw new Error('Nothing to pick from.');
  return picked;
}

/** Steps from which edges lead to a step. */
function before(step: number, edges: readonly Edge[]): readonly number[] {
  const found = new Set<number>();
  // Edges lead from lower to higher steps only.
  for (let at = step; at >= 0; at -= 1) {
    if (at !== step && !found.has(at)) continue;
    for (const edge of edges) if (edge.to === at) found.add(edge.from);
  }
  return [...found].sort((one, other) => one - other);
}

interface Span {
  readonly back: Edge;
  readonly inside: ReadonlySet<number>;
}

function between(target: number, source: number, edges: readonly Edge[]): ReadonlySet<number> {
  const middle = before(source, edges).filter((step) => before(step, edges).includes(target));
  return new Set([target, ...middle, source]);
}

function clash({ inside }: Span, other: Span): boolean {
  const shared = inside.intersection(other.inside).size;
  return shared > 0 && shared < inside.size && shared < other.inside.size;
}
