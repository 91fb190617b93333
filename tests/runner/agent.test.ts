import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import type { Agent } from '../../src/engine/agents/agent.ts';
import type { AgentCall } from '../../src/engine/agents/call.ts';
import { compile } from '../../src/engine/flow/compile.ts';
import type { Json } from '../../src/engine/json.ts';
import type { CallEffect } from '../../src/engine/run/effect.ts';
import type { AgentOutcome, AgentRequest, AgentRuntimes } from '../../src/ports/agents.ts';
import { createProviders } from '../../src/runner/agents/providers.ts';
import { createAgentTools } from '../../src/runner/agents/tools.ts';
import { agentHandler } from '../../src/runner/effects/agent.ts';
import { Stopped } from '../../src/runner/patience.ts';
import type { SharedWorkspaces } from '../../src/runner/workspaces.ts';
import { sampleMove } from '../contracts/store-samples.ts';
import { agentCalled } from '../fakes/agent.ts';
import { createHandClock } from '../fakes/clock.ts';
import { createCountingIds } from '../fakes/ids.ts';
import { createKeptLog } from '../fakes/log.ts';
import { createOutside } from '../fakes/outside.ts';
import { createMemoryStore } from '../fakes/store.ts';
import { createFakeWorkspaces } from '../fakes/workspaces.ts';

const never = new AbortController().signal;

const task: Extract<AgentCall, { kind: 'task' }> = {
  kind: 'task',
  agent: 'writer',
  prompt: { flow: 'Release', step: 'Draft', task: 'Write.', inputs: [{ name: 'Changes', text: 'many' }] },
  reply: { format: 'text' },
};
const picking: AgentCall = { ...task, choose: { among: ['a', 'b'], min: 1, max: 1 } };

const writer = agentCalled('writer', {
  runtime: 'test',
  instructions: 'Be short.',
  price: { inputUsd: 1, outputUsd: 2 },
});
const used = { inputTokens: 10, outputTokens: 5, toolCalls: 1, turns: 1 };
const usage = { tokens: 15, toolCalls: 1, turns: 1, costUsd: 0.00002, unpriced: 0 };

type Answer = (request: AgentRequest, signal: AbortSignal) => AgentOutcome | Promise<AgentOutcome>;

const says = (text: string): AgentOutcome => ({ kind: 'replied', text, usage: used });

async function inFolder<T>(_run: string, _signal: AbortSignal, work: (path: string) => Promise<T>) {
  return { kind: 'used', result: await work('/workspaces/r1') } as const;
}

async function stage(
  answer: Answer,
  agents: readonly Agent[] = [writer],
  use: SharedWorkspaces['use'] = inFolder,
  agentsAtOnce = 2,
) {
  const store = createMemoryStore();
  await store.commit({ run: sampleMove('r1', 0) });
  const { plan } = compile({ steps: { say: { type: 'template', text: 'hi' } } }, 'release');
  if (!plan) throw new Error('The flow has faults.');
  const clock = createHandClock();
  const asked: AgentRequest[] = [];
  const left: string[] = [];
  const runtimes: AgentRuntimes = new Map([
    [
      'test',
      {
        turn: async (request, signal) => {
          asked.push(request);
          return answer(request, signal);
        },
        close: async () => {},
      },
    ],
  ]);
  const handle = agentHandler({
    store,
    plans: { get: async () => ({ ...plan, agents: new Map(agents.map((agent) => [agent.name, agent])) }) },
    runs: () => ({ dispatch: async () => undefined }),
    providers: createProviders({ agents: runtimes, clock, log: createKeptLog() }),
    agentTools: createAgentTools({
      tools: createOutside().tools,
      secrets: createSecrets(new Map()),
      clock,
      ids: createCountingIds(),
      log: createKeptLog(),
      accessNow: () => undefined,
    }),
    workspaces: createFakeWorkspaces(),
    shared: { use, useScratch: (_run, work) => use('', never, work) },
    standing: () => 'free',
    overDay: async () => undefined,
    secrets: createSecrets(new Map([['KEY', 'hunter2-hunter2']])),
    clock,
    ids: createCountingIds(),
    agentsAtOnce,
    agentTimeLimitMs: 900_000,
  });
  return {
    clock,
    asked,
    left,
    carryOut(
      call: AgentCall,
      more: Partial<Extract<CallEffect, { kind: 'agent' }>> = {},
      signal: AbortSignal = never,
    ) {
      const effect = {
        kind: 'agent',
        key: 'draft/1/1',
        step: 'draft',
        round: 1,
        attempt: 1,
        call,
        ...more,
      } as const;
      return handle('r1', effect, signal, async () => void left.push(`leaving after ${asked.length}`));
    },
  };
}

/** Answers that are given when the test says so. */
function slow() {
  const open = new Map<string, (outcome: AgentOutcome) => void>();
  const answer: Answer = ({ prompt }) => new Promise((resolve) => open.set(prompt, resolve));
  return { answer, open };
}

