import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { stepTypes } from '../steps/registry.ts';
import type { Path } from './issues.ts';

/** The fault of everything that the format has and this version does not run. */
function notAvailable(path: Path, what: string): Fault {
  return {
    severity: 'error',
    rule: 'not-available',
    path,
    message: `${what} not available yet in this version.`,
  };
}

const flowKeys: Readonly<Record<string, (value: Json) => string | undefined>> = {
  workspace: (value) => (value === 'none' ? undefined : 'Workspaces are'),
  budget: () => 'Budgets are',
  alerts: () => 'Budget alerts are',
  mcp: (value) => (value === false ? undefined : 'MCP is'),
};

const edgeKeys: Readonly<Record<string, (value: Json) => string | undefined>> = {
  when: (value) => (typeof value === 'string' ? 'Conditions written as an expression are' : undefined),
  newRound: (value) => (value === false ? undefined : '"newRound" is'),
  choose: () => 'Choices of an agent ("choose") are',
  min: () => '"min" is',
  join: () => '"join" of edges is',
};

const laterTriggers: ReadonlySet<Json | undefined> = new Set(['api', 'mcp']);

/** What a flow, as written, uses of the format that this version does not run yet. */
export function availabilityFaults(flow: JsonObject): readonly Fault[] {
  return [
    ...keyFaults(flow, flowKeys, []),
    ...list(flow.triggers).flatMap((trigger, index) => triggerFaults(trigger, ['triggers', index])),
    ...Object.entries(object(flow.steps)).flatMap(([id, step]) => stepFaults(object(step), ['steps', id])),
    ...list(flow.edges).flatMap((edge, index) => keyFaults(object(edge), edgeKeys, ['edges', index])),
  ];
}

function keyFaults(
  from: JsonObject,
  table: Readonly<Record<string, (value: Json) => string | undefined>>,
  at: Path,
): readonly Fault[] {
  return Object.entries(table).flatMap(([key, whatOf]) => {
    const value = Object.hasOwn(from, key) ? from[key] : undefined;
    const what = value === undefined ? undefined : whatOf(value);
    return what === undefined ? [] : [notAvailable([...at, key], what)];
  });
}

function triggerFaults(written: Json, at: Path): readonly Fault[] {
  const trigger = object(written);
  if (!laterTriggers.has(trigger.type)) return [];
  return [notAvailable([...at, 'type'], `Triggers of type "${trigger.type}" are`)];
}

function stepFaults(step: JsonObject, at: Path): readonly Fault[] {
  const type = typeof step.type === 'string' ? stepTypes.get(step.type) : undefined;
  if (type === undefined) return [];
  if (!type.begin) return [notAvailable([...at, 'type'], `Steps of type "${type.type}" are`)];
  const later = ['cache', ...(type.later ?? [])].filter((key) => Object.hasOwn(step, key));
  return later.map((key) => notAvailable([...at, key], `"${key}" of ${type.type} steps is`));
}

function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
