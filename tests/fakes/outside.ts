import { builtInStepTypes } from '../../src/engine/steps/registry.ts';
import type { Tools } from '../../src/ports/tools.ts';
import { createFakeDrawings } from './drawings.ts';
import { createFakePrograms } from './programs.ts';
import { createFakeWorkspaces } from './workspaces.ts';

/** What flows find that is nothing of theirs: no secrets, no platforms, no servers. */
export const bareSurroundings = {
  secrets: [],
  platforms: [],
  command: '/flow',
  mcpServers: [],
  hasRepository: false,
  stepTypes: builtInStepTypes,
};

const noTools: Tools = {
  list: async (server) => ({ kind: 'failed', message: `There is no MCP server ${server}.` }),
  call: async ({ server }) => ({
    kind: 'failed',
    reason: 'server',
    message: `There is no MCP server ${server}.`,
    mayHaveHappened: false,
  }),
};

/** What a bot gets beside store, chats and http, with nothing behind it: no agents, tools or plugins. */
export function createOutside() {
  return {
    agents: new Map(),
    programs: createFakePrograms(),
    workspaces: createFakeWorkspaces(),
    tools: noTools,
    plugins: new Map(),
    signIns: new Map(),
    drawings: createFakeDrawings(),
    stepTypes: builtInStepTypes,
    agentsAtOnce: 2,
    agentTimeLimitMs: 900_000,
  };
}
