import { describe, expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { ask, back, check, faultsOf, get, join, planOf, post, text } from './faults.ts';

const reads = (source: string): JsonObject => ({ ...post, text: `Read: {{${source}}}` });

describe('a placeholder', () => {
  const input = { type: 'object', properties: { version: { type: 'string' } } };

  test.each([
    ['draft.text'],
    ['draft.json.notes'],
    ['input.version'],
    ['start.text'],
    ['start.json'],
    ['start.json.prompt'],
    ['start.json.user'],
    ['start.json.userId'],
    ['start.json.conversation'],
    ['start.json.files.0.name'],
    ['run.id'],
    ['run.flow'],
    ['run.startedAt'],
  ])('can read %s', (source) => {
    expect(faultsOf({ input, steps: { draft: get, say: reads(source) } })).toEqual([]);
  });

  test.each([
    ['drat.text', 'unknown-step', 'there is no step "drat". Did you mean "draft"?'],
    ['constructor.text', 'unknown-step', 'there is no step "constructor". Use one of: draft, say.'],
    ['input.versoin', 'unknown-input', 'the input has no "versoin". Did you mean "version"?'],
    ['start.json.promt', 'unknown-path', 'start has no "json.promt". Did you mean "json.prompt"?'],
    [
      'start.json.user.name',
      'unknown-path',
      'start has no "json.user.name". Use one of: text, json, json.prompt, json.user, json.userId, json.conversation, json.files, json.schedule, json.dueAt, json.body, json.headers, json.query.',
    ],
    ['run.name', 'unknown-path', 'run has no "name". Use one of: id, flow, startedAt.'],
    ['item.text', 'unknown-step', 'only a map step has items.'],
  ])('can not read %s', (source, rule, message) => {
    expect(faultsOf({ input, steps: { draft: get, say: reads(source) } })).toEqual([
      `${rule} at steps.say.text: {{${source}}}: ${message}`,
    ]);
  });

  it('can read no input that the flow does not have', () => {
    expect(faultsOf({ steps: { say: reads('input.version') } })).toEqual([
      'unknown-input at steps.say.text: {{input.version}}: the flow has no input. Declare it under input:.',
    ]);
  });

  test.each([
    ['more properties are allowed', { ...input, additionalProperties: true }],
    ['more properties of a kind are allowed', { ...input, additionalProperties: { type: 'string' } }],
    ['names follow a pattern', { ...input, patternProperties: { '^x': { type: 'string' } } }],
    ['another schema adds some', { ...input, allOf: [{ properties: { more: { type: 'string' } } }] }],
    ['no properties are named', { type: 'object' }],
  ])('can read any input where %s', (_, schema) => {
    expect(faultsOf({ input: schema, steps: { say: reads('input.more') } })).toEqual([]);
  });

  it('is not at fault when the input itself is', () => {
    const faults = faultsOf({ input: { type: 'string' }, steps: { say: reads('input.version') } });
    expect(faults).toEqual([expect.stringContaining('input-schema at input.type')]);
  });

  it('is found wherever it stands', () => {
    const http = {
      ...get,
      method: 'POST',
      query: { q: '{{a1.text}}' },
      headers: { 'X-Title': '{{a2.text}}' },
      body: { json: { list: [{ deep: '{{a3.text}}' }] } },
    };
    const review = { ...ask, notes: '{{a4.text}}', show: ['a5'] };
    const rules = { type: 'condition', any: [{ step: 'a6', path: 'x', is: 1 }] };
    const data = { type: 'template', data: { k: '{{a7.json.x}}' } };
    const faults = faultsOf({
      steps: { http, review, rules, data },
      edges: [
        'http -> review',
        'review.approved -> rules',
        { from: 'rules.yes', to: 'data', when: { step: 'a8', path: 'text', is: 'x' } },
      ],
      output: ['{{a9.text}}'],
    });
    expect(faults.map((fault) => fault.split(': ').slice(0, 2).join(': '))).toEqual([
      'unknown-step at steps.http.query.q: {{a1.text}}',
      'unknown-step at steps.http.headers.X-Title: {{a2.text}}',
      'unknown-step at steps.http.body.json.list.0.deep: {{a3.text}}',
      'unknown-step at steps.review.notes: {{a4.text}}',
      'unknown-step at steps.review.show.0: There is no step "a5". Use one of',
      'unknown-step at steps.rules.any.0.step: There is no step "a6". Use one of',
      'unknown-step at steps.data.data.k: {{a7.json.x}}',
      'unknown-step at edges.2.when: There is no step "a8". Use one of',
      'unknown-step at output.0: {{a9.text}}',
    ]);
  });

  it('is checked also where the edges are at fault', () => {
    const faults = faultsOf({
      steps: { a: get, b: reads('nothing.text'), c: post },
      edges: ['a -> b', 'a -> d'],
    });
    expect(faults).toContain(
      'unknown-step at steps.b.text: {{nothing.text}}: there is no step "nothing". Use one of: a, b, c.',
    );
  });
});

describe('secrets', () => {
  const secret = '{{secrets.TOKEN}}';
  it('can stand in the headers and the body of http steps', () => {
    const body = { text: secret };
    expect(
      faultsOf({ steps: { a: { ...get, method: 'POST', headers: { Authorization: secret }, body } } }),
    ).toEqual([]);
    const form = { form: { token: secret } };
    expect(faultsOf({ steps: { a: { ...get, method: 'POST', body: form } } })).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ['steps.a.text', { steps: { a: reads('secrets.TOKEN') } }],
    ['steps.a.query.q', { steps: { a: { ...get, query: { q: secret } } } }],
    ['steps.a.url', { steps: { a: { ...get, url: `https://api.example.com/${secret}` } } }],
    ['steps.a.notes', { steps: { a: { ...ask, notes: secret } } }],
    ['steps.a.data.k', { steps: { a: { type: 'template', data: { k: secret } } } }],
    ['steps.headers.text', { steps: { headers: reads('secrets.TOKEN') } }],
    ['output', { steps: { a: get }, output: secret }],
  ])('can not stand in %s', (place, flow) => {
    expect(faultsOf(flow)).toEqual([
      `secret-place at ${place}: {{secrets.TOKEN}}: a secret can't stand here, where people or other systems would see it. Secrets can stand in the headers and the body of http steps.`,
    ]);
  });

  it('can not be compared', () => {
    const rules = { type: 'condition', all: [{ step: 'secrets', path: 'json.TOKEN', is: 'x' }] };
    expect(faultsOf({ steps: { a: rules } })[0]).toMatch(/^secret-place at steps.a.all.0.step: /);
    const edges = [{ from: 'a', to: 'b', when: { step: 'secrets', path: 'TOKEN', is: 'x' } }];
    expect(faultsOf({ steps: { a: get, b: post }, edges })[0]).toMatch(/^secret-place at edges.0.when: /);
  });
});

describe('a step that can never have run before', () => {
  test.each<[string, JsonObject, readonly Json[]]>([
    ['comes later', { reader: reads('other.text'), other: get }, ['reader -> other']],
    [
      'is in another branch',
      { root: get, reader: reads('other.text'), other: get },
      ['root -> reader', 'root -> other'],
    ],
    ['is the step itself', { reader: reads('reader.text') }, []],
    [
      'comes later, and is about to run again when work is sent back',
      { reader: reads('other.text'), other: get },
      ['reader -> other', back('other', 'reader', { when: { path: 'text', is: 'no' } })],
    ],
  ])('is at fault when it %s', (_, steps, edges) => {
    const who = Object.hasOwn(steps, 'other') ? 'other' : 'reader';
    expect(faultsOf({ steps, edges })).toEqual([
      `never-before at steps.reader.text: {{${who}.text}}: ${who} can never have run before reader. Lead edges from ${who} to reader, or read an earlier step.`,
    ]);
  });

  it('is at fault also where a missing value would be none', () => {
    const steps = { review: { ...ask, show: ['later'] }, later: get };
    expect(faultsOf({ steps, edges: ['review.approved -> later'] })[0]).toMatch(
      /^never-before at steps.review.show.0/,
    );
    const edges = [
      'review.approved -> later',
      { from: 'later', to: 'end', when: { step: 'end', path: 'text', is: 'x' } },
    ];
    expect(faultsOf({ steps: { review: ask, later: get, end: post }, edges })[0]).toMatch(
      /^never-before at edges.1.when/,
    );
  });

  it('is not: the step an edge leaves, in the condition of that edge', () => {
    expect(
      faultsOf({
        steps: { a: get, b: post },
        edges: [{ from: 'a', to: 'b', when: { path: 'text', is: 'x' } }],
      }),
    ).toEqual([]);
  });

  it('is not: what runs beside the stretch that is sent back', () => {
    const steps = { root: text('x'), draft: reads('side.text'), side: get, review: ask };
    const edges = ['root -> draft -> review', 'root -> side -> review', back('review.rejected', 'draft')];
    expect(faultsOf({ steps, edges })).toEqual([
      expect.stringMatching(/^warning maybe-missing at steps.draft.text/),
    ]);
  });

  it('is never: the feedback of an approval, there before anybody was asked', () => {
    const steps = { draft: reads('review.json.feedback'), review: ask };
    const edges = ['draft -> review', back('review.rejected', 'draft')];
    expect(faultsOf({ steps, edges })).toEqual([]);
    expect(faultsOf({ steps: { ...steps, draft: reads('review.json.by') }, edges })[0]).toMatch(
      /^never-before/,
    );
  });
});

describe('a step that runs only on some ways to where it is read', () => {
  const warning = (place: string) => [
    `warning maybe-missing at ${place}: {{x.text}}: x does not run on every path that leads here; where it did not, this fails. Read it only behind the exit that needs it.`,
  ];

  test.each<[string, JsonObject, readonly Json[]]>([
    [
      'behind one exit of a condition',
      { c: check, x: get, end: reads('x.text') },
      ['c.yes -> x -> end', 'c.no -> end'],
    ],
    [
      'behind a condition on an edge',
      { a: get, x: get, end: reads('x.text') },
      [{ from: 'a', to: 'x', when: { path: 'text', is: 'y' } }, 'x -> end', 'a -> end'],
    ],
    ['behind a failure', { a: get, x: get, end: reads('x.text') }, ['a.failed -> x -> end', 'a -> end']],
    [
      'where every branch has to come, and may not',
      { a: get, b: get, c: check, x: { ...text('x'), runWhen: 'all' }, end: reads('x.text') },
      ['a -> b', 'a -> c', 'b -> x', 'c.yes -> x', 'x -> end', 'b -> end'],
    ],
    [
      'before the end of only one branch',
      { root: get, c: check, x: get, y: get, end: { ...reads('x.text') } },
      ['root -> c', 'c.yes -> x -> end', 'c.no -> y -> end'],
    ],
    [
      'where work can be sent back to a step that was skipped',
      { c: check, x: get, end: reads('x.text'), y: get, last: ask },
      ['c.yes -> x -> end -> last', 'c.no -> y -> last', back('last.rejected', 'end')],
    ],
  ])('is worth a warning: %s', (_, steps, edges) => {
    expect(faultsOf({ steps, edges })).toEqual(warning('steps.end.text'));
    planOf({ steps, edges });
  });

  test.each<[string, JsonObject, readonly Json[]]>([
    ['right before', { x: get, end: reads('x.text') }, ['x -> end']],
    ['behind the same exit', { c: check, x: get, end: reads('x.text') }, ['c.yes -> x -> end']],
    [
      'in parallel branches that join',
      { root: get, x: get, b: get, end: join, last: reads('x.text') },
      ['root -> x -> end', 'root -> b -> end -> last'],
    ],
    [
      'in parallel branches that meet without a Join',
      { root: get, x: get, b: get, end: reads('x.text') },
      ['root -> x -> end', 'root -> b -> end'],
    ],
    [
      'in parallel branches behind a condition',
      { c: check, fork: get, x: get, b: get, end: reads('x.text') },
      ['c.yes -> fork', 'fork -> x -> end', 'fork -> b -> end'],
    ],
    [
      'where both exits of a condition meet again, beside another branch',
      { root: get, c: check, a: get, b: get, x: get, side: get, end: reads('x.text') },
      ['root -> c', 'c.yes -> a -> x', 'c.no -> b -> x', 'x -> end', 'root -> side -> end'],
    ],
    [
      'behind an approval whose rejection ends the run, beside another branch',
      { root: get, review: ask, x: get, side: get, end: reads('x.text') },
      ['root -> review', 'review.approved -> x -> end', 'root -> side -> end'],
    ],
    [
      'behind an approval whose rejection sends the work back, beside another branch',
      { root: get, review: ask, x: get, side: get, end: reads('x.text') },
      [
        'root -> review',
        'review.approved -> x -> end',
        'root -> side -> end',
        back('review.rejected', 'root'),
      ],
    ],
    [
      'where work is sent back, beside another branch',
      { c: check, x: get, draft: reads('x.text'), side: get, end: reads('x.text'), last: ask },
      ['c.yes -> x', 'x -> draft -> end', 'x -> side -> end', 'end -> last', back('last.rejected', 'draft')],
    ],
    [
      'on several beginnings',
      { a: get, x: get, end: reads('x.text') },
      ['start -> a', 'start -> x', 'a -> end', 'x -> end'],
    ],
    [
      'where every branch has to come',
      { root: get, c: check, x: get, b: get, end: { ...reads('x.text'), runWhen: 'all' } },
      ['root -> c', 'c.yes -> x -> end', 'root -> b -> end'],
    ],
  ])('and not: %s', (_, steps, edges) => {
    expect(faultsOf({ steps, edges })).toEqual([]);
  });

  it('is no matter where a missing value is none: what an approval shows, what a rule reads', () => {
    const steps = {
      c: check,
      x: get,
      review: { ...ask, show: ['x'] },
      rule: { type: 'condition', all: [{ step: 'x', path: 'text', exists: true }] },
    };
    expect(
      faultsOf({ steps, edges: ['c.yes -> x -> review', 'c.no -> review', 'review.approved -> rule'] }),
    ).toEqual([]);
  });

  test.each<[string, JsonObject, readonly Json[], boolean]>([
    ['a step that every run takes', { x: get, end: post }, ['x -> end'], true],
    ['a step behind an approval that ends the run', { a: ask, x: post }, ['a.approved -> x'], true],
    [
      'a step behind an approval that ends the run when nobody decides in time',
      { a: { ...ask, expiresAfter: '1h' }, x: post },
      ['a.approved -> x'],
      true,
    ],
    [
      'the same when the run goes on then',
      { a: { ...ask, expiresAfter: '1h' }, x: post, late: post },
      ['a.approved -> x', 'a.expired -> late'],
      false,
    ],
    [
      'a step behind one of several answers',
      { a: { ...ask, actions: [{ id: 'ship' }, { id: 'hold' }] }, x: post, b: post },
      ['a.ship -> x', 'a.hold -> b'],
      false,
    ],
    ['a step behind one exit of a condition', { a: check, x: post }, ['a.yes -> x'], false],
    ['the last step of one of two branches', { a: get, x: post, b: post }, ['a -> x', 'a -> b'], true],
  ])('in the output of the flow: %s', (_, steps, edges, isSure) => {
    expect(faultsOf({ steps, edges, output: '{{x.text}}' })).toEqual(isSure ? [] : warning('output'));
  });
});
