import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { ana, ask, asked, broken, drive, get, join, pay, post, text } from './drive.ts';

/** What the two branches before a step do: `live`, `dead` and `tainted` are what its edges then become. */
const branches: Readonly<Record<'live' | 'dead' | 'tainted', JsonObject>> = {
  live: text('yes'),
  dead: asked,
  tainted: text('{{start.json.files.0}}'),
};

function meeting(one: keyof typeof branches, other: keyof typeof branches, end: JsonObject) {
  const exit = (fate: keyof typeof branches) => (fate === 'dead' ? '.yes' : '');
  return drive({
    steps: { root: text('go'), a: branches[one], b: branches[other], end },
    edges: ['root -> a', 'root -> b', `a${exit(one)} -> end`, `b${exit(other)} -> end`],
  });
}

describe('a step whose edges have all ended', () => {
  test.each([
    // edges,              any,        all,        join stop,  join continue, status of the run
    ['live', 'live', 'done', 'done', 'done', 'done'],
    ['live', 'dead', 'done', 'skipped', 'done', 'done'],
    ['dead', 'dead', 'skipped', 'skipped', 'skipped', 'skipped'],
    ['live', 'tainted', 'done', 'skipped', 'pending', 'done'],
    ['dead', 'tainted', 'skipped', 'skipped', 'pending', 'failed'],
    ['tainted', 'tainted', 'skipped', 'skipped', 'pending', 'failed'],
  ] as const)(
    '%s and %s: any %s, all %s, join %s, join that goes on %s',
    (one, other, any, all, stop, on) => {
      expect(meeting(one, other, text('end')).steps.end).toBe(any);
      expect(meeting(one, other, { ...text('end'), runWhen: 'all' }).steps.end).toBe(all);
      expect(meeting(one, other, join).steps.end).toBe(stop);
      expect(meeting(one, other, { type: 'join', onFailure: 'continue' }).steps.end).toBe(on);
    },
  );

  test.each([
    ['live', 'live', 'succeeded', 'succeeded', 'succeeded'],
    ['live', 'dead', 'succeeded', 'succeeded', 'succeeded'],
    ['dead', 'dead', 'succeeded', 'succeeded', 'succeeded'],
    ['live', 'tainted', 'failed', 'failed', 'succeeded'],
    ['dead', 'tainted', 'failed', 'failed', 'failed'],
    ['tainted', 'tainted', 'failed', 'failed', 'failed'],
  ] as const)(
    '%s and %s: the run has %s, with a join %s, with one that goes on %s',
    (one, other, any, stop, on) => {
      expect(meeting(one, other, text('end')).state.status).toBe(any);
      expect(meeting(one, other, join).state.status).toBe(stop);
      expect(meeting(one, other, { type: 'join', onFailure: 'continue' }).state.status).toBe(on);
    },
  );

  it('passes on why it was skipped', () => {
    const run = drive({
      steps: { a: get, b: post, c: post, d: post },
      edges: ['a -> b -> c', { from: 'a.failed', to: 'd', when: { path: 'code', is: 'other' } }],
    });
    run.fail('a');
    expect(run.state.steps).toMatchObject({
      b: { status: 'skipped', tainted: true },
      c: { status: 'skipped', tainted: true },
      d: { status: 'skipped', tainted: true },
    });
    expect(run.state).toMatchObject({ status: 'failed', reason: '"a" failed: it answered with status 400.' });
  });
});

describe('edges with a condition', () => {
  it('are taken when it holds, each by itself', () => {
    const when = (path: string, is: string) => ({ path, is });
    const run = drive({
      steps: { a: get, b: post, c: post, d: post },
      edges: [
        { from: 'a', to: 'b', when: when('verdict', 'good') },
        { from: 'a', to: 'c', when: when('verdict', 'bad') },
        { from: 'a', to: 'd', when: { step: 'start', path: 'json.user', is: 'Ana' } },
      ],
    });
    run.done('a', { verdict: 'good' });
    expect(run.steps).toEqual({ a: 'done', b: 'running', c: 'skipped', d: 'running' });
  });
});

describe('fan-out and fan-in', () => {
  it('starts every branch at once and waits for all of them', () => {
    const run = drive({
      maxParallel: 9,
      steps: { root: get, a: get, b: get, c: ask, end: post },
      edges: ['root -> a -> end', 'root -> b -> end', 'root -> c', 'c.approved -> end'],
    });
    run.done('root');
    expect(run.steps).toEqual({ root: 'done', a: 'running', b: 'running', c: 'asking', end: 'pending' });
    run.done('b');
    run.answer('c', 'approve');
    expect(run.steps.end).toBe('pending');
    run.done('a');
    expect(run.steps.end).toBe('running');
  });

  it('has no level barriers: a step starts as soon as its own edges have ended', () => {
    const run = drive({
      steps: { root: text('go'), slow: get, fast: get, next: post, end: text('end') },
      edges: ['root -> slow -> end', 'root -> fast -> next -> end'],
    });
    run.done('fast');
    expect(run.steps).toMatchObject({ slow: 'running', next: 'running' });
  });

  it('begins in each of several places when the flow says so', () => {
    const run = drive({
      steps: { a: get, b: get, end: join },
      edges: ['start -> a', 'start -> b', 'a -> end', 'b -> end'],
    });
    expect(run.steps).toEqual({ a: 'running', b: 'running', end: 'pending' });
  });
});

