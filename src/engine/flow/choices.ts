import type { Choice } from '../agents/call.ts';
import { errorAt, type Fault } from '../fault.ts';
import { type ChoiceDefinition, plainEdge } from './edges.ts';
import { following, reach } from './graph.ts';
import type { ResolvedEdge } from './resolve-edges.ts';
import type { StepDefinition } from './step-definition.ts';

type Steps = ReadonlyMap<string, StepDefinition>;
type ChosenEdge = ResolvedEdge & { readonly choice: ChoiceDefinition };

/** What the agent of a step picks among, when an edge of those that leave it says so. */
export function choiceOf(leaving: readonly ResolvedEdge[]): Choice | undefined {
  const choice = leaving.find((edge) => edge.choice)?.choice;
  if (!choice) return undefined;
  const { among, join, min = 1 } = choice;
  return { among, min, max: join === undefined ? 1 : among.length };
}

/**
 * Checks what agents may pick among, and adds the edges that `join` implies: from each step that can be picked and that no
 * edge leaves to the step where the branches meet.
 */
export function resolveChoices(
  steps: Steps,
  edges: readonly ResolvedEdge[],
): { readonly implied: readonly ResolvedEdge[]; readonly faults: readonly Fault[] } {
  const chosen = edges.filter(isChosen);
  if (chosen.length === 0) return { implied: [], faults: [] };
  const implied = impliedEdges(steps, edges, chosen);
  return {
    implied,
    faults: [
      ...chosen.flatMap((edge) => sourceFaults(steps, edge)),
      ...repeated(chosen),
      ...joinFaults(steps, [...edges, ...implied], chosen),
    ],
  };
}

function isChosen(edge: ResolvedEdge): edge is ChosenEdge {
  return edge.choice !== undefined;
}

function impliedEdges(
  steps: Steps,
  edges: readonly ResolvedEdge[],
  chosen: readonly ChosenEdge[],
): readonly ResolvedEdge[] {
  const left = new Set(edges.filter((edge) => !edge.sendBack).map((edge) => edge.from));
  const implied = new Map<string, ResolvedEdge>();
  for (const { to, choice, path } of chosen) {
    const { join } = choice;
    const body = steps.get(to)?.body;
    // By which exit a condition or an approval leads on has to be written.
    if (join === undefined || left.has(to) || !steps.has(join) || !body?.type.plainEdges) continue;
    const exit = body.type.exits(body.config)[0] ?? 'done';
    implied.set(`${to} ${join}`, { from: to, exit, to: join, ...plainEdge, path });
  }
  return [...implied.values()];
}

function sourceFaults(steps: Steps, { from, exit, path }: ChosenEdge): readonly Fault[] {
  const type = steps.get(from)?.type;
  const at = [...path, 'choose'];
  if (type !== 'agent') {
    const message = `${from} can't pick what comes next: it is no agent step.`;
    return [errorAt('choice', at, message, 'Lead the edge from an agent step, or write edges with when.')];
  }
  if (exit === 'done') return [];
  const message = `${from} picks nothing when it leaves by ${exit}.`;
  return [errorAt('choice', at, message, `Write from: ${from}.`)];
}

/** A step picks once. */
function repeated(chosen: readonly ChosenEdge[]): readonly Fault[] {
  const first = new Map<string, ChosenEdge>();
  return chosen.flatMap((edge) => {
    const before = first.get(edge.from);
    first.set(edge.from, before ?? edge);
    if (!before || before.choice === edge.choice) return [];
    const message = `${edge.from} has more than one edge with choose.`;
    return [errorAt('choice', [...edge.path, 'choose'], message, 'Put all steps to pick among into one.')];
  });
}

function joinFaults(
  steps: Steps,
  edges: readonly ResolvedEdge[],
  chosen: readonly ChosenEdge[],
): readonly Fault[] {
  const forward = edges.filter((edge) => !edge.sendBack);
  const next = following(steps.keys(), forward);
  return chosen.flatMap(({ to, choice, path }): readonly Fault[] => {
    const { join } = choice;
    if (join === undefined) return [];
    const at = [...path, 'join'];
    if (!steps.has(join)) {
      const message = `There is no step ${JSON.stringify(join)}.`;
      return [errorAt('unknown-step', at, message, 'Name the step where the branches meet.')];
    }
    if (!reach([to], next).has(join)) {
      const message = `The branch of ${to} does not lead to ${join}, where the branches are to meet.`;
      return [errorAt('choice', at, message, `Lead an edge from it to ${join}.`)];
    }
    if (steps.get(join)?.type === 'join' || forward.filter((edge) => edge.to === join).length > 1) return [];
    const message = `Only one edge leads to ${join}, so no branches can meet there.`;
    return [errorAt('choice', at, message, 'Name the step where they meet, or remove join.')];
  });
}
