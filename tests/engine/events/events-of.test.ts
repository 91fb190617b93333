import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../../src/engine/events/events-of.ts';
import type { FlowEvent } from '../../../src/engine/events/map.ts';
import type { RunState } from '../../../src/engine/run/state.ts';
import { begin, transition } from '../../../src/engine/run/transition.ts';
import { ana, ask, type Driven, drive, flaky, get, post, text } from '../run/drive.ts';

/** All that is told of a run, worked out again from its journal. */
function told({ plan, journal }: Driven): readonly FlowEvent[] {
  let state: RunState | undefined;
  return journal.flatMap((cause) => {
    const before = state;
    const next =
      cause.type === 'run.started' ? begin(plan, 'r1', cause) : before && transition(plan, before, cause);
    state = next?.state;
    return next ? eventsOf(plan, before, cause, next) : [];
  });
}

/** Each event in a line: its name, its step or status. */
function lines(run: Driven): readonly string[] {
  return told(run).map((event) => {
    const about = 'node' in event ? event.node : 'status' in event ? event.status : '';
    return `${event.name} ${about}`;
  });
}

describe('what is told of a run', () => {
  it('begins with its start, follows each step, and ends with its end', () => {
    const run = drive({ steps: { draft: text('Notes'), publish: post } });
    run.done('publish', { messageId: 'm1' });
    expect(lines(run)).toEqual([
      'run:started running',
      'node:start draft',
      'node:done draft',
      'node:start publish',
      'node:done publish',
      'run:ended succeeded',
    ]);
    expect(told(run)[0]).toMatchObject({ run: 'r1', flow: 'flow', trigger: 'command', by: ana });
  });

  it('names each attempt that fails, and the next one', () => {
    const run = drive({ steps: { fetch: { ...get, attempts: 2 } } });
    run.fail('fetch', flaky);
    run.wait(2_000);
    run.fail('fetch', flaky);
    expect(lines(run)).toEqual([
      'run:started running',
      'node:start fetch',
      'node:error fetch',
      'node:retry fetch',
      'node:start fetch',
      'node:error fetch',
      'run:ended failed',
    ]);
    expect(told(run).filter(({ name }) => name === 'node:error')).toMatchObject([
      { attempt: 1, failure: flaky },
      { attempt: 2, failure: flaky },
    ]);
  });

  it('says whether a step is skipped because of a failure', () => {
    const run = drive({
      steps: { a: get, b: post, c: post },
      edges: ['a -> b', 'a.failed -> c'],
    });
    run.fail('a');
    run.done('c');
    expect(told(run)).toContainEqual(
      expect.objectContaining({ name: 'node:skipped', node: 'b', tainted: false }),
    );
  });

  it('has what people are asked, answer, and leave unanswered', () => {
    const run = drive({
      steps: { review: { ...ask, expiresAfter: '1d' }, again: { ...ask, expiresAfter: '1d' } },
    });
    run.answer('review', 'approve', 'Fine.');
    run.wait(2 * 86_400_000);
    expect(told(run).filter(({ name }) => name.startsWith('approval:'))).toMatchObject([
      { name: 'approval:asked', node: 'review', kind: 'approval' },
      { name: 'approval:answered', node: 'review', action: 'approve', feedback: 'Fine.', decided: true },
      { name: 'approval:asked', node: 'again' },
      { name: 'approval:closed', node: 'again', how: 'expired' },
    ]);
  });

  it('has each call of an agent, with what it used up', () => {
    const usage = { tokens: 12, toolCalls: 0, turns: 1, costUsd: 0, unpriced: 1 };
    const run = drive({ steps: { write: { type: 'llm', prompt: 'Write.' } } });
    run.done('write', 'Done.', usage);
    expect(told(run).find(({ name }) => name === 'provider:call')).toMatchObject({
      node: 'write',
      agents: ['default'],
      outcome: 'done',
      cached: false,
      usage,
    });
  });

  it('is plain data', () => {
    const run = drive({ steps: { fetch: get, review: ask, publish: post } });
    run.done('fetch', { status: 200 });
    run.answer('review', 'reject', 'No.');
    expect(JSON.parse(JSON.stringify(told(run)))).toEqual(told(run));
  });
});
