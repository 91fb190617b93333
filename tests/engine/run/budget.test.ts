import { describe, expect, it, test } from 'vitest';
import { NO_USAGE, type Usage } from '../../../src/engine/agents/usage.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bo, type Driven, drive, eve, get, post, text } from './drive.ts';
import { keepsItsPromises } from './promises.ts';

const minute = 60_000;

/** A step whose calls use up the budget. */
const work: JsonObject = { type: 'tool', server: 's', tool: 't' };

/** A step that works, and another behind it. */
function twoSteps(budget: JsonObject, more: JsonObject = {}): JsonObject {
  return { budget, humanReminder: null, steps: { a: work, b: work }, ...more };
}

function used(amounts: Partial<Usage>): Usage {
  return { ...NO_USAGE, ...amounts };
}

/** Id of the open question about the budget. */
function asks(run: Driven): string | undefined {
  const id = run.state.budget?.question;
  const open = Object.values(run.state.questions).filter(
    ({ kind, state }) => kind === 'budget' && state.status === 'open',
  );
  expect(open.map((question) => question.id)).toEqual(id === undefined ? [] : [id]);
  keepsItsPromises(run);
  return id;
}

function decide(run: Driven, action: 'more' | 'stop'): void {
  const verdict = run.judge(asks(run) ?? '', action, { by: bo });
  if (verdict.kind !== 'counts') throw new Error(`The answer is ${verdict.kind}.`);
  expect(run.send(verdict.event)).toBe(true);
}

/** Keys of the alerts that were given. */
function alerts(run: Driven): readonly string[] {
  return [...run.cards.keys()].filter((key) => key.startsWith('budget/'));
}

describe('an alert', () => {
  it('is given once for each part of a ceiling', () => {
    const steps = { a: work, b: work, c: work, d: work };
    const run = drive({ budget: { tokens: 100 }, steps });
    run.done('a', 'ok', used({ tokens: 70 }));
    expect(alerts(run)).toEqual([]);
    run.done('b', 'ok', used({ tokens: 5 }));
    expect(alerts(run)).toEqual(['budget/r1/tokens/0.75/100']);
    run.done('c', 'ok', used({ tokens: 15 }));
    expect(alerts(run)).toEqual(['budget/r1/tokens/0.75/100', 'budget/r1/tokens/0.9/100']);
    run.done('d');
    expect(alerts(run)).toHaveLength(2);
  });

  it('says how much of what is used up, and tells whoever started the run', () => {
    const run = drive(twoSteps({ costUsd: 2 }));
    run.done('a', 'ok', used({ costUsd: 1.5 }));
    expect(run.card('budget/r1/costUsd/0.75/2')).toContain('has used up 75 % of its budget: $1.50 of $2.00');
    expect(run.cards.get('budget/r1/costUsd/0.75/2')?.notify).toEqual(['U0ANA']);
  });

  it('is one when several parts are reached at once, one for each ceiling', () => {
    const run = drive(twoSteps({ tokens: 100, maxTurns: 10 }));
    run.done('a', 'ok', used({ tokens: 95, turns: 9 }));
    expect(alerts(run)).toEqual(['budget/r1/tokens/0.9/100', 'budget/r1/maxTurns/0.9/10']);
  });

  it('is given anew for a ceiling that was raised', () => {
    const run = drive({ budget: { tokens: 100 }, steps: { a: work, b: work, c: work } });
    run.done('a', 'ok', used({ tokens: 100 }));
    decide(run, 'more');
    run.done('b', 'ok', used({ tokens: 50 }));
    expect(alerts(run)).toEqual(['budget/r1/tokens/0.9/100', 'budget/r1/tokens/0.75/200']);
  });
});

