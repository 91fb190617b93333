import { schemaProblems } from '../data/schema-problems.ts';
import type { Fault } from '../fault.ts';
import { type JsonObject, objectOf } from '../json.ts';
import { LANE_DEPTH_MAX } from '../limits.ts';
import { lanesOf } from './bundle.ts';
import { suggest } from './nearest.ts';
import type { Plan, Trigger } from './plan.ts';

/** A flow of a file. */
export interface LaneFlow {
  readonly file: string;
  readonly plan: Plan;
  readonly definition: JsonObject;
}

type FiledFault = Fault & { readonly file: string };
type PlanOf = (id: string) => Plan | undefined;

/**
 * Faults of steps that run other flows: a flow that is not there or broken, and an input that can never fit.
 * @param flows those that are sound apart from that
 * @param broken the others, with their file by their id
 */
export function checkLanes(
  flows: readonly LaneFlow[],
  broken: ReadonlyMap<string, string>,
): readonly FiledFault[] {
  const byId = new Map(flows.map((flow) => [flow.plan.id, flow]));
  const known = [...byId.keys(), ...broken.keys()];
  const lacking = new Map(broken);
  const faults: FiledFault[] = [];
  const planOf = (id: string) => byId.get(id)?.plan;
  const own = flows.flatMap((flow) => [
    ...laneFaults(flow, byId, broken, known),
    ...homelessLanes(flow, planOf),
  ]);
  faults.push(...own);
  for (const { file } of own) {
    const flow = flows.find((one) => one.file === file);
    if (flow) lacking.set(flow.plan.id, file);
  }
  // What uses a broken flow is broken itself, and so on upwards.
  for (let found: readonly FiledFault[] = own; ; ) {
    found = flows
      .filter(({ plan }) => !lacking.has(plan.id))
      .flatMap(({ file, plan }) =>
        lanesOf(plan).flatMap(({ step, uses }) => {
          const cause = lacking.get(uses);
          return cause === undefined ? [] : [{ ...brokenLane(step, uses, cause), file }];
        }),
      );
    if (found.length === 0) break;
    faults.push(...found);
    for (const { file, plan } of flows)
      if (found.some((fault) => fault.file === file)) lacking.set(plan.id, file);
  }
  return [...faults, ...flows.flatMap((flow) => circles(flow, planOf))];
}

/** The flows that a flow runs, and those that these run, and so on; itself among them if it comes back to itself. */
export function lanesBelow(plan: Plan, planOf: PlanOf): readonly Plan[] {
  const below = new Map<string, Plan>();
  const ahead = [plan];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    for (const { uses } of lanesOf(next)) {
      const lane = planOf(uses);
      if (!lane || below.has(uses)) continue;
      below.set(uses, lane);
      ahead.push(lane);
    }
  }
  return [...below.values()];
}

function laneFaults(
  { file, plan, definition }: LaneFlow,
  byId: ReadonlyMap<string, LaneFlow>,
  broken: ReadonlyMap<string, string>,
  known: readonly string[],
): readonly FiledFault[] {
  return lanesOf(plan).flatMap(({ step, uses }): readonly FiledFault[] => {
    const lane = byId.get(uses);
    if (lane)
      return inputFaults(step, lane.plan, stepOf(definition, step)).map((fault) => ({ ...fault, file }));
    const cause = broken.get(uses);
    const fault = cause === undefined ? unknownLane(step, uses, known) : brokenLane(step, uses, cause);
    return [{ ...fault, file }];
  });
}

function unknownLane(step: string, uses: string, known: readonly string[]): Fault {
  const path = ['steps', step, 'uses'];
  const message = `steps.${step}.uses: there is no flow ${JSON.stringify(uses)}.`;
  return { severity: 'error', rule: 'unknown-flow', path, message, fix: suggest(uses, known) };
}

function brokenLane(step: string, uses: string, file: string): Fault {
  const path = ['steps', step, 'uses'];
  const message = `steps.${step}.uses: the flow ${uses} can't be run, because ${file} has faults.`;
  return { severity: 'error', rule: 'broken-flow', path, message, fix: 'Mend that file.' };
}

const openKeywords = 'patternProperties allOf anyOf oneOf if dependentSchemas propertyNames'.split(' ');

