import { describe, expect, it, test } from 'vitest';
import { compile } from '../../../src/engine/flow/compile.ts';
import { firstFaults } from '../../../src/engine/flow/issues.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { faultsOf, text } from './faults.ts';

const many = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const steps = (of: string): JsonObject =>
  Object.fromEntries(many(500, (index) => [`some_step_${index}`, text(of)]));
const placeholders = (count: number) => many(count, (index) => `{{sume_stop_${index}.text}}`);

describe('of many faults the first are told and the others counted', () => {
  const bad = (count: number) => faultsOf({ steps: { a: text('x') }, output: placeholders(count) });

  test.each([1, 49, 50])('%d are all told', (count) => {
    expect(bad(count)).toHaveLength(count);
  });

  test.each([
    [51, '… and 1 more fault.'],
    [60, '… and 10 more faults.'],
  ])('of %d fifty are', (count, last) => {
    const faults = bad(count);
    expect(faults.slice(0, -1)).toEqual(bad(50));
    expect(faults.at(-1)).toBe(`more-faults at : ${last}`);
  });

  it('an error among those that are counted still counts as one', () => {
    const fault = (severity: 'error' | 'warning') => ({ severity, rule: 'x', path: [], message: 'x' });
    const warnings = many(55, () => fault('warning'));
    expect(firstFaults(warnings).at(-1)).toMatchObject({ severity: 'warning' });
    expect(firstFaults([...warnings, fault('error')]).at(-1)).toMatchObject({ severity: 'error' });
  });
});

describe('a flow with thousands of faults is refused at once', () => {
  const keys = Object.fromEntries(many(30_000, (index) => [`txet${index}`, 1]));
  test.each<[string, JsonObject]>([
    ['placeholders', { steps: steps(placeholders(60).join('')) }],
    ['placeholders of the output', { steps: steps('x'), output: placeholders(30_000) }],
    [
      'ends of edges',
      {
        steps: steps('x'),
        edges: many(2000, (index) => ({ from: `sume_stop_${index}`, to: `sume_stip_${index}` })),
      },
    ],
    ['keys of a step', { steps: { a: { ...text('x'), ...keys } } }],
    ['keys of the flow', { steps: { a: text('x') }, ...keys }],
  ])('%s', (_, flow) => {
    const startMs = performance.now();
    const { plan, faults } = compile(flow, 'flow');
    // Many times what it takes, and a small part of what it would take without a limit.
    expect(performance.now() - startMs).toBeLessThan(6000);
    expect(plan).toBeUndefined();
    expect(faults).toHaveLength(51);
  });
});
