import { describe, expect, it } from 'vitest';
import type { Plan, PlanStep } from '../../../src/engine/flow/plan.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { messagePost } from '../../../src/engine/run/message-post.ts';
import { planRetry, planRetryOn } from '../../../src/engine/run/retry.ts';
import type { RunState } from '../../../src/engine/run/state.ts';
import { ask, asked, broken, Driven, drive, get, pay, planOf, post, started, text } from './drive.ts';

const back = (from: string, to: string, more: JsonObject = {}): JsonObject => ({
  from,
  to,
  sendBack: true,
  ...more,
});

function retryOf(run: { plan: Plan; state: RunState }) {
  const retry = planRetry(run.plan, run.state);
  if ('refused' in retry) throw new Error(retry.refused);
  return retry;
}

/** The run that a retry starts. */
function again(run: Driven, posts: Readonly<Record<string, string>> = {}): Driven {
  const { inherits } = retryOf(run);
  return new Driven(run.plan, { ...started, trigger: 'retry', retryOf: { ...inherits, posts } });
}

const release: JsonObject = {
  steps: {
    fetch: { ...get, name: 'Fetch' },
    draft: { ...pay, name: 'Draft' },
    review: { ...ask, name: 'Review', show: ['draft'] },
    publish: { ...post, name: 'Publish', text: '{{draft.text}} {{review.json.feedback}}' },
    report: { ...pay, name: 'Report' },
  },
};

/** A run of it that got as far as publishing. */
function published(): Driven {
  const run = drive(release);
  run.done('fetch');
  run.done('draft', 'notes');
  run.answer('review', 'approve', 'Fine.');
  return run;
}

