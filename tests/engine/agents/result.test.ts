import { describe, expect, it } from 'vitest';
import type { AgentCall } from '../../../src/engine/agents/call.ts';
import type { AgentOutcome } from '../../../src/engine/agents/outcome.ts';
import { replySchema } from '../../../src/engine/agents/reply-schema.ts';
import { agentResult } from '../../../src/engine/agents/result.ts';

type Task = Extract<AgentCall, { kind: 'task' }>;
type Decision = Extract<AgentCall, { kind: 'decision' }>;

const task: Task = {
  kind: 'task',
  agent: 'writer',
  prompt: { flow: 'F', step: 'S', task: 'T', inputs: [] },
  reply: {
    format: 'json',
    fields: { verdict: { type: 'string' }, score: { type: 'number' }, tags: { type: 'list' } },
  },
};
const text: Task = { ...task, reply: { format: 'text' } };
const picking: Task = { ...text, choose: { among: ['a', 'b', 'c'], min: 1, max: 2 } };
const decision: Decision = {
  kind: 'decision',
  agent: 'x',
  prompt: 'Which?',
  options: ['red', 'blue'],
  mode: 'choose',
};

const said = (reply: string, more: object = {}): AgentOutcome => ({ kind: 'replied', text: reply, ...more });
const mismatch = (problem: string, reply: string) => ({
  kind: 'failed',
  failure: {
    code: 'reply-mismatch',
    message: `The reply did not match the fields this step asks for: ${problem}`,
    retry: 'allowed',
    reply,
  },
});

describe('a reply to a task', () => {
  it('is the text as it is', () => {
    expect(agentResult(text, said('Hello {"a":1}'))).toEqual({
      kind: 'done',
      output: { text: 'Hello {"a":1}', json: {} },
    });
  });

  it('has the fields that were asked for, and the whole reply as text', () => {
    const reply = 'Sure:\n```json\n{"verdict":"ok","score":1,"tags":[],"more":2}\n```';
    expect(agentResult(task, said(reply))).toEqual({
      kind: 'done',
      output: { text: reply, json: { verdict: 'ok', score: 1, tags: [] } },
    });
  });

  it('keeps all fields when none were asked for', () => {
    const open: Task = { ...task, reply: { format: 'json', fields: {} } };
    expect(agentResult(open, said('{"a":1}'))).toMatchObject({ output: { json: { a: 1 } } });
  });

  it('is taken as data where the provider makes sure of that', () => {
    const structured = { verdict: 'ok', score: 1, tags: ['x'] };
    expect(agentResult(task, said('', { structured }))).toEqual({
      kind: 'done',
      output: { text: JSON.stringify(structured), json: structured },
    });
  });

  it.each([
    ['no JSON', 'it is not one JSON object.'],
    ['[1]', 'it is not one JSON object.'],
    [
      '{"score":"1","tags":{}}',
      'verdict is missing; score must be a number, not text; tags must be a list, not an object.',
    ],
    ['{"verdict":null,"score":1,"tags":[]}', 'verdict must be text, not null.'],
    ['{"verdict":"x","score":1e999,"tags":[]}', 'score must be a number, not text.'],
    [
      '{"__proto__":{"verdict":"x"},"score":true,"tags":[]}',
      'verdict is missing; score must be a number, not true.',
    ],
  ])('fails with %s', (reply, problem) => {
    expect(agentResult(task, said(reply))).toEqual(mismatch(problem, reply));
  });

  it('is kept when it fails, up to a limit', () => {
    const result = agentResult(task, said('x'.repeat(200_000)));
    expect(result.kind === 'failed' && result.failure.reply?.length).toBe(100_000);
  });
});

