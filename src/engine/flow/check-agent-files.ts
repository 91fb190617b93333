import type { Agent } from '../agents/agent.ts';
import { secretsOf } from '../agents/agent-secrets.ts';
import { abilitiesOf } from '../agents/runtimes.ts';
import { errorAt, type Fault } from '../fault.ts';
import type { Library } from '../library.ts';
import { agentFault, type BrokenNames } from './check-library.ts';
import { type Surroundings, unknownSecret } from './check-surroundings.ts';
import { unknownServer } from './check-tools.ts';

type Agents = Library['agents'];

/**
 * Faults of agents, sound by themselves, among each other and in the place where they are to work, by name. An agent with a
 * fallback that can't be used can't be used, either.
 * @param broken names of agents that are there but can't be used
 */
export function checkAgentFiles(
  agents: Agents,
  broken: BrokenNames['agents'],
  surroundings: Pick<Surroundings, 'secrets' | 'mcpServers'>,
): ReadonlyMap<string, readonly Fault[]> {
  const own = new Map(
    [...agents].map(([name, agent]) => [
      name,
      [...serverFaults(agent, surroundings.mcpServers), ...secretFaults(agent, surroundings.secrets)],
    ]),
  );
  const unusable = new Set([...broken, ...namesOfFaulty(own)]);
  for (;;) {
    const faults = new Map(
      [...agents].map(([name, agent]) => [
        name,
        [...fallbackFaults(agent, agents, unusable), ...(own.get(name) ?? [])],
      ]),
    );
    const more = namesOfFaulty(faults).filter((name) => !unusable.has(name));
    if (more.length === 0) return faults;
    for (const name of more) unusable.add(name);
  }
}

function namesOfFaulty(faults: ReadonlyMap<string, readonly Fault[]>): readonly string[] {
  return [...faults].flatMap(([name, own]) => (own.length > 0 ? [name] : []));
}

function serverFaults({ access }: Agent, servers: readonly string[]): readonly Fault[] {
  return [...access.keys()].flatMap((server) =>
    servers.includes(server) ? [] : [unknownServer(server, ['access', server], servers)],
  );
}

function secretFaults(agent: Agent, known: readonly string[] | undefined): readonly Fault[] {
  if (!known) return [];
  return secretsOf(agent)
    .filter(({ name }) => !known.includes(name))
    .map(({ name, at, unsaid }) => {
      if (!unsaid) return unknownSecret(name, at, known);
      const message = `The secret ${name} with the key of the provider is not set.`;
      const fix = `Set FLOWBOT_SECRET_${name}, or name another secret under apiKey:.`;
      return errorAt('unknown-secret', at, message, fix);
    });
}

function fallbackFaults(agent: Agent, agents: Agents, broken: BrokenNames['agents']): readonly Fault[] {
  if (agent.fallback === undefined) return [];
  const other = agents.get(agent.fallback);
  const path = ['fallback'];
  if (!other || broken.has(agent.fallback)) return [agentFault(agent.fallback, path, agents, broken)];
  const why = whyNoFallback(agent, other);
  return why === undefined
    ? []
    : [errorAt('fallback', path, why, 'Name another agent, or remove fallback:.')];
}

/** A sentence; undefined = the other one's model can stand in. */
function whyNoFallback({ access, workspace }: Agent, { name, runtime }: Agent): string | undefined {
  const able = abilitiesOf(runtime);
  if (!able?.answers.includes('prompt')) {
    return `The agent ${name} has no model that could answer: its runtime is ${runtime}.`;
  }
  if (access.size > 0 && !able.tools) return `The agent ${name} can't call tools, which this one may.`;
  if (workspace === 'none' || able.workspace) return undefined;
  return `The agent ${name} can't work in a workspace, as this one does.`;
}