describe('work of an agent', () => {
  it('is a prompt with everything around it', async () => {
    const { asked, left, carryOut } = await stage(() => says('Done.'));
    expect(await carryOut(task)).toEqual({ kind: 'done', output: { text: 'Done.', json: {} }, usage });
    expect(asked).toMatchObject([
      {
        agent: writer,
        kind: 'task',
        system: 'Be short.',
        timeoutMs: 900_000,
        key: 'r1/draft/1/1/0',
        at: { flow: 'release', run: 'r1', step: 'draft', round: 1, attempt: 1, askedAgain: 0 },
        workspace: '/workspaces/r1',
      },
    ]);
    expect(asked[0]?.prompt).toMatch(
      /^<<< k000000001k000000002: begin .*\nmany\n<<< k000000001k000000002: end >>>$/m,
    );
    expect(left).toEqual(['leaving after 0']);
  });

  it('is the prompt itself for a model, without a workspace', async () => {
    const { asked, carryOut } = await stage(() => says('Tea.'));
    await carryOut({ kind: 'prompt', agent: 'writer', system: 'Rhyme.', prompt: 'About tea.' });
    expect(asked).toMatchObject([{ kind: 'prompt', system: 'Be short.\n\nRhyme.', prompt: 'About tea.' }]);
    expect(asked[0]).not.toHaveProperty('workspace');
    expect(asked[0]).not.toHaveProperty('reply');
  });

  it('is a decision among what is offered', async () => {
    const { asked, carryOut } = await stage(() => says('red'));
    const call: AgentCall = {
      kind: 'decision',
      agent: 'writer',
      prompt: 'Which?',
      options: ['red'],
      mode: 'choose',
    };
    expect(await carryOut(call)).toMatchObject({ kind: 'done', output: { text: 'red' } });
    expect(asked[0]?.reply).toMatchObject({ properties: { choice: { enum: ['red', 'none_of_these'] } } });
  });

  it.each([
    [[], 'agent-gone', 'there is no agent "writer" any more.'],
    [
      [{ ...writer, runtime: 'openai' }],
      'runtime-missing',
      'the runtime "openai" of the agent "writer" is not there.',
    ],
  ])('does not begin without its agent %#', async (agents, code, message) => {
    const { carryOut } = await stage(() => says('x'), agents);
    expect(await carryOut(task)).toEqual({ kind: 'failed', failure: { code, message, retry: 'never' } });
  });

  it('does not begin without its workspace', async () => {
    const { asked, carryOut } = await stage(
      () => says('x'),
      [writer],
      async () => ({
        kind: 'failed',
        message: 'There is no workspace.',
      }),
    );
    expect(await carryOut(task)).toEqual({
      kind: 'failed',
      failure: { code: 'workspace', message: 'There is no workspace.', retry: 'allowed' },
    });
    expect(asked).toEqual([]);
  });

  it('shows no secret in what it quotes', async () => {
    const { carryOut } = await stage(() => says(`{"text":"x","choice":["hunter2-hunter2"]}`));
    expect(JSON.stringify(await carryOut(picking))).not.toContain('hunter2');
  });
});

describe('a pick that is no good', () => {
  it('fails when its data is nested so deeply that looking at it would end Flowbot', async () => {
    let structured: Json = 1;
    for (let level = 0; level < 100_000; level += 1) structured = { a: structured };
    const { carryOut } = await stage(() => ({ kind: 'replied', text: '', structured, usage: used }));
    expect(await carryOut({ ...task, reply: { format: 'json', fields: {} } })).toEqual({
      kind: 'failed',
      failure: {
        code: 'reply-too-large',
        message: 'the data of its reply is too large, or nested too deeply.',
        retry: 'allowed',
      },
      usage,
    });
  });

  it('is asked for again, and all of it counts', async () => {
    const { asked, carryOut } = await stage(({ at }) =>
      says(`{"text":"x","choice":["${at.askedAgain === 0 ? 'c' : 'b'}"]}`),
    );
    expect(await carryOut(picking)).toEqual({
      kind: 'done',
      output: { text: 'x', json: { choice: ['b'] } },
      usage: { ...usage, tokens: 30, toolCalls: 2, turns: 2, costUsd: 0.00004 },
    });
    expect(asked.map(({ key }) => key)).toEqual(['r1/draft/1/1/0', 'r1/draft/1/1/1']);
    expect(asked[1]?.prompt).toBe(asked[0]?.prompt);
    const text = `Your reply was not accepted. choice was ["c"]: ["c"] can't be picked. Pick exactly 1 of "a", "b", none twice. Reply again, with all fields.`;
    expect(asked.map(({ turns }) => turns)).toEqual([
      [],
      [
        { kind: 'said', text: '{"text":"x","choice":["c"]}', uses: [] },
        { kind: 'told', text },
      ],
    ]);
  });

  it('fails after two more, naming both lists', async () => {
    const { asked, carryOut } = await stage(() => says('{"text":"x","choice":["c"]}'));
    expect(await carryOut(picking)).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'bad-choice',
        message: 'the agent picked ["c"] as what comes next, and can pick ["a","b"]. ["c"] can\'t be picked.',
      },
      usage: { turns: 3 },
    });
    expect(asked).toHaveLength(3);
  });
});

