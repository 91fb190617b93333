import type { Agent } from '../agents/agent.ts';
import type { AgentCall } from '../agents/call.ts';
import { abilitiesOf } from '../agents/runtimes.ts';
import { errorAt, type Fault } from '../fault.ts';
import type { Plan, PlanStep } from './plan.ts';

/** What steps ask of their agents, by the type of the step. */
const ASKED: ReadonlyMap<string, AgentCall['kind']> = new Map([
  ['agent', 'task'],
  ['llm', 'prompt'],
  ['decision', 'decision'],
]);

/** Faults of steps of a sound plan that ask of an agent what it can't do, or where it can't work. */
export function checkAgents(plan: Plan): readonly Fault[] {
  return [...plan.steps.values()].flatMap((step) =>
    (step.stepType.agents?.(step.config) ?? []).flatMap(({ name, at }) => {
      const agent = plan.agents.get(name);
      const path = ['steps', step.id, at];
      return agent ? [...answerFaults(step, agent, path), ...workspaceFaults(plan, step, agent, path)] : [];
    }),
  );
}

function answerFaults({ type }: PlanStep, { name, runtime }: Agent, path: Fault['path']): readonly Fault[] {
  const asked = ASKED.get(type);
  if (asked === undefined || (abilitiesOf(runtime)?.answers ?? []).includes(asked)) return [];
  const message = `The agent ${name} can't answer: its runtime ${runtime} carries out tasks only.`;
  return [
    errorAt('agent-answers', path, message, 'Name an agent with a model, or use a step of type agent.'),
  ];
}

function workspaceFaults(
  plan: Plan,
  { type }: PlanStep,
  { name, workspace }: Agent,
  path: Fault['path'],
): readonly Fault[] {
  if (ASKED.get(type) !== 'task' || workspace === 'none') return [];
  if (plan.workspace === workspace || plan.workspace === 'git') return [];
  const has = plan.workspace === 'none' ? 'have none' : 'have a folder without git';
  const message = `The agent ${name} works in a workspace${workspace === 'git' ? ' with git' : ''}, and the runs of this flow ${has}.`;
  const fix = `Write workspace: ${workspace} on top of the flow, or name another agent.`;
  return [errorAt('agent-workspace', path, message, fix)];
}
