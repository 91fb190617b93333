import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary, type Library } from '../../../src/engine/library.ts';
import { agentCalled } from '../../fakes/agent.ts';
import { ask, type Driven, drive, get, join, post } from './drive.ts';

const agent: JsonObject = { type: 'agent', agent: 'writer', task: 'Write.' };
const library: Library = {
  ...bareLibrary,
  agents: new Map([['writer', agentCalled('writer')]]),
};
const run = (flow: JsonObject): Driven => drive({ maxParallel: 9, ...flow }, {}, library);
const back = (from: string, to: string, more: JsonObject = {}): JsonObject => ({
  from,
  to,
  sendBack: true,
  ...more,
});

describe('an edge with an expression', () => {
  it('is taken when it holds', () => {
    const driven = run({
      steps: { a: get, b: post, c: post },
      edges: [
        { from: 'a', to: 'b', when: 'a.json.score > 0.5 && a.json.tags.exists(tag, tag == "new")' },
        { from: 'a', to: 'c', when: '!has(a.json.score)' },
      ],
    });
    driven.done('a', { score: 0.9, tags: ['old', 'new'] });
    expect(driven.steps).toEqual({ a: 'done', b: 'running', c: 'skipped' });
  });

  test.each<[string, JsonObject, string]>([
    ['a.json.score > 1', {}, 'a.json.score: there is no such value'],
    ['a.json.score > 1', { score: 'high' }, "a text and a number can't be compared"],
    ['a.json.score', { score: 1 }, 'it gives a number, not true or false'],
    [
      'a.json.list.all(x, a.json.list.all(y, x == y))',
      { list: Array.from({ length: 1_000 }, () => 1) },
      'that is too much work over so much data',
    ],
  ])(
    'fails the step it leads to, not the one it leaves, when %s can not be worked out',
    (when, output, why) => {
      const driven = run({
        steps: { a: get, b: post, c: post },
        edges: [{ from: 'a', to: 'b', when }, 'b -> c'],
      });
      driven.done('a', output);
      expect(driven.steps).toEqual({ a: 'done', b: 'failed', c: 'skipped' });
      expect(driven.state).toMatchObject({
        status: 'failed',
        reason: `"b" failed: the condition of the edge a.done -> b can't be worked out: ${why}.`,
      });
    },
  );

  const meeting = (end: JsonObject, more: JsonObject = {}) => ({
    steps: { root: get, a: get, b: get, end, ...more },
    edges: ['root -> a', 'root -> b', 'b -> end', { from: 'a', to: 'end', when: 'a.json.ok' }],
  });

  test.each(['a', 'b'])('fails it although another edge leads there; %s is done first', (first) => {
    const driven = run(meeting(post));
    driven.done('root');
    driven.done(first);
    driven.done(first === 'a' ? 'b' : 'a');
    expect(driven.steps.end).toBe('failed');
    expect(driven.callKeys).not.toContain('end/1/1');
  });

  test.each<[string, JsonObject]>([
    ['any', post],
    ['all', { ...post, runWhen: 'all' }],
    ['a join', join],
    ['a join that goes on', { type: 'join', onFailure: 'continue' }],
  ])('fails a step that waits for %s', (_, end) => {
    const driven = run(meeting(end));
    driven.done('root');
    driven.done('b');
    driven.done('a');
    expect(driven.state).toMatchObject({ status: 'failed', steps: { end: { status: 'failed' } } });
    expect(driven.state.reason).toContain('"end" failed: the condition of the edge a.done -> end');
  });

  it('fails it only when all that leads there has ended, so that nothing is sent back past a gate', () => {
    const driven = run({
      steps: { root: get, gate: ask, pay: get, end: post, mend: get },
      edges: [
        'root -> gate',
        'gate.approved -> pay -> end',
        { from: 'root', to: 'end', when: 'root.json.ok' },
        'end.failed -> mend',
        back('mend', 'pay'),
      ],
    });
    driven.done('root');
    expect(driven.steps).toMatchObject({ gate: 'asking', pay: 'pending', end: 'pending', mend: 'pending' });
    driven.answer('gate', 'approve');
    driven.done('pay');
    expect(driven.steps).toMatchObject({ end: 'failed', mend: 'running' });
  });

  it('lets an edge from failed take that up', () => {
    const flow = meeting(post, { rescue: post });
    const driven = run({ ...flow, edges: [...flow.edges, 'end.failed -> rescue'] });
    driven.done('root');
    driven.done('b');
    driven.done('a');
    driven.done('rescue');
    expect(driven.state.status).toBe('succeeded');
  });

  it('fails a new round of the step too, when it stands outside of what is sent back', () => {
    const driven = run({
      steps: { root: get, a: get, b: get, slow: get, review: ask, end: post },
      edges: [
        'root -> a',
        'root -> b -> review',
        'b -> slow',
        'slow -> end',
        'review.approved -> end',
        { from: 'a', to: 'end', when: 'a.json.ok' },
        back('review.rejected', 'b'),
      ],
    });
    driven.done('root');
    driven.done('b');
    // While slow works the stretch comes to rest: the undecided edge arrives in between.
    driven.answer('review', 'reject');
    driven.done('a');
    driven.done('slow');
    expect(driven.state.steps).toMatchObject({
      b: { status: 'running', round: 2 },
      end: { status: 'pending', round: 2 },
    });
    driven.done('b');
    driven.answer('review', 'approve');
    driven.done('slow');
    expect(driven.state.status).toBe('failed');
    expect(driven.state.reason).toContain('"end" failed: the condition of the edge a.done -> end');
    expect(driven.callKeys.filter((key) => key.startsWith('end/'))).toEqual([]);
  });

  it('that sends work back fails the run in the name of the step it leads to, and nothing goes on', () => {
    const driven = run({
      steps: { draft: get, check: get, publish: post },
      edges: ['draft -> check -> publish', back('check', 'draft', { when: 'check.json.bad' })],
    });
    driven.done('draft');
    driven.done('check');
    expect(driven.state).toMatchObject({
      status: 'failed',
      reason:
        '"draft" failed: the condition of the edge check.done -> draft can\'t be worked out: check.json.bad: there is no such value.',
      steps: { publish: { status: 'pending' } },
    });
  });

  it('sends work back when it holds, and lets it go on when not', () => {
    const driven = run({
      steps: { draft: get, check: get, publish: post },
      edges: ['draft -> check -> publish', back('check', 'draft', { when: 'check.json.bad' })],
    });
    driven.done('draft');
    driven.done('check', { bad: true });
    expect(driven.steps).toEqual({ draft: 'running', check: 'pending', publish: 'pending' });
    driven.done('draft');
    driven.done('check', { bad: false });
    expect(driven.steps.publish).toBe('running');
  });
});

