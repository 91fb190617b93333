import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { ask, drive, flaky, get, join, pay, post, text } from './drive.ts';

const back = (from: string, to: string, more: JsonObject = {}): JsonObject => ({
  from,
  to,
  sendBack: true,
  ...more,
});

const reviewed: JsonObject = {
  steps: {
    draft: { ...get, query: { feedback: '{{review.json.feedback}}' } },
    review: { ...ask, show: ['draft'] },
    publish: { ...post, text: '{{draft.text}}' },
  },
  edges: [
    'draft -> review',
    'review.approved -> publish',
    back('review.rejected', 'draft', { maxRounds: 2 }),
  ],
};

describe('sending work back', () => {
  it('runs the target and everything after it again, with the feedback, as a new round', () => {
    const run = drive(reviewed);
    expect(run.calls.get('draft')).toMatchObject({ call: { url: 'https://api.example.com/?feedback=' } });
    run.done('draft', 'first');
    run.answer('review', 'reject', 'Shorter!');
    expect(run.steps).toEqual({ draft: 'running', review: 'pending', publish: 'pending' });
    expect(run.calls.get('draft')).toMatchObject({
      key: 'draft/2/1',
      round: 2,
      call: { url: 'https://api.example.com/?feedback=Shorter!' },
    });
    expect(run.state.outputs).toEqual({});
    expect(run.state.sentBack).toEqual({ 2: { times: 1, feedback: 'Shorter!' } });
    run.done('draft', 'second');
    expect(run.question('review')).toBe('r1.2');
    run.answer('review', 'approve');
    expect(run.calls.get('publish')).toMatchObject({
      post: 'post/r1/publish/2',
      prose: [{ kind: 'value', text: 'second' }],
    });
    run.done('publish');
    expect(run.state.status).toBe('succeeded');
  });

  it('fails the run when it happens once more than it may, naming the edge', () => {
    const run = drive(reviewed);
    for (let round = 1; round <= 3; round += 1) {
      run.done('draft');
      run.answer('review', 'reject');
    }
    expect(run.state).toMatchObject({
      status: 'failed',
      reason:
        '"review" failed: the edge review.rejected -> draft has sent work back 2 times, which is its limit.',
      steps: { draft: { round: 3 } },
    });
    expect(run.callKeys).toEqual(['draft/1/1', 'draft/2/1', 'draft/3/1']);
  });

  it('may happen ten times unless the edge says otherwise', () => {
    const run = drive({
      ...reviewed,
      edges: ['draft -> review', 'review.approved -> publish', back('review.rejected', 'draft')],
    });
    for (let round = 1; round <= 10; round += 1) {
      run.done('draft');
      run.answer('review', 'reject');
    }
    run.done('draft');
    expect(run.state.status).toBe('waiting');
    run.answer('review', 'reject');
    expect(run.state.reason).toContain('has sent work back 10 times');
  });

  it('may leave by expired', () => {
    const run = drive({
      steps: { draft: get, review: { ...ask, expiresAfter: '1h' }, publish: post },
      edges: ['draft -> review', 'review.approved -> publish', back('review.expired', 'draft')],
    });
    run.done('draft');
    run.wait(2 * 3_600_000);
    expect(run.steps).toEqual({ draft: 'running', review: 'pending', publish: 'pending' });
    expect(run.calls.get('draft')).toMatchObject({ key: 'draft/2/1' });
  });

  it('is not taken when its condition does not hold; then the other edges of the exit are', () => {
    const flow: JsonObject = {
      steps: { draft: get, check: text('{{draft.text}}'), publish: post },
      edges: [
        'draft -> check -> publish',
        back('check', 'draft', { when: { path: 'text', is: 'bad' }, feedback: true }),
      ],
    };
    const run = drive(flow);
    run.done('draft', 'bad');
    expect(run.steps).toEqual({ draft: 'running', check: 'pending', publish: 'pending' });
    expect(run.state.sentBack).toEqual({ 2: { times: 1, feedback: 'bad' } });
    expect(run.callKeys).not.toContain('publish/1/1');
    run.done('draft', 'good');
    expect(run.steps).toEqual({ draft: 'done', check: 'done', publish: 'running' });
  });

  it('comes before what the other edges of the step would lead to', () => {
    const run = drive({
      maxParallel: 3,
      steps: { root: text('go'), side: get, other: get, draft: get, check: get, rescue: post, end: join },
      edges: [
        'root -> side -> rescue -> end',
        'root -> other -> end',
        'root -> draft -> check',
        'check.failed -> rescue',
        back('check', 'draft', { when: { path: 'text', is: 'bad' } }),
      ],
    });
    run.fail('side');
    run.done('draft');
    run.done('check', 'bad');
    expect(run.state.stopping).toBeUndefined();
    expect(run.steps).toMatchObject({ draft: 'running', rescue: 'pending' });
    run.done('draft');
    run.done('check', 'good');
    expect(run.state.stopping).toMatchObject({ reason: '"side" failed: it answered with status 400.' });
  });

  it('can take up a failure', () => {
    const run = drive({
      steps: { fetch: get, store: pay },
      edges: ['fetch -> store', back('store.failed', 'fetch', { maxRounds: 1, feedback: true })],
    });
    run.done('fetch');
    run.fail('store');
    expect(run.state).toMatchObject({
      status: 'running',
      sentBack: { 1: { times: 1, feedback: 'it answered with status 400.' } },
      steps: { fetch: { round: 2 }, store: { status: 'pending', round: 2 } },
    });
    run.done('fetch');
    run.fail('store');
    expect(run.state.reason).toContain('store.failed -> fetch has sent work back once, which is its limit.');
  });

  it('goes round by itself where no people and no calls are needed, and ends all the same', () => {
    const run = drive({
      steps: { a: text('x'), b: text('y') },
      edges: ['a -> b', back('b', 'a', { maxRounds: 10 })],
    });
    expect(run.state).toMatchObject({ status: 'failed', steps: { a: { round: 11 } } });
  });

  it('can send a step back to itself', () => {
    const run = drive({ steps: { a: ask }, edges: [back('a.rejected', 'a', { maxRounds: 1 })] });
    run.answer('a', 'reject');
    expect(run.question('a')).toBe('r1.2');
    run.answer('a', 'approve');
    expect(run.state.status).toBe('succeeded');
  });
});

