import { type Finding, fault, ok, warning } from '../adapters/chat/finding.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { Agent } from '../engine/agents/agent.ts';
import { suggest } from '../engine/flow/nearest.ts';
import type { AgentRequest, AgentRuntimes, TurnOutcome } from '../ports/agents.ts';
import type { Tools } from '../ports/tools.ts';
import type { Workspaces } from '../ports/workspaces.ts';

/** Longest time that an agent has for its answer, in milliseconds. */
const ANSWER_MAX_MS = 60_000;

/** What agents are looked at with. */
export interface AgentSurroundings {
  readonly agents: AgentRuntimes;
  readonly tools: Tools;
  readonly workspaces: Pick<Workspaces, 'scratch'>;
}

/**
 * Asks each agent for one word, which costs a few tokens, and looks whether the tools are there that it may call: says
 * whether it answers, with what model, and what is wrong.
 */
export async function examineAgents(
  agents: Iterable<Agent>,
  surroundings: AgentSurroundings,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    [...agents].map(async (agent) => [
      await examineAnswer(agent, surroundings),
      ...(await examineTools(agent, surroundings.tools)),
    ]),
  );
  return findings.flat();
}

async function examineAnswer(agent: Agent, { agents, workspaces }: AgentSurroundings): Promise<Finding> {
  const { name, runtime } = agent;
  if (runtime === 'scripted') return ok(`The agent ${name} is scripted: it says what stands in its file.`);
  const behind = agents.get(runtime);
  if (!behind) return fault(`The agent ${name} can’t work: there is no runtime ${runtime}.`);
  const scratch = await workspaces.scratch();
  try {
    const beganMs = systemClock.now();
    const outcome = await behind.turn(question(agent, scratch.path), AbortSignal.timeout(ANSWER_MAX_MS));
    return told(agent, outcome, systemClock.now() - beganMs);
  } finally {
    await scratch.remove();
  }
}

function question(agent: Agent, workspace: string): AgentRequest {
  return {
    agent,
    kind: agent.runtime === 'program' ? 'task' : 'prompt',
    prompt: 'Reply with the single word: ready',
    turns: [],
    tools: [],
    timeoutMs: ANSWER_MAX_MS,
    key: `doctor/${agent.name}`,
    at: { flow: 'doctor', run: 'doctor', step: agent.name, round: 1, attempt: 1, askedAgain: 0 },
    workspace,
  };
}

function told({ name, runtime, model: wanted }: Agent, outcome: TurnOutcome, tookMs: number): Finding {
  const model = outcome.model ?? wanted;
  const how = `${runtime}${model === undefined ? '' : `, ${model}`}`;
  switch (outcome.kind) {
    case 'replied':
    case 'uses':
      return ok(`The agent ${name} answers (${how}; ${(tookMs / 1000).toFixed(1)} s).`);
    case 'failed':
    case 'unknown':
      return fault(`The agent ${name} does not answer (${how}): ${sentence(outcome.message)}`);
    case 'timeout':
      return fault(`The agent ${name} does not answer (${how}) within ${ANSWER_MAX_MS / 1000} s.`);
  }
}

async function examineTools({ name, access }: Agent, tools: Tools): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [server, { tools: named }] of access) {
    const listed = await tools.list(server, AbortSignal.timeout(ANSWER_MAX_MS));
    if (listed.kind === 'failed') {
      findings.push(fault(`The agent ${name} can’t use ${server}: ${sentence(listed.message)}`));
      continue;
    }
    const there = listed.tools.map((tool) => tool.name);
    const missing = [...named.keys()].filter((tool) => !there.includes(tool));
    findings.push(
      ...missing.map((tool) =>
        warning(
          `The agent ${name} may call ${tool} of ${server}, which has no such tool. ${suggest(tool, there)}`,
        ),
      ),
    );
  }
  return findings;
}

function sentence(text: string): string {
  const said = text.trim();
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
