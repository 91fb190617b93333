import { basename, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileLines, runTests } from '../../src/cli/test.ts';
import type { Surroundings } from '../../src/engine/flow/check-surroundings.ts';
import { builtInStepTypes } from '../../src/engine/steps/registry.ts';
import { loadFlowSet } from '../../src/loader/flow-set.ts';
import { foldersBeside, readSources } from '../../src/loader/sources.ts';

const FLOWS = resolve(import.meta.dirname, '../../flows');
const surroundings: Surroundings = {
  secrets: [],
  platforms: ['playground'],
  command: '/flow',
  mcpServers: [],
  hasRepository: false,
  stepTypes: builtInStepTypes,
};

describe('the sample flows', () => {
  test('are sound, without a warning', async () => {
    const { broken, warnings } = loadFlowSet(await readSources(foldersBeside(FLOWS)), surroundings);
    expect({ broken, warnings }).toEqual({ broken: [], warnings: [] });
  });

  test('have tests beside them, two cases at least, and all pass', async () => {
    const { flows } = loadFlowSet(await readSources(foldersBeside(FLOWS)), surroundings);
    const tested = await runTests([], FLOWS, surroundings);
    expect(tested.map(({ file }) => basename(file))).toEqual(flows.map(({ id }) => `${id}.test.yaml`));
    const lines = tested.flatMap(fileLines).filter((line) => !/^\s*✓/.test(line));
    expect(lines).toEqual(tested.map(({ file }) => file));
    expect(tested.filter(({ cases }) => cases.length < 2)).toEqual([]);
  });

  test.each([
    ['seed-locrew', 'agent http message condition approval join template'],
    ['seed-manifest', 'agent script approval flow map join message template'],
    ['seed-milford', 'llm decision http message template'],
  ])('%s has a step of each type that its source has', async (id, types) => {
    const { flows } = loadFlowSet(await readSources(foldersBeside(FLOWS)), surroundings);
    const steps = flows.find((one) => one.id === id)?.plan.steps.values() ?? [];
    expect(new Set([...steps].map(({ type }) => type))).toEqual(new Set(types.split(' ')));
  });
});