describe('while a stretch still has calls under way', () => {
  const flow: JsonObject = {
    maxParallel: 5,
    steps: {
      draft: get,
      slow: { ...pay, attempts: 3 },
      review: ask,
      legal: { ...ask, title: 'Legal?' },
      pause: { type: 'wait', for: '1h' },
      shaky: { ...get, attempts: 3 },
      end: join,
    },
    edges: [
      'draft -> slow -> end',
      'draft -> review',
      'review.approved -> end',
      'draft -> legal',
      'legal.approved -> end',
      'draft -> pause -> end',
      'draft -> shaky -> end',
      back('review.rejected', 'draft'),
    ],
  };
  function sentBack() {
    const run = drive({ ...flow, humanReminder: null });
    run.done('draft');
    run.fail('shaky', flaky);
    expect(run.timers.size).toBe(2);
    run.answer('review', 'reject', 'No.');
    return run;
  }

  it('they finish first; questions and timers of the stretch are superseded at once', () => {
    const run = sentBack();
    expect(run.steps).toMatchObject({ draft: 'done', slow: 'running', legal: 'pending', pause: 'pending' });
    expect(run.state).toMatchObject({ status: 'running', draining: [10] });
    expect(run.timers.size).toBe(0);
    expect(run.card('question/r1.2')).toContain('Not needed any more: The work was sent back.');
    expect(run.cards.get('question/r1.2')?.buttons).toEqual([]);
    expect(run.refusal('r1.2', 'approve')).toBe('This question is closed. The work was sent back.');
    run.done('slow');
    expect(run.steps).toMatchObject({ draft: 'running', slow: 'pending', legal: 'pending' });
    expect(run.state.draining).toEqual([]);
    expect(run.state.outputs).toEqual({});
  });

  it.each(['shaky/1/1/retry', 'pause/1/1/wake'])(
    'a timer that fires all the same does nothing: %s',
    (timer) => {
      const run = sentBack();
      expect(run.fire(timer)).toBe(false);
      run.done('slow');
      expect(run.fire(timer)).toBe(false);
    },
  );

  it.each(['fail', 'lose'] as const)('how they end does not matter, for the work is done anew: %s', (how) => {
    const run = sentBack();
    if (how === 'fail') run.fail('slow', flaky);
    else run.lose('slow');
    expect(run.state).toMatchObject({ status: 'running', steps: { draft: { status: 'running', round: 2 } } });
    expect(run.timers.size).toBe(0);
    run.done('draft');
    expect(run.calls.get('slow')).toMatchObject({ key: 'slow/2/1' });
  });

  it('a late answer of the earlier round changes nothing in the new one', () => {
    const run = sentBack();
    run.done('slow');
    run.done('draft');
    const late = { step: 'slow', round: 1, attempt: 1 };
    expect(run.send({ type: 'step.done', atMs: run.atMs, ...late, output: { text: '', json: {} } })).toBe(
      false,
    );
  });

  it('a run that is cancelled meanwhile does not begin the new round', () => {
    const run = sentBack();
    run.cancel();
    expect(run.state).toMatchObject({ status: 'cancelled', draining: [] });
    expect(run.calls.size).toBe(0);
  });

  it('what is ready but has no slot is dropped', () => {
    const run = drive({ ...flow, maxParallel: 1 });
    run.done('draft');
    expect(run.steps.shaky).toBe('ready');
    run.answer('review', 'reject');
    run.done('slow');
    expect(run.callKeys).toEqual(['draft/1/1', 'slow/1/1', 'draft/2/1']);
  });
});

