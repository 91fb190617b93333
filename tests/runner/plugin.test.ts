import { expect, test } from 'vitest';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import type { PluginStep } from '../../src/ports/plugins.ts';
import { pluginHandler } from '../../src/runner/effects/plugin.ts';
import { createHandClock } from '../fakes/clock.ts';
import { createKeptLog } from '../fakes/log.ts';

const effect = {
  kind: 'plugin',
  key: 'a.1.1',
  step: 'a',
  round: 1,
  attempt: 1,
  type: 'shout',
  call: { n: 1 },
} as const;

function stage(run: PluginStep['run'], exits = ['done']) {
  const clock = createHandClock();
  const log = createKeptLog();
  const secrets = createSecrets(new Map([['KEY', 'hunter2-hunter2']]));
  const handle = pluginHandler({ plugins: new Map([['shout', { exits, run }]]), secrets, clock, log });
  const told: string[] = [];
  const carryOut = (more = {}, signal = new AbortController().signal) =>
    handle('r1', { ...effect, ...more }, signal, async () => void told.push('leaving'));
  return { clock, log, told, carryOut };
}

test('the code of a plugin gets its config and the attempt, and gives text and data', async () => {
  const { carryOut, told, log } = stage((config, { run, log: say }) => {
    say('hello', { n: 1 });
    return { text: JSON.stringify(config), json: { ...run, list: [1, null] } };
  });
  expect(await carryOut()).toEqual({
    kind: 'done',
    output: {
      text: '{"n":1}',
      json: { id: 'r1', step: 'a', attempt: 1, key: 'a.1.1', list: [1, null] },
    },
  });
  expect(told).toEqual(['leaving']);
  expect(log.lines).toMatchObject([
    { level: 'info', message: 'hello', data: { n: 1, run: 'r1', step: 'a' } },
  ]);
});

test('nothing is an empty output', async () => {
  expect(await stage(async () => {}).carryOut()).toEqual({ kind: 'done', output: { text: '', json: {} } });
});

test('with several exits one is chosen', async () => {
  const exits = ['loud', 'quiet'];
  expect(await stage(() => ({ exit: 'quiet' }), exits).carryOut()).toMatchObject({
    output: { json: { exit: 'quiet' } },
  });
  expect(await stage(() => ({}), exits).carryOut()).toMatchObject({
    failure: {
      code: 'plugin-result',
      retry: 'never',
      message: 'The step type "shout" returned no exit; it has to be one of loud, quiet.',
    },
  });
});

test.each([
  ['a text', 'done'],
  ['a number under text', { text: 1 }],
  ['a date', { json: { at: new Date(0) } }],
  ['nothing that JSON has', { json: { n: Number.NaN } }],
  ['a key nobody knows', { txt: 'x' }],
  ['a list', []],
])('%s is no output', async (_, returned) => {
  expect(await stage(() => returned).carryOut()).toMatchObject({
    kind: 'failed',
    failure: { code: 'plugin-result', retry: 'never' },
  });
});

test('more than can be held is a failure, and so is data without end', async () => {
  const endless: Record<string, unknown> = {};
  endless.self = endless;
  expect(await stage(() => ({ json: endless })).carryOut()).toMatchObject({
    failure: { code: 'output-too-large', retry: 'never' },
  });
  expect(await stage(() => ({ text: 'x'.repeat(12_000_001) })).carryOut()).toMatchObject({
    failure: { code: 'output-too-large' },
  });
});

test('what is thrown fails the attempt, without secrets; the error says whether to try again', async () => {
  const thrown = new Error(`${'x'.repeat(1_990)} hunter2-hunter2`);
  const result = await stage(() => Promise.reject(thrown)).carryOut();
  expect(result).toMatchObject({ kind: 'failed', failure: { code: 'plugin-error', retry: 'allowed' } });
  expect(JSON.stringify(result)).not.toContain('hunter');
  const never = Object.assign(new Error('Bad text.'), { retry: 'never' });
  const thrower = () => {
    throw never;
  };
  expect(await stage(thrower).carryOut()).toEqual({
    kind: 'failed',
    failure: { code: 'plugin-error', message: 'The step type "shout" failed: Bad text.', retry: 'never' },
  });
});

test('when the time is over nobody knows what became of it', async () => {
  let heard: AbortSignal | undefined;
  const { carryOut, clock } = stage((_config, { signal }) => {
    heard = signal;
    return new Promise(() => {});
  });
  const running = carryOut({ timeoutMs: 5_000 });
  while (clock.nextMs() === undefined) await Promise.resolve();
  await Promise.resolve();
  clock.pass(5_000);
  expect(await running).toEqual({
    kind: 'unknown',
    message: 'The step type "shout" did not end within 5 s.',
  });
  expect(heard?.aborted).toBe(true);
});

test('a plugin that is not there any more is a failure', async () => {
  expect(await stage(() => ({})).carryOut({ type: 'whisper' })).toMatchObject({
    failure: { code: 'plugin-missing', retry: 'never' },
  });
});
