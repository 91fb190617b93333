import { describe, expect, test } from 'vitest';
import { answered } from '../fakes/http.ts';
import { ana, type Bench, createBench } from './bench.ts';
import { lanesOf, settled, startTree, stateOf } from './tree.ts';

const call = { steps: { get: { type: 'http', url: 'https://example.com/lane' } } };
const list = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Another side that answers only when it is let. */
function held() {
  const underWay: { readonly url: string; readonly answer: () => void }[] = [];
  return {
    /** Addresses of the requests that wait for their answer. */
    urls: () => underWay.map(({ url }) => url),
    answerNext: () => underWay.shift()?.answer(),
    answering: async ({ url }: { readonly url: string }) => {
      await new Promise<void>((answer) => void underWay.push({ url, answer }));
      return answered(200, {});
    },
  };
}

async function answer(bench: Bench, run: string, action: string): Promise<void> {
  const question = Object.values((await stateOf(bench, run))?.questions ?? {}).findLast(
    ({ state }) => state.status === 'open',
  );
  if (!question) throw new Error('Nothing is asked.');
  const event = {
    type: 'question.answered',
    atMs: bench.clock.now(),
    question: question.id,
    action,
    feedback: '',
    by: ana,
  } as const;
  await bench.runner.runs.dispatch(run, () => ({ event, result: undefined }));
  await settled(bench);
}

describe('the slots of a run at the top', () => {
  test('are taken by its own calls as well as by those of its lanes', async () => {
    const other = held();
    const bench = await createBench({ answering: other.answering });
    const run = await startTree(bench, {
      top: {
        maxParallel: 2,
        steps: {
          begin: { type: 'template', text: 'go' },
          own: { type: 'http', url: 'https://example.com/own' },
          all: { type: 'map', uses: 'each', over: list(4), maxParallel: 4 },
        },
        edges: ['begin -> own', 'begin -> all'],
      },
      lanes: { each: call },
    });
    const own = 'https://example.com/own';
    expect(other.urls()).toEqual([own, 'https://example.com/lane']);
    for (let count = 0; count < 5; count += 1) {
      expect(other.urls().length).toBeLessThanOrEqual(2);
      other.answerNext();
      await settled(bench);
    }
    expect(await stateOf(bench, run)).toMatchObject({ status: 'succeeded' });
  });

  test('are taken by lanes however deep they are, and given back after a restart', async () => {
    const other = held();
    let bench = await createBench({ answering: other.answering });
    const run = await startTree(bench, {
      top: { maxParallel: 1, steps: { all: { type: 'map', uses: 'mid', over: [1, 2], maxParallel: 2 } } },
      lanes: { mid: { steps: { down: { type: 'flow', uses: 'leaf' } } }, leaf: call },
    });
    expect(other.urls()).toHaveLength(1);
    bench = await bench.restart();
    await settled(bench);
    // Of the two that the last process and this one have sent, one is repeated: reading twice does no harm.
    expect(other.urls()).toHaveLength(2);
    for (let count = 0; count < 4; count += 1) {
      other.answerNext();
      await settled(bench);
    }
    expect(await stateOf(bench, run)).toMatchObject({ status: 'succeeded' });
  });
});

describe('the limits of a run', () => {
  test('count what its lanes have sent for its own requests, too, also after a restart', async () => {
    let bench = await createBench();
    const run = await startTree(bench, {
      top: {
        steps: {
          all: { type: 'map', uses: 'each', over: list(200), maxItems: 200, maxParallel: 20 },
          ask: { type: 'approval' },
          last: { type: 'http', url: 'https://example.com/last' },
        },
      },
      lanes: { each: call },
    });
    await settled(bench, 300);
    expect(bench.http.arrived).toHaveLength(200);
    bench = await bench.restart();
    await answer(bench, run, 'approve');
    expect(bench.http.arrived).toHaveLength(200);
    expect((await stateOf(bench, run))?.reason).toBe(
      '"last" failed: this run has sent 200 HTTP requests, which is the limit for one run.',
    );
  });
});

describe('the budget of a run', () => {
  const spending = {
    turn: async () => ({
      kind: 'replied' as const,
      text: 'Done.',
      usage: { inputTokens: 100, outputTokens: 0, toolCalls: 0, turns: 1 },
    }),
    close: async () => {},
  };
  const agents = {
    default: { runtime: 'scripted', price: { input: 0, output: 0 }, replies: [{ reply: 'Done.' }] },
  };
  const tree = {
    top: {
      budget: { tokens: 150 },
      steps: { all: { type: 'map', uses: 'part', over: [1, 2], maxParallel: 1 } },
    },
    lanes: {
      part: {
        steps: {
          one: { type: 'llm', prompt: 'One' },
          two: { type: 'llm', prompt: 'Two' },
          three: { type: 'llm', prompt: 'Three' },
        },
      },
    },
    agents,
  } as const;
  const open = () => createBench({ agents: new Map([['scripted', spending]]) });

  test('holds calls of its lanes until people decide, also over a restart', async () => {
    let bench = await open();
    const run = await startTree(bench, tree);
    const spent = async () => (await stateOf(bench, run))?.steps;
    const before = await spent();
    expect(before).toMatchObject({ all: { open: { 0: { usage: { tokens: 200 } } } } });
    bench = await bench.restart();
    await bench.pass(3_600_000);
    await settled(bench);
    expect(await spent()).toEqual(before);
    await answer(bench, run, 'more');
    // The first part is done, and has used up all of what was added.
    expect(await spent()).toMatchObject({ all: { begun: 1, open: {} } });
    expect(await stateOf(bench, run)).toMatchObject({ usageBelow: { tokens: 300 } });
  });

  test('that is refused fails the calls that were held, and nothing begins any more', async () => {
    const bench = await open();
    const run = await startTree(bench, tree);
    await answer(bench, run, 'stop');
    await settled(bench, 20);
    expect(await lanesOf(bench, run)).toMatchObject([{ status: 'failed' }]);
    expect(await stateOf(bench, run)).toMatchObject({
      status: 'failed',
      reason:
        '"all" failed: item 1 of 2: "three" failed: the budget of this run is used up, and more was refused.',
      usageBelow: { tokens: 200 },
    });
  });

  test('of a lane holds what is below it, and not its neighbours', async () => {
    const bench = await open();
    const run = await startTree(bench, {
      top: {
        steps: {
          begin: { type: 'template', text: 'go' },
          tight: { type: 'flow', uses: 'tight' },
          free: { type: 'flow', uses: 'part' },
        },
        edges: ['begin -> tight', 'begin -> free'],
      },
      lanes: {
        ...tree.lanes,
        tight: { budget: { tokens: 50 }, steps: { down: { type: 'flow', uses: 'part' } } },
      },
      agents,
    });
    await settled(bench, 20);
    expect(await stateOf(bench, run)).toMatchObject({
      steps: {
        free: { status: 'done' },
        tight: { status: 'nested', open: { 0: { usage: { tokens: 100 } } } },
      },
    });
    const [question] = await bench.store.openQuestions(10);
    expect(question).toMatchObject({ flow: 'tight' });
  });
});
