import { describe, expect, it, test } from 'vitest';
import { scopeOf } from '../../../src/engine/run/scope.ts';
import { ask, asked, Driven, drive, get, planOf, post, startedOutside } from './drive.ts';

const flow = {
  name: 'Release notes',
  steps: { check: asked, fetch: get, review: ask, other: post },
  edges: ['check.no -> fetch -> review', 'check.yes -> other'],
};

describe('what a step can read', () => {
  const run = drive(flow, {
    input: { version: '1.2' },
    text: '!release 1.2',
    prompt: '1.2',
    files: [{ name: 'a.txt' }],
  });
  run.done('fetch', { status: 200, body: null });
  const look = (path: string) => scopeOf(run.plan, run.state).lookup(path.split('.'));

  test.each([
    ['input.version', '1.2'],
    ['start.text', '!release 1.2'],
    ['start.json.prompt', '1.2'],
    ['start.json.user', 'Ana'],
    ['start.json.userId', 'slack:U0ANA'],
    ['start.json.conversation', '#home'],
    ['start.json.files.0.name', 'a.txt'],
    ['run.id', 'r1'],
    ['run.flow', 'Release notes'],
    ['run.startedAt', '2027-01-31T09:00:00.000Z'],
    ['check.json.result', false],
    ['fetch.json.status', 200],
    ['review.json.feedback', ''],
  ])('%s', (path, value) => {
    expect(look(path)).toEqual({ found: true, value });
  });

  test.each([
    ['input.nothing', 'missing'],
    ['input.constructor', 'missing'],
    ['fetch.json.body', 'null'],
    ['fetch.json.toString', 'missing'],
    ['review.json.decision', 'not-run'],
    ['other.text', 'skipped'],
    ['nowhere.text', 'unknown'],
    ['constructor.text', 'unknown'],
    ['secrets.TOKEN', 'unknown'],
  ])('not %s: %s', (path, cause) => {
    expect(look(path)).toEqual({ found: false, cause });
  });

  it('is text also where nobody and no conversation started the run', () => {
    const { person: _, ...nobody } = startedOutside;
    const alone = new Driven(planOf(flow), { ...nobody, text: '' });
    const scope = scopeOf(alone.plan, alone.state);
    for (const name of ['prompt', 'user', 'userId', 'conversation']) {
      expect(scope.lookup(['start', 'json', name])).toEqual({ found: true, value: '' });
    }
    expect(scope.lookup(['start', 'json', 'files'])).toEqual({ found: true, value: [] });
  });

  it('is the feedback that came last, also in later rounds', () => {
    const looped = drive({
      steps: { draft: get, review: ask },
      edges: ['draft -> review', { from: 'review.rejected', to: 'draft', sendBack: true }],
    });
    const feedback = () => scopeOf(looped.plan, looped.state).lookup(['review', 'json', 'feedback']);
    looped.done('draft');
    looped.answer('review', 'reject', 'Shorter.');
    expect(feedback()).toEqual({ found: true, value: 'Shorter.' });
    looped.done('draft');
    looped.answer('review', 'approve');
    expect(feedback()).toEqual({ found: true, value: '' });
  });
});