describe('a retry', () => {
  it('keeps what was finished and runs the rest', () => {
    const run = published();
    run.fail('publish');
    expect(retryOf(run)).toMatchObject({
      kept: ['Fetch', 'Draft', 'Review'],
      again: ['Publish', 'Report'],
      inherits: { run: 'r1', done: { review: { exit: 'approved' } } },
      posts: [{ step: 'publish', post: 'post/r1/publish/1' }],
    });
    const retry = again(run);
    expect(retry.steps).toEqual({
      fetch: 'done',
      draft: 'done',
      review: 'done',
      publish: 'running',
      report: 'pending',
    });
    expect(retry.calls.get('publish')).toMatchObject({
      prose: [
        { kind: 'value', text: 'notes' },
        { kind: 'markdown', text: ' ' },
        { kind: 'value', text: 'Fine.' },
      ],
    });
    retry.done('publish');
    retry.done('report');
    expect(retry.state.status).toBe('succeeded');
    expect(retry.callKeys).toEqual(['publish/1/1', 'report/1/1']);
  });

  it('goes on with a post that had begun, also over several retries', () => {
    const run = published();
    run.fail('publish');
    const retry = again(run, { publish: 'post/r1/publish/1' });
    expect(retry.calls.get('publish')).toMatchObject({ post: 'post/r1/publish/1' });
    retry.fail('publish');
    expect(retryOf(retry).posts).toEqual([{ step: 'publish', post: 'post/r1/publish/1' }]);
  });

  it('never posts again what was posted', () => {
    const run = published();
    run.done('publish', { messageId: 'm1' });
    run.fail('report');
    expect(retryOf(run)).toMatchObject({
      kept: ['Fetch', 'Draft', 'Review', 'Publish'],
      posts: [],
    });
    expect(again(run).callKeys).toEqual(['report/1/1']);
  });

  it('goes on with a post that later rounds edit, also when its step is kept', () => {
    const steps = { say: { ...post, name: 'Say', onRound: 'edit' }, review: ask, report: pay };
    const run = drive({
      steps,
      edges: ['say -> review', 'review.approved -> report', back('review.rejected', 'say')],
    });
    run.done('say');
    run.answer('review', 'approve');
    run.fail('report');
    expect(retryOf(run)).toMatchObject({
      kept: ['Say', 'review'],
      posts: [{ step: 'say', post: 'post/r1/say/1' }],
    });
  });

  it('asks again after a rejection', () => {
    const run = drive(release);
    run.done('fetch');
    run.done('draft');
    run.answer('review', 'reject', 'No.');
    expect(retryOf(run)).toMatchObject({ kept: ['Fetch', 'Draft'], again: ['Review', 'Publish', 'Report'] });
    const retry = again(run);
    expect(retry.state.status).toBe('waiting');
    expect(retry.state.feedback).toEqual({});
    retry.answer('review', 'approve');
    expect(retry.steps.publish).toBe('running');
  });

  const expiring = (more: JsonObject): Driven => {
    const run = drive({
      steps: {
        draft: { ...get, name: 'Draft' },
        review: { ...ask, name: 'Review', expiresAfter: '1h', ...more },
        report: pay,
      },
    });
    run.done('draft');
    run.wait(7_200_000);
    return run;
  };

  it('asks again when nobody had decided in time', () => {
    const run = expiring({});
    expect(run.state.status).toBe('rejected');
    expect(retryOf(run)).toMatchObject({ kept: ['Draft'], again: ['Review', 'report'] });
    expect(again(run).steps.review).toBe('asking');
  });

  it('does not ask again what went on as the flow says when nobody had decided in time', () => {
    const run = expiring({ onExpire: 'approved' });
    run.fail('report');
    expect(retryOf(run)).toMatchObject({ kept: ['Draft', 'Review'], again: ['report'] });
  });

  it('keeps an answer of the flow’s own, unless it sent work back', () => {
    const steps = {
      draft: get,
      review: { ...ask, name: 'Review', actions: [{ id: 'ship' }, { id: 'redo' }] },
      report: pay,
    };
    const edges = [
      'draft -> review',
      'review.ship -> report',
      back('review.redo', 'draft', { maxRounds: 1 }),
    ];
    const shipped = drive({ steps, edges });
    shipped.done('draft');
    shipped.answer('review', 'ship');
    shipped.fail('report');
    expect(retryOf(shipped)).toMatchObject({
      kept: ['draft', 'Review'],
      inherits: { done: { review: { exit: 'ship' } } },
    });
    const redone = drive({ steps, edges });
    for (const _ of [1, 2]) {
      redone.done('draft');
      redone.answer('review', 'redo');
    }
    expect(retryOf(redone)).toMatchObject({ kept: ['draft'], again: ['Review', 'report'] });
  });

  it('can follow a run that was cancelled', () => {
    const run = drive(release);
    run.done('fetch');
    run.cancel();
    expect(retryOf(run)).toMatchObject({ kept: ['Fetch'], again: ['Draft', 'Review', 'Publish', 'Report'] });
  });

  it('keeps everything finished, also where something before it runs again', () => {
    const run = drive({
      steps: { root: text('go'), a: get, b: get, c: { ...post, name: 'Post' }, d: get },
      edges: ['root -> a -> c', 'root -> b -> c', 'c -> d'],
    });
    run.fail('a');
    run.done('b');
    run.done('c');
    run.fail('d');
    expect(retryOf(run)).toMatchObject({ kept: ['root', 'b', 'Post'], again: ['a', 'd'] });
    const retry = again(run);
    expect(retry.steps).toMatchObject({ a: 'running', b: 'done', c: 'pending' });
    retry.done('a');
    expect(retry.steps).toMatchObject({ c: 'done', d: 'running' });
    expect(retry.callKeys).toEqual(['a/1/1', 'd/1/1']);
  });

  it('keeps it over several retries, even when its turn does not come', () => {
    const run = drive({
      steps: { root: text('go'), a: get, b: get, c: post, d: get },
      edges: ['root -> a -> c', 'root -> b -> c', 'c -> d'],
    });
    run.fail('a');
    run.done('b');
    run.done('c');
    run.fail('d');
    const second = again(run);
    second.cancel();
    expect(retryOf(second)).toMatchObject({ kept: ['root', 'b', 'c'], again: ['a', 'd'] });
    const third = again(second);
    third.done('a');
    third.done('d');
    expect(third.state.status).toBe('succeeded');
    expect(third.callKeys).toEqual(['a/1/1', 'd/1/1']);
  });

  it('does not ask anew what people approved, unless they would see something else', () => {
    const run = drive({
      steps: { root: text('go'), a: get, b: get, review: { ...ask, show: ['a', 'b'] }, end: pay },
      edges: ['root -> a -> review', 'root -> b -> review', 'review.approved -> end'],
    });
    run.fail('a');
    run.done('b');
    run.answer('review', 'approve');
    run.done('end');
    expect(retryOf(run)).toMatchObject({ kept: ['root', 'b', 'end'], again: ['a', 'review'] });
    const retry = again(run);
    retry.done('a', 'now it is there');
    expect(retry.card('question/r1.1')).toContain('now it is there');
  });

  it('does not promise to run what a condition skips', () => {
    const run = drive({
      steps: { check: asked, yes: post, after: post, no: pay, end: post },
      edges: ['check.yes -> yes -> after', 'check.no -> no -> end'],
    });
    run.fail('no');
    expect(retryOf(run)).toMatchObject({ kept: ['check'], again: ['no', 'end'] });
  });

  it('begins the count of rounds anew, and runs what is sent back like any other round', () => {
    const run = drive({
      steps: { draft: get, review: ask, publish: post },
      edges: [
        'draft -> review',
        'review.approved -> publish',
        back('review.rejected', 'draft', { maxRounds: 1 }),
      ],
    });
    run.done('draft', 'one');
    run.answer('review', 'reject', 'Again.');
    run.done('draft', 'two');
    run.answer('review', 'reject', 'Again.');
    expect(run.state.status).toBe('failed');
    expect(retryOf(run)).toMatchObject({ kept: ['draft'], again: ['review', 'publish'] });
    const retry = again(run);
    expect(retry.state.outputs.draft?.text).toBe('two');
    retry.answer('review', 'reject', 'Once more.');
    expect(retry.calls.get('draft')).toMatchObject({ key: 'draft/2/1' });
    retry.done('draft', 'three');
    retry.answer('review', 'approve');
    expect(retry.calls.get('publish')).toMatchObject({ post: 'post/r1/publish/2' });
  });

  it('does not keep a step that would only send work back once more', () => {
    const run = drive({
      steps: {
        draft: get,
        check: { type: 'condition', all: [{ step: 'draft', path: 'ok', isTrue: true }] },
        end: post,
      },
      edges: ['draft -> check', 'check.yes -> end', back('check.no', 'draft', { maxRounds: 1 })],
    });
    run.done('draft');
    run.done('draft');
    expect(run.state.status).toBe('failed');
    expect(retryOf(run)).toMatchObject({ kept: ['draft'], again: ['check', 'end'] });
    const retry = again(run);
    expect(retry.calls.get('draft')).toMatchObject({ key: 'draft/2/1' });
  });

  it('waits for a free slot only with what calls', () => {
    const run = drive({
      maxParallel: 1,
      steps: { root: text('go'), a: get, b: get, c: get, d: text('d') },
      edges: ['root -> a', 'root -> b -> d', 'root -> c'],
    });
    run.fail('a', broken);
    run.done('b');
    run.done('c');
    expect(again(run).steps).toEqual({ root: 'done', a: 'running', b: 'done', c: 'done', d: 'done' });
  });

  it.each([
    ['has not ended yet', () => drive(release)],
    ['has succeeded: there is nothing to retry', () => drive({ steps: { a: text('x') } })],
  ])('is refused for a run that %s', (why, start) => {
    const run = start();
    expect(planRetry(run.plan, run.state)).toEqual({ refused: `This run ${why}.` });
  });

  it('is refused when there is nothing left to do', () => {
    const run = drive({ steps: { a: get }, output: '{{a.json.id}}' });
    run.done('a');
    expect(planRetry(run.plan, run.state)).toEqual({
      refused: 'Every step of this run has finished: a retry would change nothing.',
    });
  });
});