describe('the pick of what comes next', () => {
  it.each([
    ['{"text":"Done.","choice":["b"]}', { text: 'Done.', json: { choice: ['b'] } }],
    ['{"text":"Done.","choice":["c","a"],"more":1}', { text: 'Done.', json: { choice: ['c', 'a'] } }],
    ['{"text":"Done.","choice":"b"}', { text: 'Done.', json: { choice: ['b'] } }],
  ])('%s is taken', (reply, output) => {
    expect(agentResult(picking, said(reply))).toEqual({ kind: 'done', output });
  });

  it('stands beside whatever is there when no fields are asked for', () => {
    const both: Task = { ...picking, reply: { format: 'json', fields: {} } };
    const reply = '{"n":1,"choice":"a"}';
    expect(agentResult(both, said(reply))).toEqual({
      kind: 'done',
      output: { text: reply, json: { n: 1, choice: ['a'] } },
    });
  });

  it('stands beside declared fields', () => {
    const both: Task = { ...picking, reply: { format: 'json', fields: { n: { type: 'number' } } } };
    const reply = '{"n":1,"choice":["a"]}';
    expect(agentResult(both, said(reply))).toEqual({
      kind: 'done',
      output: { text: reply, json: { n: 1, choice: ['a'] } },
    });
  });

  it.each([
    ['["d"]', '["d"] can\'t be picked.'],
    ['[]', 'Only 0 of at least 1 are picked.'],
    ['["a","b","c"]', '3 are picked, and 2 at most can be.'],
    ['["a","a"]', 'A step is picked twice.'],
    ['[1]', "[1] can't be picked."],
  ])('%s is explained and asked for again', (choice, problem) => {
    const reply = `{"text":"x","choice":${choice}}`;
    expect(agentResult(picking, said(reply))).toEqual({
      kind: 'again',
      explanation: `Your reply was not accepted. choice was ${choice}: ${problem} Pick 1 to 2 of "a", "b", "c", none twice. Reply again, with all fields.`,
      failure: {
        code: 'bad-choice',
        message: `the agent picked ${choice} as what comes next, and can pick ["a","b","c"]. ${problem}`,
        retry: 'allowed',
        reply,
      },
    });
  });

  it('is missing in a reply without it', () => {
    expect(agentResult(picking, said('{"text":"x"}'))).toEqual(
      mismatch('choice is missing.', '{"text":"x"}'),
    );
  });
});

describe('a decision', () => {
  it.each<[string, Partial<Decision>, AgentOutcome, object]>([
    [
      'is what was chosen',
      {},
      said('{"choice":"red","confidence":0.8}'),
      { choice: 'red', confidence: 0.8, probabilities: null, gated: false },
    ],
    [
      'may be one word',
      {},
      said(' blue\n'),
      { choice: 'blue', confidence: null, probabilities: null, gated: false },
    ],
    [
      'may be none of them',
      {},
      said('none_of_these'),
      { choice: 'none_of_these', confidence: null, probabilities: null, gated: false },
    ],
    [
      'is gated below the confidence',
      { minConfidence: 0.9 },
      said('{"choice":"red","confidence":0.8}'),
      { choice: 'none_of_these', confidence: 0.8, probabilities: null, gated: true },
    ],
    [
      'is gated without a confidence',
      { minConfidence: 0 },
      said('red'),
      { choice: 'none_of_these', confidence: null, probabilities: null, gated: true },
    ],
    [
      'is gated with a confidence that is none',
      { minConfidence: 0.5 },
      said('{"choice":"red","confidence":7}'),
      { choice: 'none_of_these', confidence: null, probabilities: null, gated: true },
    ],
    [
      'is free at the confidence',
      { minConfidence: 0.8 },
      said('{"choice":"red","confidence":0.8}'),
      { choice: 'red', confidence: 0.8, probabilities: null, gated: false },
    ],
    [
      'trusts what was measured more',
      { minConfidence: 0.5 },
      said('{"choice":"red","confidence":1}', { probabilities: { red: 0.2, blue: 0.7, other: 1 } }),
      { choice: 'none_of_these', confidence: 0.2, probabilities: { red: 0.2, blue: 0.7 }, gated: true },
    ],
    [
      'has the highest score',
      { mode: 'score' },
      said('{"scores":[0.1,0.6,0.3]}'),
      {
        choice: 'blue',
        confidence: 0.6,
        probabilities: { red: 0.1, blue: 0.6, none_of_these: 0.3 },
        gated: false,
      },
    ],
    [
      'has the first of several highest',
      { mode: 'score', minConfidence: 0.9 },
      said('{"scores":[0.5,0.5,0]}'),
      {
        choice: 'none_of_these',
        confidence: 0.5,
        probabilities: { red: 0.5, blue: 0.5, none_of_these: 0 },
        gated: true,
      },
    ],
  ])('%s', (_, more, outcome, json) => {
    const result = agentResult({ ...decision, ...more }, outcome);
    expect(result).toMatchObject({ kind: 'done', output: { json } });
    expect(result.kind === 'done' && result.output.text).toBe('choice' in json && json.choice);
  });

  it.each<[Partial<Decision>, string, string]>([
    [{}, 'green', 'it is not one JSON object.'],
    [{}, '{"choice":"green"}', 'choice must be one of "red", "blue", "none_of_these", not "green".'],
    [{}, '{"choice":1}', 'choice must be text, not a number.'],
    [
      { mode: 'score' },
      '{"scores":[1]}',
      'scores must be a list of 3 numbers from 0 to 1, one for each option.',
    ],
    [
      { mode: 'score' },
      '{"scores":[1,2,0]}',
      'scores must be a list of 3 numbers from 0 to 1, one for each option.',
    ],
  ])('%j fails with %s', (more, reply, problem) => {
    expect(agentResult({ ...decision, ...more }, said(reply))).toEqual(mismatch(problem, reply));
  });
});

