import { join } from 'node:path';
import { inFolder, loaded, openSetting, openStub, type Setting, startRun } from './setting.ts';

/** Runs per second of condition → HTTP POST → record, every step durable before the next. */
export async function threeSteps(runs: number, inFlight: number): Promise<number> {
  const stub = await openStub();
  const flow = loaded({
    id: 'three-steps',
    input: { type: 'object', properties: { amount: { type: 'number' } } },
    steps: {
      check: { type: 'condition', all: [{ step: 'input', path: 'json.amount', greaterThan: 10 }] },
      post: {
        type: 'http',
        method: 'POST',
        url: `http://127.0.0.1:${stub.port}/orders`,
        body: { json: { amount: '{{input.amount}}' } },
        allowHosts: ['127.0.0.1'],
      },
      record: { type: 'template', data: { answer: '{{post.json.body}}' } },
    },
    edges: ['check.yes -> post -> record'],
  });
  try {
    return await inFolder(async (folder) => {
      const setting = await openSetting(join(folder, 'flowbot.db'));
      await setting.runner.plans.add(flow.version, flow.definition, flow.plan);
      await drive(setting, flow, Math.ceil(runs / 10), inFlight);
      const startMs = performance.now();
      await drive(setting, flow, runs, inFlight);
      const perSecond = (runs * 1_000) / (performance.now() - startMs);
      await setting.close();
      return perSecond;
    });
  } finally {
    stub.server.close();
  }
}

async function drive(
  setting: Setting,
  flow: ReturnType<typeof loaded>,
  runs: number,
  inFlight: number,
): Promise<void> {
  let left = runs;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const run = await startRun(setting, flow, { amount: 20 });
      await setting.atRest(run);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
