import { dataReferences, parseDataTemplate } from '../data/data-template.ts';
import type { Fault } from '../fault.ts';
import type { Json } from '../json.ts';
import { bareLibrary, type Library } from '../library.ts';
import type { Reference } from '../steps/step-type.ts';
import { outsideChatFaults } from './check-outside-chat.ts';
import { checkReferences, type PlacedReference } from './check-references.ts';
import { checkShape, stretchesOf } from './check-shape.ts';
import { choiceOf } from './choices.ts';
import { type FlowDefinition, parseDefinition } from './definition.ts';
import { firstFaults } from './issues.ts';
import type { OutputTemplate, Plan, PlanEdge, PlanStep, Trigger } from './plan.ts';
import { linearEdges, type ResolvedEdge, resolveEdges } from './resolve-edges.ts';
import { planSchedule } from './schedule-trigger.ts';
import { slashFaults } from './slash.ts';
import type { StepDefinition } from './step-definition.ts';
import type { TriggerDefinition } from './triggers.ts';
import { planWebhook } from './webhook-trigger.ts';

/** What compiling a flow came to. With an error among the faults there is no plan. */
export interface Compiled {
  readonly plan?: Plan;
  /** Errors and warnings, in the order of the file's parts: the first 50, then one that counts the rest. */
  readonly faults: readonly Fault[];
}

/**
 * Proves a flow sound: the plain data of its file goes in, a plan or all its faults come out. Pure.
 * @param fallbackId the id of a flow that does not say its own: the file's name
 * @param library what it can name; agents and schemas under `writes` that are not in it are seen by `checkLibrary`
 * @param broken names of schemas that are there but can't be used
 */
export function compile(
  data: Json,
  fallbackId: string,
  library: Library = bareLibrary,
  broken: ReadonlySet<string> = new Set(),
): Compiled {
  const { definition, faults } = parseDefinition(data, fallbackId, library, broken);
  const compiled = definition ? build(definition, faults, library) : { faults };
  return { ...compiled, faults: firstFaults(compiled.faults) };
}

function build(flow: FlowDefinition, parseFaults: readonly Fault[], library: Library): Compiled {
  const resolved = flow.edges ? resolveEdges(flow.steps, flow.edges) : linearEdges(flow.steps);
  const shape = checkShape(flow.steps, resolved);
  const output = readOutput(flow.output);
  // Whether an input that can't be read has a field is not known.
  const isInputKnown = !parseFaults.some((fault) => fault.path[0] === 'input');
  const references = [
    ...stepReferences(flow.steps),
    ...edgeReferences(resolved.edges),
    ...output.references,
  ].filter(({ reference }) => isInputKnown || reference.lookup[0] !== 'input');
  const faults = withoutRepeats([
    ...parseFaults,
    ...resolved.faults,
    ...shape.faults,
    ...output.faults,
    ...slashFaults(flow.triggers, isInputKnown ? flow.input : undefined),
    ...outsideChatFaults(flow, isInputKnown),
    ...checkSteps(flow.steps, resolved.edges, library),
    ...(resolved.isComplete ? wiringFaults(flow, resolved.edges) : []),
    ...checkReferences(flow, resolved.edges, references, shape.isSound),
  ]);
  if (faults.some((fault) => fault.severity === 'error')) return { faults };
  const edges = planEdges(flow.steps, resolved.edges);
  const plan: Plan = {
    id: flow.id,
    name: flow.name,
    enabled: flow.enabled,
    maxParallel: flow.maxParallel,
    whenFull: flow.whenFull,
    priority: flow.priority,
    workspace: flow.workspace,
    alerts: flow.alerts,
    ...used(flow.steps, library),
    triggers: planTriggers(flow),
    steps: planSteps(flow.steps, edges, resolved.edges),
    edges,
    roots: shape.roots,
    ...(flow.instructions !== undefined && { instructions: flow.instructions }),
    ...(flow.budget && { budget: flow.budget }),
    ...(flow.perDay && { perDay: flow.perDay }),
    ...(flow.description !== undefined && { description: flow.description }),
    ...(flow.allow && { allow: [...flow.allow.users, ...flow.allow.roles] }),
    ...(flow.input && { input: flow.input }),
    ...(flow.conversation !== undefined && { conversation: flow.conversation }),
    ...(flow.timeoutMs !== undefined && { timeoutMs: flow.timeoutMs }),
    ...(flow.humanReminderMs !== undefined && { humanReminderMs: flow.humanReminderMs }),
    ...(flow.coolDown && { coolDown: flow.coolDown }),
    ...(flow.maxRuns !== undefined && { maxRuns: flow.maxRuns }),
    ...(output.template && { output: output.template }),
  };
  return { plan, faults };
}

