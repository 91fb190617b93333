import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bareLibrary, type Library } from '../../src/engine/library.ts';
import { defineStep } from '../../src/plugins/define-step.ts';
import { agentCalled } from '../fakes/agent.ts';
import { tested } from './tested.ts';

const writer = agentCalled('writer', { timeLimitMs: 60_000, price: { inputUsd: 1, outputUsd: 10 } });
const slug = defineStep({
  type: 'slug',
  description: 'Makes a slug.',
  schema: z.strictObject({ of: z.string() }),
  run: () => ({ text: '' }),
});
const size = defineStep({
  type: 'size',
  description: 'Tells small from big.',
  schema: z.strictObject({ of: z.string() }),
  exits: ['small', 'big'],
  run: () => ({ exit: 'small' }),
});
const library: Library = {
  ...bareLibrary,
  stepTypes: new Map([
    ...bareLibrary.stepTypes,
    ...[slug, size].map(({ type, stepType }) => [type, stepType] as const),
  ]),
  agents: new Map([
    ['writer', writer],
    ['default', { ...writer, name: 'default' }],
  ]),
};

const draft = `
steps:
  draft:
    type: agent
    agent: writer
    task: Write notes.
    attempts: 2
    reply: { format: json, fields: { notes: { type: string } } }
`;
const choose = `
steps:
  look: { type: agent, agent: writer, task: What is to be done? }
  fix: { type: template, text: Fixed }
  drop: { type: template, text: Dropped }
edges: [{ from: look, choose: [fix, drop] }]
`;
const decision = `
steps:
  sort: { type: decision, prompt: What is it?, options: [bug, wish], minConfidence: 0.8 }
`;

