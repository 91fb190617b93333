import { expect, test } from 'vitest';
import type { Agent } from '../../../src/engine/agents/agent.ts';
import { checkAgents } from '../../../src/engine/flow/check-agents.ts';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary } from '../../../src/engine/library.ts';
import { agentCalled } from '../../fakes/agent.ts';
import { read } from './faults.ts';

/** What is wrong with a flow of one step for an agent. */
function faultsOf(step: JsonObject, more: Partial<Agent>, flow: JsonObject = {}): readonly string[] {
  const name = 'coder';
  const agents = new Map([[name, agentCalled(name, more)]]);
  const { plan } = compile({ ...flow, steps: { go: step } }, 'flow', { ...bareLibrary, agents });
  if (!plan) throw new Error('not sound');
  return checkAgents(plan).map(read);
}

const task: JsonObject = { type: 'agent', agent: 'coder', task: 'Code.' };
const prompt: JsonObject = { type: 'llm', preset: 'coder', prompt: 'Code.' };
const decision: JsonObject = { type: 'decision', preset: 'coder', prompt: 'Code?', options: ['yes', 'no'] };

test.each([
  ['openai', task, true],
  ['openai', prompt, true],
  ['openai', decision, true],
  ['anthropic', prompt, true],
  ['scripted', decision, true],
  ['program', task, true],
  ['program', prompt, false],
  ['program', decision, false],
])('an agent of the runtime %s can answer %j: %s', (runtime, step, isAble) => {
  const fault =
    "agent-answers at steps.go.preset: The agent coder can't answer: its runtime program carries out tasks only. Name an agent with a model, or use a step of type agent.";
  expect(faultsOf(step, { runtime })).toEqual(isAble ? [] : [fault]);
});

const where = 'agent-workspace at steps.go.agent: The agent coder works in a workspace';

test.each([
  ['none', 'none', undefined],
  ['none', 'git', undefined],
  ['folder', 'folder', undefined],
  ['folder', 'git', undefined],
  ['git', 'git', undefined],
  [
    'folder',
    'none',
    `${where}, and the runs of this flow have none. Write workspace: folder on top of the flow, or name another agent.`,
  ],
  [
    'git',
    'none',
    `${where} with git, and the runs of this flow have none. Write workspace: git on top of the flow, or name another agent.`,
  ],
  [
    'git',
    'folder',
    `${where} with git, and the runs of this flow have a folder without git. Write workspace: git on top of the flow, or name another agent.`,
  ],
] as const)('an agent with the workspace %s in a flow with %s', (own, workspace, fault) => {
  expect(faultsOf(task, { workspace: own }, { workspace })).toEqual(fault === undefined ? [] : [fault]);
});

test('a prompt needs no workspace, whatever its agent has', () => {
  expect(faultsOf(prompt, { workspace: 'git' })).toEqual([]);
});
