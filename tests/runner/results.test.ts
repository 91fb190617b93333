import { describe, expect, test } from 'vitest';
import type { FlowEvent } from '../../src/engine/events/map.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import type { AgentOutcome } from '../../src/ports/agents.ts';
import { type Bench, createBench } from './bench.ts';
import { settled, startTree, stateOf } from './tree.ts';

const used = { inputTokens: 40, outputTokens: 10, toolCalls: 2, turns: 1 };
const usage = { tokens: 50, toolCalls: 2, turns: 1, costUsd: 0, unpriced: 0 };
const agents = {
  default: { runtime: 'scripted', price: { input: 0, output: 0 }, replies: [{ reply: 'unused' }] },
};
const notes = { type: 'object', properties: { notes: { type: 'string' } }, required: ['notes'] };

/** A bench whose agents say these, one after the other; the last for ever. */
async function saying(...outcomes: readonly AgentOutcome[]) {
  let asked = 0;
  const bench = await createBench({
    secrets: { TOKEN: 'hunter2-hunter2' },
    agents: new Map([
      [
        'scripted',
        {
          async turn() {
            asked += 1;
            return outcomes[asked - 1] ?? outcomes.at(-1) ?? says('');
          },
          close: async () => {},
        },
      ],
    ]),
  });
  const told: FlowEvent[] = [];
  bench.runner.events.onAny((event) => void told.push(event));
  return { bench, told, asked: () => asked };
}

const says = (text: string): AgentOutcome => ({ kind: 'replied', text, usage: used });

async function run(bench: Bench, draft: JsonObject): Promise<string> {
  const id = await startTree(bench, {
    top: { steps: { draft: { type: 'llm', prompt: 'Write.', ...draft } } },
    agents,
    schemas: { notes },
  });
  await settled(bench);
  return id;
}

const calls = (told: readonly FlowEvent[]) => told.filter(({ name }) => name === 'provider:call');

describe('a result that was kept', () => {
  test('is used again, costs nothing, and is told as what it is', async () => {
    const { bench, told, asked } = await saying(says('Notes.'));
    await run(bench, { cache: true });
    const again = await run(bench, { cache: true });
    expect(asked()).toBe(1);
    expect(calls(told)).toMatchObject([
      { cached: false, outcome: 'done', usage },
      { cached: true, outcome: 'done' },
    ]);
    expect(calls(told)[1]).not.toHaveProperty('usage');
    expect(await stateOf(bench, again)).toMatchObject({
      status: 'succeeded',
      outputs: { draft: { text: 'Notes.' } },
    });
    expect(await stateOf(bench, again)).not.toHaveProperty('usage');
    const journal = await bench.store.journal(again);
    expect(journal.filter(({ type }) => type === 'step.done')).toMatchObject([{ cached: true }]);
  });

  test('is none that its step did not take: one that does not match its schema is asked for again', async () => {
    const { bench, asked } = await saying(says('no data'), says('{"notes":"Fine."}'));
    const first = await run(bench, { cache: true, writes: 'notes' });
    expect((await stateOf(bench, first))?.status).toBe('failed');
    const second = await run(bench, { cache: true, writes: 'notes' });
    expect((await stateOf(bench, second))?.status).toBe('succeeded');
    await run(bench, { cache: true, writes: 'notes' });
    expect(asked()).toBe(2);
  });
});

describe('what an attempt has used up', () => {
  test('stands in the journal with what became of it, whatever that was, and adds up', async () => {
    const failed: AgentOutcome = {
      kind: 'failed',
      message: 'The model is overloaded.',
      code: 'overloaded',
      retry: 'allowed',
      usage: used,
    };
    const { bench, told } = await saying(failed, says('Notes.'));
    const id = await run(bench, { attempts: 2 });
    await bench.pass(2_000);
    await settled(bench);
    const journal = await bench.store.journal(id);
    expect(journal.filter(({ type }) => type.startsWith('step.'))).toMatchObject([
      { type: 'step.failed', attempt: 1, usage },
      { type: 'step.done', attempt: 2, usage },
    ]);
    expect(calls(told)).toMatchObject([
      { attempt: 1, outcome: 'failed', agents: ['default'], usage },
      { attempt: 2, outcome: 'done', usage },
    ]);
    const total = { ...usage, tokens: 100, toolCalls: 4, turns: 2 };
    expect(told.at(-1)).toMatchObject({ name: 'run:ended', status: 'succeeded', usage: total });
    expect((await stateOf(bench, id))?.usage).toEqual(total);
  });
});

describe('a reply that is kept for people to look into', () => {
  test('holds no secret, neither in the journal nor in what is told', async () => {
    const { bench, told } = await saying(says('the token is hunter2-hunter2, sorry'));
    const id = await startTree(bench, {
      top: {
        steps: {
          draft: {
            type: 'agent',
            agent: 'default',
            task: 'Write.',
            reply: { format: 'json', fields: { notes: { type: 'string' } } },
          },
        },
      },
      agents,
    });
    await settled(bench, 20);
    const journal = JSON.stringify(await bench.store.journal(id));
    expect(journal).toContain('the token is');
    expect(journal + JSON.stringify(told) + JSON.stringify(await stateOf(bench, id))).not.toContain(
      'hunter2',
    );
    expect((await stateOf(bench, id))?.reason).toMatch(
      /^"draft" failed: The reply did not match the fields this step asks for: /,
    );
  });
});
