import type { Fault } from '../fault.ts';
import type { Library } from '../library.ts';
import { parseAddress } from './address.ts';
import { toolFaults } from './check-tools.ts';
import { workspaceFaults } from './check-workspace.ts';
import { addressesOf } from './destinations.ts';
import { nearest, suggest } from './nearest.ts';
import type { Plan } from './plan.ts';

/** What a plan needs of the place it runs in. */
export interface Surroundings {
  /** Names of the secrets that are set; absent = nothing is said about secrets. */
  readonly secrets?: readonly string[];
  /** Chat platforms that are connected. */
  readonly platforms: readonly string[];
  /** The chat command, `/flow`, which no flow may take. */
  readonly command: string;
  /** Names of the MCP servers that are set up. */
  readonly mcpServers: readonly string[];
  /** Whether there is a repository for workspaces with git. */
  readonly hasRepository: boolean;
  /** By name: the built-in ones and those of plugins. */
  readonly stepTypes: Library['stepTypes'];
}

/** Faults of a sound plan in the place where it is to run: secrets and platforms that are not there, and the chat command. */
export function checkSurroundings(plan: Plan, surroundings: Surroundings): readonly Fault[] {
  const { secrets, platforms, command } = surroundings;
  return [
    ...(secrets ? secretFaults(plan, secrets) : []),
    ...addressFaults(plan, platforms),
    ...triggerFaults(plan, platforms),
    ...takenCommand(plan, command),
    ...toolFaults(plan, surroundings.mcpServers),
    ...workspaceFaults(plan, surroundings.hasRepository),
  ];
}

function secretFaults(plan: Plan, known: readonly string[]): readonly Fault[] {
  const inTriggers = plan.triggers.flatMap((trigger, position) =>
    trigger.type === 'webhook' && !known.includes(trigger.secret)
      ? [unknownSecret(trigger.secret, ['triggers', position, 'secret'], known)]
      : [],
  );
  const inSteps = [...plan.steps.values()].flatMap((step) => {
    const references = step.stepType.references(step.config);
    return references.flatMap(({ lookup: [root, name], source, at }) =>
      root !== 'secrets' || name === undefined || known.includes(name)
        ? []
        : [unknownSecret(name, ['steps', step.id, ...at], known, source)],
    );
  });
  return [...inTriggers, ...inSteps];
}

/** The fault of needing a secret that is not set. @param known those that are @param source the placeholder that names it */
export function unknownSecret(
  name: string,
  path: Fault['path'],
  known: readonly string[],
  source?: string,
): Fault {
  return {
    severity: 'error',
    rule: 'unknown-secret',
    path,
    message:
      source === undefined ? `The secret ${name} is not set.` : `${source}: the secret ${name} is not set.`,
    fix:
      known.length === 0
        ? `Set FLOWBOT_SECRET_${name}.`
        : `${suggest(name, known)} Or set FLOWBOT_SECRET_${name}.`,
  };
}

function addressFaults(plan: Plan, platforms: readonly string[]): readonly Fault[] {
  // A command is typed somewhere, and what it starts posts to that platform.
  const onlyInChat = plan.triggers.every((trigger) => trigger.type === 'command');
  return addressesOf(plan).flatMap(({ address, path }): readonly Fault[] => {
    const platform = parseAddress(address)?.platform;
    if (platform !== undefined) return unreachable(address, platform, path, platforms);
    if (platforms.length <= 1 || (onlyInChat && path[0] === 'steps')) return [];
    return [
      {
        severity: 'error',
        rule: 'platform',
        path,
        message: `${address} may be on ${platforms.join(' or ')}: it is not certain where the flow will be started.`,
        fix: `Write ${platforms.map((one) => `${one}:${address}`).join(' or ')}.`,
      },
    ];
  });
}

/** Conversations in which a command could never be typed. */
function triggerFaults(plan: Plan, platforms: readonly string[]): readonly Fault[] {
  return plan.triggers.flatMap((trigger, position) => {
    if (trigger.type !== 'command') return [];
    return (trigger.in ?? []).flatMap((address, index) => {
      const platform = parseAddress(address)?.platform;
      if (platform === undefined) return [];
      return unreachable(address, platform, ['triggers', position, 'in', index], platforms);
    });
  });
}

/** A slash command that would be the chat command itself. */
function takenCommand(plan: Plan, command: string): readonly Fault[] {
  return plan.triggers.flatMap((trigger, position): readonly Fault[] => {
    if (trigger.type !== 'command' || !trigger.slash || `/${trigger.command}` !== command) return [];
    return [
      {
        severity: 'error',
        rule: 'slash-command',
        path: ['triggers', position, 'command'],
        message: `${command} is the chat command itself, so that it can't start ${plan.id}.`,
        fix: `Choose another, such as "${trigger.command}-it", or leave out slash:.`,
      },
    ];
  });
}

function unreachable(
  address: string,
  platform: string,
  path: Fault['path'],
  platforms: readonly string[],
): readonly Fault[] {
  if (platforms.includes(platform)) return [];
  const near = nearest(platform, platforms);
  const fix = near === undefined ? 'Connect it, or name another conversation.' : `Did you mean ${near}?`;
  const message = `${address} can't be reached: Flowbot is not connected to ${platform}.`;
  return [{ severity: 'warning', rule: 'platform', path, message, fix }];
}