describe('the time of an agent', () => {
  it.each([
    [{ timeoutMs: 60_000 }, { timeLimitMs: 120_000 }, 60_000],
    [{ timeoutMs: 600_000 }, { timeLimitMs: 120_000 }, 120_000],
    [{ timeoutMs: 9_000_000 }, { timeLimitMs: 9_000_000 }, 900_000],
    [{}, {}, 900_000],
  ])('is the least of all limits: %j, %j', async (more, limits, timeoutMs) => {
    const { asked, carryOut } = await stage(() => says('x'), [{ ...writer, ...limits }]);
    await carryOut(task, more);
    expect(asked).toMatchObject([{ timeoutMs }]);
  });

  it('is over when the limit is reached, and what was used up counts', async () => {
    const { clock, carryOut } = await stage(
      (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () =>
            resolve({ kind: 'failed', code: 'aborted', message: 'Cut.', retry: 'never', usage: used }),
          );
        }),
    );
    const result = carryOut(task, { timeoutMs: 60_000 });
    await setImmediate();
    clock.pass(60_000);
    expect(await result).toEqual({
      kind: 'failed',
      failure: {
        code: 'agent-timeout',
        message: 'the agent was not ready when its time was over.',
        retry: 'allowed',
      },
      usage: { ...usage, workedMs: 60_000 },
    });
    expect(clock.nextMs()).toBeUndefined();
  });

  it('is not known to be over when the runtime does not end', async () => {
    const { clock, carryOut } = await stage(() => new Promise(() => {}));
    const result = carryOut(task, { timeoutMs: 60_000 });
    await setImmediate();
    clock.pass(70_000);
    expect(await result).toMatchObject({
      kind: 'unknown',
      message: 'The agent went on when its time was over.',
    });
  });

  it('does not begin anew when it is asked again', async () => {
    const { clock, asked, carryOut } = await stage(() => {
      clock.pass(30_000);
      return says('{"text":"x","choice":["c"]}');
    });
    expect(await carryOut(picking, { timeoutMs: 60_000 })).toMatchObject({
      failure: { code: 'agent-timeout' },
    });
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 30_000]);
  });

  it('begins when a place is free', async () => {
    const { answer, open } = slow();
    const { clock, asked, carryOut } = await stage(answer);
    const prompt = (text: string) => carryOut({ kind: 'prompt', agent: 'writer', prompt: text });
    const first = prompt('1');
    const second = prompt('2');
    await setImmediate();
    expect(asked.map((request) => request.prompt)).toEqual(['1']);
    clock.pass(800_000);
    open.get('1')?.(says('x'));
    await first;
    await setImmediate();
    clock.pass(800_000);
    open.get('2')?.(says('y'));
    expect(await second).toMatchObject({ kind: 'done', output: { text: 'y' } });
  });
});

describe('places of agents', () => {
  const other: Agent = { ...writer, name: 'other', concurrency: 5 };
  const third: Agent = { ...writer, name: 'third' };

  it('are so many for all agents and so many for each; a busy one keeps no other waiting', async () => {
    const { answer, open } = slow();
    const { asked, carryOut } = await stage(answer, [writer, other, third]);
    const work = ['writer 1', 'writer 2', 'other 1', 'other 2', 'third 1'];
    const results = work.map((prompt) =>
      carryOut({ kind: 'prompt', agent: prompt.split(' ')[0] ?? '', prompt }),
    );
    const order = ['writer 1', 'other 1', 'writer 2', 'other 2', 'third 1'];
    for (const [index, prompt] of order.entries()) {
      await setImmediate();
      expect(asked.map((request) => request.prompt)).toEqual(order.slice(0, index + 2));
      open.get(prompt)?.(says(prompt));
    }
    expect(await Promise.all(results)).toHaveLength(5);
  });

  it('are given up by what is not wanted any more', async () => {
    const { answer, open } = slow();
    const { asked, left, carryOut } = await stage(answer);
    const controller = new AbortController();
    const first = carryOut({ kind: 'prompt', agent: 'writer', prompt: '1' });
    const second = carryOut({ kind: 'prompt', agent: 'writer', prompt: '2' }, {}, controller.signal);
    await setImmediate();
    controller.abort();
    await expect(second).rejects.toThrow(Stopped);
    open.get('1')?.(says('x'));
    await first;
    expect([asked.length, left]).toEqual([1, ['leaving after 0']]);
  });

  it('are given back after a failure on our side', async () => {
    let tries = 0;
    const { carryOut } = await stage(() => {
      tries += 1;
      if (tries === 1) throw new Error('A bug.');
      return says('x');
    });
    await expect(carryOut(task)).rejects.toThrow('A bug.');
    expect(await carryOut(task)).toMatchObject({ kind: 'done' });
  });

  it('tell the work when it is not wanted any more', async () => {
    let told = false;
    const { carryOut } = await stage(
      (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            told = true;
            resolve({ kind: 'unknown', message: 'Cut.' });
          });
        }),
    );
    const controller = new AbortController();
    const result = carryOut(task, {}, controller.signal);
    await setImmediate();
    controller.abort();
    expect([(await result).kind, told]).toEqual(['unknown', true]);
  });
});
