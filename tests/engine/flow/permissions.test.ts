import { expect, test } from 'vitest';
import { parseDefinition } from '../../../src/engine/flow/definition.ts';
import type { Json } from '../../../src/engine/json.ts';

const write = { type: 'agent', agent: 'writer', task: 'Write.' };

test.each<[string, Json]>([
  ['access', { github: 'allow' }],
  ['tools', ['shell']],
  ['permissions', 'all'],
  ['readOnly', false],
  ['mcpServers', {}],
  ['model', 'larger'],
])('a flow can not change what its agents may do: %s', (key, value) => {
  const { faults } = parseDefinition({ steps: { write: { ...write, [key]: value } } }, 'release');
  expect(faults).toMatchObject([
    { rule: 'unknown-key', path: ['steps', 'write', key], message: `steps.write has no key "${key}".` },
  ]);
});

test('an agent step needs a task', () => {
  const { faults } = parseDefinition({ steps: { write: { type: 'agent', agent: 'writer' } } }, 'release');
  expect(faults).toMatchObject([{ rule: 'missing', path: ['steps', 'write', 'task'] }]);
});
