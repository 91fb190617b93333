import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/engine/json.ts';
import { planRetry } from '../../src/engine/run/retry.ts';
import { inheritanceOf } from '../../src/runner/inherit.ts';
import { answered } from '../fakes/http.ts';
import { type Bench, createBench } from './bench.ts';
import { lanesOf, settled, startTree, stateOf } from './tree.ts';

/** Places that don't answer well now. */
let down: Set<string>;
let bench: Bench;

beforeEach(async () => {
  down = new Set(['us', 'asia']);
  bench = await createBench({
    answering: ({ url }) => answered(down.has(url.split('/').at(-1) ?? '') ? 404 : 200, {}),
  });
});

const ship: JsonObject = {
  input: { type: 'object', properties: { item: { type: 'string' } } },
  steps: {
    say: { type: 'message', to: 'fake:#general', text: 'Shipping {{input.item}}' },
    call: { type: 'http', url: 'https://example.com/{{input.item}}' },
  },
  output: { shipped: '{{input.item}}' },
};

/** Ships to three places at once; it fails when one of them does. */
const begin = () =>
  startTree(bench, {
    top: {
      steps: {
        all: {
          type: 'map',
          uses: 'ship',
          over: ['eu', 'us', 'asia'],
          maxParallel: 3,
          onItemFailure: 'collect',
        },
        check: { type: 'condition', all: [{ step: 'all', path: 'json.failed', isEmpty: true }] },
        sent: { type: 'template', text: 'All sent.' },
        last: { type: 'http', url: 'https://example.com/us' },
      },
      edges: ['all -> check', 'check.yes -> sent', 'check.no -> last'],
    },
    lanes: { ship },
  });

/** Starts the retry of a run as the command does. */
async function retry(run: string): Promise<string> {
  const stored = await bench.store.run(run);
  if (!stored) throw new Error('There is no run.');
  const { version } = stored.row;
  const plan = await bench.runner.plans.get(version);
  const planned = planRetry(plan, stored.state);
  if ('refused' in planned) throw new Error(planned.refused);
  const inherits = await inheritanceOf(bench.store, planned);
  const { retryOf: _, ...start } = stored.state.start;
  const started = await bench.runner.runs.start({
    version,
    plan,
    atMs: bench.clock.now(),
    start: { ...start, trigger: 'retry', retryOf: inherits },
  });
  if (started.kind === 'refused') throw new Error(started.why);
  await settled(bench, 10);
  return started.run;
}

const said = async () => {
  const { platform } = bench;
  return (await platform.messages(platform.otherChannel)).map(({ text }) => text).toSorted();
};
const sent = () => bench.http.arrived.map(({ url }) => url.split('/').at(-1));

describe('what a retry takes over', () => {
  test('C34: runs of lanes that succeeded are not run again, those that failed go on, and no post is doubled', async () => {
    const first = await begin();
    await settled(bench, 10);
    const cancelled = await stateOf(bench, first);
    expect(cancelled?.status).toBe('failed');
    expect(await said()).toEqual(['Shipping asia', 'Shipping eu', 'Shipping us']);
    expect(sent().toSorted()).toEqual(['asia', 'eu', 'us', 'us']);
    const second = await retry(first);
    // What the map has come to is kept: only what failed runs again.
    expect((await lanesOf(bench, second)).length).toBe(0);
    expect(sent()).toHaveLength(5);
  });
});

describe('a retry of a map that stopped', () => {
  const stopping = () =>
    startTree(bench, {
      top: { steps: { all: { type: 'map', uses: 'ship', over: ['eu', 'us', 'asia'], maxParallel: 1 } } },
      lanes: { ship },
    });

  test('goes on with each run where it was, and so does the retry of the retry', async () => {
    const first = await stopping();
    expect((await lanesOf(bench, first)).map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    const second = await retry(first);
    expect((await stateOf(bench, second))?.reason).toMatch(/^"all" failed: item 2 of 3: "call" failed/);
    down.clear();
    const third = await retry(second);
    expect(await stateOf(bench, third)).toMatchObject({
      status: 'succeeded',
      outputs: {
        all: { json: { items: ['eu', 'us', 'asia'].map((shipped) => ({ shipped })), failed: [] } },
      },
    });
    // Each was said once, and what has succeeded was not sent again by the third run either.
    expect(await said()).toEqual(['Shipping asia', 'Shipping eu', 'Shipping us']);
    expect(sent()).toEqual(['eu', 'us', 'us', 'us', 'asia']);
  });

  test('does not count again what was kept', async () => {
    const first = await stopping();
    down.clear();
    const second = await retry(first);
    expect((await lanesOf(bench, second)).map(({ flow }) => flow)).toEqual(['ship', 'ship']);
    expect((await stateOf(bench, second))?.status).toBe('succeeded');
  });
});
