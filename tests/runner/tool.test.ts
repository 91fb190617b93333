import { expect, test } from 'vitest';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import type { ToolReport } from '../../src/engine/steps/tool-result.ts';
import type { ToolRequest } from '../../src/ports/tools.ts';
import { toolHandler } from '../../src/runner/effects/tool.ts';
import { createHandClock } from '../fakes/clock.ts';

const call = { server: 'files', tool: 'write', arguments: { n: 1 } };
const effect = { kind: 'tool', key: 'a.1.1', step: 'a', round: 1, attempt: 1, call } as const;

function stage(report: ToolReport) {
  const requests: ToolRequest[] = [];
  const secrets = createSecrets(new Map([['KEY', 'hunter2-hunter2']]));
  const tools = {
    list: async () => ({ kind: 'listed' as const, tools: [] }),
    call: async (request: ToolRequest) => {
      requests.push(request);
      return report;
    },
  };
  const handle = toolHandler({ tools, secrets, clock: createHandClock() });
  return {
    requests,
    carryOut: (more = {}) =>
      handle('r1', { ...effect, ...more }, new AbortController().signal, async () => {}),
  };
}

const answered = { kind: 'answered', content: [], structured: { n: 1 }, isError: false } as const;

test('a tool is called within a minute, or the time of its step, and counts as one tool call', async () => {
  const { requests, carryOut } = stage(answered);
  expect(await carryOut()).toMatchObject({
    kind: 'done',
    output: { text: '', json: { n: 1 } },
    usage: { toolCalls: 1, tokens: 0 },
  });
  await carryOut({ timeoutMs: 5_000 });
  expect(requests).toEqual([
    { ...call, timeoutMs: 60_000 },
    { ...call, timeoutMs: 5_000 },
  ]);
});

test('a call that was never sent costs nothing', async () => {
  const { carryOut } = stage({ kind: 'failed', reason: 'missing', message: 'No.', mayHaveHappened: false });
  expect(await carryOut()).toEqual({
    kind: 'failed',
    failure: { code: 'tool-missing', message: 'No.', retry: 'never' },
  });
});

test('a secret is not shown by cutting what a tool said in the middle of it', async () => {
  const text = `${'x'.repeat(1_990)} hunter2-hunter2`;
  const { carryOut } = stage({ ...answered, content: [{ kind: 'text', text }], isError: true });
  expect(JSON.stringify(await carryOut())).not.toContain('hunter');
});
