import { z } from 'zod';
import type { Fault } from '../fault.ts';
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
    const { server } = read.data;
    return [
      {
        severity: 'error',
        rule: 'unknown-server',
        path: ['steps', step.id, 'server'],
        message: `There is no MCP server ${JSON.stringify(server)}.`,
        fix:
          serverNames.length === 0
            ? 'Describe it under mcpServers in flowbot.yaml.'
            : `${suggest(server, serverNames)} Or describe it under mcpServers in flowbot.yaml.`,
      },
    ];
  });
}
