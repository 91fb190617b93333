import { describe, expect, it, test } from 'vitest';
import { retryAfterMs } from '../../../src/engine/run/attempts.ts';
import { fold, transition } from '../../../src/engine/run/transition.ts';
import { ana, ask, broken, drive, flaky, get, pay, planOf, post, started, text } from './drive.ts';

const second = 1000;
const minute = 60 * second;

describe('another attempt', () => {
  it('comes after two seconds, doubled each time, and the last failure counts', () => {
    const run = drive({ steps: { a: { ...get, attempts: 4 } } });
    const waits: number[] = [];
    for (let attempt = 1; attempt < 4; attempt += 1) {
      run.fail('a', { ...flaky, message: `failure ${attempt}.` });
      expect(run.state.steps.a).toMatchObject({ status: 'retrying', attempt });
      expect(run.state.status).toBe('running');
      const [due = 0] = run.timers.values();
      waits.push(due - run.atMs);
      run.wait(due - run.atMs);
      expect(run.state.steps.a).toMatchObject({ status: 'running', attempt: attempt + 1 });
    }
    expect(waits).toEqual([2 * second, 4 * second, 8 * second]);
    run.fail('a', { ...flaky, message: 'failure 4.' });
    expect(run.state).toMatchObject({ status: 'failed', reason: '"a" failed: failure 4.' });
    expect(run.callKeys).toEqual(['a/1/1', 'a/1/2', 'a/1/3', 'a/1/4']);
  });

  test.each([
    [2 * second, 1, 2 * second],
    [2 * second, 5, 32 * second],
    [2 * second, 6, minute],
    [40 * second, 1, 40 * second],
    [40 * second, 2, minute],
    [minute, 4, minute],
  ])('waits at most a minute: first %i ms, after attempt %i', (firstMs, attempt, waitMs) => {
    expect(retryAfterMs(firstMs, attempt)).toBe(waitMs);
  });

  it('begins with the wait that the step asks for', () => {
    const run = drive({ steps: { a: { ...get, attempts: 2, firstRetryAfter: '40s' } } });
    run.fail('a', flaky);
    expect([...run.timers]).toEqual([['a/1/1/retry', run.atMs + 40 * second]]);
  });

  it.each([
    ['a failure that another attempt can not mend', broken],
    ['a step with one attempt', flaky],
  ])('does not come after %s', (_, failure) => {
    const run = drive({ steps: { a: { ...get, attempts: failure === broken ? 5 : 1 } } });
    run.fail('a', failure);
    expect(run.state.status).toBe('failed');
  });

  it('never comes by itself after an unknown outcome', () => {
    const run = drive({ steps: { a: { ...pay, attempts: 5 } } });
    run.lose('a');
    run.wait(24 * 60 * minute);
    expect(run.state).toMatchObject({ status: 'attention', steps: { a: { status: 'asking', attempt: 1 } } });
    expect(run.callKeys).toEqual(['a/1/1']);
  });

  it('does not come when the run is stopping', () => {
    const run = drive({
      steps: { root: text('go'), a: { ...get, attempts: 5 }, b: ask },
      edges: ['root -> a', 'root -> b'],
    });
    run.answer('b', 'reject');
    run.fail('a', flaky);
    expect(run.state.status).toBe('failed');
    expect(run.timers.size).toBe(0);
  });

  it('is forgotten when the run stops meanwhile', () => {
    const run = drive({
      steps: { root: text('go'), a: { ...get, attempts: 5 }, b: ask },
      edges: ['root -> a', 'root -> b'],
    });
    run.fail('a', flaky);
    run.answer('b', 'reject');
    expect(run.effects).toContainEqual({ kind: 'abandon', key: 'a/1/1/retry' });
    expect(run.state.status).toBe('rejected');
    expect(run.fire('a/1/1/retry')).toBe(false);
  });
});

describe('waiting', () => {
  it('lasts until its time, which is then its output', () => {
    const run = drive({ steps: { pause: { type: 'wait', for: '2h' }, end: text('{{pause.json.until}}') } });
    expect(run.state).toMatchObject({ status: 'waiting', steps: { pause: { status: 'sleeping' } } });
    run.wait(2 * 60 * minute);
    expect(run.state.outputs.end?.text).toBe('2027-01-31T11:00:00.000Z');
    expect(run.state.status).toBe('succeeded');
  });
});

