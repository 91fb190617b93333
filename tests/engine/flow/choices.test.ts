import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary, type Library } from '../../../src/engine/library.ts';
import { agentCalled } from '../../fakes/agent.ts';
import { ask, get, join, post, read } from './faults.ts';

const agent: JsonObject = { type: 'agent', agent: 'writer', task: 'Pick.' };
const library: Library = {
  ...bareLibrary,
  agents: new Map([['writer', agentCalled('writer')]]),
};
const steps: JsonObject = { pick: agent, a: post, b: post, c: get, end: join };

function compiled(edges: readonly Json[], of: JsonObject = steps) {
  const { plan, faults } = compile({ steps: of, edges }, 'flow', library);
  return { plan, faults: faults.map(read) };
}

describe('a choice of an agent', () => {
  it('is one edge to each step; where no join is named, exactly one is picked', () => {
    const { plan } = compiled([{ from: 'pick', choose: ['a', 'b'] }], { pick: agent, a: post, b: post });
    expect(plan?.edges).toEqual([
      { from: 'pick', exit: 'done', to: 'a', chosen: true },
      { from: 'pick', exit: 'done', to: 'b', chosen: true },
    ]);
    expect(plan?.steps.get('pick')?.choose).toEqual({ among: ['a', 'b'], min: 1, max: 1 });
  });

  it('leads each branch that no edge leaves to the step where they meet', () => {
    const { plan, faults } = compiled([
      { from: 'pick', choose: ['a', 'b', 'c'], min: 2, join: 'end' },
      'c -> end',
    ]);
    expect(faults).toEqual([]);
    expect(plan?.edges.map(({ from, to }) => `${from} -> ${to}`)).toEqual([
      'pick -> a',
      'pick -> b',
      'pick -> c',
      'c -> end',
      'a -> end',
      'b -> end',
    ]);
    expect(plan?.edges.map(({ chosen = false }) => chosen)).toEqual([true, true, true, false, false, false]);
    expect(plan?.steps.get('pick')?.choose).toEqual({ among: ['a', 'b', 'c'], min: 2, max: 3 });
  });

  it('picks at least one where branches meet', () => {
    const edges = [{ from: 'pick', choose: ['a', 'b', 'c'], join: 'end' }];
    expect(compiled(edges).plan?.steps.get('pick')?.choose).toEqual({
      among: ['a', 'b', 'c'],
      min: 1,
      max: 3,
    });
  });

  const all = ['a', 'b', 'c'];
  test.each<[string, JsonObject, readonly Json[], string]>([
    [
      'of a step that is no agent',
      { ...steps, pick: get },
      [{ from: 'pick', choose: all, join: 'end' }],
      "choice at edges.0.choose: pick can't pick what comes next: it is no agent step. Lead the edge from an agent step, or write edges with when.",
    ],
    [
      'when the agent has failed',
      steps,
      [{ from: 'pick.failed', choose: all, join: 'end' }],
      'choice at edges.0.choose: pick picks nothing when it leaves by failed. Write from: pick.',
    ],
    [
      'made twice',
      steps,
      [{ from: 'pick', choose: ['a', 'b'], join: 'end' }, { from: 'pick', choose: ['c', 'end'] }, 'c -> end'],
      'choice at edges.1.choose: pick has more than one edge with choose. Put all steps to pick among into one.',
    ],
    [
      'that meets at no step',
      steps,
      [{ from: 'pick', choose: all, join: 'ende' }, 'a -> end', 'b -> end', 'c -> end'],
      'unknown-step at edges.0.join: There is no step "ende". Name the step where the branches meet.',
    ],
    [
      'with a branch that leads elsewhere',
      { ...steps, d: post },
      [{ from: 'pick', choose: all, join: 'end' }, 'a -> d'],
      'choice at edges.0.join: The branch of a does not lead to end, where the branches are to meet. Lead an edge from it to end.',
    ],
    [
      'with a branch of which the exit is not known',
      { ...steps, a: ask },
      [{ from: 'pick', choose: all, join: 'end' }],
      'choice at edges.0.join: The branch of a does not lead to end, where the branches are to meet. Lead an edge from it to end.',
    ],
    [
      'that meets where one edge leads',
      { pick: agent, a: post, b: post },
      [{ from: 'pick', choose: ['a'], join: 'b' }],
      'choice at edges.0.join: Only one edge leads to b, so no branches can meet there. Name the step where they meet, or remove join.',
    ],
    [
      'with a step that is not there',
      steps,
      [{ from: 'pick', choose: ['a', 'b', 'cc'], join: 'end' }, 'c -> end'],
      'unknown-step at edges.0: There is no step "cc". Did you mean "c"?',
    ],
    [
      'beside a field of that name',
      {
        ...steps,
        pick: { ...agent, reply: { format: 'json', fields: { choice: { type: 'string' } } } },
      },
      [{ from: 'pick', choose: all, join: 'end' }],
      'choice at steps.pick.reply.fields.choice: "choice" is where the agent says what it picked. Give the field another name.',
    ],
    [
      'beside a text that must match a schema',
      { ...steps, pick: { ...agent, writes: 'ticket' } },
      [{ from: 'pick', choose: all, join: 'end' }],
      'choice at steps.pick.writes: A text that comes with a pick can not match a schema. Write reply: { format: json }.',
    ],
    [
      'of the beginning',
      { a: post, b: post },
      [{ from: 'start', choose: ['a', 'b'] }],
      "start at edges.0.choose: start -> a only says where the flow begins; it can't have choose. Remove it.",
    ],
    [
      'beside to',
      steps,
      [{ from: 'pick', to: 'a', choose: all }],
      'value at edges.0.to: edges[0].to: an edge with choose leads to the steps named there. Keep one of the two.',
    ],
    [
      'that sends work back',
      steps,
      [{ from: 'pick', choose: all, newRound: true }],
      'value at edges.0.choose: edges[0].choose: a choice leads forwards. Write the send-back as an edge of its own, with when.',
    ],
    [
      'that names a step twice',
      steps,
      [{ from: 'pick', choose: ['a', 'a'] }],
      'value at edges.0.choose: edges[0].choose: a stands in it twice. Keep one of them.',
    ],
    [
      'of a number, without a join',
      steps,
      [{ from: 'pick', choose: all, min: 2 }],
      'value at edges.0.min: edges[0].min: without join exactly one step is picked. Remove min, or add join.',
    ],
    [
      'of more than there are',
      steps,
      [{ from: 'pick', choose: all, min: 4, join: 'end' }],
      'value at edges.0.min: edges[0].min: there are only 3 steps to pick among. Write at most 3.',
    ],
    [
      'among which is the join',
      steps,
      [{ from: 'pick', choose: all, join: 'a' }],
      "value at edges.0.join: edges[0].join: a can't be picked and join the others. Name a step behind those of choose.",
    ],
    [
      'that is none',
      steps,
      [{ from: 'pick', to: 'a', join: 'end' }],
      'value at edges.0.join: edges[0].join: only an edge with choose has it. Remove it.',
    ],
  ])('is refused %s', (_, of, edges, fault) => {
    expect(compiled(edges, of).faults).toContain(fault);
  });
});

