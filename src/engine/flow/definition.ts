import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';
import { compileInput } from '../data/input.ts';
import { withFix } from '../data/issue.ts';
import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { bareLibrary, type Library } from '../library.ts';
import { addressSchema, personSchema, roleSchema } from './address.ts';
import { alertsSchema, budgetSchema } from './budget-schema.ts';
import { type EdgeDefinition, readEdges } from './edges.ts';
import { unwrap } from './envelope.ts';
import { flowIdFault, flowIdSchema } from './ids.ts';
import { readAt } from './issues.ts';
import { withNamedSchemas } from './named-schemas.ts';
import type { CoolDown, Plan } from './plan.ts';
import { shapeFaults } from './shape.ts';
import { readSteps, type StepDefinition } from './step-definition.ts';
import { type TriggerDefinition, triggerSchema } from './triggers.ts';

/** A flow as written, read and made uniform. Whether its parts fit together is seen when it is compiled. */
export interface FlowDefinition {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly enabled: boolean;
  /** Who may start it, as addresses of people and of roles; absent = anyone in the conversation. */
  readonly allow?: { readonly users: readonly string[]; readonly roles: readonly string[] };
  /** JSON Schema of the input, object on top. */
  readonly input?: JsonObject;
  readonly conversation?: string;
  /** What all agents of the flow are told. */
  readonly instructions?: string;
  readonly timeoutMs?: number;
  readonly humanReminderMs?: number | null;
  readonly maxParallel: number;
  /** Shortest times between two starts by people, in milliseconds. */
  readonly coolDown?: CoolDown;
  readonly maxRuns?: number;
  readonly whenFull: 'queue' | 'refuse';
  readonly priority: 'high' | 'normal' | 'low';
  readonly workspace: Plan['workspace'];
  readonly budget?: Plan['budget'];
  readonly perDay?: Plan['perDay'];
  readonly alerts: readonly number[];
  readonly triggers: readonly TriggerDefinition[];
  /** In the order they are written. */
  readonly steps: ReadonlyMap<string, StepDefinition>;
  /** Absent = the steps run in the order they are written. */
  readonly edges?: readonly EdgeDefinition[];
  /** Placeholders in its texts are not parsed yet. */
  readonly output?: Json;
}

/** People wait no longer for the same command. */
const coolDownSchema = durationSchema.refine((ms) => ms <= 86_400_000, {
  error: withFix('It is too long.', 'Write at most 1d.'),
});

