import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { NO_USAGE } from '../../../src/engine/agents/usage.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import type { RunEvent } from '../../../src/engine/run/event.ts';
import { usageOf } from '../../../src/engine/run/spending.ts';
import { ask, type Driven, drive, get, text } from './drive.ts';
import { keepsItsPromises } from './promises.ts';

const minute = 60_000;
const spent = { ...NO_USAGE, tokens: 10 };
const gone = { status: 'failed', reason: 'The build is broken.' } as const;

/** A flow with one `map` step over a list. */
function mapOver(over: Json, more: JsonObject = {}): JsonObject {
  return { steps: { each: { type: 'map', over, uses: 'other', ...more } } };
}

const one: JsonObject = { type: 'flow', uses: 'other' };

/** A run of a map over so many items, of which so many are at work at once. */
function driveMap(count: number, more: JsonObject = {}): Driven {
  const items = Array.from({ length: count }, (_, index) => `item ${index}`);
  return drive(mapOver(items, more));
}

describe('a flow step', () => {
  it('starts one run, and leaves what that gives back', () => {
    const run = drive({ steps: { deploy: { ...one, with: { to: 'prod', count: 2 } } } });
    expect([...run.lanes.values()]).toEqual([
      {
        kind: 'lane',
        key: 'deploy/1/1/0',
        uses: 'other',
        index: 0,
        input: { to: 'prod', count: 2 },
        step: 'deploy',
        round: 1,
        attempt: 1,
      },
    ]);
    run.laneEnds('deploy', 0, { url: 'https://example.com/' });
    expect(run.state.status).toBe('succeeded');
    expect(run.state.outputs).toEqual({ deploy: { text: '', json: { url: 'https://example.com/' } } });
  });

  test.each(['failed', 'rejected', 'cancelled'] as const)('fails when its run is %s', (status) => {
    const run = drive({ steps: { deploy: one } });
    run.laneEnds('deploy', 0, { status, reason: 'Not today.' });
    expect(run.state.steps.deploy).toMatchObject({
      status: 'failed',
      failure: { code: `lane-${status}`, message: 'Not today.', retry: 'never' },
    });
    expect(run.state.outputs).toEqual({});
  });

  it('can be followed when it fails', () => {
    const run = drive({
      steps: { deploy: one, tell: text('{{deploy.text}}') },
      edges: ['deploy.failed -> tell'],
    });
    run.laneEnds('deploy', 0, gone);
    expect(run.state.outputs.tell?.text).toBe('The build is broken.');
    expect(run.state.status).toBe('succeeded');
  });

  it('holds no slot', () => {
    const run = drive({
      maxParallel: 1,
      steps: { go: text(''), deploy: one, a: get },
      edges: ['go -> deploy', 'go -> a'],
    });
    expect(run.steps).toMatchObject({ deploy: 'nested', a: 'running' });
  });

  test.each([
    [9, 'nested'],
    [10, 'failed'],
  ])('in a run that is %i deep is %s', (depth, status) => {
    const parent = { run: 'r0', call: 'a/1/1/0', root: 'r0', rootFlow: 'f', slots: 2, depth };
    const run = drive({ steps: { deploy: { ...one, timeout: '1h' } } }, { parent });
    expect(run.steps.deploy).toBe(status);
    if (status === 'nested') return;
    expect(run.state.reason).toBe(
      '"deploy" failed: flows can run each other 10 levels deep, and this would be one more.',
    );
    keepsItsPromises(run);
  });
});

