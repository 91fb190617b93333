import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary, type Library } from '../../../src/engine/library.ts';
import { AGENT_STEPS_PER_RUN, HTTP_REQUESTS_PER_RUN } from '../../../src/engine/limits.ts';
import type { StepType } from '../../../src/engine/steps/step-type.ts';
import { type Driven, drive, flaky, get } from './drive.ts';
import { keepsItsPromises } from './promises.ts';

/** A step that asks an agent, and must give back notes where its flow says so. */
const asksAgent: StepType = {
  type: 'asks',
  schema: z.strictObject({ strict: z.boolean().default(false) }),
  exits: () => ['done'],
  plainEdges: true,
  calls: true,
  writes: (config) => (isStrict(config) ? 'Notes' : undefined),
  references: () => [],
  begin: () => ({ kind: 'agent', call: { kind: 'prompt', agent: 'writer', prompt: 'Write.' } }),
};

function isStrict(config: unknown): boolean {
  return typeof config === 'object' && config !== null && 'strict' in config && config.strict === true;
}

const library: Library = {
  ...bareLibrary,
  stepTypes: new Map([...bareLibrary.stepTypes, ['asks', asksAgent]]),
  schemas: new Map<string, JsonObject>([
    ['Notes', { type: 'object', required: ['title'], properties: { title: { type: 'string' } } }],
  ]),
};

describe('an output that must match a schema', () => {
  const strict = (attempts: number): Driven =>
    drive({ steps: { write: { type: 'asks', strict: true, attempts } } }, {}, library);

  it('is taken when it does', () => {
    const run = strict(1);
    run.done('write', { title: 'v2' });
    expect(run.state.status).toBe('succeeded');
  });

  it('fails the step when it does not, and the reply is kept for people', () => {
    const run = strict(1);
    run.done('write', 'Here are the notes.');
    expect(run.state.steps.write).toMatchObject({ status: 'failed', failure: { code: 'schema-mismatch' } });
    expect(run.state.reason).toContain(
      "The output does not match the schema Notes: it must have required property 'title'.",
    );
  });

  it('is tried again where that is allowed; the reply stands in the journal only', () => {
    const run = strict(2);
    run.done('write', 'Here are the notes.');
    expect(run.state.steps.write).toMatchObject({ status: 'retrying', failure: { code: 'schema-mismatch' } });
    expect(JSON.stringify(run.state)).not.toContain('Here are');
    expect(JSON.stringify(run.journal)).toContain('Here are');
    run.wait(2000);
    run.done('write', { title: 'v2' });
    expect(run.state.status).toBe('succeeded');
    expect(run.state.agentSteps).toBe(2);
  });
});

describe('a run', () => {
  /** Many steps behind a root, each of a type, each tried five times. */
  function many(step: JsonObject, count: number): JsonObject {
    const steps = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `s${index}`,
        { ...step, attempts: 5, firstRetryAfter: '1s' },
      ]),
    );
    return {
      maxParallel: 100,
      steps: { go: { type: 'template', text: '' }, ...steps },
      edges: Object.keys(steps).map((id) => `go -> ${id}`),
    };
  }

  it.each<[string, JsonObject, number, string]>([
    ['HTTP requests', get, HTTP_REQUESTS_PER_RUN, 'http-limit'],
    ['attempts of agent steps', { type: 'asks' }, AGENT_STEPS_PER_RUN, 'agent-limit'],
  ])('makes so many %s and no more, attempts counted', (_, step, limit, code) => {
    const run = drive(many(step, 45), {}, library);
    for (let round = 0; round < 5; round += 1) {
      for (const id of [...run.calls.keys()]) run.fail(id, flaky);
      run.wait(60_000);
    }
    expect(run.callKeys).toHaveLength(limit);
    const failures = Object.values(run.state.steps).flatMap((one) =>
      one.status === 'failed' ? [one.failure.code] : [],
    );
    expect(failures.filter((one) => one === code)).toHaveLength(25);
    keepsItsPromises(run);
  });
});
