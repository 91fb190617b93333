import { describe, expect, test } from 'vitest';
import { createCatalog, type FlowSet, type LoadedFlow } from '../../src/runner/catalog.ts';
import { planOf } from './bench.ts';

function flow(id: string, enabled = true): LoadedFlow {
  const definition = { id, enabled, steps: { say: { type: 'template', text: id } } };
  return { id, file: `flows/${id}.flow.yaml`, version: id, definition, plan: planOf(definition) };
}

const setOf = (...flows: LoadedFlow[]): FlowSet => ({
  flows,
  broken: [],
  warnings: [],
  agents: new Map(),
});

describe('the catalog', () => {
  test('is replaced as a whole', () => {
    const catalog = createCatalog({});
    catalog.replace(setOf(flow('a'), flow('b')));
    const seen = catalog.flows;
    catalog.replace({
      flows: [flow('c')],
      broken: [{ file: 'flows/a.flow.yaml', faults: ['bad'] }],
      warnings: [],
      agents: new Map(),
    });
    expect(seen.map((one) => one.id)).toEqual(['a', 'b']);
    expect(catalog.flows.map((one) => one.id)).toEqual(['c']);
    expect(catalog.flow('a')).toBeUndefined();
    expect(catalog.flow('c')?.id).toBe('c');
    expect(catalog.broken).toEqual([{ file: 'flows/a.flow.yaml', faults: ['bad'] }]);
  });

  test.each([
    [true, undefined, true],
    [false, undefined, false],
    [true, false, false],
    [false, true, true],
  ])('file says %s, people said %s: %s', (file, people, enabled) => {
    const catalog = createCatalog(people === undefined ? {} : { a: people });
    catalog.replace(setOf(flow('a', file)));
    expect(catalog.isEnabled(flow('a', file))).toBe(enabled);
  });

  test('what people switch stays when files change', () => {
    const catalog = createCatalog({});
    catalog.replace(setOf(flow('a')));
    catalog.setSwitch('a', false);
    catalog.replace(setOf(flow('a')));
    expect(catalog.isEnabled(flow('a'))).toBe(false);
  });

  test('tells whoever follows it after each change', () => {
    const catalog = createCatalog({});
    const seen: string[][] = [];
    catalog.follow(() => seen.push(catalog.flows.filter(catalog.isEnabled).map(({ id }) => id)));
    catalog.replace(setOf(flow('a'), flow('b')));
    catalog.setSwitch('a', false);
    expect(seen).toEqual([['a', 'b'], ['b']]);
  });

  test('a flow called like a property of all objects is an ordinary one', () => {
    const catalog = createCatalog({});
    catalog.replace(setOf(flow('constructor')));
    expect(catalog.isEnabled(flow('constructor'))).toBe(true);
    expect(catalog.flow('toString')).toBeUndefined();
  });
});
