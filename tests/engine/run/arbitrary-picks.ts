import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/engine/json.ts';

const agent: JsonObject = { type: 'agent', agent: 'helper', task: 'Do it.' };

const branch = fc.record({
  step: fc.constantFrom<JsonObject>(
    agent,
    {
      ...agent,
      attempts: 2,
      writes: 'note',
      reply: { format: 'json', fields: { score: { type: 'number' } } },
    },
    { type: 'http', url: 'https://api.example.com/', method: 'POST', attempts: 2 },
    { type: 'map', over: ['a', 'b'], uses: 'other' },
  ),
  review: fc.constantFrom('no', 'plain', 'sent back'),
});

/**
 * Flows in which an agent picks some of several branches, which meet again and are reviewed, each of them and all together:
 * other branches are picked in each round. They need `agentLibrary`.
 */
export const arbitraryPicks: fc.Arbitrary<JsonObject> = fc
  .record({
    branches: fc.array(branch, { minLength: 1, maxLength: 4 }),
    min: fc.nat(9),
    meet: fc.constantFrom<JsonObject | undefined>(
      undefined,
      { type: 'join' },
      { type: 'join', onFailure: 'continue' },
    ),
    rounds: fc.integer({ min: 1, max: 3 }),
    budget: fc.constantFrom<JsonObject>({}, {}, { budget: { tokens: 35 } }, { budget: { costUsd: 1 } }),
  })
  .map(({ branches, min, meet, rounds, budget }) => {
    const picked = branches.map((_, index) => `branch${index}`);
    const joined = meet && branches.length > 1 ? { join: 'meet', min: 1 + (min % picked.length) } : {};
    const steps: Record<string, JsonObject> = {
      pick: agent,
      meet: (branches.length > 1 ? meet : undefined) ?? { type: 'template', text: 'met' },
      sign: { type: 'approval', expiresAfter: '1d' },
    };
    const edges: Json[] = [{ from: 'pick', choose: picked, ...joined }];
    for (const [index, { step, review }] of branches.entries()) {
      const [id, reviewed] = [`branch${index}`, `review${index}`];
      steps[id] = step;
      // What no edge leaves is led to where the branches meet.
      if (review === 'no' && !('join' in joined)) edges.push(`${id} -> meet`);
      if (review === 'no') continue;
      steps[reviewed] = { type: 'approval', show: [id] };
      edges.push(`${id} -> ${reviewed}`, `${reviewed}.approved -> meet`);
      if (review === 'sent back') {
        edges.push({ from: `${reviewed}.rejected`, to: id, sendBack: true, maxRounds: rounds });
      }
    }
    edges.push('meet -> sign', {
      from: 'sign.rejected',
      to: 'pick',
      sendBack: true,
      feedback: true,
      maxRounds: rounds,
    });
    return { maxParallel: 4, ...budget, steps, edges };
  });