describe('at a ceiling', () => {
  test.each<[string, JsonObject, Partial<Usage>]>([
    ['tokens', { tokens: 100 }, { tokens: 100 }],
    ['tool calls', { toolCalls: 3 }, { toolCalls: 3 }],
    ['turns', { maxTurns: 2 }, { turns: 2 }],
    ['cost', { costUsd: 0.5 }, { costUsd: 0.5 }],
  ])('of %s the run asks before it goes on', (_, budget, amounts) => {
    const run = drive(twoSteps(budget));
    run.done('a', 'ok', used(amounts));
    expect(asks(run)).toBeDefined();
    expect(run.steps.b).toBe('ready');
    expect(run.state.status).toBe('waiting');
    decide(run, 'more');
    expect(run.steps.b).toBe('running');
    expect(run.state.status).toBe('running');
  });

  it('what is under way finishes, and what works does not start', () => {
    const run = drive({
      maxParallel: 2,
      budget: { tokens: 10 },
      steps: { go: text(''), a: work, b: work, c: work },
      edges: ['go -> a', 'go -> b', 'go -> c'],
    });
    run.done('a', 'ok', used({ tokens: 10 }));
    expect(run.steps).toMatchObject({ a: 'done', b: 'running', c: 'ready' });
    expect(asks(run)).toBeDefined();
    expect(run.state.status).toBe('running');
    run.done('b', 'ok', used({ tokens: 10 }));
    expect(run.steps).toMatchObject({ b: 'done', c: 'ready' });
  });

  it('what neither calls nor costs goes on', () => {
    const run = drive({
      budget: { tokens: 10 },
      steps: { a: work, b: text('b'), c: { type: 'approval' } },
    });
    run.done('a', 'ok', used({ tokens: 10 }));
    expect(run.steps).toMatchObject({ b: 'done', c: 'asking' });
    expect(asks(run)).toBeUndefined();
  });

  it('messages are sent', () => {
    const run = drive({ budget: { tokens: 10 }, steps: { a: work, b: post } });
    run.done('a', 'ok', used({ tokens: 10 }));
    expect(run.steps.b).toBe('running');
  });

  it('nothing is asked when nothing waits for more', () => {
    const run = drive({ budget: { tokens: 10 }, steps: { a: work, b: text('b') } });
    run.done('a', 'ok', used({ tokens: 50 }));
    expect(run.state.status).toBe('succeeded');
    expect(run.state.questions).toEqual({});
  });

  it('no further run of a lane starts until people allow it', () => {
    const run = drive({
      budget: { tokens: 10 },
      steps: { each: { type: 'map', over: ['a', 'b', 'c'], uses: 'other', maxParallel: 1 } },
    });
    run.laneEnds('each', 0, 'ok', used({ tokens: 10 }));
    expect(run.lanesOf('each')).toEqual([]);
    expect(asks(run)).toBeDefined();
    expect(run.state.status).toBe('waiting');
    decide(run, 'more');
    expect(run.lanesOf('each')).toEqual([1]);
  });

  it('what a lane has used up is not forgotten when its end says nothing of it, and the run does not end', () => {
    const run = drive({
      budget: { tokens: 100 },
      humanReminder: null,
      steps: { all: { type: 'map', uses: 'lane', over: [1, 2, 3], maxParallel: 1 } },
    });
    run.laneMoves('all', 0, 'waiting', used({ tokens: 150 }));
    run.laneEnds('all', 0);
    expect(asks(run)).toBeDefined();
    expect(run.lanesOf('all')).toHaveLength(0);
    expect(run.state.status).toBe('waiting');
    decide(run, 'more');
    expect(run.lanesOf('all')).toHaveLength(1);
  });

  it('the rest of a map fails when people refuse', () => {
    const run = drive({
      budget: { tokens: 10 },
      steps: { each: { type: 'map', over: ['a', 'b', 'c'], uses: 'other', maxParallel: 1 } },
    });
    run.laneEnds('each', 0, 'ok', used({ tokens: 10 }));
    decide(run, 'stop');
    expect(run.state.steps.each).toMatchObject({ status: 'failed', failure: { code: 'budget' } });
    expect(run.state.status).toBe('failed');
  });

  it('people answer as anywhere else', () => {
    const run = drive(twoSteps({ tokens: 10 }, { allow: { users: ['slack:U0BO'] } }));
    run.done('a', 'ok', used({ tokens: 10 }));
    const id = asks(run) ?? '';
    expect(run.judge(id, 'more', { by: eve }).kind).toBe('refused');
    expect(run.judge(id, 'approve', { by: bo }).kind).toBe('refused');
    expect(run.judge(id, 'more', { by: bo }).kind).toBe('counts');
  });

  it('people are reminded', () => {
    const run = drive(twoSteps({ tokens: 10 }, { humanReminder: '1h' }));
    run.done('a', 'ok', used({ tokens: 10 }));
    const id = asks(run) ?? '';
    run.wait(60 * minute);
    expect(run.state.questions[id]?.remind?.times).toBe(1);
    keepsItsPromises(run);
  });
});

