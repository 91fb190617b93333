import { errorAt, type Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';
import { type AgentKeys, agentKeys, agentNameSchema } from './agent-keys.ts';
import { RUNTIMES, type RuntimeName } from './runtimes.ts';

const names = new Intl.ListFormat('en', { type: 'conjunction' });

/** Faults of keys on top of an agent file that are for agents of other runtimes. */
export function foreignKeyFaults(data: JsonObject, runtime: RuntimeName): readonly Fault[] {
  return Object.keys(data).flatMap((key): readonly Fault[] => {
    const owners = Object.keys(RUNTIMES).filter((name) => keysOf(name).includes(key));
    if (owners.length === 0 || owners.includes(runtime)) return [];
    const message = `${key} is for the ${owners.length === 1 ? 'runtime' : 'runtimes'} ${names.format(owners)}, not for ${runtime}.`;
    return [errorAt('other-runtime', [key], message, 'Remove it, or choose another runtime.')];
  });
}

function keysOf(runtime: string): readonly string[] {
  return Object.entries(agentKeys).flatMap(([name, { shape }]) =>
    name === runtime ? Object.keys(shape) : [],
  );
}

/** Faults of an agent whose keys are sound, one by one. @param name what flows call it */
export function agentFaults(name: string, keys: AgentKeys): readonly Fault[] {
  return [...nameFaults(name), ...changesFaults(keys), ...fallbackFaults(name, keys)];
}

function nameFaults(name: string): readonly Fault[] {
  if (agentNameSchema.safeParse(name).success) return [];
  const message = `${JSON.stringify(name.slice(0, 80))} can't be the name of an agent.`;
  const fix = 'Write name: with a letter, then letters, digits, _ and -, at most 64; or rename the file.';
  return [errorAt('agent-name', [], message, fix)];
}

function changesFaults({ changes, workspace }: AgentKeys): readonly Fault[] {
  if (changes === undefined || workspace === 'git') return [];
  const message = 'Changes of files are known only in a workspace with git.';
  return [errorAt('changes', ['changes'], message, 'Write workspace: git, or remove changes:.')];
}

function fallbackFaults(name: string, { fallback }: AgentKeys): readonly Fault[] {
  if (fallback === undefined || fallback !== name) return [];
  const message = 'An agent is no fallback of its own.';
  return [errorAt('fallback', ['fallback'], message, 'Name another agent, or remove fallback:.')];
}
