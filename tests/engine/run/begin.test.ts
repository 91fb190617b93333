import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { ask, drive, flaky, get, post, text } from './drive.ts';

/** A root and so many steps right behind it. */
function fan(steps: Readonly<Record<string, JsonObject>>, more: JsonObject = {}): JsonObject {
  return {
    ...more,
    steps: { root: text('go'), ...steps },
    edges: Object.keys(steps).map((id) => `root -> ${id}`),
  };
}

describe('slots', () => {
  it('are two unless the flow says otherwise; what finds none waits for its turn', () => {
    const run = drive(fan({ a: get, b: get, c: get, d: post }));
    expect(run.steps).toMatchObject({ a: 'running', b: 'running', c: 'ready', d: 'ready' });
    run.done('b');
    expect(run.steps).toMatchObject({ a: 'running', b: 'done', c: 'running', d: 'ready' });
    run.done('a');
    expect(run.steps).toMatchObject({ c: 'running', d: 'running' });
  });

  it('are as many as the flow says', () => {
    const run = drive(fan({ a: get, b: get, c: get }, { maxParallel: 1 }));
    expect(run.steps).toMatchObject({ a: 'running', b: 'ready', c: 'ready' });
  });

  it('are not held by steps that wait: for people, for a time, for another attempt', () => {
    const run = drive(
      fan({ a: { ...get, attempts: 2 }, b: ask, c: { type: 'wait', for: '1h' }, d: get }, { maxParallel: 1 }),
    );
    run.fail('a', flaky);
    expect(run.steps).toMatchObject({ a: 'retrying', b: 'asking', c: 'sleeping', d: 'running' });
    run.wait(2000);
    expect(run.steps).toMatchObject({ a: 'ready', d: 'running' });
    run.lose('d');
    expect(run.steps).toMatchObject({ a: 'running', d: 'asking' });
  });

  it('are not needed by steps that end at once', () => {
    const run = drive(fan({ a: get, b: get, c: text('pure') }));
    expect(run.steps.c).toBe('done');
  });

  it('are given back when a step fails before it calls', () => {
    const run = drive(fan({ a: { ...post, text: '{{start.json.files.0}}' }, b: get }, { maxParallel: 1 }));
    expect(run.steps).toMatchObject({ a: 'failed', b: 'running' });
  });
});

describe('a post that nobody can find', () => {
  it('is another post when somebody decides to run the step again', () => {
    const run = drive({ steps: { a: post } });
    expect(run.calls.get('a')).toMatchObject({ post: 'post/r1/a/1' });
    run.lose('a');
    run.answer('a', 'again');
    expect(run.calls.get('a')).toMatchObject({ post: 'post/r1/a/1/again1' });
    run.lose('a');
    run.answer('a', 'again');
    expect(run.calls.get('a')).toMatchObject({ post: 'post/r1/a/1/again2' });
  });
});

describe('a message', () => {
  it('carries whom it notifies, and whether it edits what an earlier round posted', () => {
    const mention = ['slack:U0BO', '@oncall'];
    const run = drive({ steps: { a: { ...post, mention, onRound: 'edit' }, b: post } });
    expect(run.calls.get('a')).toMatchObject({ mention, edits: true });
    run.done('a');
    expect(run.calls.get('b')).not.toHaveProperty('mention');
    expect(run.calls.get('b')).not.toHaveProperty('edits');
  });

  it.each([
    ['edit', 'post/r1/a/1'],
    ['new', 'post/r1/a/2'],
  ])('with onRound: %s is the post %s in the second round', (onRound, key) => {
    const run = drive({
      steps: { a: { ...post, onRound }, review: ask },
      edges: ['a -> review', { from: 'review.rejected', to: 'a', sendBack: true }],
    });
    run.done('a');
    run.answer('review', 'reject');
    expect(run.calls.get('a')).toMatchObject({ key: 'a/2/1', post: key });
  });
});

describe('calls', () => {
  it('carry what they need to be carried out, and a key of step, round and attempt', () => {
    const run = drive({ steps: { a: { ...get, method: 'POST', timeout: '5s' }, b: post } });
    expect(run.calls.get('a')).toMatchObject({
      kind: 'http',
      key: 'a/1/1',
      step: 'a',
      round: 1,
      attempt: 1,
      timeoutMs: 5000,
      safe: false,
      call: { method: 'POST', url: 'https://api.example.com/' },
    });
    run.done('a');
    expect(run.calls.get('b')).toMatchObject({
      kind: 'message',
      key: 'b/1/1',
      post: 'post/r1/b/1',
      to: 'slack:#news',
      prose: [{ kind: 'markdown', text: 'Hello' }],
    });
  });
});

describe('http requests', () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`a${index}`, get]));

  it('are 200 in a run; one more fails its step', () => {
    const run = drive(fan(many, { maxParallel: 100 }));
    for (let index = 0; index < 200; index += 1) run.done(`a${index}`);
    expect(run.callKeys).toHaveLength(200);
    expect(run.state).toMatchObject({
      status: 'failed',
      httpRequests: 200,
      reason: '"a200" failed: this run has sent 200 HTTP requests, which is the limit for one run.',
    });
  });

  it('count with every attempt', () => {
    const run = drive({ steps: { a: { ...get, attempts: 3 } } });
    run.fail('a', flaky);
    run.wait(2000);
    run.fail('a', flaky);
    run.wait(4000);
    expect(run.state.httpRequests).toBe(3);
  });
});