describe('when people allow more', () => {
  it.each([100, 150, 199, 200, 1_000, 12_345])('it is enough after %i of 100 tokens', (tokens) => {
    const run = drive(twoSteps({ tokens: 100 }));
    run.done('a', 'ok', used({ tokens }));
    decide(run, 'more');
    expect(run.steps.b).toBe('running');
    expect(asks(run)).toBeUndefined();
    const raised = run.state.budget?.raised.tokens ?? 0;
    expect(raised % 100).toBe(0);
    expect(raised + 100 - tokens).toBeGreaterThan(0);
    expect(raised + 100 - tokens).toBeLessThanOrEqual(100);
  });

  it('it is enough where decimals do not add up', () => {
    for (const [costUsd, spentUsd] of [
      [0.1, 0.3],
      [0.1, 0.7],
      [0.7, 2.1],
      [0.01, 0.57],
    ] as const) {
      const run = drive(twoSteps({ costUsd }));
      run.done('a', 'ok', used({ costUsd: spentUsd }));
      decide(run, 'more');
      expect(run.steps.b).toBe('running');
      expect(asks(run)).toBeUndefined();
    }
  });

  it('only the ceilings that are reached are raised', () => {
    const run = drive(twoSteps({ tokens: 100, toolCalls: 5 }));
    run.done('a', 'ok', used({ tokens: 100, toolCalls: 4 }));
    decide(run, 'more');
    expect(run.state.budget?.raised).toEqual({ tokens: 100 });
  });

  it('they are asked again at the next ceiling', () => {
    const run = drive({ budget: { tokens: 100 }, steps: { a: work, b: work, c: work } });
    run.done('a', 'ok', used({ tokens: 100 }));
    const first = asks(run);
    decide(run, 'more');
    run.done('b', 'ok', used({ tokens: 100 }));
    expect(asks(run)).not.toBe(first);
    expect(asks(run)).toBeDefined();
  });
});

describe('when people refuse more', () => {
  it('what waits and what would work later fails, and is never tried again', () => {
    const run = drive({
      budget: { tokens: 10 },
      steps: { a: work, b: { ...work, attempts: 3 }, tell: post, c: work },
      edges: ['a -> b', 'b.failed -> tell -> c'],
    });
    run.done('a', 'ok', used({ tokens: 10 }));
    decide(run, 'stop');
    expect(run.state.steps.b).toMatchObject({
      status: 'failed',
      failure: { code: 'budget', retry: 'never' },
    });
    run.done('tell');
    expect(run.state.steps.c).toMatchObject({ status: 'failed', failure: { code: 'budget' } });
    expect(run.state.reason).toBe('"c" failed: the budget of this run is used up, and more was refused.');
    keepsItsPromises(run);
  });

  it('they are not asked again', () => {
    const run = drive({
      maxParallel: 2,
      budget: { tokens: 10 },
      steps: { go: text(''), a: work, b: { ...work, attempts: 2 }, c: work },
      edges: ['go -> a', 'go -> b', 'go -> c'],
    });
    run.done('a', 'ok', used({ tokens: 10 }));
    decide(run, 'stop');
    expect(run.steps).toMatchObject({ b: 'running', c: 'failed' });
    run.fail('b', { code: 'x', message: 'it did not work.', retry: 'allowed' });
    run.wait(minute);
    expect(run.state.status).toBe('failed');
    expect(asks(run)).toBeUndefined();
  });
});

describe('work of unknown cost under a ceiling of cost', () => {
  it('is asked about once', () => {
    const run = drive({ budget: { costUsd: 1 }, steps: { a: work, b: work, c: work } });
    run.done('a', 'ok', used({ unpriced: 1 }));
    expect(run.questionOf(asks(run) ?? '').state.status).toBe('open');
    expect(run.card(`question/${asks(run)}`)).toContain('Nobody knows what 1 of its agent calls cost');
    decide(run, 'more');
    run.done('b', 'ok', used({ unpriced: 1 }));
    expect(asks(run)).toBeUndefined();
    expect(run.steps.c).toBe('running');
  });

  it('is no matter without one', () => {
    const run = drive(twoSteps({ tokens: 10 }));
    run.done('a', 'ok', used({ unpriced: 1 }));
    expect(asks(run)).toBeUndefined();
  });

  it('counts however the attempt ends', () => {
    const run = drive(twoSteps({ costUsd: 1 }, { edges: ['a.failed -> b'] }));
    run.fail('a', undefined, used({ unpriced: 1 }));
    expect(asks(run)).toBeDefined();
  });
});

