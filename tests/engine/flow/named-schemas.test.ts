import { describe, expect, it, test } from 'vitest';
import { bundleOf, planOf } from '../../../src/engine/flow/bundle.ts';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary, type Library } from '../../../src/engine/library.ts';
import { ask, post, read } from './faults.ts';

const severity = { enum: ['low', 'high'] };
const ticket = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const library: Library = {
  ...bareLibrary,
  schemas: new Map<string, JsonObject>([
    ['severity', severity],
    ['ticket', ticket],
  ]),
};
const steps = (form: JsonObject) => ({ review: { ...ask, form }, end: post });
const fields = { type: 'object', properties: { how: { $ref: 'severity', title: 'How bad?' } } };
const filled = { type: 'object', properties: { how: { ...severity, title: 'How bad?' } } };

function faultsOf(flow: JsonObject, broken: readonly string[] = []): readonly string[] {
  return compile(flow, 'flow', library, new Set(broken)).faults.map(read);
}

describe('named schemas in a flow', () => {
  it('stand in its input and in the forms of its approvals', () => {
    const { plan, faults } = compile({ input: { $ref: 'ticket' }, steps: steps(fields) }, 'flow', library);
    expect(faults).toEqual([]);
    expect(plan?.input).toEqual(ticket);
    expect(plan?.steps.get('review')?.config).toMatchObject({ form: filled });
  });

  it('stand in a flow with an envelope', () => {
    const spec = { steps: steps({ $ref: 'ticket' }) };
    const envelope = { apiVersion: 'flowbot/v1', kind: 'Flow', metadata: { name: 'flow' }, spec };
    const { plan } = compile(envelope, 'x', library);
    expect(plan?.steps.get('review')?.config).toMatchObject({ form: ticket });
  });

  test.each<[string, JsonObject, string]>([
    [
      'an input',
      { input: { $ref: 'tickt' }, steps: steps(filled) },
      'unknown-schema at input.$ref: There is no schema "tickt". Did you mean "ticket"?',
    ],
    [
      'a form',
      { steps: steps({ $ref: 'tickt' }) },
      'unknown-schema at steps.review.form.$ref: There is no schema "tickt". Did you mean "ticket"?',
    ],
    [
      'a field of a form',
      { steps: steps({ type: 'object', properties: { a: { $ref: 'tickt' } } }) },
      'unknown-schema at steps.review.form.properties.a.$ref: There is no schema "tickt". Did you mean "ticket"?',
    ],
  ])('that are not there are one fault in %s, whatever else the schema would lack', (_, flow, fault) => {
    expect(faultsOf(flow)).toEqual([fault]);
  });

  it('that are broken say so', () => {
    expect(faultsOf({ steps: steps({ $ref: 'person' }) }, ['person'])).toEqual([
      "broken-schema at steps.review.form.$ref: The schema person can't be used: there are faults in its file. Mend that file.",
    ]);
  });

  it('are no form without fields and an object on top', () => {
    expect(faultsOf({ steps: steps({ $ref: 'severity' }) })).toEqual([
      'input-schema at steps.review.form.type: An input has an object on top. Write type: object, and the fields under properties.',
    ]);
  });

  it('go with the runs that are pinned to the flow', () => {
    const definition = { id: 'flow', steps: steps(fields) };
    const { plan } = compile(definition, '', library);
    if (!plan) throw new Error('The flow has faults.');
    const flows = new Map([['flow', { definition, plan }]]);
    const bundle = bundleOf('flow', { flows, agents: new Map(), schemas: library.schemas });
    expect(bundle.schemas).toEqual({ severity });
    const pinned = planOf(bundle, undefined, bareLibrary.stepTypes).plan;
    expect(pinned?.steps.get('review')?.config).toMatchObject({ form: filled });
  });
});
