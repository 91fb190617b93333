import { expect, test } from 'vitest';
import { parseAgent } from '../../../src/engine/agents/agent-schema.ts';
import { agentInWords } from '../../../src/engine/agents/agent-words.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';

const words = (data: JsonObject): string => {
  const { agent, faults } = parseAgent(data, 'writer');
  if (!agent) throw new Error(faults.map(({ message }) => message).join('\n'));
  return agentInWords(agent);
};
const program: JsonObject = { runtime: 'program', command: ['coder'] };

test.each<[JsonObject, string]>([
  [{ runtime: 'scripted', replies: [{ reply: 'Hello.' }] }, 'scripted; may call no tools'],
  [program, 'program'],
  [{ ...program, model: 'm-2', workspace: 'folder' }, "program, model m-2; works in the run's workspace"],
  [{ ...program, workspace: 'git' }, "program; works in the run's workspace with git"],
  [
    { ...program, workspace: 'git', changes: 'ask' },
    "program; works in the run's workspace with git, where people decide about its changes",
  ],
  [
    { ...program, workspace: 'git', changes: 'deny' },
    "program; works in the run's workspace with git, where it may change nothing",
  ],
  [
    { runtime: 'openai', model: 'm-1', fallback: 'spare' },
    'openai, model m-1; may call no tools; falls back to spare',
  ],
])('%j', (data, expected) => {
  expect(words(data)).toBe(expected);
});

test.each<[Json, string]>([
  [{ files: ['read', 'list'] }, 'read, list of files'],
  [
    { files: { tools: { read: 'allow', write: 'ask', remove: 'deny' } } },
    'read of files; write of files when people allow it',
  ],
  [{ files: { others: 'allow' } }, 'every tool of files'],
  [{ files: { readOnly: true, others: 'allow' } }, 'every tool of files that changes nothing'],
  [
    { files: { tools: { write: 'ask', remove: 'deny' }, others: 'allow' } },
    'every tool but remove, write of files; write of files when people allow it',
  ],
  [
    { files: { tools: { read: 'allow', remove: 'deny' }, others: 'ask' } },
    'read of files; every tool but remove, read of files when people allow it',
  ],
  [{ files: ['read'], web: { others: 'ask' } }, 'read of files; every tool of web when people allow it'],
])('access %j', (access, expected) => {
  expect(words({ runtime: 'openai', model: 'm-1', access })).toBe(`openai, model m-1; may call ${expected}`);
});