describe('wall time', () => {
  const timed = (steps: JsonObject): JsonObject => ({
    budget: { wallTime: '100m' },
    humanReminder: null,
    steps,
  });

  it('gives its alerts and reaches its ceiling when the time comes', () => {
    const run = drive({ ...timed({ go: text(''), a: get, b: get }), maxParallel: 1 });
    run.wait(75 * minute);
    expect(alerts(run)).toEqual(['budget/r1/wallTime/0.75/6000000']);
    run.wait(15 * minute);
    expect(alerts(run)).toHaveLength(2);
    expect(asks(run)).toBeUndefined();
    run.wait(10 * minute);
    run.done('a');
    expect(asks(run)).toBeDefined();
    expect(run.timers.size).toBe(0);
    run.wait(600 * minute);
    decide(run, 'more');
    expect(run.steps.b).toBe('running');
    run.wait(50 * minute);
    expect(alerts(run)).toHaveLength(3);
  });

  it('that was raised leaves no time behind that had not come yet', () => {
    const flow = timed({ go: text(''), say: post, a: get });
    const run = drive({ ...flow, maxParallel: 1, edges: ['go -> say', 'go -> a'] });
    run.atMs += 100 * minute;
    // After a jump of the clock the last one may come first.
    run.fire([...run.timers.keys()].at(-1) ?? '');
    decide(run, 'more');
    run.done('say');
    run.done('a');
    expect(run.state.status).toBe('succeeded');
    expect([...run.timers.keys()]).toEqual([]);
  });

  it('does not count the time in which only people can go on', () => {
    const run = drive(timed({ a: get, review: { type: 'approval' }, b: get }));
    run.wait(50 * minute);
    run.done('a');
    run.wait(6_000 * minute);
    expect(alerts(run)).toEqual([]);
    run.answer('review', 'approve');
    run.wait(24 * minute);
    expect(alerts(run)).toEqual([]);
    run.wait(minute);
    expect(alerts(run)).toHaveLength(1);
  });

  it('nor does the time limit of the run, while people decide about what its lanes may use up', () => {
    const run = drive({
      budget: { tokens: 100 },
      timeout: '1h',
      humanReminder: null,
      steps: { all: { type: 'map', uses: 'lane', over: [1, 2], maxParallel: 1 } },
    });
    run.laneMoves('all', 0, 'running', used({ tokens: 150 }));
    expect(asks(run)).toBeDefined();
    run.wait(48 * 60 * minute);
    expect(run.state.status).toBe('waiting');
  });

  it('lets go of its timers when the run ends', () => {
    const run = drive(timed({ a: get }));
    expect(run.timers.size).toBe(3);
    run.done('a');
    expect(run.timers.size).toBe(0);
  });
});

describe('the question about the budget', () => {
  const running = (): Driven => {
    const run = drive({
      maxParallel: 2,
      budget: { tokens: 10 },
      steps: { go: text(''), a: work, b: get, c: work, end: { type: 'join' } },
      edges: ['go -> a', 'go -> b', 'go -> c', 'a -> end', 'b -> end', 'c -> end'],
    });
    run.done('a', 'ok', used({ tokens: 10 }));
    expect(asks(run)).toBeDefined();
    return run;
  };

  test.each<[string, (run: Driven) => void, string]>([
    ['cancelled', (run) => void run.cancel(), 'cancelled'],
    ['stopped by a failure', (run) => void run.fail('b'), 'failed'],
  ])('is closed when the run is %s', (_, end, status) => {
    const run = running();
    const id = asks(run) ?? '';
    end(run);
    expect(run.questionOf(id).state.status).toBe('superseded');
    expect(run.state.status).toBe(status);
    expect(asks(run)).toBeUndefined();
  });

  it('is closed at the time limit of the run', () => {
    const run = drive({
      timeout: '1h',
      maxParallel: 2,
      budget: { tokens: 10 },
      steps: { go: text(''), a: work, b: get, c: work },
      edges: ['go -> a', 'go -> b', 'go -> c'],
    });
    run.done('a', 'ok', used({ tokens: 10 }));
    const id = asks(run) ?? '';
    run.wait(60 * minute);
    expect(run.state.status).toBe('failed');
    expect(run.questionOf(id).state.status).toBe('superseded');
  });
});