describe('agents in a test', () => {
  it.each([
    [
      'a reply as data is a JSON reply, and its fields are there',
      draft,
      'fakes: { draft: { reply: { notes: New. } } }\nexpect: { outputs: { draft: { notes: New. } } }',
    ],
    [
      'a text is read as that of the real thing would be',
      draft,
      'fakes: { draft: { reply: "Here it is:\\n```json\\n{\\"notes\\": \\"New.\\"}\\n```" } }\nexpect: { outputs: { draft: { notes: New. } } }',
    ],
    [
      'a reply without a field is an attempt that failed',
      draft,
      'fakes: { draft: [{ reply: {} }, { reply: { notes: 1 } }] }\nexpect: { reason: \'"draft" failed: The reply did not match the fields this step asks for: notes must be text, not a number.\' }',
    ],
    [
      'a time limit is that of the agent',
      draft,
      'fakes: { draft: [{ delay: 1m, reply: {} }, { delay: 59s, reply: { notes: x } }] }\nexpect: { status: succeeded, path: [draft] }',
    ],
    [
      'nobody knows what it has done, and people say',
      draft,
      'fakes: { draft: { unknown: The line was cut. } }\nacts: [{ answer: fail }]\nexpect: { status: failed, asked: [draft] }',
    ],
    [
      'it picks what comes next',
      choose,
      'fakes: { look: { reply: { text: Broken., choice: [fix] } } }\nexpect: { path: [look, fix], skipped: [drop], outputs: { look: Broken. } }',
    ],
    [
      'a bad pick is asked again within the attempt',
      choose,
      'fakes: { look: [{ reply: { text: a, choice: [fly] } }, { reply: { text: a, choice: [fix, drop] } }, { reply: { text: a, choice: [drop] } }] }\nexpect: { path: [look, drop] }',
    ],
    [
      'all that it is asked within the attempt has one time limit',
      choose,
      'fakes: { look: [{ delay: 40s, reply: { text: a, choice: [fly] } }, { delay: 20s, reply: { text: a, choice: [fix] } }] }\nexpect: { reason: \'"look" failed: the agent was not ready when its time was over.\' }',
    ],
    [
      'but not for ever',
      choose,
      'fakes: { look: { reply: { text: a, choice: [fly] } } }\nexpect: { status: failed, path: [look] }',
    ],
    [
      'an llm step leaves what is replied',
      'steps: { sum: { type: llm, prompt: Sum it up. } }',
      'fakes: { sum: { reply: Short. } }\nexpect: { outputs: { sum: Short. } }',
    ],
    [
      'a decision is what is replied, if the model is sure',
      decision,
      'fakes: { sort: { reply: bug, confidence: 0.9, probabilities: { bug: 0.9, wish: 0.1 } } }\nexpect: { outputs: { sort: { choice: bug, confidence: 0.9, gated: false } } }',
    ],
    [
      'and none of them if it is not',
      decision,
      'fakes: { sort: { reply: bug, confidence: 0.5 } }\nexpect: { outputs: { sort: { choice: none_of_these, gated: true } } }',
    ],
    [
      'what is used up counts for the budget, and people are asked for more',
      `
budget: { tokens: 1000 }
conversation: "#ops"
steps:
  a: { type: llm, prompt: One }
  b: { type: llm, prompt: Two }
`,
      `fakes: { a: { reply: x, usage: { inputTokens: 900, outputTokens: 200 } }, b: { reply: y } }
acts: [{ step: b, answer: more }]
expect: { status: succeeded, asked: [b], path: [a, b] }`,
    ],
    [
      'what another flow has used up counts, too',
      {
        flow: 'budget: { costUsd: 0.01 }\nconversation: "#ops"\nsteps: { write: { type: flow, uses: one }, b: { type: llm, prompt: Two } }',
        one: 'steps: { a: { type: llm, prompt: One } }',
      },
      `fakes: { write/a: { reply: x, usage: { outputTokens: 1000 } }, b: { reply: y } }
acts: [{ answer: stop }]
expect: { status: failed, asked: [b] }`,
    ],
    [
      'what is over its budget keeps other flows that it runs from going on, until people let them',
      {
        flow: 'budget: { tokens: 10 }\nconversation: "#ops"\nsteps: { each: { type: map, over: [1, 2, 3], uses: one, maxParallel: 3 } }\nmaxParallel: 1',
        one: 'input: { type: object, properties: { item: { type: number } } }\nsteps: { a: { type: llm, prompt: One } }',
      },
      `fakes: { each/a: { reply: x, usage: { inputTokens: 10 } } }
acts: [{ answer: more }]
expect: { status: succeeded, asked: [each], path: ["each#1/a", "each#2/a", "each#3/a", each] }`,
    ],
    [
      'what is kept is not asked for again',
      {
        flow: 'steps: { each: { type: map, over: [1, 2], uses: one, maxParallel: 1 } }',
        one: 'input: { type: object, properties: { item: { type: number } } }\nsteps: { a: { type: llm, prompt: One, cache: true } }',
      },
      'fakes: { each/a: [{ reply: first }, { reply: second }] }\nexpect: { outputs: { each: { items: [first, first] } } }',
    ],
    [
      'a step type of a plugin has a text and data',
      'steps: { name: { type: slug, of: x, attempts: 2 } }',
      'fakes: { name: [{ failure: No. }, { text: a-b, json: { long: false } }] }\nexpect: { outputs: { name: { long: false } } }',
    ],
    [
      'it leaves by an exit',
      'steps: { name: { type: size, of: x }, one: { type: template, text: Small }, two: { type: template, text: Big } }\nedges: [name.small -> one, name.big -> two]',
      'fakes: { name: { exit: big } }\nexpect: { path: [name, two], skipped: [one] }',
    ],
    [
      'and nobody knows what it has done when its time is over',
      'steps: { name: { type: slug, of: x, timeout: 1m } }',
      'fakes: { name: { timeout: true } }\nacts: [{ answer: output, comment: a-b }]\nexpect: { outputs: { name: a-b }, asked: [name] }',
    ],
    [
      'so has a tool',
      'steps: { find: { type: tool, server: docs, tool: search } }',
      'fakes: { find: { text: Found., json: { hits: 2 } } }\nexpect: { outputs: { find: { hits: 2 } } }',
    ],
    [
      'nobody knows what a tool has done that takes too long',
      'steps: { find: { type: tool, server: docs, tool: search, timeout: 10s } }',
      'fakes: { find: { delay: 11s, text: Found. } }\nexpect: { status: attention, asked: [find] }',
    ],
  ])('%s', (_, flow, test) => {
    expect(tested(flow, test, library)).toEqual([]);
  });

  it.each([
    ['agent', draft, 'draft', 'reply'],
    ['decision', decision, 'sort', 'reply'],
    ['tool', 'steps: { find: { type: tool, server: docs, tool: search } }', 'find', 'text'],
    ['slug', 'steps: { name: { type: slug, of: x } }', 'name', 'text'],
  ])('a step of the type %s without a fake is a problem that says what to write', (type, flow, step, key) => {
    expect(tested(flow, 'expect: {}', library)).toEqual([
      `${step} (${type}) is called and the case has no fake for it: write fakes: { ${step}: { ${key}: … } }.`,
    ]);
  });
});