/** What of the input is plain to see: its fields, and values without placeholders. */
function inputFaults(step: string, lane: Plan, written: JsonObject): readonly Fault[] {
  const schema = lane.input;
  if (!schema) return [];
  const given = objectOf(written.with);
  const item = written.type === 'map' ? [typeof written.itemAs === 'string' ? written.itemAs : 'item'] : [];
  const names = [...Object.keys(given), ...item];
  const fields = objectOf(schema.properties);
  const fault = (rule: string, path: Fault['path'], message: string, fix: string): Fault => ({
    severity: 'error',
    rule,
    path: ['steps', step, ...path],
    message: `steps.${step}: ${message}`,
    fix,
  });
  const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
  const isOpen = !isClosed && schema.additionalProperties !== undefined;
  // Fields that other keywords may allow are not known here.
  const isPlain = !isOpen && openKeywords.every((keyword) => schema[keyword] === undefined);
  const isUnknown = (name: string) =>
    !Object.hasOwn(fields, name) && isPlain && (isClosed || !item.includes(name));
  const unknown = names
    .filter(isUnknown)
    .map((name) =>
      fault(
        'lane-input',
        item.includes(name) ? ['itemAs'] : ['with', name],
        `${name} is not an input of ${lane.id}.`,
        suggest(name, Object.keys(fields)),
      ),
    );
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required
    .filter((name) => typeof name === 'string')
    .filter((name) => !names.includes(name) && !Object.hasOwn(objectOf(fields[name]), 'default'))
    .map((name) =>
      fault(
        'lane-input',
        ['uses'],
        `${lane.id} needs ${name}, which is not given.`,
        item.every((taken) => Object.hasOwn(fields, taken))
          ? `Write ${name}: under with:.`
          : `Write itemAs: ${name} if it is the item, or ${name}: under with:.`,
      ),
    );
  const constants = Object.entries(given).filter(
    ([name, value]) => Object.hasOwn(fields, name) && !JSON.stringify(value).includes('{{'),
  );
  const wrong = constants.flatMap(([name, value]) => {
    const { $defs = {}, definitions = {} } = schema;
    const alone = { type: 'object', properties: { [name]: fields[name] ?? {} }, $defs, definitions };
    return schemaProblems(alone, { [name]: value }).map((problem) =>
      fault('lane-input', ['with', name], `${problem}.`, `See the input of ${lane.id}.`),
    );
  });
  return [...unknown, ...missing, ...wrong];
}

/** What starts runs outside chats, for sentences. */
const OUTSIDE: Readonly<Partial<Record<Trigger['type'], string>>> = {
  schedule: 'a schedule',
  webhook: 'a webhook',
  api: 'the API',
  mcp: 'an MCP client',
};

/** Runs that nobody starts in a chat, of a flow without a conversation whose lanes need one: they live where it lives. */
function homelessLanes({ file, plan }: LaneFlow, planOf: PlanOf): readonly FiledFault[] {
  const outside = plan.triggers.map(({ type }) => OUTSIDE[type]).find((what) => what !== undefined);
  if (plan.conversation !== undefined || outside === undefined) return [];
  return lanesOf(plan).flatMap(({ step, uses }): readonly FiledFault[] => {
    const lane = planOf(uses);
    const needing = lane && [lane, ...lanesBelow(lane, planOf)].find((one) => needingHome(one) !== undefined);
    if (!needing) return [];
    return [
      {
        file,
        severity: 'error',
        rule: 'conversation',
        path: ['steps', step, 'uses'],
        message: `steps.${step}.uses: a run that ${outside} starts has no conversation, and ${needingHome(needing)} of ${needing.id} needs one.`,
        fix: 'Write conversation: at the top of this flow, such as slack:#releases.',
      },
    ];
  });
}

/** A step that needs the conversation in which its run lives. */
function needingHome({ steps }: Plan): string | undefined {
  return [...steps.values()].find(({ stepType, config }) => stepType.needsHome?.(config))?.id;
}

/** Steps by which a flow comes back to itself. */
function circles({ file, plan }: LaneFlow, planOf: PlanOf): readonly FiledFault[] {
  return lanesOf(plan)
    .filter(({ uses }) => uses === plan.id || reaches(planOf(uses), plan, planOf))
    .map(({ step, uses }) => ({
      file,
      severity: 'warning',
      rule: 'lane-circle',
      path: ['steps', step, 'uses'],
      message: `steps.${step}.uses: ${uses === plan.id ? `${uses} runs itself` : `${uses} runs ${plan.id} again`}.`,
      fix: `Make sure that it ends: flows are nested ${LANE_DEPTH_MAX} levels deep at most.`,
    }));
}

function reaches(from: Plan | undefined, to: Plan, planOf: PlanOf): boolean {
  return from !== undefined && lanesBelow(from, planOf).includes(to);
}

function stepOf(definition: JsonObject, step: string): JsonObject {
  const steps = objectOf(definition.steps);
  return Object.hasOwn(steps, step) ? objectOf(steps[step]) : {};
}