/** The agents, with their fallbacks, and schemas that steps name, as far as they are there. */
function used(
  steps: ReadonlyMap<string, StepDefinition>,
  { agents, schemas }: Library,
): Pick<Plan, 'agents' | 'schemas'> {
  const bodies = [...steps.values()].flatMap(({ body }) => body ?? []);
  const named = bodies.flatMap(({ type, config }) => type.agents?.(config).map(({ name }) => name) ?? []);
  const fallbacks = named.flatMap((name) => agents.get(name)?.fallback ?? []);
  return {
    agents: picked(agents, [...named, ...fallbacks]),
    schemas: picked(
      schemas,
      bodies.flatMap(({ type, config }) => type.writes?.(config) ?? []),
    ),
  };
}

function picked<T>(all: ReadonlyMap<string, T>, names: readonly string[]): ReadonlyMap<string, T> {
  return new Map(
    names.flatMap((name) => {
      const one = all.get(name);
      return one === undefined ? [] : [[name, one] as const];
    }),
  );
}

/** An edge from a list of steps stands for several, and what is wrong with one is wrong with all. */
function withoutRepeats(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

function readOutput(output: Json | undefined): {
  readonly template?: OutputTemplate;
  readonly faults: readonly Fault[];
  readonly references: readonly PlacedReference[];
} {
  if (output === undefined) return { faults: [], references: [] };
  const parsed = parseDataTemplate(output);
  if (!parsed.ok) {
    const faults = parsed.faults.map(({ path, message }): Fault => {
      const [what = '', fix] = message.split('\n');
      return {
        severity: 'error',
        rule: 'placeholder',
        path: ['output', ...path],
        message: what,
        ...(fix !== undefined && { fix }),
      };
    });
    return { faults, references: [] };
  }
  const references = dataReferences(parsed.template, ['output']).map((reference) => ({ reference }));
  return { template: parsed.template, faults: [], references };
}

function stepReferences(steps: ReadonlyMap<string, StepDefinition>): readonly PlacedReference[] {
  return [...steps.values()].flatMap(({ id, body }) =>
    (body?.type.references(body.config) ?? []).map((reference) => ({
      step: id,
      reference: { ...reference, at: ['steps', id, ...reference.at] },
    })),
  );
}

function edgeReferences(edges: readonly ResolvedEdge[]): readonly PlacedReference[] {
  return edges.flatMap(({ from, when, path }) =>
    readsOf(when).map(({ lookup, source }) => ({
      step: from,
      includesItself: true,
      reference: { lookup, at: [...path, 'when'], source, optional: true },
    })),
  );
}

/** What a condition of an edge reads. A missing value does not hold, or can be asked for with `has`. */
function readsOf(when: ResolvedEdge['when']): readonly Pick<Reference, 'lookup' | 'source'>[] {
  if (!when) return [];
  if ('tree' in when) return when.reads.map((lookup) => ({ lookup, source: lookup.join('.') }));
  return when.rules.map(({ step, path }) => ({ lookup: [step, ...path], source: step }));
}

function checkSteps(
  steps: ReadonlyMap<string, StepDefinition>,
  edges: readonly ResolvedEdge[],
  { schemas, agents }: Library,
): readonly Fault[] {
  const types = new Map([...steps.values()].map((step) => [step.id, step.type]));
  const choosing = new Set(edges.filter(({ choice }) => choice).map(({ from }) => from));
  return [...steps.values()].flatMap(({ id, body }) => {
    if (!body) return [];
    const check = { config: body.config, steps: types, schemas, agents };
    const faults = body.type.check?.({ ...check, ...(choosing.has(id) && { chooses: true }) }) ?? [];
    return faults.map((fault) => ({ ...fault, path: ['steps', id, ...fault.path] }));
  });
}

/** Exits that must lead somewhere and do not. */
function wiringFaults(
  { steps, edges: written }: FlowDefinition,
  edges: readonly ResolvedEdge[],
): readonly Fault[] {
  // Without written edges the last step leads nowhere, and is meant to.
  const isImplied = (exit: string, exits: readonly string[]) => written === undefined && exit === exits[0];
  return [...steps.values()].flatMap(({ id, body }) =>
    (body?.type.wired?.(body.config) ?? [])
      .filter((exit) => !isImplied(exit, body?.type.exits(body.config) ?? []))
      .filter((exit) => !edges.some((edge) => edge.from === id && edge.exit === exit))
      .map(
        (exit): Fault => ({
          severity: 'error',
          rule: 'exit-unwired',
          path: ['steps', id],
          message: `No edge leaves ${id} by ${exit}, so that answer would lead nowhere.`,
          fix: `Write an edge such as "${id}.${exit} -> …", or remove the action.`,
        }),
      ),
  );
}

function planTriggers({ id, input, triggers }: FlowDefinition): readonly Trigger[] {
  let schedules = 0;
  const planned = (trigger: TriggerDefinition): readonly Trigger[] => {
    switch (trigger.type) {
      case 'command': {
        const { command, in: places, slash } = trigger;
        return [{ type: 'command', command, ...(places && { in: places }), ...(slash && { slash }) }];
      }
      case 'manual':
      case 'api':
      case 'mcp':
        return [{ type: trigger.type }];
      case 'schedule':
        schedules += 1;
        return [planSchedule(trigger, schedules === 1 ? id : `${id}#${schedules}`, input)];
      case 'webhook':
        return [planWebhook(trigger)];
    }
  };
  return triggers.flatMap(planned);
}

function planEdges(
  steps: ReadonlyMap<string, StepDefinition>,
  edges: readonly ResolvedEdge[],
): readonly PlanEdge[] {
  const stretches = stretchesOf([...steps.keys()], edges);
  return edges.map(({ from, exit, to, when, choice, sendBack, maxRounds, feedback }) => ({
    from,
    exit,
    to,
    ...(when && { when }),
    ...(choice && { chosen: true }),
    ...(sendBack && { sendBack: { maxRounds, feedback, stretch: stretches.get(to) ?? [] } }),
  }));
}

function planSteps(
  steps: ReadonlyMap<string, StepDefinition>,
  edges: readonly PlanEdge[],
  resolved: readonly ResolvedEdge[],
): ReadonlyMap<string, PlanStep> {
  const positions = [...edges.keys()];
  const isForward = (at: number) => edges[at]?.sendBack === undefined;
  const leaving = Map.groupBy(positions, (at) => edges[at]?.from);
  const arriving = Map.groupBy(positions.filter(isForward), (at) => edges[at]?.to);
  const plan = [...steps.values()].map((step): PlanStep => {
    const { id, name, type, body, runWhen, attempts, firstRetryAfterMs, timeoutMs, cache } = step;
    if (!body) throw new Error(`Step ${id} could not be read, and there is no fault about it.`);
    const own = leaving.get(id) ?? [];
    const choose = choiceOf(own.flatMap((at) => resolved[at] ?? []));
    return {
      id,
      name,
      type,
      stepType: body.type,
      config: body.config,
      cache,
      runWhen,
      attempts,
      firstRetryAfterMs,
      incoming: arriving.get(id) ?? [],
      outgoing: own.filter(isForward),
      sendBacks: own.filter((at) => !isForward(at)),
      ...(choose && { choose }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    };
  });
  return new Map(plan.map((step) => [step.id, step]));
}
