import { expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/engine/agents/usage.ts';
import { laneInput, laneKey, laneRef, laneUsage } from '../../../src/engine/run/lane-runs.ts';
import { drive, planOf, text } from './drive.ts';

const steps = { say: text('Hello') };

it.each([
  ['run/timeout', undefined],
  ['each/1/1/retry', undefined],
  ['each/1/2', undefined],
  ['each/1/2/30', { step: 'each', round: 1, attempt: 2, index: 30 }],
])('the key %s stands for %o', (key, lane) => {
  expect(laneRef(key)).toEqual(lane);
  if (lane) expect(laneKey(lane, lane.index)).toBe(key);
});

it('a lane without an input takes what it gets', () => {
  expect(laneInput(planOf({ steps }), { a: 1 })).toEqual({ ok: true, input: { a: 1 } });
});

it('a lane gets its defaults, or its step hears all that does not fit', () => {
  const properties = { to: { type: 'string', default: 'test' }, count: { type: 'number' } };
  const lane = planOf({ name: 'Deploy', input: { type: 'object', properties, required: ['count'] }, steps });
  expect(laneInput(lane, { count: 2 })).toEqual({ ok: true, input: { count: 2, to: 'test' } });
  const read = laneInput(lane, { to: 7 });
  expect(read.ok ? undefined : read.result).toMatchObject({
    status: 'failed',
    reason: expect.stringMatching(/^the input of Deploy does not fit: .*; .*\.$/),
  });
});

it('a run that has used up nothing tells nothing of it', () => {
  const run = drive({ steps: { a: { type: 'tool', server: 's', tool: 't' }, say: text('Hello') } });
  expect(laneUsage(run.state)).toEqual({});
  run.done('a', 'ok', { ...NO_USAGE, toolCalls: 1 });
  expect(laneUsage(run.state)).toEqual({ usage: { ...NO_USAGE, toolCalls: 1 } });
});
