import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { permissionFor } from '../../../src/engine/agents/access.ts';
import { agentKeys } from '../../../src/engine/agents/agent-keys.ts';
import { parseAgent, repliesFileOf, withReplies } from '../../../src/engine/agents/agent-schema.ts';
import { RUNTIMES } from '../../../src/engine/agents/runtimes.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { agentCalled } from '../../fakes/agent.ts';

const replies: Json = [{ reply: 'Hello.', delay: '5s' }];
const scripted: JsonObject = { runtime: 'scripted', replies };
const openai: JsonObject = { runtime: 'openai', model: 'm-1' };
const program: JsonObject = { runtime: 'program', command: ['coder', '--quiet'] };

/** What is wrong with an agent, as people read it. */
const told = (data: Json) =>
  parseAgent(data, 'writer').faults.map(({ message, fix }) => `${message} ${fix ?? ''}`.trim());

describe('an agent that says no more than it must', () => {
  test.each<[JsonObject, ReturnType<typeof agentCalled>]>([
    [scripted, agentCalled('writer', { settings: { replies } })],
    [openai, agentCalled('writer', { runtime: 'openai', model: 'm-1' })],
    [{ ...openai, runtime: 'anthropic' }, agentCalled('writer', { runtime: 'anthropic', model: 'm-1' })],
    [program, agentCalled('writer', { runtime: 'program', settings: { command: ['coder', '--quiet'] } })],
  ])('%j', (data, agent) => {
    expect(parseAgent(data, 'writer')).toEqual({ agent, faults: [] });
  });
});

test('an agent says all about itself; its settings stay as they are written', () => {
  const settings = {
    baseUrl: 'https://models.example.com/v1',
    apiKey: '{{secrets.KEY}}',
    headers: { 'X-Team': 'docs' },
    temperature: 0.2,
    maxTokens: 900,
    structured: 'object',
  };
  const data = {
    name: 'editor',
    description: 'Edits.',
    runtime: 'openai',
    model: 'm-1',
    instructions: 'Be short.',
    timeLimit: '20m',
    concurrency: 3,
    price: { input: 3, output: 15 },
    rateLimit: { requests: 60, per: '1m' },
    fallback: 'writer',
    access: { files: ['read_file'], web: { readOnly: true, tools: { post: 'ask' }, others: 'allow' } },
    maxTurns: 5,
    toolCalls: 0,
    ...settings,
    ui: { x: 1 },
  };
  expect(parseAgent(data, 'writer').agent).toEqual({
    name: 'editor',
    description: 'Edits.',
    runtime: 'openai',
    model: 'm-1',
    instructions: 'Be short.',
    timeLimitMs: 1_200_000,
    concurrency: 3,
    price: { inputUsd: 3, outputUsd: 15 },
    rateLimit: { requests: 60, perMs: 60_000 },
    fallback: 'writer',
    access: new Map([
      ['files', { readOnly: false, tools: new Map([['read_file', 'allow']]), others: 'deny' }],
      ['web', { readOnly: true, tools: new Map([['post', 'ask']]), others: 'allow' }],
    ]),
    maxTurns: 5,
    toolCalls: 0,
    workspace: 'none',
    changes: 'allow',
    settings,
  });
});

test('a program works in a workspace, and people decide about its changes', () => {
  const data = { ...program, model: 'm-2', workspace: 'git', changes: 'ask', passEnv: ['EDITOR'] };
  expect(parseAgent(data, 'coder').agent).toMatchObject({
    model: 'm-2',
    workspace: 'git',
    changes: 'ask',
    settings: { command: ['coder', '--quiet'], passEnv: ['EDITOR'] },
  });
});

