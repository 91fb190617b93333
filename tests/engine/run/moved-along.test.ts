import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { movedAlong } from '../../../src/engine/run/moved-along.ts';
import { ask, broken, type Driven, drive, get, post, text } from './drive.ts';

const along = ({ plan, state }: Driven, at: number) => movedAlong(plan, state, at);

describe('what moved along an edge', () => {
  it('is the output of its source, and what its target reads of it', () => {
    const run = drive({
      steps: { fetch: get, tell: { ...post, text: '{{fetch.json.title}} and {{fetch.json.more}}' } },
    });
    expect(along(run, 0)).toEqual({ kind: 'nothing', why: '“fetch” has not finished.', reads: [] });
    run.done('fetch', { title: 'News' });
    expect(along(run, 0)).toMatchObject({
      kind: 'moved',
      output: { json: { title: 'News' } },
      reads: [{ source: '{{fetch.json.title}}', value: 'News' }, { source: '{{fetch.json.more}}' }],
    });
    expect(along(run, 7)).toBeUndefined();
  });

  it('of a send-back is the feedback, with how often', () => {
    const run = drive({
      steps: { draft: get, review: ask, publish: post },
      edges: [
        'draft -> review',
        'review.approved -> publish',
        { from: 'review.rejected', to: 'draft', sendBack: true },
      ],
    });
    run.done('draft', 'first');
    expect(along(run, 2)).toMatchObject({ kind: 'nothing', why: '“review” has not finished.' });
    run.answer('review', 'reject', 'Shorter!');
    expect(along(run, 2)).toEqual({ kind: 'moved', reads: [], times: 1, feedback: 'Shorter!' });
  });
});

describe('why nothing moved along an edge', () => {
  const routes = (rule: JsonObject) =>
    drive({
      steps: { say: text('no'), a: get, b: get, c: get },
      edges: [{ from: 'say', to: 'a', when: rule }, 'a -> b', 'a.failed -> c'],
    });

  it('its condition did not hold: with what it looked at', () => {
    const run = routes({ all: [{ path: 'text', is: 'yes' }] });
    expect(along(run, 0)).toEqual({
      kind: 'nothing',
      why: 'Its condition did not hold: say.text is "yes"',
      reads: [{ source: 'say.text', value: 'no' }],
    });
    expect(along(run, 1)).toMatchObject({ why: '“a” was skipped.' });
  });

  it('its expression did not hold', () => {
    const run = drive({
      steps: { say: text('no'), a: get },
      edges: [{ from: 'say', to: 'a', when: 'say.text == "yes"' }],
    });
    expect(along(run, 0)).toEqual({
      kind: 'nothing',
      why: 'Its condition did not hold: say.text == "yes"',
      reads: [{ source: 'say.text', value: 'no' }],
    });
  });

  it('its source was left another way, or failed', () => {
    const run = routes({ all: [{ path: 'text', is: 'no' }] });
    run.fail('a', broken);
    expect(along(run, 1)).toMatchObject({ kind: 'nothing', why: '“a” failed: it answered with status 400.' });
    expect(along(run, 2)).toMatchObject({ kind: 'moved' });
    const other = routes({ all: [{ path: 'text', is: 'no' }] });
    other.done('a');
    expect(along(other, 2)).toMatchObject({ why: '“a” was left by “done”; this arrow is for “failed”.' });
  });
});