/** The keys of a flow. Steps, edges and the input are read by schemas of their own. */
export const flowSchema = z.strictObject({
  id: flowIdSchema.optional().describe("The name people type; the file's name when absent."),
  name: z.string().min(1).max(120).optional().describe('What people see; the id when absent.'),
  description: z.string().max(2000).optional().describe('What the flow does.'),
  enabled: z.boolean().default(true).describe('Whether it can be started.'),
  allow: z
    .strictObject({
      users: z
        .array(personSchema)
        .max(1000)
        .default([])
        .describe('People, such as slack:U0ANA or discord:400000000000000002.'),
      roles: z
        .array(roleSchema)
        .max(100)
        .default([])
        .describe('Roles, by name or id, such as maintainers, slack:S0OPS or discord:800000000000000001.'),
    })
    .refine((allow) => allow.users.length + allow.roles.length > 0, {
      error: withFix(
        'nobody could start the flow.',
        'Name somebody, or remove allow: then anyone in the conversation may.',
      ),
    })
    .optional()
    .describe('Who may start it; absent = anyone in the conversation.'),
  input: z.record(z.string(), z.json()).optional().describe('JSON Schema of the input, an object on top.'),
  conversation: addressSchema
    .optional()
    .describe(
      'Where runs live that start outside a conversation, such as slack:#releases or discord:Our Server/#releases.',
    ),
  instructions: z.string().max(20_000).optional().describe('What all agents of the flow are told.'),
  humanReminder: durationSchema
    .nullable()
    .optional()
    .describe('Remind of open questions after this long: 12h; null = never.'),
  workspace: z
    .enum(['none', 'folder', 'git'])
    .default('none')
    .describe('Where agents and scripts of a run work.'),
  timeout: durationSchema.optional().describe('Longest time a run may take, waiting for people apart.'),
  maxParallel: z.int().min(1).max(100).default(2).describe('Most steps at work at once in a run.'),
  coolDown: z
    .strictObject({
      user: coolDownSchema.optional().describe('Between two starts by the same person.'),
      conversation: coolDownSchema.optional().describe('Between two starts in the same conversation.'),
    })
    .optional()
    .describe('Shortest time between two starts by people; schedules and other systems are free of it.'),
  maxRuns: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Most runs of it that have not ended; absent = as many as there are.'),
  whenFull: z
    .enum(['queue', 'refuse'])
    .default('queue')
    .describe('What becomes of a run beyond maxRuns: it waits for its turn, or does not start.'),
  priority: z
    .enum(['high', 'normal', 'low'])
    .default('normal')
    .describe('Which of the runs that wait for their turn start first.'),
  budget: budgetSchema.optional().describe('What one run may use up, and all of them on a day.'),
  alerts: alertsSchema.describe('Parts of the budget at which a person is told: [0.75, 0.9].'),
  mcp: z
    .boolean()
    .default(false)
    .describe('Whether MCP clients may call it; the same as a trigger of type mcp.'),
  triggers: z.array(triggerSchema).max(100).default([]).describe('What starts runs.'),
  steps: z.record(z.string(), z.unknown()).describe('The steps, by id.'),
  edges: z
    .array(z.unknown())
    .optional()
    .describe('How steps follow each other; absent = in the order they are written.'),
  output: z.json().optional().describe('What a run gives back: text or data with placeholders.'),
});

/** What was read of a flow. */
export interface ParsedFlow {
  /**
   * The flow. Also there when there are faults, as long as its steps and edges can be told apart: it can still
   * be compiled, to find what else is wrong, but never run while one of the faults is an error.
   */
  readonly definition?: FlowDefinition;
  readonly faults: readonly Fault[];
}

/**
 * Reads the plain data of a flow file, with or without its envelope, and gives all faults at once. Paths of
 * faults begin at the flow itself. Never throws.
 * @param fallbackId the id of a flow that does not say its own: the file's name
 * @param broken names of schemas that are there but can't be used
 */
export function parseDefinition(
  data: Json,
  fallbackId: string,
  library: Library = bareLibrary,
  broken: ReadonlySet<string> = new Set(),
): ParsedFlow {
  const misshapen = shapeFaults(data);
  if (misshapen.length > 0) return { faults: misshapen };
  const { flow, name, description, faults } = unwrap(data);
  if (!isJsonObject(flow)) {
    const message = 'A flow is an object with steps.';
    const fault: Fault = { severity: 'error', rule: 'type', path: [], message, fix: 'Begin with "steps:".' };
    return { faults: [...faults, fault] };
  }
  const named = withNamedSchemas(flow, library, broken);
  const read = readFlow(named.flow, name ?? fallbackId, description, library);
  return { ...read, faults: [...faults, ...named.faults, ...read.faults] };
}

