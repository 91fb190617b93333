import { expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/engine/agents/usage.ts';
import { type AttemptResult, resultEvent } from '../../../src/engine/run/attempt-result.ts';

const at = { step: 'draft', round: 2, attempt: 3 };
const output = { text: 'Notes', json: {} };
const failure = { code: 'no-answer', message: 'nobody answered.', retry: 'allowed' } as const;
const usage = { ...NO_USAGE, tokens: 7 };

it.each<[string, AttemptResult, object]>([
  ['an output', { kind: 'done', output }, { type: 'step.done', output }],
  [
    'an output that was kept',
    { kind: 'done', output, cached: true },
    { type: 'step.done', output, cached: true },
  ],
  ['a failure', { kind: 'failed', failure, usage }, { type: 'step.failed', failure, usage }],
  [
    'that nobody knows',
    { kind: 'unknown', message: 'The line was cut.', usage },
    { type: 'step.unknown', message: 'The line was cut.', usage },
  ],
  [
    'that goes on later',
    { kind: 'parked', why: { kind: 'budget' }, usage },
    { type: 'step.parked', call: 'a/1/2+1', why: { kind: 'budget' }, usage },
  ],
])('a run hears of %s, of which attempt it is, and what was used up', (_, result, event) => {
  expect(resultEvent({ ...at, key: 'a/1/2+1' }, result, 99)).toEqual({ ...at, atMs: 99, ...event });
});
