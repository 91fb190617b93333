import { expect, test } from 'vitest';
import { parseAgent, repliesFileOf, withReplies } from '../../../src/engine/agents/agent-schema.ts';
import type { Json } from '../../../src/engine/json.ts';

const replies: Json = [{ reply: 'Hello.', delay: '5s' }];

test('an agent is read with its defaults', () => {
  expect(parseAgent({ runtime: 'scripted', replies }, 'writer')).toEqual({
    agent: { name: 'writer', runtime: 'scripted', concurrency: 1, settings: { replies } },
    faults: [],
  });
});

test('an agent says all about itself', () => {
  const data = {
    name: 'editor',
    description: 'Edits.',
    runtime: 'scripted',
    model: 'm-1',
    instructions: 'Be short.',
    timeLimit: '20m',
    concurrency: 3,
    price: { input: 3, output: 15 },
    replies,
    ui: { x: 1 },
  };
  expect(parseAgent(data, 'writer').agent).toEqual({
    name: 'editor',
    description: 'Edits.',
    runtime: 'scripted',
    model: 'm-1',
    instructions: 'Be short.',
    timeLimitMs: 1_200_000,
    concurrency: 3,
    price: { inputUsd: 3, outputUsd: 15 },
    settings: { replies },
  });
});

test('what is kept with a flow is read to the same agent', () => {
  const data = withReplies({ runtime: 'scripted', replies: 'replies/writer.yaml' }, replies);
  expect(parseAgent(data, 'writer')).toEqual(parseAgent({ runtime: 'scripted', replies }, 'writer'));
  expect(withReplies('broken', replies)).toBe('broken');
});

test.each([
  ['replies/writer.yaml', 'replies/writer.yaml'],
  ['writer.replies.json', 'writer.replies.json'],
  ['../secrets.yaml', undefined],
  ['/etc/agents.yaml', undefined],
  ['a/./b.yaml', undefined],
  ['a\\b.yaml', undefined],
  ['.env', undefined],
  [replies, undefined],
])('the file of the replies %j is %s', (written, path) => {
  expect(repliesFileOf({ runtime: 'scripted', replies: written })).toBe(path);
});

test.each<[Json, readonly string[]]>([
  [
    { runtime: 'openai' },
    ['runtime: The runtime "openai" is not available yet in this version. Use the runtime scripted.'],
  ],
  [
    { runtime: 'program', replies },
    ['runtime: The runtime "program" is not available yet in this version. Use the runtime scripted.'],
  ],
  [{ runtime: 'script', replies }, ['runtime: runtime can\'t be "script". Did you mean "scripted"?']],
  [{ replies }, ['runtime: runtime is missing. Use one of: scripted, openai, anthropic, program.']],
  [
    { runtime: 'scripted', replies, modle: 'x' },
    ['modle: The agent has no key "modle". Did you mean "model"?'],
  ],
  [{ runtime: 'scripted' }, ['replies: replies is missing. Write what the agent says, or the file with it.']],
  [
    { runtime: 'scripted', replies: 'r.yaml' },
    ['replies: The file "r.yaml" with the replies could not be read. Put it into the folder of the agents.'],
  ],
  [
    { runtime: 'scripted', replies: '../r.yaml' },
    [
      'replies: replies: This is no file beside the agent. Write its path from the folder of the agents, such as replies/writer.yaml.',
    ],
  ],
  [
    { runtime: 'scripted', replies: [{ reply: 'x', json: {} }] },
    ['replies.0: replies[0]: An entry says one thing. Write one of reply, json, failure, timeout, unknown.'],
  ],
  [
    { runtime: 'scripted', replies, timeLimit: '30s', concurrency: 0 },
    [
      'timeLimit: timeLimit: This is not between 1m and 6h. Write for example 15m.',
      'concurrency: concurrency must be at least 1, not 0. ',
    ],
  ],
  ['writer', [': The agent must be an object, not "writer". ']],
])('%j is refused', (data, told) => {
  const { agent, faults } = parseAgent(data, 'writer');
  expect(agent).toBeUndefined();
  expect(faults.map(({ path, message, fix }) => `${path.join('.')}: ${message} ${fix ?? ''}`)).toEqual(told);
});

test('the name of a file can be no name of an agent', () => {
  expect(parseAgent({ runtime: 'scripted', replies }, '1 writer').faults).toMatchObject([
    { rule: 'agent-name' },
  ]);
});
