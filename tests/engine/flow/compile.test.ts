import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { Json } from '../../../src/engine/json.ts';
import { arbitraryFlow, arbitraryReviews } from '../run/arbitrary-flow.ts';
import { ask, back, faultsOf, get, planOf, post, read, text } from './faults.ts';

describe('a plan', () => {
  const flow = {
    name: 'Release notes',
    description: 'Drafts and posts them.',
    enabled: false,
    allow: { users: ['slack:U0ANA'], roles: ['maintainers', 'slack:S0OPS'] },
    input: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
    conversation: 'slack:#releases',
    timeout: '1h',
    maxParallel: 3,
    triggers: [{ type: 'command', command: 'release', in: ['slack:#releases'] }, { type: 'manual' }],
    steps: {
      draft: { ...get, name: 'Draft', attempts: 3, firstRetryAfter: '5s', timeout: '10s' },
      review: ask,
      publish: { ...post, text: '{{input.version}}: {{draft.text}}' },
    },
    edges: [
      'draft -> review',
      'review.approved -> publish',
      back('review.rejected', 'draft', { maxRounds: 5 }),
    ],
    output: { id: '{{publish.json.messageId}}', list: [1, null, 'x'] },
  };

  it('holds everything that a run needs', () => {
    const plan = planOf(flow, 'release');
    expect(plan).toMatchObject({
      id: 'release',
      name: 'Release notes',
      description: 'Drafts and posts them.',
      enabled: false,
      allow: ['slack:U0ANA', '@maintainers', 'slack:@S0OPS'],
      input: flow.input,
      conversation: 'slack:#releases',
      timeoutMs: 3_600_000,
      maxParallel: 3,
      triggers: [{ type: 'command', command: 'release', in: ['slack:#releases'] }, { type: 'manual' }],
      roots: ['draft'],
    });
    expect([...plan.steps.keys()]).toEqual(['draft', 'review', 'publish']);
    expect(plan.steps.get('draft')).toMatchObject({
      id: 'draft',
      name: 'Draft',
      type: 'http',
      runWhen: 'any',
      attempts: 3,
      firstRetryAfterMs: 5000,
      timeoutMs: 10_000,
      incoming: [],
      outgoing: [0],
      sendBacks: [],
    });
    expect(plan.steps.get('review')).toMatchObject({ incoming: [0], outgoing: [1], sendBacks: [2] });
    expect(plan.output?.kind).toBe('object');
  });

  it('leaves out what the flow does not say', () => {
    const plan = planOf({ steps: { say: post } });
    expect(plan).toMatchObject({ id: 'flow', name: 'flow', enabled: true, maxParallel: 2, triggers: [] });
    for (const key of ['description', 'allow', 'input', 'conversation', 'timeoutMs', 'output']) {
      expect(plan).not.toHaveProperty(key);
    }
  });

  it('comes with the warnings of the flow', () => {
    const steps = { a: get, b: ask, c: post };
    const edges = ['a -> b', back('b.rejected', 'a'), 'b.rejected -> c'];
    expect(compile({ steps, edges }, 'flow')).toMatchObject({
      plan: { id: 'flow' },
      faults: [{ severity: 'warning', rule: 'never-taken' }],
    });
  });
});

