import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/engine/json.ts';

/** Which flows are made. */
export interface FlowKind {
  /** Edges that send work back. */
  readonly sendBacks: boolean;
  /** Edges from `failed`, and values that may be missing. */
  readonly failures: boolean;
}

/**
 * Sound flows of up to ten steps, as a flow file has them: conditions, approvals of every kind, Joins, calls, waits,
 * conditions on edges, edges from `failed`, and work sent back. Every step can be reached from the first.
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

const kinds = [
  'template',
  'get',
  'pay',
  'message',
  'condition',
  'approval',
  'stop',
  'continue',
  'wait',
] as const;

const way = fc.record({ from: fc.nat(99), exit: fc.nat(99), when: fc.nat(5) });

const recipe = fc.record({
  steps: fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      ways: fc.array(way, { minLength: 1, maxLength: 3 }),
      reads: fc.nat(99),
      attempts: fc.integer({ min: 1, max: 3 }),
      needsAll: fc.nat(4),
      asks: fc.nat(999),
    }),
    { minLength: 1, maxLength: 10 },
  ),
  backs: fc.array(
    fc.record({
      from: fc.nat(99),
      to: fc.nat(99),
      exit: fc.nat(99),
      when: fc.nat(2),
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
      written.push({ ...ends(edge), ...(when === 0 && { when: rule(exit) }) });
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
    written.push({ ...ends(back), ...more, ...(when === 0 && { when: rule(exit) }) });
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
    steps: Object.fromEntries(entries),
    edges: written,
    ...(kind.failures && reads < steps.length && { output: `{{${ids[reads]}.text}}` }),
  };
}

function stepOf(
  step: Step,
  incoming: number,
  source: string | undefined,
  { failures }: FlowKind,
  isLast: boolean,
): JsonObject {
  const runWhen = step.needsAll === 0 ? { runWhen: 'all' } : {};
  const attempts = { attempts: step.attempts, ...runWhen };
  const read = failures && source !== undefined && step.reads % 3 === 0 ? `{{${source}.text}}` : 'nothing';
  switch (step.kind) {
    case 'get':
      return { type: 'http', url: 'https://api.example.com/', query: { read }, ...attempts };
    case 'pay':
      return { type: 'http', url: 'https://api.example.com/', method: 'POST', ...attempts };
    case 'message':
      return {
        type: 'message',
        to: 'slack:#news',
        text: `Said: ${read}`,
        ...(step.reads % 2 === 0 && { onRound: 'edit' }),
        ...attempts,
      };
    case 'condition':
      return {
        type: 'condition',
        all: [{ step: source ?? 'start', path: 'text', contains: 'o' }],
        ...runWhen,
      };
    case 'approval':
      return {
        type: 'approval',
        show: source === undefined ? [] : [source],
        ...approvalOf(step.asks, isLast).written,
        ...runWhen,
      };
    case 'wait':
      return { type: 'wait', for: '10m', ...runWhen };
    case 'stop':
    case 'continue':
      if (incoming >= 2) return { type: 'join', onFailure: step.kind };
      break;
    case 'template':
  }
  return { type: 'template', text: read, ...runWhen };
}

/** People of every kind: Ana has started the run, Bo and Cy answer, nobody is in the role. */
const approverLists: readonly (JsonObject | undefined)[] = [
  undefined,
  undefined,
  { users: ['slack:U0BO'] },
  { users: ['slack:U0BO', 'slack:U0CY'] },
  { users: ['slack:U0BO', 'slack:U0ANA'], roles: ['leads'] },
];

interface Approval {
  readonly written: JsonObject;
  readonly exits: readonly string[];
}

/** An approval as a flow file has it, and its exits. Only when something follows, it has an action that must lead somewhere. */
function approvalOf(choice: number, isLast: boolean): Approval {
  const approvers = approverLists[choice % approverLists.length];
  const mayBeTwo = approvers === undefined || choice % approverLists.length > 2;
  const isCustom = choice % 3 === 0 && !isLast;
  const expires = choice % 4 === 0;
  const onExpire = choice % 8 === 0 ? { onExpire: 'approved' } : {};
  return {
    written: {
      ...(approvers && { approvers, allowRequester: true }),
      ...(choice % 7 > 2 && mayBeTwo && { quorum: approvers && choice % 2 === 0 ? 'each' : 2 }),
      ...(isCustom && { actions: [{ id: 'approve' }, { id: 'hold' }, { id: 'reject' }] }),
      ...(expires && { expiresAfter: '30d', ...onExpire }),
      ...(choice % 5 < 2 && { escalateTo: { users: ['slack:U0EVE'] }, escalateAfter: '1d' }),
      ...(choice % 6 === 0 && { remindAfter: null }),
      ...(choice % 11 === 0 && { to: 'slack:#approvals' }),
    },
    exits: [
      'approved',
      'rejected',
      ...(isCustom ? ['hold'] : []),
      ...(expires && choice % 8 !== 0 ? ['expired'] : []),
    ],
  };
}

function exitsOf(step: Step | undefined, failures: boolean, isLast: boolean): readonly string[] {
  switch (step?.kind) {
    case 'condition':
      return ['yes', 'no'];
    case 'approval':
      return approvalOf(step.asks, isLast).exits;
    default:
      return failures ? ['done', 'done', 'done', 'failed'] : ['done'];
  }
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