describe('a step that fails', () => {
  it('does not keep unrelated branches from going on', () => {
    const run = drive({
      steps: { root: text('go'), a: get, b: get, c: post },
      edges: ['root -> a', 'root -> b -> c'],
    });
    run.fail('a');
    run.done('b');
    expect(run.steps).toMatchObject({ a: 'failed', c: 'running' });
    run.done('c');
    expect(run.state).toMatchObject({ status: 'failed', reason: '"a" failed: it answered with status 400.' });
  });

  it('reads by its name in the reason', () => {
    const run = drive({ steps: { a: { ...get, name: 'Fetch the changes' } } });
    run.fail('a');
    expect(run.state.reason).toBe('"Fetch the changes" failed: it answered with status 400.');
  });

  it('is absorbed by an edge from failed, and its other edges are dead', () => {
    const run = drive({
      steps: { a: get, next: post, rescue: text('{{a.json.code}}: {{a.text}}') },
      edges: ['a -> next', 'a.failed -> rescue'],
    });
    run.fail('a');
    expect(run.steps).toEqual({ a: 'failed', next: 'skipped', rescue: 'done' });
    expect(run.state.steps.next).toMatchObject({ tainted: false });
    expect(run.state.outputs.rescue?.text).toBe('http-status: it answered with status 400.');
    expect(run.state.status).toBe('succeeded');
  });

  it('leaves the edge from failed dead when all goes well', () => {
    const run = drive({ steps: { a: get, rescue: post }, edges: ['a.failed -> rescue'] });
    run.done('a');
    expect(run.steps).toEqual({ a: 'done', rescue: 'skipped' });
    expect(run.state.status).toBe('succeeded');
  });

  it.each([
    ['http-status', 'done', 'succeeded'],
    ['timeout', 'skipped', 'failed'],
  ])('can be absorbed by what went wrong: %s', (is, rescue, status) => {
    const run = drive({
      steps: { a: get, rescue: text('rescued') },
      edges: [{ from: 'a.failed', to: 'rescue', when: { path: 'code', is } }],
    });
    run.fail('a');
    expect(run.steps.rescue).toBe(rescue);
    expect(run.state.status).toBe(status);
  });

  it('has no output for steps that run in spite of it', () => {
    const run = drive({
      steps: { root: text('go'), a: get, b: get, c: text('{{a.text}}') },
      edges: ['root -> a -> c', 'root -> b -> c'],
    });
    run.fail('a');
    run.done('b');
    expect(run.state.steps.c).toMatchObject({
      status: 'failed',
      failure: { message: 'No value for {{a.text}}: that step did not run or did not produce it.' },
    });
  });
});

