import { describe, expect, it } from 'vitest';
import { bundleOf, planOf } from '../../../src/engine/flow/bundle.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary } from '../../../src/engine/library.ts';
import { planOf as planned, text } from './faults.ts';

const { stepTypes } = bareLibrary;

function written(...definitions: readonly (JsonObject & { id: string })[]) {
  return {
    flows: new Map(
      definitions.map((definition) => [definition.id, { definition, plan: planned(definition) }]),
    ),
    agents: new Map(),
    schemas: new Map<string, JsonObject>([
      ['ticket', { type: 'object', properties: { by: { $ref: 'person' } } }],
      ['person', { type: 'string' }],
      ['unused', { type: 'string' }],
    ]),
  };
}

const runs = (id: string, uses: string) => ({ id, steps: { go: { type: 'flow', uses } } });
const alone = { id: 'alone', steps: { say: text('hi') } };

describe('what runs are pinned to', () => {
  it('is the plain definition of a flow that reaches nothing else, also when it runs itself', () => {
    const self = runs('self', 'self');
    expect(bundleOf('alone', written(alone, self))).toBe(alone);
    expect(bundleOf('self', written(alone, self))).toBe(self);
    expect(planOf(self, 'self', stepTypes).plan?.id).toBe('self');
    expect(planOf(self, 'alone', stepTypes).plan).toBeUndefined();
  });

  it('holds every flow that is reached, through others and in circles, and no more', () => {
    const all = written(runs('a', 'b'), runs('b', 'c'), runs('c', 'a'), alone);
    const bundle = bundleOf('a', all);
    expect(bundle).toEqual({
      bundle: 1,
      flow: 'a',
      flows: { a: runs('a', 'b'), b: runs('b', 'c'), c: runs('c', 'a') },
      agents: {},
      schemas: {},
    });
    for (const id of ['a', 'b', 'c']) expect(planOf(bundle, id, stepTypes).plan?.id).toBe(id);
    expect(planOf(bundle, undefined, stepTypes).plan?.id).toBe('a');
    expect(planOf(bundle, 'alone', stepTypes).faults).toHaveLength(1);
  });

  it('holds the schemas of the input as they are written, and what those refer to', () => {
    const flow = { ...alone, input: { $ref: 'ticket' } };
    const all = written(alone);
    const { plan } = all.flows.get('alone') ?? {};
    if (!plan) throw new Error('There is no plan.');
    const bundle = bundleOf('alone', { ...all, flows: new Map([['alone', { definition: flow, plan }]]) });
    expect(Object.keys(Object(bundle.schemas))).toEqual(['ticket', 'person']);
    expect(planOf(bundle, undefined, stepTypes).plan?.input).toEqual({
      type: 'object',
      properties: { by: { type: 'string' } },
    });
  });

  it('is refused when it is of another form', () => {
    expect(planOf({ bundle: 2, flow: 'a', flows: {} }, undefined, stepTypes).faults).toMatchObject([
      { rule: 'bundle', message: 'It is of a form that is not known here.' },
    ]);
  });
});
