import { describe, expect, test } from 'vitest';
import { flow } from '../../src/builder/index.ts';
import { compile } from '../../src/engine/flow/compile.ts';
import { loadFlowFile } from '../../src/loader/load.ts';

const release = () =>
  flow({
    name: 'Release notes',
    input: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
    conversation: 'slack:#releases',
    triggers: [{ type: 'command', command: 'release' }, { type: 'manual' }],
    steps: {
      changes: {
        type: 'http',
        url: 'https://api.example.com/changes/{{input.version}}',
        keep: { title: 'items.0.title' },
      },
      draft: { type: 'template', text: '## {{input.version}}: {{changes.json.values.title}}', attempts: 2 },
      review: { type: 'approval', title: 'Publish these notes?', show: ['draft'], expiresAfter: '2d' },
      publish: { type: 'message', to: 'slack:#news', text: '{{draft.text}}\n\n{{ review.json.by }}' },
    },
    edges: [
      'changes -> draft -> review',
      'review.approved -> publish',
      { from: 'review.rejected', to: 'draft', sendBack: true, maxRounds: 5 },
    ],
    output: { message: '{{publish.json.messageId}}' },
  });

const releaseYaml = `
name: Release notes
input: { type: object, properties: { version: { type: string } }, required: [version] }
conversation: "slack:#releases"
triggers:
  - { type: command, command: release }
  - { type: manual }
steps:
  changes:
    type: http
    url: "https://api.example.com/changes/{{input.version}}"
    keep: { title: items.0.title }
  draft: { type: template, text: "## {{input.version}}: {{changes.json.values.title}}", attempts: 2 }
  review: { type: approval, title: Publish these notes?, show: [draft], expiresAfter: 2d }
  publish: { type: message, to: "slack:#news", text: "{{draft.text}}\\n\\n{{ review.json.by }}" }
edges:
  - changes -> draft -> review
  - review.approved -> publish
  - { from: review.rejected, to: draft, sendBack: true, maxRounds: 5 }
output: { message: "{{publish.json.messageId}}" }
`;

declare module '../../src/builder/index.ts' {
  interface StepKeys {
    readonly dance: { readonly type: 'dance'; readonly tune: string };
  }
}

describe('a flow written in TypeScript', () => {
  test('is the same flow, of the same version, as its YAML', () => {
    const fromYaml = loadFlowFile('release.flow.yaml', releaseYaml);
    const fromModule = loadFlowFile('release.flow.json', JSON.stringify(release()));
    expect(fromYaml.faults).toEqual([]);
    expect(fromModule.faults).toEqual([]);
    expect(fromModule.flow?.version).toBe(fromYaml.flow?.version);
    expect(fromModule.flow?.plan).toEqual(fromYaml.flow?.plan);
  });

  test('is plain data', () => {
    expect(release()).toEqual(JSON.parse(JSON.stringify(release())));
    expect(compile(release(), 'release').faults).toEqual([]);
  });

  test('leaves out what is undefined', () => {
    const description: string | undefined = undefined;
    const made = flow({
      steps: { say: { type: 'message', text: 'Hello' } },
      ...(description !== undefined && { description }),
      ui: { x: undefined, y: 1 },
    });
    expect(made).toEqual({ steps: { say: { type: 'message', text: 'Hello' } }, ui: { y: 1 } });
  });

  test.each([
    ['a function', () => 1, 'flow.ui.it is no JSON value (function).'],
    ['a date', new Date(0), 'flow.ui.it is no JSON value (object).'],
    ['not a number', [Number.NaN], 'flow.ui.it[0] is no JSON value (number).'],
  ])('refuses %s, and says where', (_name, it, message) => {
    expect(() => flow({ steps: { say: { type: 'message', text: 'Hello' } }, ui: { it } })).toThrow(message);
  });

  test('texts that only the program knows are left to the loading', () => {
    const name: string = ['de', 'ploy'].join('');
    const made = flow({ steps: { say: { type: 'message', text: `Hello {{${name}.text}}` } } });
    expect(compile(made, 'hello').faults.map(({ rule }) => rule)).toEqual(['unknown-step']);
  });

  test('is checked by the compiler, line by line', () => {
    expect(wrongFlows).not.toThrow();
  });
});

