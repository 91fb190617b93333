import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/engine/json.ts';
import { isFinal } from '../../src/engine/run/state.ts';
import { answered } from '../fakes/http.ts';
import { createMemoryStore } from '../fakes/store.ts';
import { ana, type Bench, createBench } from './bench.ts';
import { lanesOf as lanesIn, settled, startTree, stateOf as stateIn } from './tree.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

/** Flows that steps of the next run use. */
let lanes: Record<string, JsonObject>;
beforeEach(() => {
  lanes = {};
});

function lane(id: string, flow: JsonObject): void {
  lanes[id] = flow;
}

const start = (top: JsonObject): Promise<string> => startTree(bench, { top, lanes });
const stateOf = (run: string) => stateIn(bench, run);
const lanesOf = (run: string) => lanesIn(bench, run);

describe('a flow step', () => {
  test('runs another flow and leaves what that gives back', async () => {
    lane('hello', {
      id: 'hello',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      steps: { greet: { type: 'template', text: 'Hello {{input.name}}' } },
      output: { said: '{{greet.text}}' },
    });
    const run = await start({
      id: 'top',
      steps: { sub: { type: 'flow', uses: 'hello', with: { name: 'Bo' } } },
      output: '{{sub.json.said}}',
    });
    expect(await stateOf(run)).toMatchObject({ status: 'succeeded', output: 'Hello Bo' });
    expect(await lanesOf(run)).toMatchObject([
      { flow: 'hello', status: 'succeeded', parent: { run, root: run } },
    ]);
  });

  test('fails with what its lane says', async () => {
    lane('bad', {
      id: 'bad',
      steps: { give: { type: 'template', data: {} }, miss: { type: 'template', text: '{{give.json.nope}}' } },
    });
    const run = await start({ id: 'top', steps: { sub: { type: 'flow', uses: 'bad' } } });
    expect(await stateOf(run)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^"sub" failed: "miss" failed: No value for/),
    });
  });
});

describe('a map step', () => {
  test('asks for each item by a card of its own, in the thread of the run, and goes on after a restart', async () => {
    lane('each', {
      id: 'each',
      input: { type: 'object', properties: { item: { type: 'string' } } },
      steps: { ask: { type: 'approval', title: 'Deploy it?', notes: '{{input.item}}' } },
      output: '{{ask.json.decision}}',
    });
    const run = await start({
      id: 'top',
      steps: {
        all: { type: 'map', uses: 'each', over: ['a', 'b', 'c'], maxParallel: 2 },
        say: { type: 'message', to: 'fake:#general', text: '{{all.json.items}}' },
      },
    });
    expect(await stateOf(run)).toMatchObject({ status: 'waiting', steps: { all: { begun: 2 } } });
    const open = await bench.store.openQuestions(10);
    expect(open).toHaveLength(2);
    bench = await bench.restart();
    for (let count = 0; count < 3; count += 1) {
      const [question] = await bench.store.openQuestions(10);
      if (!question) throw new Error('Nothing is asked.');
      await bench.runner.runs.dispatch(question.run, () => ({
        event: {
          type: 'question.answered',
          atMs: bench.clock.now(),
          question: question.id,
          action: 'approve',
          feedback: '',
          by: ana,
        },
        result: undefined,
      }));
      await bench.settle();
      await bench.settle();
    }
    expect(await stateOf(run)).toMatchObject({ status: 'succeeded' });
    expect((await lanesOf(run)).every(({ status }) => isFinal(status))).toBe(true);
    expect((await stateOf(run))?.outputs.all?.json).toEqual({
      items: ['approved', 'approved', 'approved'],
      failed: [],
    });
  });
});

