import type { Expression } from '../data/cel.ts';
import { evaluateExpression } from '../data/cel-evaluate.ts';
import { evaluate, type Rules } from '../data/condition.ts';
import type { Plan, PlanEdge } from '../flow/plan.ts';
import type { Json } from '../json.ts';
import type { Output } from '../steps/step-type.ts';
import { own } from './record.ts';
import { scopeOf } from './scope.ts';
import { isFinal, type RunState } from './state.ts';

/** A value that a step reads of another one. */
export interface ReadValue {
  /** As it is written: `{{draft.json.notes}}`. */
  readonly source: string;
  /** Absent = it is not there. */
  readonly value?: Json;
}

/** What moved along an edge of a run last, or why nothing did. */
export type MovedAlong =
  /** `reads`: what the step that it leads to takes of it. `times`, `feedback`: of a send-back edge. */
  | {
      readonly kind: 'moved';
      readonly output?: Output;
      readonly reads: readonly ReadValue[];
      readonly times?: number;
      readonly feedback?: string;
    }
  /** A sentence. `reads`: what its condition has looked at. */
  | { readonly kind: 'nothing'; readonly why: string; readonly reads: readonly ReadValue[] };

/** Works it out. @param at position in `Plan.edges`, of an edge that is there */
export function movedAlong(plan: Plan, state: RunState, at: number): MovedAlong | undefined {
  const edge = plan.edges[at];
  if (!edge) return undefined;
  const output = own(state.outputs, edge.from);
  if (edge.sendBack) {
    const sent = state.sentBack[at];
    if (!sent) return nothing(plan, state, edge);
    return {
      kind: 'moved',
      ...(output && { output }),
      reads: [],
      times: sent.times,
      feedback: sent.feedback,
    };
  }
  if (state.fates[at] !== 'live') return nothing(plan, state, edge);
  return { kind: 'moved', ...(output && { output }), reads: readsOf(plan, state, edge) };
}

function readsOf(plan: Plan, state: RunState, { from, to }: PlanEdge): readonly ReadValue[] {
  const target = plan.steps.get(to);
  if (!target) return [];
  return target.stepType
    .references(target.config)
    .filter(({ lookup }) => lookup[0] === from)
    .map(({ source, lookup }) => valueAt(plan, state, source, lookup));
}

function valueAt(plan: Plan, state: RunState, source: string, lookup: readonly string[]): ReadValue {
  const found = scopeOf(plan, state).lookup(lookup);
  return found.found ? { source, value: found.value } : { source };
}

function nothing(plan: Plan, state: RunState, edge: PlanEdge): MovedAlong {
  const reads = conditionReads(edge.when).map((path) => valueAt(plan, state, path.join('.'), path));
  const isDecided = hasLeftBy(state, edge);
  return { kind: 'nothing', why: whyNothing(plan, state, edge), reads: isDecided ? reads : [] };
}

function whyNothing(plan: Plan, state: RunState, edge: PlanEdge): string {
  const source = own(state.steps, edge.from);
  const name = `“${plan.steps.get(edge.from)?.name ?? edge.from}”`;
  switch (source?.status) {
    case undefined:
    case 'pending':
    case 'ready':
      return isFinal(state.status) ? `The run ended before ${name} was done.` : `${name} has not begun.`;
    case 'skipped':
      return source.tainted ? `${name} was skipped because of a failure.` : `${name} was skipped.`;
    case 'failed':
      if (edge.exit !== 'failed') return `${name} failed: ${source.failure.message}`;
      return byCondition(plan, state, edge, name);
    case 'done':
      if (source.exit !== edge.exit) {
        return `${name} was left by “${source.exit}”; this arrow is for “${edge.exit}”.`;
      }
      return byCondition(plan, state, edge, name);
    default:
      return isFinal(state.status) ? `The run ended before ${name} was done.` : `${name} has not finished.`;
  }
}

function hasLeftBy(state: RunState, { from, exit }: PlanEdge): boolean {
  const source = own(state.steps, from);
  return source?.status === 'done' ? source.exit === exit : source?.status === 'failed' && exit === 'failed';
}

function byCondition(
  plan: Plan,
  state: RunState,
  { from, to, chosen, when }: PlanEdge,
  name: string,
): string {
  const choice = own(state.outputs, from)?.json.choice;
  if (chosen && !(Array.isArray(choice) && choice.includes(to))) {
    const target = plan.steps.get(to)?.name ?? to;
    return `${name} did not choose “${target}”.`;
  }
  if (!when) return `${name} was left by this arrow’s exit, and it was not taken.`;
  const scope = scopeOf(plan, state);
  if ('tree' in when) {
    const decision = evaluateExpression(when, scope.lookup);
    if (!decision.ok) return `Its condition can’t be worked out: ${decision.why}.`;
    return decision.holds
      ? 'Its condition holds now; it did not when it was looked at.'
      : `Its condition did not hold: ${when.source}`;
  }
  return evaluate(when, (step, path) => scope.lookup([step, ...path])).holds
    ? 'Its condition holds now; it did not when it was looked at.'
    : `Its condition did not hold: ${rulesInWords(when)}`;
}

function conditionReads(when: Rules | Expression | undefined): readonly (readonly string[])[] {
  if (!when) return [];
  return 'tree' in when ? when.reads : when.rules.map(({ step, path }) => [step, ...path]);
}

/** `all of: draft.json.score atLeast 3; input.urgent isTrue true` */
export function rulesInWords({ join, rules }: Rules): string {
  const each = rules.map(({ step, path, operator, value }) => {
    return `${[step, ...path].join('.')} ${operator} ${JSON.stringify(value)}`;
  });
  return each.length === 1 ? (each[0] ?? '') : `${join} of: ${each.join('; ')}`;
}
