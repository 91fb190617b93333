import type { Agent } from '../engine/agents/agent.ts';
import { agentInWords } from '../engine/agents/agent-words.ts';
import type { JsonObject } from '../engine/json.ts';
import { literal, md, type ProsePiece } from '../engine/prose.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { isAdmin, say } from './bot.ts';
import { type Command, refuse } from './command.ts';
import { flowCompletion, matching } from './completing.ts';
import { drawn } from './drawn.ts';
import { howToStart } from './list.ts';
import { findFlow, unknownFlow } from './run.ts';
import { firstWord } from './typed.ts';
import { flowUsage } from './usage.ts';

/** `/flow show <flow>`: a picture of a flow, what it is for, how it starts, what its agents are and may do, and what it has used up. */
export const show: Command = {
  name: 'show',
  options: [{ name: 'flow', summary: 'The flow to show.', required: true, completes: true }],
  summary: 'Shows a flow as a picture, how it starts, what its agents may do, and what it has used up.',
  async run(bot, caller, typed) {
    const { word } = firstWord(typed);
    if (word === '') return refuse(`Say which flow. ${bot.settings.command} list shows them.`);
    const flow = findFlow(bot, word);
    if (!flow) return unknownFlow(bot, word, isAdmin(bot, caller));
    const { name, description } = flow.plan;
    const used = await flowUsage(bot, caller, flow);
    const content = say(
      md('**'),
      literal(name),
      md('**'),
      ...(description === undefined ? [] : [md(': '), literal(description)]),
      md('\n\nStarts: '),
      literal(howToStart(bot, flow, caller)),
      ...agentLines(flow),
      ...(used.ok ? [md('\n\n'), ...used.content.prose] : []),
    );
    const files = await drawn(bot, caller, { flow: flow.id }, (drawings) => drawings.flow(flow.plan));
    return { ok: true, content: { ...content, files }, data: { ...dataOf(flow), usage: used.data ?? null } };
  },
  complete: async (bot, _caller, typed) => matching(typed, bot.catalog.flows.map(flowCompletion)),
};

function agentLines({ plan }: LoadedFlow): readonly ProsePiece[] {
  const agents = [...plan.agents.values()];
  if (agents.length === 0) return [];
  const lines = agents.flatMap((agent) => [
    md('- **'),
    literal(agent.name),
    md('**: '),
    literal(agentInWords(agent)),
    md('\n'),
  ]);
  return [md('\n\nIts agents:\n\n'), ...lines];
}

function dataOf({ id, file, version, plan }: LoadedFlow): JsonObject {
  const { name, description = null } = plan;
  return { id, name, description, file, version, agents: [...plan.agents.values()].map(agentData) };
}

/** An agent for programs; its own settings apart. */
function agentData(agent: Agent): JsonObject {
  const { name, runtime, model = null, workspace, changes, fallback = null, access } = agent;
  const servers = [...access].map(([server, { readOnly, tools, others }]): [string, JsonObject] => [
    server,
    { readOnly, tools: Object.fromEntries(tools), others },
  ]);
  return { name, runtime, model, workspace, changes, fallback, access: Object.fromEntries(servers) };
}