describe('a run that is cancelled', () => {
  const waiting = { id: 'each', steps: { ask: { type: 'approval', title: 'Go?' } } };
  const top = { id: 'top', steps: { all: { type: 'map', uses: 'each', over: [1, 2], maxParallel: 2 } } };

  async function cancel(run: string): Promise<void> {
    await bench.runner.runs.dispatch(run, () => ({
      event: { type: 'run.cancelled', atMs: bench.clock.now(), by: ana },
      result: undefined,
    }));
    for (let turns = 0; turns < 4; turns += 1) await bench.settle();
  }

  test('takes its lanes with it, and closes what they ask', async () => {
    lane('each', waiting);
    const run = await start(top);
    await cancel(run);
    expect((await lanesOf(run)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(await bench.store.openQuestions(10)).toEqual([]);
  });

  test('takes them with it at the next start, when the process dies right then', async () => {
    lane('each', waiting);
    const run = await start(top);
    const stored = await bench.store.run(run);
    if (!stored) throw new Error('There is no run.');
    const { outputs: _, ...state } = stored.state;
    // What is durable of a process that has died between its own end and that of its lanes.
    await bench.store.commit({
      run: {
        row: { ...stored.row, status: 'cancelled' },
        expectedRevision: stored.revision,
        state: { ...state, status: 'cancelled', steps: {} },
        outputs: [],
        events: [],
        calls: [],
        timers: [],
        ended: ['all/1/1/0', 'all/1/1/1'],
        questions: { open: [], closed: [] },
      },
    });
    bench = await bench.restart();
    for (let turns = 0; turns < 4; turns += 1) await bench.settle();
    expect((await lanesOf(run)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('what is heard of a lane', () => {
  test('too late changes nothing: its step has gone on without it', async () => {
    lane('slow', { steps: { sleep: { type: 'wait', for: '1h' } } });
    const run = await start({
      steps: { sub: { type: 'flow', uses: 'slow', timeout: '1m' }, say: { type: 'template', text: 'On.' } },
      edges: ['sub.failed -> say'],
    });
    await bench.pass(60_000);
    await settled(bench);
    expect(await stateOf(run)).toMatchObject({ status: 'succeeded', steps: { sub: { status: 'failed' } } });
    expect((await lanesOf(run)).map(({ status }) => status)).toEqual(['cancelled']);
    await bench.pass(7_200_000);
    const journal = await bench.store.journal(run);
    expect(journal.map(({ type }) => type)).not.toContain('lane.ended');
  });

  test('is told at the next start, when the process dies before its step knows; it runs once', async () => {
    lane('each', { steps: { get: { type: 'http', url: 'https://example.com/' } }, output: { got: true } });
    const store = createMemoryStore();
    let isDying = true;
    bench = await createBench({
      store: {
        ...store,
        commit: async (commit) => {
          const isTold = commit.run?.events.some(({ type }) => type === 'lane.ended');
          if (isTold && isDying) throw new Error('the process has died');
          return store.commit(commit);
        },
      },
    });
    const run = await start({ steps: { sub: { type: 'flow', uses: 'each' } }, output: '{{sub.json.got}}' });
    expect((await lanesOf(run)).map(({ status }) => status)).toEqual(['succeeded']);
    expect((await stateOf(run))?.status).toBe('running');
    isDying = false;
    bench = await bench.restart();
    await settled(bench);
    expect(await stateOf(run)).toMatchObject({ status: 'succeeded', output: true });
    expect(bench.http.arrived).toHaveLength(1);
    expect(await lanesOf(run)).toHaveLength(1);
  });

  test('is who cancelled it, when somebody cancels it alone', async () => {
    lane('each', { steps: { ask: { type: 'approval' } } });
    const run = await start({
      steps: { all: { type: 'map', uses: 'each', over: [1, 2], onItemFailure: 'collect', maxParallel: 2 } },
      output: '{{all.json.failed}}',
    });
    for (const { id } of await lanesOf(run)) {
      await bench.runner.runs.dispatch(id, () => ({
        event: { type: 'run.cancelled', atMs: bench.clock.now(), by: ana },
        result: undefined,
      }));
    }
    await settled(bench);
    expect((await stateOf(run))?.output).toMatchObject([
      { index: 0, error: 'Cancelled by Ana.', status: 'cancelled' },
      { index: 1, error: 'Cancelled by Ana.', status: 'cancelled' },
    ]);
  });
});

describe('what runs of a tree share', () => {
  const call = { id: 'each', steps: { get: { type: 'http', url: 'https://example.com/' } } };

  test('are the slots of the run at the top', async () => {
    const underWay: (() => void)[] = [];
    let most = 0;
    bench = await createBench({
      answering: async () => {
        await new Promise<void>((resolve) => {
          underWay.push(resolve);
          most = Math.max(most, underWay.length);
        });
        return answered(200, {});
      },
    });
    lane('each', call);
    const run = await start({
      id: 'top',
      maxParallel: 3,
      steps: { all: { type: 'map', uses: 'each', over: [1, 2, 3, 4, 5, 6, 7, 8], maxParallel: 8 } },
    });
    for (let count = 0; count < 8; count += 1) {
      underWay.shift()?.();
      for (let turns = 0; turns < 3; turns += 1) await bench.settle();
    }
    expect(most).toBe(3);
    expect(await stateOf(run)).toMatchObject({ status: 'succeeded' });
  });

  test('are the requests that one run may send', async () => {
    lane('each', call);
    const run = await start({
      id: 'top',
      steps: {
        all: {
          type: 'map',
          uses: 'each',
          over: Array.from({ length: 205 }, (_, index) => index),
          maxItems: 300,
          onItemFailure: 'collect',
        },
      },
    });
    for (let turns = 0; turns < 400; turns += 1) await bench.settle();
    const output = (await stateOf(run))?.outputs.all;
    expect(output?.text).toBe('200 of 205 succeeded.');
    expect(output?.json.failed).toHaveLength(5);
    expect(bench.http.arrived).toHaveLength(200);
  });
});
