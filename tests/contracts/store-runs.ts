import { beforeEach, describe, expect, test } from 'vitest';
import { FINAL_STATUSES, OPEN_STATUSES } from '../../src/engine/run/state.ts';
import type { RunFilter, Store } from '../../src/ports/store.ts';
import type { StoreUnderTest } from './store.ts';
import {
  samplePlace as place,
  sampleCall,
  sampleEvent,
  sampleMove,
  sampleQuestion,
  sampleRow,
  sampleState,
  stateWith,
} from './store-samples.ts';

/** What stores promise about runs, their calls, timers and questions. */
export function runTests(under: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(() => {
    store = under().store;
  });

  describe('runs', () => {
    test('a new run is there with all it was given, at revision 1', async () => {
      const row = sampleRow('r1', {
        startedBy: { platform: 'slack', id: 'U1', name: 'Ana: "A"' },
        home: { ...place, thread: '17.5' },
      });
      const state = sampleState('r1', { feedback: { review: 'shorter' } });
      const output = { text: 'notes', json: { verdict: ['ok', null, 1.5] } };
      const outcome = await store.commit({
        run: sampleMove('r1', 0, { row, state, outputs: [['draft', output]] }),
      });
      expect(outcome).toEqual({ kind: 'committed', revision: 1 });
      expect(await store.run('r1')).toEqual({
        row,
        revision: 1,
        state: stateWith(state, { draft: output }),
      });
    });

    test('an unknown run is nothing', async () => {
      expect(await store.run('nobody')).toBeUndefined();
      expect(await store.journal('nobody')).toEqual([]);
    });

    test('a move replaces the state and what may change of the row', async () => {
      const home = { ...place };
      await store.commit({ run: sampleMove('r1', 0, { row: sampleRow('r1', { home }) }) });
      const row = sampleRow('r1', { home, status: 'waiting', updatedAtMs: 2_000 });
      const state = sampleState('r1', { status: 'waiting' });
      expect(await store.commit({ run: sampleMove('r1', 1, { row, state }) })).toEqual({
        kind: 'committed',
        revision: 2,
      });
      expect(await store.run('r1')).toEqual({ row, revision: 2, state: stateWith(state) });
    });

    test('outputs are added, replaced, and removed by null', async () => {
      const output = (text: string) => ({ text, json: {} });
      await store.commit({
        run: sampleMove('r1', 0, {
          outputs: [
            ['a', output('a1')],
            ['b', output('b1')],
            ['c', output('c1')],
          ],
        }),
      });
      await store.commit({
        run: sampleMove('r1', 1, {
          outputs: [
            ['a', output('a2')],
            ['b', null],
            ['never', null],
          ],
        }),
      });
      expect((await store.run('r1'))?.state.outputs).toEqual({ a: output('a2'), c: output('c1') });
    });

    test('events are kept in order, each run for itself', async () => {
      await store.commit({ run: sampleMove('r1', 0, { events: [sampleEvent(1), sampleEvent(2)] }) });
      await store.commit({ run: sampleMove('r2', 0, { events: [sampleEvent(10)] }) });
      await store.commit({ run: sampleMove('r1', 1, { events: [sampleEvent(3)] }) });
      expect(await store.journal('r1')).toEqual([1, 2, 3].map((atMs) => sampleEvent(atMs)));
      expect(await store.journal('r2')).toEqual([sampleEvent(10)]);
      expect(await store.journal('r1', 2)).toEqual([sampleEvent(3)]);
      expect(await store.journal('r1', 9)).toEqual([]);
    });

    test.each([
      ['a new run whose id is taken', 0],
      ['an older revision', 1],
      ['a revision that is not there yet', 3],
    ])('%s is a conflict and changes nothing', async (_, expectedRevision) => {
      await store.commit({ run: sampleMove('r1', 0) });
      await store.commit({ run: sampleMove('r1', 1) });
      const before = await store.run('r1');
      const outcome = await store.commit({
        run: sampleMove('r1', expectedRevision, { events: [sampleEvent(9)] }),
      });
      expect(outcome).toEqual({ kind: 'conflict' });
      expect(await store.run('r1')).toEqual(before);
      expect(await store.journal('r1')).toEqual([]);
    });

    test('a run that is not there can not move', async () => {
      expect(await store.commit({ run: sampleMove('r1', 1) })).toEqual({ kind: 'conflict' });
      expect(await store.run('r1')).toBeUndefined();
    });

    test('a second run with the same start key is told of the first, also much later', async () => {
      await store.commit({ run: sampleMove('r1', 0, { startKey: 'slack:m1/release' }) });
      await store.commit({ run: sampleMove('r1', 1) });
      const again = { run: sampleMove('r2', 0, { startKey: 'slack:m1/release' }) };
      expect(await store.commit(again)).toEqual({ kind: 'duplicate', run: 'r1' });
      store = await under().reopen();
      expect(await store.commit(again)).toEqual({ kind: 'duplicate', run: 'r1' });
      expect(await store.run('r2')).toBeUndefined();
    });

    test('the same start twice at once makes one run', async () => {
      const start = (id: string) => store.commit({ run: sampleMove(id, 0, { startKey: 'k' }) });
      const outcomes = await Promise.all(['r1', 'r2', 'r3'].map(start));
      expect(outcomes).toEqual([
        { kind: 'committed', revision: 1 },
        { kind: 'duplicate', run: 'r1' },
        { kind: 'duplicate', run: 'r1' },
      ]);
    });
  });

  describe('lists of runs', () => {
    const ana = { platform: 'slack', id: 'U1', name: 'Ana' };
    const rows = [
      sampleRow('r1', { status: 'succeeded', startedBy: ana, home: place }),
      sampleRow('r2', { status: 'waiting', startedBy: { ...ana, platform: 'discord' } }),
      sampleRow('r3', {
        flow: 'other',
        startedBy: { ...ana, name: 'Ana B' },
        home: { ...place, thread: 't' },
      }),
      sampleRow('r4', { status: 'failed', home: { ...place, conversation: 'C2' } }),
    ];
    beforeEach(async () => {
      for (const row of rows) await store.commit({ run: sampleMove(row.id, 0, { row }) });
    });

    test.each([
      ['all, newest first', { limit: 10 }, ['r4', 'r3', 'r2', 'r1']],
      ['at most the limit', { limit: 2 }, ['r4', 'r3']],
      ['older than one of them', { before: 'r3', limit: 10 }, ['r2', 'r1']],
      ['older than one of them, of one flow', { flow: 'release', before: 'r4', limit: 1 }, ['r2']],
      ['older than one that is not there', { before: 'r9', limit: 10 }, []],
      ['of one flow', { flow: 'release', limit: 10 }, ['r4', 'r2', 'r1']],
      ['of some states', { statuses: ['failed', 'succeeded', 'failed'], limit: 10 }, ['r4', 'r1']],
      [
        'of some states, at most the limit',
        { statuses: ['succeeded', 'failed', 'running'], limit: 2 },
        ['r4', 'r3'],
      ],
      ['of no state', { statuses: [], limit: 10 }, []],
      ['started by a person, whatever the name', { startedBy: ana, limit: 10 }, ['r3', 'r1']],
      ['that live in a conversation and its threads', { home: place, limit: 10 }, ['r3', 'r1']],
      [
        'all of it together',
        { flow: 'release', statuses: ['succeeded'], startedBy: ana, home: place, limit: 10 },
        ['r1'],
      ],
    ] as const)('%s', async (_, filter, ids) => {
      const listed = await store.runs(filter);
      expect(listed.map(({ id }) => id)).toEqual(ids);
      expect(listed).toEqual(ids.map((id) => rows.find((row) => row.id === id)));
    });

    test('each state is listed, asked for or not', async () => {
      const statuses = [...OPEN_STATUSES, ...FINAL_STATUSES];
      for (const status of statuses) {
        await store.commit({ run: sampleMove(status, 0, { row: sampleRow(status, { status }) }) });
      }
      const idsOf = async (filter: Pick<RunFilter, 'statuses'>) =>
        (await store.runs({ ...filter, limit: statuses.length })).map(({ id }) => id);
      expect(await idsOf({})).toEqual(statuses.toReversed());
      for (const status of statuses) expect(await idsOf({ statuses: [status] })).toContain(status);
    });

    test('a run that moved on is listed under its new state', async () => {
      await store.commit({ run: sampleMove('r2', 1, { row: sampleRow('r2', { status: 'cancelled' }) }) });
      expect(await store.runs({ statuses: ['waiting'], limit: 10 })).toEqual([]);
      expect((await store.runs({ statuses: ['cancelled'], limit: 10 })).map(({ id }) => id)).toEqual(['r2']);
    });
  });

  describe('calls and timers', () => {
    test('calls are there until they end, oldest first', async () => {
      await store.commit({ run: sampleMove('r1', 0, { calls: [sampleCall('b'), sampleCall('a')] }) });
      await store.commit({ run: sampleMove('r2', 0, { calls: [sampleCall('a')] }) });
      await store.commit({ run: sampleMove('r1', 1, { ended: ['b', 'never'], calls: [sampleCall('c')] }) });
      expect(await store.calls()).toEqual([
        { run: 'r1', effect: sampleCall('a'), begun: false },
        { run: 'r2', effect: sampleCall('a'), begun: false },
        { run: 'r1', effect: sampleCall('c'), begun: false },
      ]);
    });

    test('a call that may have left the process says so, and only that one', async () => {
      await store.commit({ run: sampleMove('r1', 0, { calls: [sampleCall('a')] }) });
      await store.commit({ run: sampleMove('r2', 0, { calls: [sampleCall('a')] }) });
      const begin = [
        { run: 'r2', key: 'a' },
        { run: 'r2', key: 'never' },
        { run: 'nobody', key: 'a' },
      ];
      expect(await store.commit({ begin })).toEqual({ kind: 'committed', revision: 0 });
      expect((await store.calls()).map(({ run, begun }) => [run, begun])).toEqual([
        ['r1', false],
        ['r2', true],
      ]);
    });

    test('a call that takes the place of one with the same key has not begun', async () => {
      await store.commit({ run: sampleMove('r1', 0, { calls: [sampleCall('a')] }) });
      await store.commit({ begin: [{ run: 'r1', key: 'a' }] });
      await store.commit({ run: sampleMove('r1', 1, { ended: ['a'], calls: [sampleCall('a')] }) });
      expect(await store.calls()).toEqual([{ run: 'r1', effect: sampleCall('a'), begun: false }]);
    });

    test('timers are due from their time on, earliest first', async () => {
      await store.commit({
        run: sampleMove('r1', 0, {
          timers: [
            { key: 'late', dueMs: 300 },
            { key: 'early', dueMs: 100 },
          ],
        }),
      });
      await store.commit({ run: sampleMove('r2', 0, { timers: [{ key: 'middle', dueMs: 200.5 }] }) });
      const due = async (nowMs: number, limit = 10) =>
        (await store.dueTimers(nowMs, limit)).map(({ key }) => key);
      expect(await due(99)).toEqual([]);
      expect(await due(100)).toEqual(['early']);
      expect(await due(300)).toEqual(['early', 'middle', 'late']);
      expect(await due(300, 2)).toEqual(['early', 'middle']);
      expect(await store.dueTimers(100, 1)).toEqual([{ run: 'r1', key: 'early', dueMs: 100 }]);
      expect(await store.nextTimerMs()).toBe(100);
    });

    test('a timer ends, or is set to another time', async () => {
      expect(await store.nextTimerMs()).toBeUndefined();
      await store.commit({
        run: sampleMove('r1', 0, {
          timers: [
            { key: 'a', dueMs: 100 },
            { key: 'b', dueMs: 200 },
          ],
        }),
      });
      await store.commit({
        run: sampleMove('r1', 1, { ended: ['b'], timers: [{ key: 'a', dueMs: 900 }] }),
      });
      expect(await store.nextTimerMs()).toBe(900);
      await store.commit({ run: sampleMove('r1', 2, { ended: ['a'] }) });
      expect(await store.nextTimerMs()).toBeUndefined();
      expect(await store.dueTimers(9_999, 10)).toEqual([]);
    });
  });

  describe('questions', () => {
    test('open ones are listed, oldest first; a closed one still tells its run', async () => {
      const first = sampleQuestion('q1', 'r1', { approvers: ['slack:U1'], home: place });
      const second = sampleQuestion('q2', 'r2');
      await store.commit({ run: sampleMove('r1', 0, { questions: { open: [first], closed: [] } }) });
      await store.commit({ run: sampleMove('r2', 0, { questions: { open: [second], closed: [] } }) });
      expect(await store.openQuestions(10)).toEqual([first, second]);
      expect(await store.openQuestions(1)).toEqual([first]);
      await store.commit({
        run: sampleMove('r1', 1, { questions: { open: [], closed: ['q1', 'never'] } }),
      });
      store = await under().reopen();
      expect(await store.openQuestions(10)).toEqual([second]);
      expect(await store.questionRun('q1')).toBe('r1');
      expect(await store.questionRun('q2')).toBe('r2');
      expect(await store.questionRun('never')).toBeUndefined();
    });
  });
}