describe('what is no reply', () => {
  it.each<[AgentOutcome, object]>([
    [{ kind: 'timeout' }, { kind: 'failed', failure: { code: 'agent-timeout', retry: 'allowed' } }],
    [
      { kind: 'unknown', message: 'Lost.' },
      { kind: 'unknown', message: 'Lost.' },
    ],
    [
      { kind: 'failed', code: 'login-lost', message: 'the login is lost.', retry: 'never' },
      { kind: 'failed', failure: { code: 'login-lost', message: 'the login is lost.', retry: 'never' } },
    ],
  ])('%j', (outcome, result) => {
    expect(agentResult(text, outcome)).toMatchObject(result);
  });
});

describe('the schema of a reply', () => {
  it('is for data only', () => {
    expect(replySchema(text)).toBeUndefined();
    expect(replySchema(picking)).toMatchObject({
      required: ['text', 'choice'],
      properties: { choice: { items: { enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 } },
    });
    expect(replySchema(task)).toMatchObject({
      properties: { tags: { type: 'array' } },
      additionalProperties: false,
    });
    expect(replySchema(decision)).toMatchObject({
      properties: { choice: { enum: ['red', 'blue', 'none_of_these'] } },
    });
  });

  const writes = { type: 'object', required: ['verdict'] };
  const open: Task = { ...task, reply: { format: 'json', fields: {} } };
  const llm: AgentCall = { kind: 'prompt', agent: 'x', prompt: 'Hi' };

  it.each<[string, AgentCall, object | undefined]>([
    ['a text that must match one', { ...text, writes }, writes],
    ['an object that must match one', { ...open, writes }, writes],
    ['an answered prompt', { ...llm, writes }, writes],
    ['a prompt that asks for text', { ...llm, writes: { type: 'string' } }, undefined],
    [
      'fields, too',
      { ...task, writes },
      { type: 'object', properties: { tags: { type: 'array' } }, allOf: [writes] },
    ],
    [
      'any object with a pick in it',
      { ...open, choose: { among: ['a'], min: 1, max: 1 }, writes },
      { type: 'object', required: ['choice'] },
    ],
  ])('is that of %s', (_, call, schema) => {
    if (schema) expect(replySchema(call)).toMatchObject(schema);
    else expect(replySchema(call)).toBeUndefined();
  });
});