describe('a choice of an agent', () => {
  const flow: JsonObject = {
    steps: { pick: agent, a: post, b: post, c: post, end: join },
    edges: [{ from: 'pick', choose: ['a', 'b', 'c'], join: 'end' }],
  };

  it('runs the steps that were picked, and no others; they meet again', () => {
    const driven = run(flow);
    driven.done('pick', { choice: ['a', 'c'] });
    expect(driven.steps).toEqual({ pick: 'done', a: 'running', b: 'skipped', c: 'running', end: 'pending' });
    driven.done('a');
    driven.done('c');
    expect(driven.state.status).toBe('succeeded');
  });

  test.each<[string, string | JsonObject]>([
    ['text', 'a, b and c'],
    ['a text in the field', { choice: 'a' }],
    ['an object', { choice: { a: true } }],
    ['steps that are not there', { choice: ['end', 'A', 'nope'] }],
  ])('is never read out of %s', (_, output) => {
    const driven = run(flow);
    driven.done('pick', output);
    expect(driven.steps).toMatchObject({ a: 'skipped', b: 'skipped', c: 'skipped', end: 'skipped' });
  });

  it('is none when the agent fails', () => {
    const driven = run(flow);
    driven.fail('pick');
    expect(driven.state.status).toBe('failed');
    expect(driven.callKeys).toEqual(['pick/1/1']);
  });
});

