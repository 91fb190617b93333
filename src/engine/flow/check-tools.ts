import { z } from 'zod';
import { errorAt, type Fault } from '../fault.ts';
import { tool } from '../steps/tool.ts';
import { suggest } from './nearest.ts';
import type { Plan } from './plan.ts';

/** What of a step's config names its server. */
const serverSchema = z.object({ server: z.string() });

/** Faults of a sound plan whose `tool` steps name MCP servers that are not configured. */
export function toolFaults(plan: Plan, serverNames: readonly string[]): readonly Fault[] {
  return [...plan.steps.values()].flatMap((step): readonly Fault[] => {
    const read = step.type === tool.type ? serverSchema.safeParse(step.config) : undefined;
    if (!read?.success || serverNames.includes(read.data.server)) return [];
    return [unknownServer(read.data.server, ['steps', step.id, 'server'], serverNames)];
  });
}

/** The fault of naming an MCP server that is not configured. @param known those that are */
export function unknownServer(server: string, path: Fault['path'], known: readonly string[]): Fault {
  const describe = 'escribe it under mcpServers in flowbot.yaml.';
  return errorAt(
    'unknown-server',
    path,
    `There is no MCP server ${JSON.stringify(server)}.`,
    known.length === 0 ? `D${describe}` : `${suggest(server, known)} Or d${describe}`,
  );
}
