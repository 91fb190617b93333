import { describe, expect, it } from 'vitest';
import { runPost, runTimer } from '../../../src/engine/run/settle.ts';
import { ask, Driven, drive, flaky, get, pay, planOf, startedOutside, text } from './drive.ts';

const minute = 60_000;

describe('the time limit of a run', () => {
  const limited = { timeout: '10m', humanReminder: null, steps: { a: get, review: ask, b: get } };

  it('ends it with what is under way', () => {
    const run = drive(limited);
    run.wait(10 * minute);
    expect(run.state).toMatchObject({ status: 'failed', reason: 'The run took longer than its time limit.' });
    expect(run.calls.size).toBe(0);
    expect(run.state.endedAtMs).toBe(run.atMs);
  });

  it('does not count the time in which only people could go on', () => {
    const run = drive(limited);
    run.wait(6 * minute);
    run.done('a');
    expect(run.timers.size).toBe(0);
    run.wait(600 * minute);
    expect(run.state).toMatchObject({ status: 'waiting', spentMs: 6 * minute });
    run.answer('review', 'approve');
    expect([...run.timers.values()]).toEqual([run.atMs + 4 * minute]);
    run.wait(3 * minute);
    expect(run.state.status).toBe('running');
    run.wait(minute);
    expect(run.state.status).toBe('failed');
  });

  it('counts waits between attempts and waits for a time', () => {
    const run = drive({
      timeout: '10m',
      steps: { pause: { type: 'wait', for: '9m' }, a: { ...get, attempts: 5 } },
    });
    run.wait(9 * minute);
    run.fail('a', { ...flaky });
    expect(run.timers.size).toBe(2);
    run.wait(2000);
    run.fail('a', { ...flaky });
    run.wait(minute);
    expect(run.state.reason).toBe('The run took longer than its time limit.');
  });

  it('is the same limit whatever happens in between: its timer is set once', () => {
    const run = drive({ timeout: '10m', steps: { a: get, b: get, c: text('c') } });
    const [timer] = run.timers;
    run.wait(minute);
    run.done('a');
    expect([...run.timers]).toEqual([timer]);
    expect(run.effects.filter((effect) => effect.kind === 'timer')).toEqual([]);
    run.done('b');
    expect(run.state).toMatchObject({ status: 'succeeded', spentMs: minute });
    expect(run.timers.size).toBe(0);
  });

  it('is not over because an earlier timer of it fires late', () => {
    const run = drive(limited);
    const earlier = runTimer(run.atMs);
    run.wait(minute);
    run.done('a');
    run.answer('review', 'approve');
    expect(run.fire(earlier)).toBe(false);
    expect(run.state.status).toBe('running');
  });

  it('counts nothing twice when the clock goes back', () => {
    const run = drive(limited);
    run.atMs -= minute;
    run.done('a');
    expect(run.state.spentMs).toBe(0);
  });

  it('does not run while somebody has to decide what became of a call', () => {
    const run = drive({ timeout: '10m', steps: { a: pay } });
    run.lose('a');
    run.wait(600 * minute);
    expect(run.state.status).toBe('attention');
  });
});

describe('the output of a run', () => {
  it('is what the flow makes of its steps, types kept', () => {
    const run = drive({
      steps: { a: get },
      output: {
        count: '{{a.json.body.count}}',
        line: 'there are {{a.json.body.count}}',
        nothing: '{{a.json.body.no}}',
      },
    });
    run.done('a', { body: { count: 3, no: null } });
    expect(run.state).toMatchObject({
      status: 'succeeded',
      output: { count: 3, line: 'there are 3', nothing: null },
    });
  });

  it('is absent when the flow makes none, or the run did not succeed', () => {
    const run = drive({ steps: { a: get }, output: '{{a.text}}' });
    run.fail('a');
    expect(run.state).not.toHaveProperty('output');
    const other = drive({ steps: { a: text('x') } });
    expect(other.state).not.toHaveProperty('output');
  });

  it('fails the run when it can not be made', () => {
    const run = drive({ steps: { a: get }, output: '{{a.json.body.id}}' });
    run.done('a', { body: {} });
    expect(run.state).toMatchObject({
      status: 'failed',
      reason:
        "The flow's output failed: No value for {{a.json.body.id}}: that step did not run or did not produce it.",
    });
  });
});

describe('the card of a run', () => {
  it('is kept true with every event, and ends with a notice when the run did', () => {
    const run = drive({ name: 'Release', steps: { a: { ...get, name: 'Fetch' }, review: ask } });
    expect(runPost('r1')).toBe('run/r1');
    expect(run.card('run/r1')).toContain('▸ Fetch');
    run.done('a');
    expect(run.card('run/r1')).toContain('✓ Fetch');
    expect(run.cards.has('end/r1')).toBe(false);
    run.answer('review', 'reject');
    expect(run.card('end/r1')).toBe('**Release** was rejected: "review" was rejected by Bo.');
    expect(run.cards.get('end/r1')?.notify).toEqual(['U0ANA']);
  });

  it('is not there for a run without a conversation', () => {
    const run = new Driven(planOf({ steps: { a: get, review: ask } }), startedOutside);
    run.fail('a');
    expect(run.state.status).toBe('failed');
    expect(run.cards.size).toBe(0);
  });
});