/** A message step of a plan. */
function messageStep(id: string, more: JsonObject): PlanStep {
  const step = planOf({ steps: { [id]: { ...post, ...more } } }).steps.get(id);
  if (!step) throw new Error(`There is no step ${id}.`);
  return step;
}

describe('a retry on another version', () => {
  it('asks anew what shows a step that was skipped, and may run now', () => {
    const flow = (yes: string, no: string): JsonObject => ({
      steps: {
        check: asked,
        extra: text('more'),
        review: { ...ask, show: ['extra'] },
        sign: { ...ask, notes: 'As {{review.text}}.' },
        publish: { ...post, text: '{{extra.text}}' },
      },
      edges: [
        `check.${no} -> extra`,
        `check.${yes} -> review`,
        'extra -> review',
        'review.approved -> sign',
        'sign.approved -> publish',
      ],
    });
    const run = drive(flow('yes', 'no'), { prompt: 'yes' });
    run.answer('review', 'approve');
    run.answer('sign', 'approve');
    expect(run.state.status).toBe('failed');
    const now = planOf(flow('no', 'yes'));
    const retry = planRetryOn(now, run.plan, run.state);
    if ('refused' in retry) throw new Error(retry.refused);
    expect(retry).toMatchObject({ kept: ['check'], again: ['extra', 'review', 'sign', 'publish'] });
    const start = { ...started, prompt: 'yes', retryOf: { ...retry.inherits, posts: {} } };
    const renewed = new Driven(now, { ...start, trigger: 'retry' });
    expect(renewed.steps).toMatchObject({ extra: 'done', review: 'asking', publish: 'pending' });
    expect(renewed.card('question/r1.1')).toContain('more');
  });
});

describe('the key of a post', () => {
  it('is one for all rounds when they edit it, until somebody decides that it is posted again', () => {
    const say = messageStep('say', { onRound: 'edit' });
    const start = { ...started, retryOf: { run: 'r1', done: {}, posts: { say: 'post/r1/say/1' } } };
    expect(messagePost({ id: 'r2', start: started, questions: {} }, say, 3)).toBe('post/r2/say/1');
    expect(messagePost({ id: 'r2', start, questions: {} }, say, 3)).toBe('post/r1/say/1');
    const run = drive({ steps: { say: { ...post, onRound: 'edit' } } });
    run.lose('say');
    run.answer('say', 'again');
    for (const round of [1, 2]) expect(messagePost(run.state, say, round)).toBe('post/r1/say/1/again1');
  });

  it('is new in every round, and inherited only in the first', () => {
    const run = {
      id: 'r2',
      start: { ...started, retryOf: { run: 'r1', done: {}, posts: { say: 'post/r1/say/3' } } },
      questions: {},
    };
    const step = (id: string) => messageStep(id, {});
    expect(messagePost(run, step('say'), 1)).toBe('post/r1/say/3');
    expect(messagePost(run, step('say'), 2)).toBe('post/r2/say/2');
    expect(messagePost(run, step('constructor'), 1)).toBe('post/r2/constructor/1');
  });
});