function readFlow(
  flow: JsonObject,
  fallbackId: string,
  fallbackDescription: string | undefined,
  library: Library,
): ParsedFlow {
  const head = readAt(flowSchema, flow, []);
  const steps = isJsonObject(flow.steps) ? readSteps(flow.steps, library.stepTypes) : undefined;
  const edges = Array.isArray(flow.edges) ? readEdges(flow.edges, ['edges']) : undefined;
  const input = isJsonObject(flow.input) ? compileInput(flow.input) : undefined;
  const faults = [
    ...(head.ok ? [] : head.faults),
    ...(flow.id === undefined ? fallbackIdFaults(fallbackId) : []),
    ...(input === undefined || input.ok
      ? []
      : input.faults.map((fault) => ({ ...fault, path: ['input', ...fault.path] }))),
    ...(steps?.faults ?? []),
    ...(edges?.faults ?? []),
    ...toolNameFaults(flow, head.ok ? (head.value.id ?? fallbackId) : fallbackId),
  ];
  const graphKnown =
    steps !== undefined && steps.steps.size > 0 && (flow.edges === undefined || edges?.faults.length === 0);
  if (!graphKnown) return { faults };

  const keys = head.ok ? head.value : soundKeys(flow, head.faults);
  const id = keys.id ?? fallbackId;
  const { perDay, ...budget } = keys.budget ?? {};
  const definition: FlowDefinition = {
    id,
    name: keys.name ?? id,
    enabled: keys.enabled,
    maxParallel: keys.maxParallel,
    whenFull: keys.whenFull,
    priority: keys.priority,
    workspace: keys.workspace,
    alerts: keys.alerts,
    triggers: withMcp(keys.triggers, keys.mcp),
    steps: steps.steps,
    ...defined({
      description: keys.description ?? fallbackDescription,
      allow: keys.allow,
      input: isJsonObject(flow.input) ? flow.input : undefined,
      conversation: keys.conversation,
      instructions: keys.instructions,
      timeoutMs: keys.timeout,
      humanReminderMs: keys.humanReminder,
      coolDown: keys.coolDown && defined(keys.coolDown),
      maxRuns: keys.maxRuns,
      budget: someOf(budget),
      perDay: perDay && someOf(perDay),
      edges: edges?.edges,
      output: flow.output,
    }),
  };
  return { definition, faults };
}

/** Tools that MCP clients have for the runs of all flows. */
const MCP_TOOLS = ['get_run', 'decide'];

function toolNameFaults({ mcp, triggers }: JsonObject, id: string): readonly Fault[] {
  const isTool =
    mcp === true ||
    (Array.isArray(triggers) && triggers.some((one: Json) => isJsonObject(one) && one.type === 'mcp'));
  if (!isTool || !MCP_TOOLS.includes(id)) return [];
  const message = `MCP clients already have a tool called ${id}.`;
  return [{ severity: 'error', rule: 'mcp-name', path: ['id'], message, fix: 'Give the flow another id.' }];
}

/** `mcp: true` is short for a trigger. */
function withMcp(triggers: readonly TriggerDefinition[], mcp: boolean): readonly TriggerDefinition[] {
  const isWritten = triggers.some(({ type }) => type === 'mcp');
  return mcp && !isWritten ? [...triggers, { type: 'mcp' }] : triggers;
}

/** The keys of a flow without those that are broken, so that one mistake does not look like others. */
function soundKeys(flow: JsonObject, faults: readonly Fault[]): z.output<typeof flowSchema> {
  const broken = new Set(faults.map((fault) => fault.path[0]));
  const sound = Object.fromEntries(Object.entries(flow).filter(([key]) => !broken.has(key)));
  const read = readAt(flowSchema, { steps: {}, ...sound }, []);
  return read.ok ? read.value : flowSchema.parse({ steps: {} });
}

function fallbackIdFaults(id: string): readonly Fault[] {
  const text = flowIdFault(id);
  if (text === undefined) return [];
  const [message = '', fix] = text.split('\n');
  return [
    {
      severity: 'error',
      rule: 'flow-id',
      path: [],
      message,
      fix: `Write id: with another, or rename the file. ${fix}`,
    },
  ];
}

/** The same; undefined = none has one. */
function someOf<T extends object>(entries: T): ReturnType<typeof defined<T>> | undefined {
  const some = defined(entries);
  return Object.keys(some).length > 0 ? some : undefined;
}

/** The entries of an object that have a value. */
function defined<T extends object>(entries: T): { [K in keyof T]?: Exclude<T[K], undefined> };
function defined(entries: object): object {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}