describe('what is wrong', () => {
  it('is told all at once, in the order of the file', () => {
    const faults = faultsOf({
      nmae: 'Release',
      steps: {
        draft: { ...get, url: 'ftp://example.com' },
        check: { type: 'condition', all: [{ step: 'drft', path: 'x', is: 1 }] },
        meet: { type: 'join' },
        publish: { ...post, text: '{{secrets.TOKEN}} {{input.x}}' },
        lost: { ...post, to: '{{draft.text}}' },
      },
      edges: ['draft -> check -> meet', 'check.maybe -> publish', 'publish -> draft'],
      output: '{{draft.json.a b}}',
    });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'unknown-key at nmae',
      'value at steps.draft.url',
      'value at steps.lost.to',
      'exit-missing at edges.0',
      'unknown-exit at edges.1',
      'cycle at edges.2',
      'roots at edges',
      'join-branches at steps.meet',
      'placeholder at output',
      'unknown-step at steps.check.all.0.step',
      'secret-place at steps.publish.text',
      'unknown-input at steps.publish.text',
    ]);
    expect(compile({ steps: {} }, 'flow').plan).toBeUndefined();
  });

  it('is told once, however many edges a list stands for', () => {
    const edges = [
      'root -> a',
      'root -> b',
      { from: ['a', 'b'], to: 'end', when: { step: 'nobody', path: 'text', is: 'x' } },
    ];
    const faults = faultsOf({ steps: { root: get, a: get, b: get, end: post }, edges });
    expect(faults).toHaveLength(1);
  });

  it('is what stands in the output, too', () => {
    expect(faultsOf({ steps: { a: get }, output: { list: ['{{#if a}}'] } })[0]).toMatch(
      /^placeholder at output.list.0: /,
    );
  });
});

describe('every flow', () => {
  const sound = fc.oneof(
    { arbitrary: arbitraryFlow(), weight: 2 },
    { arbitrary: arbitraryReviews, weight: 1 },
  );

  test('that is sound compiles, and means the same when its file was written and read once more', () => {
    fc.assert(
      fc.property(sound, (flow) => {
        const { plan, faults } = compile(flow, 'flow');
        expect(faults.filter((fault) => fault.severity === 'error').map(read)).toEqual([]);
        const again: Json = JSON.parse(JSON.stringify(flow));
        expect(compile(again, 'flow')).toEqual({ plan, faults });
      }),
      { numRuns: 300 },
    );
  });

  test('however broken, is told what is wrong and never throws', () => {
    const names = fc.constantFrom(
      'a',
      'b',
      'start',
      'constructor',
      '__proto__',
      'input',
      'a.failed',
      'b.yes',
      'c',
    );
    const edge = fc.oneof(
      fc.tuple(names, names).map((ends) => ends.join(' -> ')),
      fc.record({ from: names, to: names, sendBack: fc.boolean(), when: fc.json() }),
      fc.jsonValue(),
    );
    const step = fc.oneof(
      fc.constantFrom<Json>(get, ask, post, text('{{a.text}} {{b.json.x}} {{input.y}}'), { type: 'join' }),
      fc.jsonValue(),
    );
    const flow = fc.record(
      {
        steps: fc.oneof(fc.dictionary(names, step), fc.jsonValue()),
        edges: fc.oneof(fc.array(edge), fc.jsonValue()),
        input: fc.jsonValue(),
        output: fc.oneof(fc.constantFrom('{{a.text}}', '{{secrets.X}}', '{{'), fc.jsonValue()),
        triggers: fc.jsonValue(),
      },
      { requiredKeys: ['steps'] },
    );
    fc.assert(
      fc.property(fc.oneof(flow, fc.jsonValue()), (written) => {
        const json: Json = JSON.parse(JSON.stringify(written));
        const { plan, faults } = compile(json, 'flow');
        expect(plan === undefined).toBe(faults.some((fault) => fault.severity === 'error'));
      }),
      { numRuns: 500 },
    );
  });

  test('may be as large as 500 steps and 2,000 edges', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `step${index}`);
    const edges = [1, 2, 3, 4, 5].flatMap((by) => ids.slice(by).map((id, at) => `${ids[at]} -> ${id}`));
    const steps = ids.map(
      (id, at) => [id, text(at === 0 ? 'x' : `{{step0.text}} {{step${at - 1}.text}}`)] as const,
    );
    const plan = planOf({ steps: Object.fromEntries(steps), edges: edges.slice(0, 2000) });
    expect(plan.edges).toHaveLength(2000);
  });
});
