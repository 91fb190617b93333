import { expect, test } from 'vitest';
import { workspaceFaults } from '../../../src/engine/flow/check-workspace.ts';

test.each([
  ['none', false, 0],
  ['folder', false, 0],
  ['git', true, 0],
  ['git', false, 1],
] as const)('workspace: %s, with a repository: %s', (workspace, hasRepository, count) => {
  const faults = workspaceFaults({ workspace }, hasRepository);
  expect(faults).toHaveLength(count);
  for (const fault of faults) {
    expect(fault).toMatchObject({ severity: 'error', rule: 'workspace', path: ['workspace'] });
    expect(fault.fix).toContain('workspaces: { repository: path }');
  }
});
