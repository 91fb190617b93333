import { describe, expect, it } from 'vitest';
import { tested } from './tested.ts';

const flows = {
  flow: `
steps:
  get: { type: http, url: "https://api.example.com/" }
  note: { type: template, text: "Hello" }
  ask: { type: approval }
  post: { type: message, to: "#ops", text: "Hello" }
  sort: { type: script, run: sort }
  deploy: { type: flow, uses: deploy }
  each: { type: map, over: [1, 2], uses: deploy }
  past: { type: history, conversation: "#ops" }
conversation: "#ops"
`,
  deploy: 'steps: { build: { type: script, run: make } }',
};

describe('what does not fit its flow is told before a case is run', () => {
  it.each([
    [
      'a step that is not there',
      'fakes: { gte: { body: x } }',
      'fakes.gte: There is no step "gte" in flow. Did you mean "get"?',
    ],
    [
      'one of another flow',
      'fakes: { deploy/built: { stdout: x } }',
      'fakes.deploy/built: There is no step "built" in deploy. Did you mean "build"?',
    ],
    [
      'one inside a step that runs no flow',
      'fakes: { get/build: { stdout: x } }',
      'fakes.get/build: get runs no flow that is there. Write get alone.',
    ],
    [
      'a key of another type',
      'fakes: { get: { reply: x } }',
      'fakes.get.reply: get is of the type http, and reply: is not for that. Use: status, headers, body, failure, timeout, unknown, delay.',
    ],
    [
      'a key of another type in a list',
      'fakes: { sort: [{ stdout: x }, { body: x }] }',
      'fakes.sort.1.body: sort is of the type script, and body: is not for that. Use: stdout, stderr, exitCode, failure, timeout, unknown, delay.',
    ],
    [
      'one for items',
      'fakes: { "each#2/build": { text: x } }',
      'fakes.each#2/build.text: each#2/build is of the type script, and text: is not for that.',
    ],
    [
      'a fake of what calls nothing',
      'fakes: { note: { text: x } }',
      'fakes.note: note is of the type template, which calls nothing: there is nothing to fake. Leave it out.',
    ],
    [
      'a fake of what people decide',
      'fakes: { ask: { text: x } }',
      'fakes.ask: ask is of the type approval, which calls nothing: there is nothing to fake. Leave it out.',
    ],
    [
      'an answer to no step',
      'acts: [{ answer: approve, step: aks }]',
      'acts.0.step: There is no step "aks" in flow. Did you mean "ask"?',
    ],
    [
      'an unknown step of the path',
      'expect: { path: [get, nte] }',
      'expect.path.1: There is no step "nte" in flow.',
    ],
    [
      'one that is skipped',
      'expect: { skipped: [nte] }',
      'expect.skipped.0: There is no step "nte" in flow.',
    ],
    ['one that asks', 'expect: { asked: [nte] }', 'expect.asked.0: There is no step "nte" in flow.'],
    [
      'one that leaves something',
      'expect: { outputs: { nte: x } }',
      'expect.outputs.nte: There is no step "nte" in flow.',
    ],
  ])('%s', (_, test, fault) => {
    expect(tested(flows, test)).toEqual([expect.stringContaining(fault)]);
  });

  it('all at once', () => {
    expect(tested(flows, 'fakes: { gte: {}, note: {} }\nexpect: { path: [x, y] }')).toHaveLength(4);
  });
});
