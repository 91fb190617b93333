import { beforeEach, describe, expect, test } from 'vitest';
import type { RunFilter, Store } from '../../src/ports/store.ts';
import type { StoreUnderTest } from './store.ts';
import { samplePlace as place, sampleMove, sampleQuestion, sampleRow } from './store-samples.ts';

/** What stores promise about lanes: runs that steps of other runs have started. */
export function laneTests(under: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(() => {
    store = under().store;
  });

  describe('lanes', () => {
    const ana = { platform: 'slack', id: 'U1', name: 'Ana' };
    const lane = (id: string, run: string, status: 'running' | 'succeeded' | 'waiting') =>
      sampleRow(id, { flow: 'review', status, startedBy: ana, home: place, parent: { run, root: 'r1' } });
    const rows = [
      sampleRow('r1', { status: 'waiting', startedBy: ana, home: place }),
      lane('l1', 'r1', 'succeeded'),
      lane('l2', 'r1', 'waiting'),
      lane('l2.1', 'l2', 'running'),
      sampleRow('r2', { flow: 'review', startedBy: ana, home: place }),
      sampleRow('l3', { parent: { run: 'r2', root: 'r2' } }),
    ];
    const idsOf = async (filter: Omit<RunFilter, 'limit'>, limit = 10) =>
      (await store.runs({ ...filter, limit })).map(({ id }) => id);

    beforeEach(async () => {
      for (const row of rows) await store.commit({ run: sampleMove(row.id, 0, { row }) });
    });

    test.each<[string, Omit<RunFilter, 'limit'>, readonly string[]]>([
      ['are in no list that does not ask for them', {}, ['r2', 'r1']],
      ['nor in one by flow', { flow: 'review' }, ['r2']],
      ['nor in one by state', { statuses: ['running', 'waiting', 'succeeded'] }, ['r2', 'r1']],
      ['nor in one by who started them', { startedBy: ana }, ['r2', 'r1']],
      ['nor in one by conversation', { home: place }, ['r2', 'r1']],
      ['are listed for themselves, newest first', { lanes: true }, ['l3', 'l2.1', 'l2', 'l1']],
      ['by state', { lanes: true, statuses: ['running', 'waiting'] }, ['l3', 'l2.1', 'l2']],
      ['by flow, state, who started them and where', { ...filterOfAll(), lanes: true }, ['l1']],
      ['below a run at the top, however deep', { root: 'r1' }, ['l2.1', 'l2', 'l1']],
      ['below it, by state', { root: 'r1', statuses: ['succeeded', 'running'] }, ['l2.1', 'l1']],
      ['that a run has started itself', { parent: 'r1' }, ['l2', 'l1']],
      ['that a lane has started', { parent: 'l2' }, ['l2.1']],
      ['of one run and of another root: none', { parent: 'r1', root: 'r2' }, []],
      ['of both', { parent: 'l2', root: 'r1', lanes: true }, ['l2.1']],
      ['below a lane: it is no run at the top', { root: 'l2' }, []],
    ])('%s', async (_, filter, ids) => {
      expect(await idsOf(filter)).toEqual(ids);
      expect(await store.runs({ ...filter, limit: 1 })).toEqual(
        ids.slice(0, 1).map((id) => rows.find((row) => row.id === id)),
      );
    });

    function filterOfAll(): Omit<RunFilter, 'limit'> {
      return { flow: 'review', statuses: ['succeeded'], startedBy: ana, home: place };
    }

    test('400 of them leave a short list of runs as it is', async () => {
      const ids = Array.from({ length: 400 }, (_, index) => `m${index}`);
      const parent = { run: 'r2', root: 'r2' };
      const start = (id: string) =>
        store.commit({ run: sampleMove(id, 0, { row: sampleRow(id, { parent }) }) });
      await Promise.all(ids.map(start));
      expect(await idsOf({}, 2)).toEqual(['r2', 'r1']);
      expect(await idsOf({ parent: 'r2' }, 1_000)).toEqual([...ids.toReversed(), 'l3']);
    });

    test('keep whose they are: at later moves, and over restarts', async () => {
      const moved = sampleRow('l2.1', { status: 'succeeded', parent: { run: 'r2', root: 'r2' } });
      await store.commit({ run: sampleMove('l2.1', 1, { row: moved }) });
      const { parent: _, ...withoutParent } = lane('l2', 'r1', 'succeeded');
      await store.commit({ run: sampleMove('l2', 1, { row: withoutParent }) });
      await store.commit({
        run: sampleMove('r1', 1, { row: sampleRow('r1', { parent: { run: 'r2', root: 'r2' } }) }),
      });
      store = await under().reopen();
      expect((await store.run('l2.1'))?.row).toEqual(lane('l2.1', 'l2', 'succeeded'));
      expect((await store.run('l2'))?.row).toEqual(lane('l2', 'r1', 'succeeded'));
      expect((await store.run('r1'))?.row).not.toHaveProperty('parent');
      expect(await idsOf({ root: 'r1', statuses: ['succeeded'] })).toEqual(['l2.1', 'l2', 'l1']);
    });

    test('ask people like all runs', async () => {
      const question = sampleQuestion('q1', 'l2', { home: place });
      const row = lane('l2', 'r1', 'waiting');
      await store.commit({ run: sampleMove('l2', 1, { row, questions: { open: [question], closed: [] } }) });
      expect(await store.openQuestions(10)).toEqual([question]);
      expect(await store.questionRun('q1')).toBe('l2');
    });
  });
}
