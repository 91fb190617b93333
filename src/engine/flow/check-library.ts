import { brokenSchema, unknownSchema } from '../data/schema-refs.ts';
import type { Fault } from '../fault.ts';
import type { Library } from '../library.ts';
import { suggest } from './nearest.ts';
import type { Plan } from './plan.ts';

/** Names of agents and schemas that are there but can't be used. */
export interface BrokenNames {
  readonly agents: ReadonlySet<string>;
  readonly schemas: ReadonlySet<string>;
}

/** Faults about agents and schemas that a sound plan names and that are not there. */
export function checkLibrary(plan: Plan, library: Library, broken: BrokenNames): readonly Fault[] {
  return [...plan.steps.values()].flatMap(({ id, stepType, config }): readonly Fault[] => {
    const agents = (stepType.agents?.(config) ?? []).filter(({ name }) => !library.agents.has(name));
    const writes = stepType.writes?.(config);
    const path = ['steps', id, 'writes'];
    return [
      ...agents.map(({ name, at }) => agentFault(name, ['steps', id, at], library.agents, broken.agents)),
      ...(writes === undefined || library.schemas.has(writes)
        ? []
        : [
            broken.schemas.has(writes)
              ? brokenSchema(writes, path)
              : unknownSchema(writes, path, library.schemas.keys()),
          ]),
    ];
  });
}

/** The fault of naming an agent that is not there, or can't be used. @param broken names of those that are there but can't */
export function agentFault(
  name: string,
  path: Fault['path'],
  agents: Library['agents'],
  broken: BrokenNames['agents'],
): Fault {
  if (broken.has(name)) {
    const message = `The agent ${name} can't be used: there are faults in its file.`;
    return { severity: 'error', rule: 'broken-agent', path, message, fix: 'Mend that file.' };
  }
  const unknown = { severity: 'error', rule: 'unknown-agent', path } as const;
  if (name === 'default' && path.at(-1) === 'preset') {
    const message = 'There is no agent "default", which answers where preset: names no other.';
    const fix = 'Name one under preset:, or put default.agent.yaml into the folder of agents.';
    return { ...unknown, message, fix };
  }
  return {
    ...unknown,
    message: `There is no agent ${JSON.stringify(name.slice(0, 80))}.`,
    fix:
      agents.size === 0
        ? `Put it into the folder of agents, as ${name}.agent.yaml.`
        : suggest(name, agents.keys()),
  };
}