describe('a Join', () => {
  const three = (onFailure: string): JsonObject => ({
    maxParallel: 3,
    steps: {
      root: text('go'),
      a: { ...get, name: 'Alpha' },
      b: { ...get, name: 'Beta' },
      c: { ...pay, name: 'Gamma' },
      meet: { type: 'join', onFailure },
      end: post,
    },
    edges: ['root -> a -> meet', 'root -> b -> meet', 'root -> c -> meet -> end'],
  });

  it('puts what its branches made under their names', () => {
    const run = drive(three('stop'));
    run.done('c', 'three');
    run.done('a', 'one');
    run.done('b', 'two');
    expect(run.state.outputs.meet?.text).toBe('## Alpha\n\none\n\n## Beta\n\ntwo\n\n## Gamma\n\nthree');
  });

  it('stops the run as soon as a branch fails: nothing new starts, running steps finish and are recorded', () => {
    const run = drive(three('stop'));
    run.fail('b');
    expect(run.state).toMatchObject({ status: 'running', stopping: { status: 'failed' } });
    run.done('a');
    expect(run.state.status).toBe('running');
    run.done('c');
    expect(run.steps).toMatchObject({ a: 'done', b: 'failed', c: 'done', meet: 'pending', end: 'pending' });
    expect(run.state).toMatchObject({
      status: 'failed',
      reason: '"Beta" failed: it answered with status 400.',
    });
  });

  it('stops it for a failure further up the branch, and says which', () => {
    const run = drive({
      steps: { root: text('go'), x: get, a: { ...get, name: 'Alpha' }, b: post, c: ask, meet: join },
      edges: ['root -> x', 'root -> a -> b -> meet', 'root -> c', 'c.approved -> meet'],
    });
    run.fail('x', { ...broken, message: 'unrelated.' });
    expect(run.state.stopping).toBeUndefined();
    run.fail('a');
    expect(run.state).toMatchObject({
      status: 'failed',
      reason: '"Alpha" failed: it answered with status 400.',
    });
    expect(run.state.questions['r1.1']?.state).toMatchObject({ status: 'superseded' });
  });

  it('goes on with the branches that succeeded', () => {
    const run = drive(three('continue'));
    run.fail('b');
    run.done('a', 'one');
    run.done('c', 'three');
    expect(run.state.outputs.meet?.text).toBe('## Alpha\n\none\n\n## Gamma\n\nthree');
    run.done('end');
    expect(run.state).toMatchObject({ status: 'succeeded' });
  });

  it('fails without a survivor, naming every branch', () => {
    const run = drive(three('continue'));
    for (const step of ['a', 'b', 'c']) run.fail(step);
    expect(run.state).toMatchObject({
      status: 'failed',
      reason: '"meet" failed: None of the branches "Alpha", "Beta", "Gamma" completed.',
    });
  });

  it('absorbs failures whose every way ends in it', () => {
    const run = drive({
      steps: {
        root: text('go'),
        a: get,
        b: post,
        c: text('c'),
        meet: { type: 'join', onFailure: 'continue' },
      },
      edges: ['root -> a -> b -> meet', 'root -> c -> meet'],
    });
    run.fail('a');
    expect(run.steps).toMatchObject({ b: 'skipped', meet: 'done' });
    expect(run.state.status).toBe('succeeded');
  });

  it('does not absorb a failure that also ends elsewhere', () => {
    const run = drive({
      steps: {
        root: text('go'),
        a: get,
        b: post,
        c: text('c'),
        meet: { type: 'join', onFailure: 'continue' },
      },
      edges: ['root -> a -> meet', 'a -> b', 'root -> c -> meet'],
    });
    run.fail('a');
    expect(run.state).toMatchObject({ status: 'failed', reason: '"a" failed: it answered with status 400.' });
  });
});

describe('a rejection with nothing wired', () => {
  const flow: JsonObject = {
    steps: { root: text('go'), review: { ...ask, name: 'Review' }, yes: post, a: get, b: post },
    edges: ['root -> review', 'review.approved -> yes', 'root -> a -> b'],
  };

  it('stops the run: nothing new starts, running steps finish, and it ends rejected', () => {
    const run = drive(flow);
    run.answer('review', 'reject', 'Too long.');
    expect(run.state).toMatchObject({ status: 'running', stopping: { status: 'rejected' } });
    run.done('a');
    expect(run.steps).toMatchObject({ a: 'done', b: 'pending', yes: 'skipped' });
    expect(run.state).toMatchObject({
      status: 'rejected',
      reason: '"Review" was rejected by Bo: Too long.',
    });
  });

  it('is outranked by a failure that nothing absorbed', () => {
    const run = drive(flow);
    run.answer('review', 'reject');
    run.fail('a');
    expect(run.state).toMatchObject({ status: 'failed', reason: '"a" failed: it answered with status 400.' });
  });

  it('is not outranked by a failure that a Join was there to absorb', () => {
    const run = drive({
      steps: { root: text('go'), review: ask, a: get, b: ask, meet: { type: 'join', onFailure: 'continue' } },
      edges: ['root -> review', 'root -> a -> meet', 'root -> b', 'b.approved -> meet'],
    });
    run.fail('a');
    run.answer('review', 'reject');
    expect(run.state.status).toBe('rejected');
  });

  it('ends nothing when an edge from rejected is there', () => {
    const run = drive({
      steps: { review: ask, sorry: text('sorry') },
      edges: ['review.rejected -> sorry'],
    });
    run.answer('review', 'reject');
    expect(run.steps).toEqual({ review: 'done', sorry: 'done' });
    expect(run.state.status).toBe('succeeded');
  });
});

describe('steps may be called like things that every object has', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('%s', (id) => {
    const steps = { root: asked, [id]: ask, end: { ...ask, show: [id], notes: `{{${id}.json.feedback}}|` } };
    const edges = [`root.yes -> ${id}`, 'root.no -> end', `${id}.approved -> end`];
    const skipped = drive({ steps, edges });
    expect(skipped.card('question/r1.1')).toContain('(This step did not run on this path');
    const run = drive({ steps, edges }, { prompt: 'yes' });
    run.answer(id, 'approve', 'Good.', { ...ana, id: 'U0EVE' });
    expect(run.card('question/r1.2')).toContain('Good.|');
    expect(drive({ steps: { [id]: post } }).calls.get(id)).toMatchObject({ post: `post/r1/${id}/1` });
  });
});
