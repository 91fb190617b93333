import { describe, expect, it } from 'vitest';
import { stepHistory } from '../../../src/engine/run/history.ts';
import { ask, type Driven, drive, flaky, get, pay, post, text } from './drive.ts';

const historyOf = ({ plan, journal }: Driven, step: string) => stepHistory(plan, 'r1', journal, step);

describe('the history of a step', () => {
  it('has each attempt with its call, its end and what it has used up', () => {
    const run = drive({ steps: { fetch: { ...get, attempts: 2 } } });
    const beganAtMs = run.atMs;
    run.fail('fetch', flaky);
    run.wait(2_000);
    run.done('fetch', { title: 'News' }, { tokens: 5, toolCalls: 0, turns: 1, costUsd: 0.1, unpriced: 0 });
    expect(historyOf(run, 'fetch')).toMatchObject({
      skipped: [],
      attempts: [
        {
          round: 1,
          attempt: 1,
          beganAtMs,
          calls: [{ kind: 'http', call: { method: 'GET', url: 'https://api.example.com/' } }],
          end: { kind: 'failed', failure: flaky, retryAtMs: beganAtMs + 2_000 },
        },
        {
          attempt: 2,
          endedAtMs: run.atMs,
          usage: { tokens: 5, costUsd: 0.1 },
          end: { kind: 'done', exit: 'done', output: { json: { title: 'News' } } },
        },
      ],
    });
  });

  it('keeps what earlier rounds gave', () => {
    const run = drive({
      steps: { draft: get, review: { ...ask, show: ['draft'] }, publish: post },
      edges: [
        'draft -> review',
        'review.approved -> publish',
        { from: 'review.rejected', to: 'draft', sendBack: true },
      ],
    });
    run.done('draft', 'first');
    run.answer('review', 'reject', 'Shorter!');
    run.done('draft', 'second');
    expect(historyOf(run, 'draft').attempts).toMatchObject([
      { round: 1, end: { output: { text: 'first' } } },
      { round: 2, end: { output: { text: 'second' } } },
    ]);
    expect(historyOf(run, 'review').attempts).toMatchObject([
      { round: 1, end: { exit: 'rejected' } },
      { round: 2 },
    ]);
  });

  it('tells of steps that end at once, that are under way, and that were skipped', () => {
    const run = drive({
      steps: {
        say: text('Hi'),
        pick: { type: 'condition', all: [{ step: 'say', path: 'text', is: 'no' }] },
        yes: get,
        no: get,
      },
      edges: ['say -> pick', 'pick.yes -> yes', 'pick.no -> no'],
    });
    expect(historyOf(run, 'say').attempts).toMatchObject([
      { calls: [], end: { kind: 'done', output: { text: 'Hi' } } },
    ]);
    expect(historyOf(run, 'yes')).toMatchObject({ attempts: [], skipped: [{ round: 1, tainted: false }] });
    const [under] = historyOf(run, 'no').attempts;
    expect([under?.end, under?.endedAtMs]).toEqual([undefined, undefined]);
  });

  it('says that nobody knows what became of a call', () => {
    const run = drive({ steps: { pay } });
    run.lose('pay');
    expect(historyOf(run, 'pay').attempts).toMatchObject([
      { end: { kind: 'unknown', message: 'The connection was lost.' } },
    ]);
  });

  it('is empty without a beginning, and late results are not in it', () => {
    const run = drive({ steps: { fetch: get } });
    run.done('fetch', 'once');
    run.journal.push({
      type: 'step.done',
      atMs: run.atMs,
      step: 'fetch',
      round: 1,
      attempt: 1,
      output: { text: 'twice', json: {} },
    });
    expect(historyOf(run, 'fetch').attempts).toMatchObject([{ end: { output: { text: 'once' } } }]);
    expect(stepHistory(run.plan, 'r1', run.journal.slice(1), 'fetch')).toEqual({ attempts: [], skipped: [] });
  });
});