describe('what a reviewer asked to change', () => {
  const flow: JsonObject = {
    steps: { plan: agent, data: get, write: agent, polish: agent, notes: agent, review: ask, end: post },
    edges: [
      'plan -> data',
      'data -> write -> polish -> review',
      'data -> notes -> review',
      'review.approved -> end',
      back('review.rejected', 'data'),
    ],
  };
  const work = (driven: Driven, ...steps: readonly string[]) => {
    for (const step of steps) driven.done(step, `by ${step}`);
  };
  const heard = (driven: Driven) => driven.state.review;

  it('reaches the first agent step on each path, and no later one', () => {
    const driven = run(flow);
    work(driven, 'plan', 'data', 'write', 'notes', 'polish');
    driven.answer('review', 'reject', 'Shorter!');
    expect(heard(driven)).toEqual({ write: 'Shorter!', notes: 'Shorter!' });
    driven.done('data');
    expect(driven.calls.get('write')).toMatchObject({ call: { prompt: { review: 'Shorter!' } } });
    driven.done('write');
    expect(driven.calls.get('polish')).not.toHaveProperty('call.prompt.review');
  });

  it('is forgotten with the next round, and when nothing was said', () => {
    const driven = run(flow);
    work(driven, 'plan', 'data', 'write', 'notes', 'polish');
    driven.answer('review', 'reject', 'Shorter!');
    work(driven, 'data', 'write', 'notes', 'polish');
    driven.answer('review', 'reject');
    expect(heard(driven)).toEqual({});
  });

  it('is what the source says where the edge hands that on', () => {
    const steps = { write: agent, check: agent };
    const edges = ['write -> check', back('check.failed', 'write', { feedback: true })];
    const failed = run({ steps, edges });
    work(failed, 'write');
    failed.fail('check');
    expect(heard(failed)).toEqual({ write: 'it answered with status 400.' });
    const silent = run({ steps, edges: ['write -> check', back('check', 'write')] });
    work(silent, 'write', 'check');
    expect(heard(silent)).toEqual({});
    expect(silent.state.steps.write).toMatchObject({ status: 'running', round: 2 });
  });

  it('of an inner round does not outlive an outer one', () => {
    const driven = run({
      steps: { plan: agent, write: agent, inner: ask, outer: ask },
      edges: [
        'plan -> write -> inner',
        'inner.approved -> outer',
        back('inner.rejected', 'write'),
        back('outer.rejected', 'plan'),
      ],
    });
    work(driven, 'plan', 'write');
    driven.answer('inner', 'reject', 'Inner.');
    expect(heard(driven)).toEqual({ write: 'Inner.' });
    work(driven, 'write');
    driven.answer('inner', 'approve');
    driven.answer('outer', 'reject', 'Outer.');
    expect(heard(driven)).toEqual({ plan: 'Outer.' });
  });
});

describe('whatever the edges say', () => {
  const output = fc.constantFrom<JsonObject>(
    {},
    { ok: true },
    { ok: false },
    { ok: 1 },
    { choice: ['b'] },
    { choice: ['b', 'c'], ok: true },
    { choice: 'c' },
  );
  const edge = fc.constantFrom<Json>(
    { from: 'a', choose: ['b', 'c'], join: 'end' },
    { from: 'a', choose: ['b', 'c'], join: 'end', when: 'a.json.ok' },
  );
  const flow = fc.record({
    edge,
    when: fc.constantFrom<JsonObject>({}, { when: 'd.json.ok' }, { when: { path: 'ok', isTrue: true } }),
    runWhen: fc.constantFrom('any', 'all'),
  });

  it('no step runs before all that leads to it has ended, nor against an undecided edge', () => {
    fc.assert(
      fc.property(flow, fc.array(fc.tuple(fc.nat(9), output), { maxLength: 20 }), (made, turns) => {
        const driven = run({
          steps: { root: get, a: agent, d: get, b: get, c: get, end: { ...get, runWhen: made.runWhen } },
          edges: ['root -> a', 'root -> d', made.edge, { from: 'd', to: 'end', ...made.when }],
        });
        for (const [which, result] of turns) {
          const open = [...driven.calls.keys()];
          const step = open[which % open.length];
          if (step !== undefined) driven.done(step, result);
          for (const [id, { status }] of Object.entries(driven.state.steps)) {
            if (status !== 'running' && status !== 'done') continue;
            const incoming = driven.plan.steps.get(id)?.incoming ?? [];
            const fates = incoming.map((at) => driven.state.fates[at]);
            expect(fates).not.toContain(undefined);
            if (incoming.length > 0) expect(fates).toContain('live');
            // A branch that failed does not count for a step that waits for any; an undecided edge always does.
            const tainted = incoming.filter((at) => driven.state.fates[at] === 'tainted');
            const sources = tainted.map((at) => driven.steps[driven.plan.edges[at]?.from ?? '']);
            expect(sources).not.toContain('done');
          }
        }
      }),
    );
  });
});
