import { expect, test } from 'vitest';
import { toolFaults } from '../../../src/engine/flow/check-tools.ts';
import { compile } from '../../../src/engine/flow/compile.ts';

const { plan } = compile(
  {
    triggers: [{ type: 'manual' }],
    steps: { look: { type: 'tool', server: 'filez', tool: 'read' } },
  },
  'look-up',
);

test.each([
  [['filez', 'tickets'], undefined],
  [['files', 'tickets'], 'Did you mean "files"? Or describe it under mcpServers in flowbot.yaml.'],
  [[], 'Describe it under mcpServers in flowbot.yaml.'],
])('with the servers %j', (servers, fix) => {
  if (!plan) throw new Error('not sound');
  const path = ['steps', 'look', 'server'];
  const message = 'There is no MCP server "filez".';
  const fault = { severity: 'error', rule: 'unknown-server', path, message, fix };
  expect(toolFaults(plan, servers)).toEqual(fix === undefined ? [] : [fault]);
});