describe('a map step', () => {
  it('starts a run for each item, as many at once as it may', () => {
    const run = driveMap(4, { with: { to: 'prod' } });
    expect([...run.lanes.values()].map(({ input }) => input)).toEqual([
      { to: 'prod', item: 'item 0' },
      { to: 'prod', item: 'item 1' },
    ]);
    run.laneEnds('each', 1);
    expect(run.lanesOf('each')).toEqual([0, 2]);
    run.laneEnds('each', 0);
    expect(run.lanesOf('each')).toEqual([2, 3]);
  });

  it('is done at once with an empty list, and lets go of its time limit', () => {
    const run = drive(mapOver([], { timeout: '1h' }));
    expect(run.state.status).toBe('succeeded');
    expect(run.state.outputs.each).toEqual({ text: '0 of 0 succeeded.', json: { items: [], failed: [] } });
    keepsItsPromises(run);
  });

  it('fails before any item starts when there are too many', () => {
    const run = driveMap(4, { maxItems: 3 });
    expect(run.callKeys).toEqual([]);
    expect(run.state.steps.each).toMatchObject({ status: 'failed', failure: { code: 'too-many-items' } });
  });

  it('keeps results in the order of the items, whatever order they end in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat(20), { minLength: 1 }),
        (fates, maxParallel, order) => {
          const run = driveMap(fates.length, { maxParallel, onItemFailure: 'collect' });
          for (let turn = 0; run.lanes.size > 0; turn += 1) {
            expect(run.lanes.size).toBeLessThanOrEqual(maxParallel);
            const open = run.lanesOf('each');
            const index = open[(order[turn % order.length] ?? 0) % open.length] ?? 0;
            run.laneEnds('each', index, fates[index] ? { made: index } : gone);
            keepsItsPromises(run);
          }
          expect(run.state.status).toBe('succeeded');
          expect(run.state.outputs.each?.json).toEqual({
            items: fates.map((isFine, index) => (isFine ? { made: index } : null)),
            failed: fates.flatMap((isFine, index) =>
              isFine ? [] : [{ index, error: gone.reason, status: 'failed', run: `run-each-${index}` }],
            ),
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each(['failed', 'rejected', 'cancelled'] as const)(
    'stops with the first item that is %s',
    (status) => {
      const run = driveMap(4);
      run.laneEnds('each', 1, { status, reason: 'No.' });
      expect(run.effects).toContainEqual({ kind: 'abandon', key: 'each/1/1/0' });
      expect(run.lanes.size).toBe(0);
      expect(run.state.reason).toBe('"each" failed: item 2 of 4: No.');
      expect(run.state.outputs).toEqual({});
    },
  );

  it('goes on after items that failed when it collects, and says how many did', () => {
    const run = driveMap(3, { onItemFailure: 'collect' });
    run.laneEnds('each', 0, { status: 'rejected', reason: 'No.' });
    run.laneEnds('each', 1);
    run.laneEnds('each', 2, { status: 'cancelled', reason: 'Cancelled by Ana.' });
    expect(run.state.outputs.each?.text).toBe('1 of 3 succeeded.');
    expect(run.state.status).toBe('succeeded');
  });

  it('says on the card how far it is', () => {
    const run = driveMap(400, { maxItems: 400, onItemFailure: 'collect' });
    for (let index = 0; index < 12; index += 1) run.laneEnds('each', index, index < 2 ? gone : 'ok');
    expect(run.card('run/r1')).toContain('12 of 400, 2 failed');
  });
});

describe('runs of lanes that are not wanted any more', () => {
  it('are let go of when the run is cancelled', () => {
    const run = driveMap(3);
    run.cancel();
    expect(run.lanes.size).toBe(0);
    expect(run.state.status).toBe('cancelled');
  });

  it('are let go of at the time limit of the run', () => {
    const run = drive({ timeout: '10m', ...mapOver(['a', 'b']) });
    run.wait(10 * minute);
    expect(run.lanes.size).toBe(0);
    expect(run.state.reason).toBe('The run took longer than its time limit.');
  });

  it('are let go of at the time limit of their step', () => {
    const run = driveMap(3, { timeout: '10m' });
    run.wait(10 * minute);
    expect(run.lanes.size).toBe(0);
    expect(run.state.steps.each).toMatchObject({ status: 'failed', failure: { code: 'timeout' } });
    expect(run.state.outputs).toEqual({});
  });

  it('are let go of when work is sent back, and start anew in the next round', () => {
    const run = drive({
      steps: { draft: text('d'), deploy: one, review: ask },
      edges: ['draft -> deploy', 'draft -> review', { from: 'review.rejected', to: 'draft', sendBack: true }],
    });
    const [first] = run.lanes.keys();
    run.answer('review', 'reject');
    expect(run.effects).toContainEqual({ kind: 'abandon', key: first });
    expect([...run.lanes.keys()]).toEqual(['deploy/2/1/0']);
    keepsItsPromises(run);
  });

  it('change nothing when they end late', () => {
    const run = driveMap(3, { onItemFailure: 'stop' });
    const late: RunEvent = {
      type: 'lane.ended',
      atMs: run.atMs,
      step: 'each',
      round: 1,
      attempt: 1,
      index: 0,
      run: 'x',
      result: { status: 'succeeded', output: { text: '', json: {} } },
    };
    run.laneEnds('each', 0);
    expect(run.send(late)).toBe(false);
    expect(run.send({ ...late, index: 2, round: 2 })).toBe(false);
    expect(run.send({ ...late, index: 7 })).toBe(false);
    expect(
      run.send({
        type: 'lane.moved',
        atMs: run.atMs,
        step: 'each',
        round: 1,
        attempt: 1,
        index: 0,
        status: 'waiting',
      }),
    ).toBe(false);
  });
});

describe('a run whose lanes are at work', () => {
  test.each([
    ['running', 'running', 'running'],
    ['queued', 'waiting', 'running'],
    ['running', 'attention', 'attention'],
    ['waiting', 'waiting', 'waiting'],
    ['waiting', 'attention', 'attention'],
  ] as const)('with runs that are %s and %s is %s', (first, second, status) => {
    const run = driveMap(2);
    run.laneMoves('each', 0, first);
    run.laneMoves('each', 1, second);
    expect(run.state.status).toBe(status);
  });

  it('does not count the time in which they wait for people', () => {
    const run = drive({ timeout: '10m', steps: { deploy: one } });
    run.wait(6 * minute);
    run.laneMoves('deploy', 0, 'waiting');
    run.wait(600 * minute);
    run.laneMoves('deploy', 0, 'running');
    run.wait(4 * minute - 1);
    expect(run.state.status).toBe('running');
    run.wait(1);
    expect(run.state.status).toBe('failed');
  });

  it('hears of a move once', () => {
    const run = driveMap(2);
    expect(run.laneMoves('each', 0, 'waiting', spent)).toBe(true);
    expect(run.laneMoves('each', 0, 'waiting', spent)).toBe(false);
  });
});

describe('what runs of lanes have used up', () => {
  const total = (run: Driven) => usageOf(run.state).tokens;

  it('counts while they are at work, and once when they have ended', () => {
    const run = driveMap(2);
    run.laneMoves('each', 0, 'running', spent);
    expect(total(run)).toBe(10);
    run.laneEnds('each', 0, 'ok', { ...spent, tokens: 15 });
    expect(total(run)).toBe(15);
    run.laneEnds('each', 1, gone, spent);
    expect(total(run)).toBe(25);
  });

  test.each<[string, (run: Driven) => void]>([
    ['cancelled', (run) => void run.cancel()],
    ['let go of for another that failed', (run) => void run.laneEnds('each', 1, gone)],
    ['let go of at a time limit', (run) => run.wait(10 * minute)],
  ])('counts of those that are %s', (_, end) => {
    const run = driveMap(3, { timeout: '10m' });
    run.laneMoves('each', 0, 'running', spent);
    end(run);
    expect(total(run)).toBe(10);
  });
});
