import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runCase } from '../../src/testing/run-case.ts';
import { type Act, actSchema, type Fake, type TestCase } from '../../src/testing/test-file.ts';
import { casesOf, plansOf } from './tested.ts';

const plans = plansOf({
  flow: `
conversation: "#ops"
maxParallel: 2
timeout: 1d
steps:
  draft: { type: script, run: write, attempts: 3 }
  each: { type: map, over: [1, 2, 3], uses: one, onItemFailure: collect }
  wait: { type: wait, for: 1h }
  review: { type: approval, show: [draft], expiresAfter: 2d, onExpire: rejected }
  publish: { type: message, text: "{{draft.text}}" }
edges:
  - draft -> each -> review
  - draft -> wait -> review
  - review.approved -> publish
  - { from: review.rejected, to: draft, sendBack: true, maxRounds: 2 }
`,
  one: `
conversation: "#ops"
input: { type: object, properties: { item: { type: number } } }
steps:
  ask: { type: approval, expiresAfter: 3h, onExpire: rejected }
  send: { type: http, method: POST, url: "https://api.example.com/" }
  no: { type: template, text: No }
edges: [ask.approved -> send, ask.rejected -> no]
`,
});

const fake = (good: Partial<Fake>) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Partial<Fake>>(good) },
    fc.constant<Partial<Fake>>({ failure: 'No.' }),
    fc.constant<Partial<Fake>>({ unknown: 'Who knows.' }),
    fc.record({ delay: fc.integer({ min: 1, max: 10_000_000 }) }),
  );
const act = fc.oneof(
  fc.record({ answer: fc.constantFrom('approve', 'reject', 'again', 'fail') }),
  fc.record({ pass: fc.integer({ min: 1, max: 200_000_000 }).map((ms) => `${ms}ms`) }),
  fc.constant({ cancel: true }),
);
const acts: fc.Arbitrary<readonly Act[]> = fc
  .array(act, { maxLength: 12 })
  .map((all) => all.map((one) => actSchema.parse(one)));

describe('whatever happens in a case', () => {
  const [usual] = casesOf('cases: [{}]');
  const plan = plans.get('flow');
  if (!usual || !plan) throw new Error('There is no case of a flow.');
  const of = (more: Partial<TestCase>) => runCase({ ...usual, ...more }, 1, plan, plans);

  it('it ends, the same each time, and nothing is published without an approval', () => {
    fc.assert(
      fc.property(
        fc.array(fake({ stdout: 'v1' }), { minLength: 1, maxLength: 4 }),
        fc.array(fake({ body: 'ok' }), { minLength: 1, maxLength: 4 }),
        acts,
        (draft, send, happened) => {
          const fakes = { draft, 'each/send': send };
          const once = of({ fakes, acts: [...happened], expect: { path: [] } });
          expect(of({ fakes, acts: [...happened], expect: { path: [] } })).toEqual(once);
          const path = once.differences.flatMap(({ lines }) => lines.map((line) => line.slice(2)));
          const times = (step: string) => path.filter((one) => one === step).length;
          expect(times('publish')).toBeLessThanOrEqual(times('review'));
          expect(times('review')).toBeLessThanOrEqual(times('draft'));
          expect(times('draft')).toBeLessThanOrEqual(3);
          if (!happened.some(({ answer }) => answer === 'approve')) expect(times('publish')).toBe(0);
          expect(once.problems.filter((problem) => !/asked when|refused|^The run/.test(problem))).toEqual([]);
          expect(once.problems.filter((problem) => problem.startsWith('The run'))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
