import type { Plan, PlanEdge, PlanStep } from '../../engine/flow/plan.ts';
import { askedOf } from '../../engine/run/answer.ts';
import { own } from '../../engine/run/record.ts';
import { isFinal, type RunState, type StepState } from '../../engine/run/state.ts';

/** Where a step is, as pictures tell it apart: `planned` before a run, or before its turn. */
export type NodeState =
  | 'planned'
  | 'working'
  | 'asking'
  | 'sleeping'
  | 'retrying'
  | 'done'
  | 'failed'
  | 'skipped';

/** A step in a picture. */
export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly state: NodeState;
  /** What there is to say beside its name: `waits for Ana`; `""` = nothing. */
  readonly note: string;
}

/** An edge in a picture. */
export interface GraphEdge {
  /** Position in `Plan.edges`. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
  /** By which exit it is taken, or that it has a condition; `""` = it is simply what comes next. */
  readonly label: string;
  /** `live`: data has moved along it; `dead`: it was not taken; `back`: it leads to an earlier step; `open`: nothing is decided. */
  readonly kind: 'open' | 'live' | 'dead' | 'back';
}

/** What a picture shows, before anything has a place. */
export interface Graph {
  readonly title: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** Names of people by their addresses, for those that are known. */
export type Names = ReadonlyMap<string, string>;

/** The graph of a flow; with `run`, as it is in that run. */
export function graphOf(plan: Plan, run?: RunState, names: Names = new Map()): Graph {
  return {
    title: plan.name,
    nodes: [...plan.steps.values()].map((step) => nodeOf(step, run, names)),
    edges: plan.edges.map((edge, at) => edgeOf(edge, at, run)),
  };
}

function nodeOf({ id, name, type }: PlanStep, run: RunState | undefined, names: Names): GraphNode {
  const step = run && own(run.steps, id);
  const base = { id, name, type };
  return run && step ? { ...base, ...told(run, step, names) } : { ...base, state: 'planned', note: '' };
}

function told(run: RunState, step: StepState, names: Names): Pick<GraphNode, 'state' | 'note'> {
  const round = step.round > 1 ? `round ${step.round}` : '';
  switch (step.status) {
    case 'pending':
    case 'ready':
      return { state: isFinal(run.status) ? 'skipped' : 'planned', note: round };
    case 'running':
      return { state: 'working', note: joined(round, attempt(step.attempt)) };
    case 'nested': {
      const ended = step.begun - Object.keys(step.open).length;
      return { state: 'working', note: joined(round, `${ended} of ${step.total}`) };
    }
    case 'retrying':
      return { state: 'retrying', note: joined(round, `attempt ${step.attempt} failed`) };
    case 'sleeping':
      return { state: 'sleeping', note: round };
    case 'asking':
      return { state: 'asking', note: joined(round, waitsFor(run, step.question, names)) };
    case 'done':
      return { state: 'done', note: joined(round, step.exit === 'done' ? '' : step.exit) };
    case 'failed':
      return { state: 'failed', note: joined(round, step.attempt > 1 ? `${step.attempt} attempts` : '') };
    case 'skipped':
      return { state: 'skipped', note: round };
  }
}

function attempt(count: number): string {
  return count > 1 ? `attempt ${count}` : '';
}

function joined(...notes: readonly string[]): string {
  return notes.filter((note) => note !== '').join(', ');
}

/** Most people who are named. */
const NAMED_MAX = 2;

function waitsFor({ questions }: RunState, id: string, names: Names): string {
  const question = own(questions, id);
  const asked = question ? askedOf(question) : [];
  if (asked.length === 0) return 'waits for people';
  const named = asked.slice(0, NAMED_MAX).map((address) => names.get(address) ?? address);
  const more = asked.length > NAMED_MAX ? ` and ${asked.length - NAMED_MAX} more` : '';
  return `waits for ${named.join(', ')}${more}`;
}

function edgeOf(edge: PlanEdge, at: number, run: RunState | undefined): GraphEdge {
  const { from, to, sendBack } = edge;
  if (sendBack) {
    const times = run?.sentBack[at]?.times ?? 0;
    const count = run ? `${times} of ${sendBack.maxRounds}` : `up to ${sendBack.maxRounds} times`;
    return { at, from, to, label: joined(exitLabel(edge), count), kind: 'back' };
  }
  const fate = run?.fates[at];
  const kind = fate === undefined ? 'open' : fate === 'live' ? 'live' : 'dead';
  return { at, from, to, label: exitLabel(edge), kind };
}

function exitLabel({ exit, when, chosen }: PlanEdge): string {
  return joined(exit === 'done' ? '' : exit, chosen ? 'if chosen' : '', when ? 'if' : '');
}
