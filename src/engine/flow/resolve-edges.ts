import { errorAt, type Fault } from '../fault.ts';
import { resolveChoices } from './choices.ts';
import { type EdgeDefinition, plainEdge } from './edges.ts';
import { FAULTS_MAX } from './issues.ts';
import { nearest, suggest } from './nearest.ts';
import type { StepDefinition } from './step-definition.ts';

/** An edge whose ends and exit exist. */
export type ResolvedEdge = EdgeDefinition & { readonly exit: string };

/** The edges of a flow with their exits filled in. */
export interface ResolvedEdges {
  /** Misspelt names are taken for what they most likely mean, so that one fault is not reported as several. */
  readonly edges: readonly ResolvedEdge[];
  /** Steps named by `start -> x`; empty = the flow does not say. */
  readonly started: readonly { readonly step: string; readonly path: EdgeDefinition['path'] }[];
  readonly faults: readonly Fault[];
  /** Some edges could not be made out at all. */
  readonly isComplete: boolean;
}

/** The exit that every step has when it fails for good. */
export const FAILED = 'failed';

type Steps = ReadonlyMap<string, StepDefinition>;

/** Without edges the steps follow each other as written, each by its main exit. */
export function linearEdges(steps: Steps): ResolvedEdges {
  const all = [...steps.values()];
  const edges = all.slice(1).flatMap((step, index): ResolvedEdge[] => {
    const from = all[index];
    if (!from) return [];
    const path = ['steps', step.id];
    return [{ from: from.id, exit: mainExit(from), to: step.id, ...plainEdge, path }];
  });
  return { edges, started: [], faults: [], isComplete: true };
}

/** Checks the ends and exits of written edges and fills in the exits that are left out. */
export function resolveEdges(steps: Steps, written: readonly EdgeDefinition[]): ResolvedEdges {
  const edges: ResolvedEdge[] = [];
  const started: { step: string; path: EdgeDefinition['path'] }[] = [];
  const faults: Fault[] = [];
  const seen = new Set<string>();
  let isComplete = true;
  for (const edge of written) {
    // What was meant takes time to find out, and is of no use once faults are but counted.
    const isTold = faults.length < FAULTS_MAX;
    const unknown = unknownEnds(steps, edge, isTold);
    faults.push(...unknown);
    const [from, to] = [meant(steps, edge.from, isTold), meant(steps, edge.to, isTold)];
    if (from === undefined || to === undefined) {
      isComplete = false;
      continue;
    }
    const { exit, faults: exitFaults } = readExit(steps, { ...edge, from });
    faults.push(...exitFaults, ...expressionFaults(steps, edge));
    const label = from === 'start' ? `start -> ${to}` : `${from}.${exit} -> ${to}`;
    const key = `${label}${edge.sendBack ? ' again' : ''}`;
    if (seen.has(key) && unknown.length + exitFaults.length === 0) faults.push(duplicate(edge, label));
    seen.add(key);
    if (from === 'start') {
      faults.push(...startFaults(edge));
      started.push({ step: to, path: edge.path });
    } else {
      edges.push({ ...edge, from, exit, to });
    }
  }
  const choices = resolveChoices(steps, edges);
  return {
    edges: [...edges, ...choices.implied],
    started,
    faults: [...faults, ...choices.faults],
    isComplete,
  };
}

/** The step that an end of an edge names, or with `guess` most likely means. */
function meant(steps: Steps, end: string, guess: boolean): string | undefined {
  if (end === 'start' || steps.has(end)) return end;
  return guess ? nearest(end, steps.keys()) : undefined;
}

function unknownEnds(steps: Steps, edge: EdgeDefinition, isTold: boolean): readonly Fault[] {
  return [edge.from, edge.to]
    .filter((end) => end !== 'start' && !steps.has(end))
    .map((end) => ({
      severity: 'error',
      rule: 'unknown-step',
      path: edge.path,
      message: `There is no step ${JSON.stringify(end)}.`,
      ...(isTold && { fix: suggest(end, steps.keys()) }),
    }));
}

/** The exit an edge leaves by; where that is wrong, the step's main one. */
function readExit(steps: Steps, edge: EdgeDefinition): { exit: string; faults: readonly Fault[] } {
  const { from, to, exit, path } = edge;
  const step = steps.get(from);
  // What is wrong with the step itself is reported already.
  if (!step?.body) return { exit: exit ?? 'done', faults: [] };
  const exits = step.body.type.exits(step.body.config);
  const main = mainExit(step);
  if (exit === undefined) {
    if (step.body.type.plainEdges) return { exit: main, faults: [] };
    const message = `${from} -> ${to} does not say by which exit it leaves.`;
    const fix = `Write ${exits.map((one) => `${from}.${one}`).join(' or ')}.`;
    return { exit: main, faults: [errorAt('exit-missing', path, message, fix)] };
  }
  if (exit === FAILED || exits.includes(exit)) return { exit, faults: [] };
  const message = `${from} has no exit ${JSON.stringify(exit)}.`;
  const fault = errorAt('unknown-exit', path, message, suggest(exit, [...exits, FAILED]));
  return { exit: nearest(exit, [...exits, FAILED]) ?? main, faults: [fault] };
}

/** An expression reads a step's `text` or its `json`; whether that step is there is seen with all other references. */
function expressionFaults(steps: Steps, { when, path }: EdgeDefinition): readonly Fault[] {
  if (!when || !('tree' in when)) return [];
  return when.reads
    .filter(([root = '', kind]) => steps.has(root) && kind !== 'text' && kind !== 'json')
    .map(([root = '', ...rest]) => {
      const message = `${[root, ...rest].join('.')} does not say what to take of the step ${root}.`;
      const fix = `Write ${root}.text, or a field such as ${[root, 'json', rest[0] ?? 'title'].join('.')}.`;
      return errorAt('unknown-path', [...path, 'when'], message, fix);
    });
}

function startFaults(edge: EdgeDefinition): readonly Fault[] {
  const extra = edge.sendBack ? 'sendBack' : edge.when ? 'when' : edge.choice ? 'choose' : undefined;
  if (extra === undefined) return [];
  const message = `start -> ${edge.to} only says where the flow begins; it can't have ${extra}.`;
  return [errorAt('start', [...edge.path, extra], message, 'Remove it.')];
}

function duplicate(edge: EdgeDefinition, label: string): Fault {
  const fix = 'Keep one of them; several conditions can stand in one when:.';
  return errorAt('duplicate-edge', edge.path, `The edge ${label} is written twice.`, fix);
}

function mainExit(step: StepDefinition): string {
  return step.body?.type.exits(step.body.config)[0] ?? 'done';
}
