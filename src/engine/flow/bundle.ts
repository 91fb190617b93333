import { z } from 'zod';
import { parseAgent } from '../agents/agent-schema.ts';
import { namesOfRefs, resolveSchemas } from '../data/schema-refs.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Library } from '../library.ts';
import { type Compiled, compile } from './compile.ts';
import { schemasNamedIn } from './named-schemas.ts';
import type { Plan } from './plan.ts';

/** Everything that was loaded, as it is written. */
export interface Written {
  /** By id. */
  readonly flows: ReadonlyMap<string, { readonly definition: JsonObject; readonly plan: Plan }>;
  /** By name, with replies in place of the file that holds them. */
  readonly agents: ReadonlyMap<string, Json>;
  readonly schemas: ReadonlyMap<string, JsonObject>;
}

const objectSchema = z.record(z.string(), z.json());
const bundleSchema = z.strictObject({
  bundle: z.literal(1),
  flow: z.string(),
  flows: objectSchema,
  agents: objectSchema,
  schemas: z.record(z.string(), objectSchema),
});

/**
 * What runs of a flow are pinned to: its definition, or a bundle with everything it reaches, also through other flows.
 * @throws Error when the flow is not among those written
 */
export function bundleOf(id: string, written: Written): JsonObject {
  const flows = reachedFlows(id, written);
  const agents = new Set([...flows.values()].flatMap(({ plan }) => [...plan.agents.keys()]));
  const schemas = reachedSchemas(
    [...flows.values()].flatMap(({ definition, plan }) => [
      ...plan.schemas.keys(),
      ...schemasNamedIn(definition, stepTypesOf(plan)),
    ]),
    written,
  );
  const flow = flows.get(id);
  if (!flow) throw new Error(`There is no flow ${id} to be bundled.`);
  if (flows.size === 1 && agents.size === 0 && schemas.size === 0) return flow.definition;
  return {
    bundle: 1,
    flow: id,
    flows: Object.fromEntries([...flows].map(([name, { definition }]) => [name, definition])),
    agents: Object.fromEntries([...written.agents].filter(([name]) => agents.has(name))),
    schemas: Object.fromEntries(schemas),
  };
}

/**
 * The plan of what was stored: a definition, or a bundle.
 * @param lane the flow of it that is meant; undefined = the one that was stored for
 */
export function planOf(stored: Json, lane: string | undefined, stepTypes: Library['stepTypes']): Compiled {
  if (!isJsonObject(stored) || !Object.hasOwn(stored, 'bundle')) {
    const library: Library = { stepTypes, agents: new Map(), schemas: new Map() };
    const compiled = compile(stored, '', library);
    return lane === undefined || !compiled.plan || compiled.plan.id === lane ? compiled : notInside(lane);
  }
  const read = bundleSchema.safeParse(stored);
  if (!read.success) return broken('It is of a form that is not known here.');
  const { flow, flows, agents, schemas } = read.data;
  const id = lane ?? flow;
  const definition = Object.hasOwn(flows, id) ? flows[id] : undefined;
  if (definition === undefined) return notInside(id);
  const library: Library = {
    stepTypes,
    schemas: resolveSchemas(new Map(Object.entries(schemas))).schemas,
    agents: new Map(
      Object.entries(agents).flatMap(([name, data]) => {
        const { agent } = parseAgent(data, name);
        return agent ? [[name, agent] as const] : [];
      }),
    ),
  };
  return compile(definition, id, library);
}

function reachedFlows(id: string, { flows }: Written): Written['flows'] {
  const reached = new Map<string, { definition: JsonObject; plan: Plan }>();
  const ahead = [id];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const flow = flows.get(next);
    if (!flow || reached.has(next)) continue;
    reached.set(next, flow);
    ahead.push(...lanesOf(flow.plan).map(({ uses }) => uses));
  }
  return reached;
}

/** The steps of a plan that run other flows. */
export function lanesOf(plan: Plan): readonly { readonly step: string; readonly uses: string }[] {
  return [...plan.steps.values()].flatMap(({ id, stepType, config }) => {
    const uses = stepType.uses?.(config);
    return uses === undefined ? [] : [{ step: id, uses }];
  });
}

function stepTypesOf({ steps }: Plan): Library['stepTypes'] {
  return new Map([...steps.values()].map(({ type, stepType }) => [type, stepType]));
}

function reachedSchemas(names: readonly string[], { schemas }: Written): ReadonlyMap<string, JsonObject> {
  const reached = new Map<string, JsonObject>();
  const ahead = [...names];
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const schema = schemas.get(name);
    if (!schema || reached.has(name)) continue;
    reached.set(name, schema);
    ahead.push(...namesOfRefs(schema));
  }
  return reached;
}

function notInside(id: string): Compiled {
  return broken(`It does not hold the flow ${id}.`);
}

function broken(message: string): Compiled {
  return { faults: [{ severity: 'error', rule: 'bundle', path: [], message }] };
}