describe('steps outside the stretch', () => {
  const flow: JsonObject = {
    steps: {
      root: text('go'),
      side: get,
      draft: get,
      review: ask,
      end: { ...text('{{draft.text}} {{side.text}}'), runWhen: 'all' },
    },
    edges: [
      'root -> side -> end',
      'root -> draft -> review',
      'review.approved -> end',
      back('review.rejected', 'draft'),
    ],
  };

  it.each(['before', 'after'] as const)(
    'count as arrived when they ended %s the work was sent back',
    (when) => {
      const run = drive(flow);
      if (when === 'before') run.done('side', 'aside');
      run.done('draft', 'one');
      run.answer('review', 'reject');
      if (when === 'after') run.done('side', 'aside');
      run.done('draft', 'two');
      expect(run.steps.end).toBe('pending');
      run.answer('review', 'approve');
      expect(run.state.outputs.end?.text).toBe('two aside');
      expect(run.callKeys.filter((key) => key.startsWith('side'))).toEqual(['side/1/1']);
    },
  );

  it('count also when they end while the stretch comes to rest', () => {
    const run = drive({
      ...flow,
      maxParallel: 4,
      steps: { ...(flow.steps as JsonObject), slow: get },
      edges: [...(flow.edges as string[]), 'draft -> slow -> end'],
    });
    run.done('draft');
    run.answer('review', 'reject');
    run.done('side', 'aside');
    expect(run.state.steps.end).toMatchObject({ status: 'pending', live: 0 });
    run.done('slow');
    expect(run.state.steps.end).toMatchObject({ status: 'pending', round: 2, live: 1 });
  });

  it('stop the run at once when they fail and lead to a Join that stops, whatever its stretch is doing', () => {
    const run = drive({
      maxParallel: 4,
      steps: { root: text('go'), side: get, draft: get, slow: get, review: ask, end: join },
      edges: [
        'root -> side -> end',
        'root -> draft -> review',
        'draft -> slow -> end',
        'review.approved -> end',
        back('review.rejected', 'draft'),
      ],
    });
    run.done('draft');
    run.answer('review', 'reject');
    run.fail('side');
    expect(run.state).toMatchObject({ status: 'running', stopping: { status: 'failed' }, draining: [] });
    run.done('slow');
    expect(run.state).toMatchObject({
      status: 'failed',
      reason: '"side" failed: it answered with status 400.',
    });
  });
});

describe('a Join inside the stretch', () => {
  it('joins the new round, and a failure of the earlier one is forgotten', () => {
    const run = drive({
      maxParallel: 4,
      steps: { draft: get, a: get, b: get, meet: { type: 'join', onFailure: 'continue' }, review: ask },
      edges: ['draft -> a -> meet', 'draft -> b -> meet -> review', back('review.rejected', 'draft')],
    });
    run.done('draft');
    run.done('a', 'one');
    run.fail('b');
    expect(run.state.outputs.meet?.text).toBe('## a\n\none');
    run.answer('review', 'reject');
    run.done('draft');
    run.done('b', 'B');
    run.done('a', 'A');
    expect(run.state.outputs.meet?.text).toBe('## a\n\nA\n\n## b\n\nB');
    run.answer('review', 'approve');
    expect(run.state.status).toBe('succeeded');
  });
});