describe('what comes too late', () => {
  const flow = { steps: { a: { ...get, attempts: 2 }, b: { type: 'wait', for: '1m' }, c: ask, d: post } };

  it('changes nothing, not even which object the state is', () => {
    const run = drive(flow);
    const at = { step: 'a', round: 1, attempt: 1 };
    const output = { text: 'late', json: {} };
    run.fail('a', flaky);
    expect(run.send({ type: 'step.done', atMs: run.atMs, ...at, output })).toBe(false);
    run.wait(2 * second);
    expect(run.send({ type: 'step.done', atMs: run.atMs, ...at, output })).toBe(false);
    expect(run.send({ type: 'step.failed', atMs: run.atMs, ...at, failure: broken })).toBe(false);
    expect(run.send({ type: 'step.unknown', atMs: run.atMs, ...at, message: '?' })).toBe(false);
    expect(run.fire('a/1/1/retry')).toBe(false);
    run.done('a');
    run.wait(minute);
    expect(run.fire('b/1/1/wake')).toBe(false);
    const verdict = run.judge(run.question('c'), 'approve');
    run.answer('c', 'reject');
    if (verdict.kind === 'counts') expect(run.send(verdict.event)).toBe(false);
    expect(verdict.kind).toBe('counts');
  });

  it.each([
    { type: 'run.started', atMs: 0, start: started },
    { type: 'step.done', atMs: 0, step: 'x', round: 1, attempt: 1, output: { text: '', json: {} } },
    { type: 'step.done', atMs: 0, step: 'constructor', round: 1, attempt: 1, output: { text: '', json: {} } },
    { type: 'step.done', atMs: 0, step: 'a', round: 2, attempt: 1, output: { text: '', json: {} } },
    { type: 'step.done', atMs: 0, step: 'a', round: 1, attempt: 2, output: { text: '', json: {} } },
    { type: 'timer.fired', atMs: 0, timer: 'a/1/1/retry' },
    { type: 'timer.fired', atMs: 0, timer: 'run/timeout/0' },
    { type: 'question.answered', atMs: 0, question: 'r1.7', action: 'approve', feedback: '', by: ana },
    { type: 'question.answered', atMs: 0, question: 'toString', action: 'approve', feedback: '', by: ana },
  ] as const)('and neither does what never was: $type $step $timer $question', (event) => {
    expect(drive(flow).send(event)).toBe(false);
  });

  it('can not change a run that has ended', () => {
    const run = drive({ steps: { a: get } });
    run.done('a');
    expect(run.state.status).toBe('succeeded');
    expect(run.cancel()).toBe(false);
    expect(run.send({ type: 'step.failed', atMs: 0, step: 'a', round: 1, attempt: 1, failure: broken })).toBe(
      false,
    );
  });
});

describe('cancelling', () => {
  const flow = {
    maxParallel: 2,
    timeout: '1h',
    steps: { root: text('go'), a: get, b: ask, c: { type: 'wait', for: '1h' }, d: post, e: post },
    edges: ['root -> a -> e', 'root -> b', 'root -> c', 'root -> d'],
  };

  it('ends the run at once and lets go of everything', () => {
    const run = drive(flow);
    run.cancel();
    expect(run.state).toMatchObject({
      status: 'cancelled',
      reason: 'Cancelled by Ana.',
      endedAtMs: run.atMs,
    });
    expect(run.calls.size + run.timers.size).toBe(0);
    expect(run.state.questions['r1.1']?.state).toEqual({ status: 'superseded', why: 'Cancelled by Ana.' });
    expect(run.card('question/r1.1')).toContain('Not needed any more: Cancelled by Ana.');
    expect(run.cards.get('question/r1.1')?.buttons).toEqual([]);
  });

  it('ends also a run that is stopping for another reason', () => {
    const run = drive(flow);
    run.answer('b', 'reject');
    expect(run.state.status).toBe('running');
    run.cancel();
    expect(run.state).toMatchObject({ status: 'cancelled', reason: 'Cancelled by Ana.' });
  });

  it('tells nobody that something failed', () => {
    const run = drive(flow);
    run.cancel();
    expect(run.cards.has('end/r1')).toBe(false);
  });
});

describe('a journal', () => {
  it('needs its beginning', () => {
    const plan = planOf({ steps: { a: get } });
    expect(() => fold(plan, 'r1', [])).toThrow('The journal of run r1 has no beginning.');
    expect(() => fold(plan, 'r1', [{ type: 'timer.fired', atMs: 0, timer: 'x' }])).toThrow('no beginning');
  });

  it('gives the same run again when it is read twice', () => {
    const run = drive({ steps: { a: get, b: ask, c: post } });
    run.done('a');
    run.answer('b', 'approve');
    const once = fold(run.plan, 'r1', run.journal);
    expect(fold(run.plan, 'r1', [...run.journal, ...run.journal])).toEqual(once);
    expect(transition(run.plan, once, { type: 'run.started', atMs: 0, start: started }).state).toBe(once);
  });
});