/** Each line that is expected to be wrong is wrong for the compiler only. */
function wrongFlows(): void {
  const say = { type: 'message', text: 'Hello' } as const;
  flow({
    steps: {
      say,
      // @ts-expect-error there is no such step
      other: { type: 'message', text: 'See {{sya.text}}' },
    },
  });
  flow({
    steps: {
      get: { type: 'http', url: 'https://example.com/', keep: { title: 'items.0.title' } },
      // @ts-expect-error keep has no such name
      tell: { type: 'message', text: '{{get.json.values.titel}}' },
    },
  });
  flow({
    steps: {
      draft: {
        type: 'agent',
        agent: 'writer',
        task: 'Write.',
        reply: { format: 'json', fields: { notes: { type: 'string' } } },
      },
      right: { type: 'message', text: '{{draft.json.notes}}' },
      // @ts-expect-error the reply has no such field
      wrong: { type: 'message', text: '{{draft.json.note}}' },
      // @ts-expect-error a text has nothing inside
      deeper: { type: 'message', text: '{{draft.json.notes.first}}' },
    },
  });
  flow({
    steps: {
      ask: {
        type: 'approval',
        actions: [{ id: 'approve' }, { id: 'later' }],
        form: { type: 'object', properties: { port: { type: 'integer' } } },
      },
      right: { type: 'message', text: '{{ask.json.decision}} {{ask.json.values.port}}' },
      // @ts-expect-error the form has no such field
      wrong: { type: 'message', text: '{{ask.json.values.prot}}' },
    },
    edges: [
      'ask.approved -> right',
      'ask.later -> wrong',
      // @ts-expect-error it can't be rejected
      'ask.rejected -> wrong',
    ],
  });
  flow({
    input: { type: 'object', properties: { version: { type: 'string' } } },
    steps: {
      say,
      // @ts-expect-error the input has no such field
      other: { type: 'template', data: { list: ['{{input.verison}}'] } },
    },
  });
  flow({
    steps: { say, check: { type: 'condition', all: [{ step: 'say', path: 'text', exists: true }] } },
    edges: [
      'start -> say -> check',
      // @ts-expect-error a condition has no such exit
      'check.maybe -> say',
      // @ts-expect-error there is no such step
      'check.yes -> syy',
      // @ts-expect-error there is no arrow
      'check.no',
      // @ts-expect-error there is no such step
      { from: 'check.no', to: 'syy', sendBack: true },
      // @ts-expect-error an edge has no such key
      { from: 'check.no', to: 'say', sendBak: true },
      // @ts-expect-error there is no such step
      { from: 'check.yes', to: 'say', when: { step: 'syy', path: 'text', is: 'yes' } },
      { from: ['check.yes', 'start'], to: 'say', when: { any: [{ step: 'input', path: 'a', is: 1 }] } },
    ],
  });
  flow({
    steps: {
      say,
      // @ts-expect-error there is no such step
      check: { type: 'condition', all: [{ step: 'syy', path: 'text', exists: true }] },
      // @ts-expect-error there is no such step
      ask: { type: 'approval', show: ['syy'] },
      // @ts-expect-error a message has no such key
      more: { type: 'message', text: 'Hello', txt: 'Hello' },
    },
    // @ts-expect-error there is no such step
    output: '{{syy.text}}',
  });
  flow({
    steps: {
      say,
      // Data of its own, a text in which nothing is a placeholder, and braces that are shown as they are.
      data: {
        type: 'template',
        data: { step: 'of a dance', is: '\\{{not.this}}' },
        name: '{{b.c}}',
        ui: { step: 1 },
      },
      ask: { type: 'llm', prompt: 'What is {{say.text}}?', system: 'Never write {{a.b}}.' },
      all: { type: 'message', text: '{{start.json.prompt}} {{run.id}} {{ data.json.step }} {{input.any}}' },
    },
  });
  flow({
    steps: {
      dance: { type: 'dance', tune: 'waltz' },
      tell: { type: 'message', text: '{{dance.json.steps.0}}' },
      // @ts-expect-error the step type of the plugin has no such key
      again: { type: 'dance', tune: 'waltz', tempo: 3 },
      // @ts-expect-error its placeholders are checked, too
      once: { type: 'dance', tune: '{{tel.text}}' },
    },
    edges: ['dance.tired -> tell -> again -> once'],
  });
  // @ts-expect-error there is no such step type
  flow({ steps: { say: { type: 'massage', text: 'Hello' } } });
  // @ts-expect-error a flow has no such key
  flow({ steps: { say }, stepz: {} });
  // @ts-expect-error a message needs a text
  flow({ steps: { say: { type: 'message' } } });
}