describe('access', () => {
  const permission = (access: Json, server: string, tool: string, isReadOnly = false) => {
    const { agent } = parseAgent({ ...openai, access }, 'writer');
    return agent && permissionFor(agent.access, server, tool, isReadOnly);
  };

  test.each<[Json, string, string, boolean, string]>([
    [{}, 'files', 'read', true, 'deny'],
    [{ files: ['read'] }, 'files', 'read', false, 'allow'],
    [{ files: ['read'] }, 'files', 'write', true, 'deny'],
    [{ files: ['read'] }, 'other', 'read', true, 'deny'],
    [{ files: { tools: { read: 'allow', write: 'ask' } } }, 'files', 'write', false, 'ask'],
    [{ files: { tools: { read: 'allow' } } }, 'files', 'write', true, 'deny'],
    [{ files: { tools: { remove: 'deny' }, others: 'ask' } }, 'files', 'remove', true, 'deny'],
    [{ files: { tools: { remove: 'deny' }, others: 'ask' } }, 'files', 'write', false, 'ask'],
    [{ files: { readOnly: true, others: 'allow' } }, 'files', 'read', true, 'allow'],
    [{ files: { readOnly: true, others: 'allow' } }, 'files', 'write', false, 'deny'],
    [{ files: { readOnly: true, tools: { write: 'allow' } } }, 'files', 'write', false, 'deny'],
  ])('%j: %s %s, read only %s: %s', (access, server, tool, isReadOnly, expected) => {
    expect(permission(access, server, tool, isReadOnly)).toBe(expected);
  });

  it('allows nothing that is not written', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 2 });
    const access = fc.dictionary(word, fc.uniqueArray(word, { minLength: 1 }));
    fc.assert(
      fc.property(access, word, word, fc.boolean(), (servers, server, tool, isReadOnly) => {
        const isNamed = servers[server]?.includes(tool) ?? false;
        expect(permission(servers, server, tool, isReadOnly)).toBe(isNamed ? 'allow' : 'deny');
      }),
    );
  });
});

test.each<[string, Json]>([
  ['what a version before tools and workspaces kept', { ...scripted, model: 'm-1', timeLimit: '1m' }],
  ['replies that stood in a file', withReplies({ ...scripted, replies: 'replies/writer.yaml' }, replies)],
])('is read with a flow: %s', (_, data) => {
  expect(parseAgent(data, 'writer')).toMatchObject({ agent: { settings: { replies } }, faults: [] });
});

