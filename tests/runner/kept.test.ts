import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/engine/json.ts';
import { answered } from '../fakes/http.ts';
import { createBench } from './bench.ts';

const keeping: JsonObject = {
  id: 'sample',
  steps: { call: { type: 'http', url: 'https://a.example/one', cache: true } },
  output: '{{call.json.body.n}}',
};

test('a result is kept and used again for the same call, also after a restart', async () => {
  let bench = await createBench({ answering: () => answered(200, { n: 1 }) });
  const first = await bench.start(keeping);
  bench = await bench.restart();
  const second = await bench.start(keeping);
  expect(bench.http.arrived).toHaveLength(1);
  for (const run of [first, second]) {
    expect((await bench.store.run(run))?.state).toMatchObject({ status: 'succeeded', output: 1 });
  }
});

test('a failure is not kept: the same call is made again', async () => {
  let status = 503;
  const bench = await createBench({ answering: () => answered(status, { n: 2 }) });
  await bench.start(keeping);
  status = 200;
  const run = await bench.start(keeping);
  expect(bench.http.arrived).toHaveLength(2);
  expect((await bench.store.run(run))?.state).toMatchObject({ status: 'succeeded', output: 2 });
});

test('nothing is kept unless the flow asks for it, and nothing is shared between flows', async () => {
  const bench = await createBench({ answering: () => answered(200, { n: 1 }) });
  const plain = { id: 'plain', steps: { call: { type: 'http', url: 'https://a.example/one' } } };
  await bench.start(plain);
  await bench.start(plain);
  await bench.start(keeping);
  await bench.start({ ...keeping, id: 'other' });
  expect(bench.http.arrived).toHaveLength(4);
});
