import { expect, test } from 'vitest';
import {
  type ToolFailureReason,
  type ToolReport,
  toolResult,
} from '../../../src/engine/steps/tool-result.ts';

const call = { server: 'files', tool: 'write', arguments: {} };

function answered(more: Partial<Extract<ToolReport, { kind: 'answered' }>>) {
  return toolResult(call, { kind: 'answered', content: [], structured: {}, isError: false, ...more });
}

test('texts are joined, other parts are noted, structured content is the data', () => {
  const content = [
    { kind: 'text', text: 'one' },
    { kind: 'other', label: 'image image/png, 9 bytes' },
    { kind: 'text', text: 'two' },
  ] as const;
  expect(answered({ content, structured: { n: 1 } })).toEqual({
    kind: 'done',
    output: { text: 'one\n[image image/png, 9 bytes]\ntwo', json: { n: 1 } },
  });
});

test('a tool that says it failed may be tried again; what it said is shown visibly and not for ever', () => {
  const said = [{ kind: 'text', text: 'disk\u202e full' }] as const;
  expect(answered({ content: said, isError: true })).toMatchObject({
    kind: 'failed',
    failure: { code: 'tool-error', retry: 'allowed', message: expect.not.stringContaining('\u202e') },
  });
  const long = answered({ content: [{ kind: 'text', text: 'x'.repeat(9_000) }], isError: true });
  expect(long.kind === 'failed' && long.failure.message.length).toBeLessThan(2_100);
  expect(answered({ isError: true })).toMatchObject({
    failure: { message: 'The tool "write" of files failed.' },
  });
});

test('more than can be held is a failure', () => {
  const content = [{ kind: 'text', text: 'x'.repeat(12_000_001) }] as const;
  expect(answered({ content })).toMatchObject({ failure: { code: 'output-too-large', retry: 'never' } });
});

test.each<[ToolFailureReason, whenItMay: string, whenNot: string]>([
  ['server', 'never', 'never'],
  ['secret', 'never', 'never'],
  ['missing', 'never', 'never'],
  ['arguments', 'never', 'never'],
  ['forbidden', 'never', 'never'],
  ['start', 'allowed', 'allowed'],
  ['refused', 'allowed', 'allowed'],
  ['too-large', 'never', 'allowed'],
  ['reply', 'never', 'allowed'],
  ['connection', 'unknown', 'allowed'],
  ['timeout', 'unknown', 'allowed'],
  ['aborted', 'unknown', 'allowed'],
])('%s: %s when it may have happened, else %s', (reason, whenItMay, whenNot) => {
  const fate = (mayHaveHappened: boolean) => {
    const result = toolResult(call, { kind: 'failed', reason, message: 'Why.', mayHaveHappened });
    return result.kind === 'failed' ? result.failure.retry : result.kind;
  };
  expect([fate(true), fate(false)]).toEqual([whenItMay, whenNot]);
});