describe('a send-back', () => {
  const flow = (more: JsonObject) =>
    compiled(['a -> b', { from: 'b.rejected', to: 'a', ...more }], { a: agent, b: ask });

  it('may be called a new round', () => {
    const [one, other, both] = [
      { newRound: true },
      { sendBack: true },
      { newRound: true, sendBack: true },
    ].map((written) => flow({ ...written, feedback: true, maxRounds: 2 }).plan?.edges);
    expect(one?.[1]?.sendBack).toEqual({ maxRounds: 2, feedback: true, stretch: ['a', 'b'] });
    expect([other, both]).toEqual([one, one]);
  });

  test.each<[JsonObject, string]>([
    [
      { sendBack: true, newRound: false },
      'value at edges.1.newRound: edges[1].newRound: a send-back always starts a new round. Remove newRound: false.',
    ],
    [
      { sendBack: false, newRound: true },
      'value at edges.1.sendBack: edges[1].sendBack: an edge that starts a new round sends work back. Remove sendBack: false.',
    ],
    [
      { to: 'b', newRound: true, from: 'a' },
      "send-back-target at edges.1: a can't send work back to b, which does not come before it. Send it back to a step on the way to a.",
    ],
  ])('is refused as %j', (more, fault) => {
    expect(flow(more).faults).toContain(fault);
  });
});

describe('any edges', () => {
  const ids = ['pick', 'a', 'b', 'c', 'end'];
  const id = fc.constantFrom(...ids);
  const condition = fc.constantFrom<Json>(
    'pick.json.n > 1',
    'has(start.json.prompt)',
    'a.text',
    'nope.json.x == 1',
    { path: 'n', op: 'gt', value: 1 },
    { any: [{ path: 'n', atLeast: 1 }] },
  );
  const edge = fc.record(
    {
      from: fc.oneof(id, fc.array(id, { minLength: 1, maxLength: 3 })),
      to: id,
      when: condition,
      choose: fc.array(id, { minLength: 1, maxLength: 3 }),
      min: fc.integer({ min: 1, max: 4 }),
      join: id,
      sendBack: fc.boolean(),
      newRound: fc.boolean(),
      feedback: fc.boolean(),
    },
    { requiredKeys: ['from'] },
  );
  const written = fc.oneof(
    fc.tuple(id, id).map(([from, to]) => `${from} -> ${to}`),
    edge,
    fc.record({ from: fc.constant('pick'), choose: fc.shuffledSubarray(ids.slice(1), { minLength: 1 }) }),
  );

  it('make a plan or are refused with a reason', () => {
    fc.assert(
      fc.property(fc.array(written, { maxLength: 7 }), (edges) => {
        const { plan, faults } = compile({ steps, edges: [...edges] }, 'flow', library);
        const errors = faults.filter(({ severity }) => severity === 'error');
        expect(plan === undefined).toBe(errors.length > 0);
        for (const { message } of errors) expect(message).not.toBe('');
      }),
      { numRuns: 300 },
    );
  });
});
