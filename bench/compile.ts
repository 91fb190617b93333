import { compile } from '../src/engine/flow/compile.ts';
import type { Plan } from '../src/engine/flow/plan.ts';
import type { Json } from '../src/engine/json.ts';
import type { RunEvent } from '../src/engine/run/event.ts';
import type { RunState } from '../src/engine/run/state.ts';
import { begin, transition } from '../src/engine/run/transition.ts';
import { loaded, percentile } from './setting.ts';

/** What a flow costs that is as large as a flow may be: 500 steps and 2,000 edges. */
export interface LargeFlow {
  /** The first compile of this process: its code is not warm yet. */
  readonly firstMs: number;
  readonly warmMs: number;
  /** A step ends that so many edges leave. */
  readonly fanOut: readonly Moved[];
  /** A step ends that 100 edges leave, when the journal has so many events. */
  readonly behind: readonly Moved[];
}

/** What a transition takes, in microseconds, with so many of something. */
interface Moved {
  readonly count: number;
  readonly us: number;
}

const STEPS = 500;
const EDGES = 2_000;
const SAMPLES = 200;

/** Measures compiling and moving. To be called first of all, or `firstMs` is not that of a first compile. */
export function largeFlow(): LargeFlow {
  const flow = fanOf(100);
  const firstMs = timeOf(() => compile(flow, 'bench'));
  const warmMs = percentile(
    Array.from({ length: 10 }, () => timeOf(() => compile(flow, 'bench'))),
    0.5,
  );
  const fanOut = [1, 10, 100, 499].map((count) => {
    const { plan } = loaded(fanOf(count));
    return { plan, state: begun(plan), step: 's0', count };
  });
  return { firstMs, warmMs, fanOut: measure(fanOut), behind: measure(journals()) };
}

/** A step at work that ends well, with so many of what is measured. */
interface Case {
  readonly plan: Plan;
  readonly state: RunState;
  readonly step: string;
  readonly count: number;
}

/** The middle one of many tries of each. They take turns, so that what disturbs the machine disturbs all of them. */
function measure(cases: readonly Case[]): readonly Moved[] {
  const rounds = Array.from({ length: SAMPLES }, () =>
    cases.map(({ plan, state, step }) => timeOf(() => transition(plan, state, done(state, step)))),
  );
  return cases.map(({ count }, at) => {
    const tookMs = rounds.map((round) => round[at] ?? Number.NaN);
    return { count, us: 1_000 * percentile(tookMs, 0.5) };
  });
}

/** How long something takes, in milliseconds. */
function timeOf(work: () => unknown): number {
  const begunAt = performance.now();
  work();
  return performance.now() - begunAt;
}

/** So many edges leave `s0`. Of the steps they reach, up to 300 wait for nothing else; all others wait for several. */
function fanOf(outDegree: number): Json {
  const ids = numbered(STEPS, 's');
  return flowOf(ids, fan(ids, outDegree, EDGES));
}

/**
 * While `hub`, which 100 edges leave, is at work, a stretch of 100 steps makes the journal grow: they take five attempts
 * each, and are sent back ten times.
 */
function loopedFlow(): Json {
  const stretch = numbered(100, 'p');
  const others = ['hub', ...numbered(STEPS - stretch.length - 3, 's')];
  const edges = [
    'root -> hub',
    'root -> p0',
    ...stretch.slice(1).map((id, at) => `${stretch[at]} -> ${id}`),
    'p99 -> check',
    { from: 'check.no', to: 'p0', sendBack: true, maxRounds: 10 },
  ];
  return flowOf(['root', ...stretch, ...others], [...edges, ...fan(others, 100, EDGES - edges.length)], {
    check: { type: 'condition', all: [{ step: 'p0', path: 'text', is: 'good' }] },
  });
}

/** So many edges that lead onward in a list of steps: some leave the first one, and the rest are short. */
function fan(ids: readonly string[], outDegree: number, count: number): readonly string[] {
  const [hub, ...others] = ids;
  const edges = others.slice(0, outDegree).map((target) => `${hub} -> ${target}`);
  const free = Math.min(outDegree, 300);
  for (let gap = 1; edges.length < count; gap += 1) {
    const targets = others.keys().filter((at) => at >= free && at >= gap);
    for (const at of targets.take(count - edges.length)) edges.push(`${others[at - gap]} -> ${others[at]}`);
  }
  return edges;
}

function numbered(count: number, letter: string): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${letter}${at}`);
}

function flowOf(
  ids: readonly string[],
  edges: readonly Json[],
  more: { readonly [id: string]: Json } = {},
): Json {
  const step: Json = { type: 'message', to: 'slack:#releases', text: 'done', attempts: 5 };
  return {
    id: 'large',
    steps: { ...Object.fromEntries(ids.map((id) => [id, step])), ...more },
    edges,
  };
}

/**
 * The looped flow with `hub` at work, at the start of the stretch, at its end, and at its end for the eleventh time. The
 * outputs of the stretch are added from the first to the second; from there on, nothing but events.
 */
function journals(): readonly Case[] {
  const { plan } = loaded(loopedFlow());
  let state = begun(plan);
  let events = 1;
  const move = (event: RunEvent): void => {
    ({ state } = transition(plan, state, event));
    events += 1;
  };
  move(done(state, 'root'));
  return [10, 900, 9_900].map((count) => {
    while (events < count) move(nextOf(state));
    return { plan, state, step: 'hub', count };
  });
}

/** What happens next in the stretch: four attempts of five fail. */
function nextOf(state: RunState): RunEvent {
  for (const [id, step] of Object.entries(state.steps)) {
    if (id === 'hub') continue;
    if (step.status === 'retrying') return { type: 'timer.fired', atMs: step.dueMs, timer: step.timer };
    if (step.status !== 'running') continue;
    if (step.attempt === 5) return done(state, id);
    const failure = { code: 'http-status', message: 'it answered 503.', retry: 'allowed' } as const;
    return { type: 'step.failed', atMs: 1_000, step: id, round: step.round, attempt: step.attempt, failure };
  }
  throw new Error('Nothing is at work in the stretch.');
}

function begun(plan: Plan): RunState {
  const start = { trigger: 'manual', text: '', prompt: '', input: {}, files: [] } as const;
  return begin(plan, 'run', { type: 'run.started', atMs: 1_000, start }).state;
}

/** The step that is at work has ended well. */
function done(state: RunState, step: string): RunEvent {
  const at = state.steps[step];
  if (at?.status !== 'running') throw new Error(`${step} is not at work.`);
  const { round, attempt } = at;
  return { type: 'step.done', atMs: 1_000, step, round, attempt, output: { text: '', json: {} } };
}
