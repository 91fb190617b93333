import { describe, expect, test } from 'vitest';
import { createPlans, laneVersion } from '../../src/runner/plans.ts';
import { createMemoryStore } from '../fakes/store.ts';
import { bo, createBench, planOf } from './bench.ts';

const before = {
  id: 'sample',
  steps: { ask: { type: 'approval' }, say: { type: 'template', text: 'old' } },
  output: '{{say.text}}',
};

describe('plans', () => {
  test('C34: a waiting run ends on the version it began with, also after a restart', async () => {
    let bench = await createBench();
    const run = await bench.start(before);
    await bench.start({ ...before, steps: { say: { type: 'template', text: 'new' } } });
    bench = await bench.restart();
    await bench.runner.runs.dispatch(run, () => ({
      event: {
        type: 'question.answered',
        atMs: 1,
        question: `${run}.1`,
        action: 'approve',
        feedback: '',
        by: bo,
      },
      result: undefined,
    }));
    expect((await bench.store.run(run))?.state).toMatchObject({ status: 'succeeded', output: 'old' });
  });

  test('are compiled once a version', async () => {
    const store = createMemoryStore();
    await store.saveVersion('v', before);
    const plans = createPlans(store);
    const plan = await plans.get('v');
    expect(plan).toEqual(planOf(before));
    expect(await plans.get('v')).toBe(plan);
  });

  test('of a flow that another one runs come from what that one is pinned to', async () => {
    const store = createMemoryStore();
    const outer = { id: 'outer', steps: { go: { type: 'flow', uses: 'inner' } } };
    const flows = { outer, inner: { ...before, id: 'inner' } };
    await store.saveVersion('v', { bundle: 1, flow: 'outer', flows, agents: {}, schemas: {} });
    const plans = createPlans(store);
    expect((await plans.get('v')).id).toBe('outer');
    expect((await plans.get(laneVersion('v', 'inner'))).id).toBe('inner');
    expect(laneVersion(laneVersion('v', 'outer'), 'inner')).toBe('v#inner');
    await expect(plans.get('v#other')).rejects.toThrow(/does not hold the flow other/);
  });

  test('of unknown versions, and of those that can’t be run any more, say so', async () => {
    const store = createMemoryStore();
    await store.saveVersion('old', { id: 'sample', steps: { a: { type: 'telegraph' } } });
    const plans = createPlans(store);
    await expect(plans.get('nope')).rejects.toThrow('Version nope of a flow is not in the store.');
    await expect(plans.get('old')).rejects.toThrow(
      /^Version old of a flow can't be run by this version of Flowbot\. .*telegraph/,
    );
  });

  test('are stored before a run of them begins, once', async () => {
    const store = createMemoryStore();
    let saves = 0;
    const { saveVersion } = store;
    store.saveVersion = async (...args) => {
      saves += 1;
      return saveVersion(...args);
    };
    const plans = createPlans(store);
    const plan = planOf(before);
    await plans.add('v', before, plan);
    await plans.add('v', before, plan);
    expect(saves).toBe(1);
    expect(await plans.get('v')).toBe(plan);
    expect(await store.version('v')).toEqual(before);
  });
});