describe('several send-backs', () => {
  const nested: JsonObject = {
    maxParallel: 5,
    steps: { plan: get, slow: get, write: get, edit: ask, check: ask, end: post },
    edges: [
      'plan -> slow -> end',
      'plan -> write -> edit',
      'edit.approved -> check',
      'check.approved -> end',
      back('edit.rejected', 'write', { maxRounds: 2 }),
      back('check.rejected', 'plan', { maxRounds: 1 }),
    ],
  };

  it('may lie inside each other; their counters are never reset', () => {
    const run = drive(nested);
    run.done('plan');
    run.done('slow');
    run.done('write');
    run.answer('edit', 'reject');
    run.done('write');
    run.answer('edit', 'approve');
    run.answer('check', 'reject');
    expect(run.steps).toMatchObject({ plan: 'running', write: 'pending', edit: 'pending', check: 'pending' });
    run.done('plan');
    run.done('slow');
    run.done('write');
    run.answer('edit', 'reject');
    run.done('write');
    expect(run.state.sentBack).toMatchObject({ 6: { times: 2 }, 7: { times: 1 } });
    run.answer('edit', 'reject');
    expect(run.state.reason).toContain('edit.rejected -> write has sent work back 2 times');
  });

  it('of which the larger one is taken while the smaller still waits for a call run everything once', () => {
    const run = drive({
      maxParallel: 5,
      steps: { plan: get, write: get, slow: get, edit: ask, legal: ask },
      edges: [
        'plan -> write -> edit',
        'write -> slow',
        'plan -> legal',
        back('edit.rejected', 'write'),
        back('legal.rejected', 'plan'),
      ],
    });
    run.done('plan');
    run.done('write');
    run.answer('edit', 'reject');
    expect(run.state.draining).toEqual([4]);
    run.answer('legal', 'reject');
    expect(run.state.draining).toEqual([5]);
    run.done('slow');
    expect(run.state.draining).toEqual([]);
    expect(run.state.steps).toMatchObject({
      plan: { status: 'running', round: 2 },
      write: { status: 'pending', round: 2 },
      edit: { status: 'pending', round: 2 },
    });
    run.done('plan');
    run.done('write');
    expect(run.callKeys).toEqual(['plan/1/1', 'write/1/1', 'slow/1/1', 'plan/2/1', 'write/2/1', 'slow/2/1']);
  });

  it('of two branches that meet do not lose each other, though both must come to rest', () => {
    const run = drive({
      maxParallel: 5,
      steps: {
        root: text('go'),
        a: get,
        sa: get,
        ra: ask,
        b: get,
        sb: get,
        rb: ask,
        meet: { ...post, runWhen: 'all' },
      },
      edges: [
        'root -> a -> ra',
        'a -> sa',
        'ra.approved -> meet',
        'root -> b -> rb',
        'b -> sb',
        'rb.approved -> meet',
        back('ra.rejected', 'a'),
        back('rb.rejected', 'b'),
      ],
    });
    run.done('a');
    run.done('b');
    run.answer('ra', 'reject');
    run.answer('rb', 'reject');
    expect(run.state.draining).toEqual([8, 9]);
    run.done('sb');
    expect(run.steps).toMatchObject({ a: 'done', b: 'running' });
    run.done('b');
    run.done('sb');
    run.answer('rb', 'approve');
    run.done('sa');
    expect(run.steps).toMatchObject({ a: 'running', b: 'done', meet: 'pending' });
    run.done('a');
    run.done('sa');
    run.answer('ra', 'approve');
    expect(run.steps.meet).toBe('running');
    run.done('meet');
    expect(run.state.status).toBe('succeeded');
  });

  it('of one exit are all counted, and the larger one runs', () => {
    const run = drive({
      steps: { plan: get, write: get, edit: ask },
      edges: ['plan -> write -> edit', back('edit.rejected', 'write'), back('edit.rejected', 'plan')],
    });
    run.done('plan');
    run.done('write');
    run.answer('edit', 'reject');
    expect(run.state.sentBack).toMatchObject({ 2: { times: 1 }, 3: { times: 1 } });
    expect(run.steps).toEqual({ plan: 'running', write: 'pending', edit: 'pending' });
  });
});

describe('a wait that begins and is superseded in one go', () => {
  it('leaves no timer behind', () => {
    const run = drive({
      steps: { a: text('x'), pause: { type: 'wait', for: '1h' }, asks: ask, b: text('y') },
      edges: ['a -> pause', 'a -> asks', 'a -> b', back('b', 'a', { maxRounds: 1 })],
    });
    expect(run.state.status).toBe('failed');
    expect(run.timers.size).toBe(0);
    const cards = run.effects.filter((effect) => effect.kind === 'card').map((effect) => effect.post);
    expect(new Set(cards).size).toBe(cards.length);
    expect(run.effects.filter((effect) => effect.kind === 'timer' || effect.kind === 'abandon')).toEqual([]);
  });
});