test('replies are put into nothing that is no agent', () => {
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

const noModel =
  'model: The provider has many models, and none is named. Write the name of one, as the provider has it.';
const remove = 'Remove it, or choose another runtime.';

describe('is refused', () => {
  test.each<[Json, readonly string[]]>([
    ['writer', ['The agent must be an object, not "writer".']],
    [{}, ['runtime is missing. Use one of: openai, anthropic, program, scripted.']],
    [{ runtime: 'script', replies }, ['runtime can\'t be "script". Did you mean "scripted"?']],
    [{ ...scripted, modle: 'x' }, ['The agent has no key "modle". Did you mean "model"?']],
    [{ ...openai, acess: {} }, ['The agent has no key "acess". Did you mean "access"?']],
    [{ runtime: 'openai' }, [noModel]],
    [{ runtime: 'anthropic', model: '' }, ['model must not be empty.']],
    [{ runtime: 'openai', model: 4 }, ['model must be text, not 4. Put it in quotes.']],
    [
      { runtime: 'scripted' },
      ['replies: A scripted agent says only what stands here. Write a list, or the file beside it with one.'],
    ],
    [
      { ...scripted, replies: 'r.yaml' },
      ['The file "r.yaml" with the replies could not be read. Put it into the folder of the agents.'],
    ],
    [
      { ...scripted, replies: '../r.yaml' },
      [
        'replies: This is no file beside the agent. Write its path from the folder of the agents, such as replies/writer.yaml.',
      ],
    ],
    [
      { ...scripted, replies: [{ reply: 'x', json: {} }] },
      ['replies[0]: An entry says one thing. Write one of reply, json, uses, failure, timeout, unknown.'],
    ],
    [
      { ...scripted, timeLimit: '30s', concurrency: 0 },
      [
        'timeLimit: This is not between 1 minute and 6 hours. Write for example 15m.',
        'concurrency must be at least 1, not 0.',
      ],
    ],
    [
      { ...openai, rateLimit: { requests: 0, per: '2d' } },
      [
        'rateLimit.requests must be at least 1, not 0.',
        'rateLimit.per: This is not between 1 second and 1 day. Write for example 1m.',
      ],
    ],
    [
      { ...openai, maxTurns: 201, toolCalls: -1 },
      ['maxTurns must be at most 200, not 201.', 'toolCalls must be at least 0, not -1.'],
    ],
    [{ runtime: 'program' }, ['command is missing. Give it a list.']],
    [
      { runtime: 'program', command: 'coder -q' },
      ['command must be a list, not "coder -q". Write a list: [ ] around it, with commas between the items.'],
    ],
    [
      { ...openai, apiKey: 'sk-123' },
      ['apiKey: This is no secret. Write "{{secrets.NAME}}" and set FLOWBOT_SECRET_NAME.'],
    ],
    [
      { ...openai, headers: { 'X-Api-Key': '123' } },
      [
        'headers.X-Api-Key: No secrets stand in this file. Write {{secrets.NAME}} and set FLOWBOT_SECRET_NAME.',
      ],
    ],
    [
      { ...openai, baseUrl: 'https://me:pass@example.com' },
      ['baseUrl: An address holds no password. Give the access under apiKey or headers.'],
    ],
    // Keys of other runtimes, each with the runtimes that have it.
    [{ ...openai, command: ['x'] }, [`command is for the runtime program, not for openai. ${remove}`]],
    [{ ...openai, replies }, [`replies is for the runtime scripted, not for openai. ${remove}`]],
    [
      { ...openai, workspace: 'git', changes: 'ask' },
      [
        `workspace is for the runtimes program and scripted, not for openai. ${remove}`,
        `changes is for the runtimes program and scripted, not for openai. ${remove}`,
      ],
    ],
    [
      { ...program, access: { files: ['read'] }, structured: 'schema' },
      [
        `access is for the runtimes openai, anthropic, and scripted, not for program. ${remove}`,
        `structured is for the runtimes openai and anthropic, not for program. ${remove}`,
      ],
    ],
    [
      { ...program, fallback: 'other', passEnv: ['A B'] },
      [
        `fallback is for the runtimes openai, anthropic, and scripted, not for program. ${remove}`,
        'passEnv[0]: This is no name of a variable.',
      ],
    ],
    [
      { ...program, changes: 'ask' },
      ['Changes of files are known only in a workspace with git. Write workspace: git, or remove changes:.'],
    ],
    [
      { ...program, workspace: 'folder', changes: 'allow' },
      ['Changes of files are known only in a workspace with git. Write workspace: git, or remove changes:.'],
    ],
    [
      { ...openai, fallback: 'writer' },
      ['An agent is no fallback of its own. Name another agent, or remove fallback:.'],
    ],
    // Access.
    [
      { ...openai, access: { files: { readOnly: true } } },
      [
        'access.files: This allows no tool. Name tools under tools:, write others: allow or others: ask, or remove the server.',
      ],
    ],
    [{ ...openai, access: { files: [] } }, ['access.files must not be empty.']],
    [
      { ...openai, access: { files: 'all' } },
      [
        'access.files: This says nothing about tools. Write a list of those that it may call, or { tools: { name: ask }, others: deny }.',
      ],
    ],
    [
      { ...openai, access: { files: { tools: { read: 'alow' } } } },
      ['access.files.tools.read can\'t be "alow". Did you mean "allow"?'],
    ],
    [
      { ...openai, access: { files: { readonly: true, others: 'allow' } } },
      ['access.files has no key "readonly". Did you mean "readOnly"?'],
    ],
  ])('%j', (data, expected) => {
    expect(parseAgent(data, 'writer').agent).toBeUndefined();
    expect(told(data)).toEqual(expected);
  });
});

test('the name of a file can be no name of an agent', () => {
  expect(parseAgent(scripted, '1 writer').faults).toMatchObject([{ rule: 'agent-name' }]);
});

test('any data is read or refused with faults, and never both', () => {
  const key = fc.constantFrom(
    ...new Set(Object.values(agentKeys).flatMap(({ shape }) => Object.keys(shape))),
  );
  const runtime = fc.constantFrom(...Object.keys(agentKeys));
  fc.assert(
    fc.property(runtime, fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })), (name, data) => {
      const { agent, faults } = parseAgent(JSON.parse(JSON.stringify({ ...data, runtime: name })), 'a');
      expect(faults.length === 0).toBe(agent !== undefined);
    }),
  );
});

test.each(Object.entries(RUNTIMES))(
  'the keys of %s are those that it can do something with',
  (name, able) => {
    const keys = Object.entries(agentKeys).flatMap(([runtime, { shape }]) =>
      runtime === name ? Object.keys(shape) : [],
    );
    expect(keys.includes('access')).toBe(able.tools);
    expect(keys.includes('workspace')).toBe(able.workspace);
    expect(keys.includes('fallback')).toBe(able.answers.includes('prompt'));
    const isNeeded = told({ runtime: name }).some((line) => line.startsWith('model:'));
    expect(isNeeded).toBe(able.model === 'required');
  },
);
