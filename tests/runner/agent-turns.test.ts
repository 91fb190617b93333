import { describe, expect, it, test } from 'vitest';
import { parseAgent } from '../../src/engine/agents/agent-schema.ts';
import type { ToolUse } from '../../src/engine/agents/conversation.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import { noRoles } from '../../src/engine/named.ts';
import { type Attempted, judgeAnswer } from '../../src/engine/run/answer.ts';
import type { AgentRequest, TurnOutcome } from '../../src/ports/agents.ts';
import type { ToolRequest, Tools } from '../../src/ports/tools.ts';
import type { Workspaces } from '../../src/ports/workspaces.ts';
import { createFakeWorkspaces } from '../fakes/workspaces.ts';
import { type Bench, bo, createBench, releases } from './bench.ts';
import { settled, startTree } from './tree.ts';

const used = { inputTokens: 10, outputTokens: 0, toolCalls: 0, turns: 1 };
const says = (text: string): TurnOutcome => ({ kind: 'replied', text, usage: used });
const wants = (...uses: readonly Partial<ToolUse>[]): TurnOutcome => ({
  kind: 'uses',
  text: '',
  uses: uses.map((use, index) => ({ id: `call_${index}`, name: 'files__read', arguments: {}, ...use })),
  usage: used,
});

interface Staging {
  /** What its model says, turn by turn; the last for ever. */
  readonly turns: readonly (TurnOutcome | ((request: AgentRequest) => TurnOutcome))[];
  /** Further keys of its file. */
  readonly agent?: JsonObject;
  /** Further keys of the flow. */
  readonly flow?: JsonObject;
  readonly called?: Tools['call'];
  readonly workspaces?: Workspaces;
}

/** A run of one step, whose agent may use tools of a server: `read` and, when people allow it, `write`. */
async function working({ turns, agent = {}, flow = {}, called, workspaces }: Staging) {
  const asked: AgentRequest[] = [];
  const calls: ToolRequest[] = [];
  const schema = { type: 'object' };
  const tools: Tools = {
    list: async () => ({
      kind: 'listed',
      tools: ['read', 'write', 'remove'].map((name) => ({
        name,
        description: `Can ${name}.`,
        parameters: schema,
        isReadOnly: name === 'read',
      })),
    }),
    call: async (request, signal, leaving) => {
      calls.push(request);
      if (called) return called(request, signal, leaving);
      const content = [{ kind: 'text' as const, text: `${request.tool} went well` }];
      return { kind: 'answered', content, structured: {}, isError: false };
    },
  };
  const file: JsonObject = {
    runtime: 'scripted',
    replies: [{ reply: 'unused' }],
    price: { input: 0, output: 0 },
    access: { files: { tools: { read: 'allow', write: 'ask', remove: 'deny' } } },
    ...agent,
  };
  const bench = await createBench({
    tools,
    ...(workspaces && { workspaces }),
    agents: new Map([
      [
        'scripted',
        {
          async turn(request) {
            asked.push(request);
            const now = turns[asked.length - 1] ?? turns.at(-1) ?? says('');
            return typeof now === 'function' ? now(request) : now;
          },
          close: async () => {},
        },
      ],
    ]),
  });
  let current = bench;
  const now = () => current;
  edit(bench, file);
  const run = await startTree(bench, {
    top: { steps: { draft: { type: 'agent', agent: 'writer', task: 'Write.' } }, ...flow },
    agents: { writer: file },
  });
  await settled(bench);
  return {
    asked,
    calls,
    run,
    now,
    state: async () => (await now().store.run(run))?.state,
    journal: async () => now().store.journal(run),
    async restart() {
      current = await now().restart();
      edit(current, file);
      await settled(current);
    },
    edit: (more: JsonObject) => edit(now(), { ...file, ...more }),
    async answer(action: string, feedback = '') {
      await answer(now(), run, action, feedback);
      await settled(now());
    },
  };
}

/** What the folder of agents says from now on. */
function edit(bench: Bench, file: JsonObject): void {
  const { agent, faults } = parseAgent(file, 'writer');
  if (!agent) throw new Error(JSON.stringify(faults));
  bench.runner.catalog.replace({ flows: [], broken: [], warnings: [], agents: new Map([['writer', agent]]) });
}

async function answer(bench: Bench, run: string, action: string, feedback: string): Promise<void> {
  await bench.runner.runs.dispatch(run, (state) => {
    const [open] = Object.values(state.questions).filter((one) => one.state.status === 'open');
    if (!open) throw new Error(`Nothing is asked: ${JSON.stringify(state.steps)}`);
    const attempted: Attempted = {
      question: open.id,
      action,
      feedback,
      by: bo,
      also: [],
      standing: 'member',
      roles: noRoles,
      place: releases,
      atMs: bench.clock.now(),
    };
    const verdict = judgeAnswer(state, attempted);
    if (verdict.kind !== 'counts') throw new Error(JSON.stringify(verdict));
    return { event: verdict.event, result: undefined };
  });
}

/** What the model heard last of its calls. */
function heard(request: AgentRequest | undefined): readonly string[] {
  const last = request?.turns.at(-1);
  return last?.kind === 'used' ? last.results.map(({ text }) => text) : [];
}

describe('an agent with tools', () => {
  it('is offered those that its file allows, calls them, and hears what came of it', async () => {
    const { asked, calls, state, journal } = await working({
      turns: [wants({ arguments: { path: 'a' } }), says('Done.')],
    });
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['files__read', 'files__write']);
    expect(calls).toMatchObject([{ server: 'files', tool: 'read', arguments: { path: 'a' } }]);
    expect(asked).toHaveLength(2);
    expect(heard(asked[1]).join()).toMatch(/^<<< \w+: begin .*\nread went well\n<<< \w+: end >>>$/m);
    expect(await state()).toMatchObject({
      status: 'succeeded',
      outputs: { draft: { text: 'Done.' } },
      usage: { tokens: 20, turns: 2, toolCalls: 1, unpriced: 0 },
      usageOfSteps: { draft: { tokens: 20 } },
    });
    expect((await journal()).map(({ type }) => type)).toEqual(['run.started', 'agent.turned', 'step.done']);
    expect((await journal())[1]).toMatchObject({
      calls: [{ server: 'files', tool: 'read', arguments: '{"path":"a"}', outcome: 'answered' }],
    });
  });

  test.each([
    ['denied', 'files__remove', 'refused'],
    ['made up', 'files__burn', 'refused'],
  ])('a tool that is %s is not called, and the model hears why', async (_, name, outcome) => {
    const { asked, calls, journal } = await working({ turns: [wants({ name }), says('Done.')] });
    expect(calls).toEqual([]);
    expect(heard(asked[1])[0]).not.toBe('');
    expect((await journal())[1]).toMatchObject({ calls: [{ outcome }] });
  });

  it('goes on when a tool fails', async () => {
    const { asked, state, journal } = await working({
      turns: [wants({}), says('Without it.')],
      called: async () => ({
        kind: 'failed',
        reason: 'refused',
        message: 'It is locked.',
        mayHaveHappened: false,
      }),
    });
    expect(heard(asked[1])[0]).toContain('It is locked.');
    expect((await journal())[1]).toMatchObject({ calls: [{ outcome: 'failed', message: 'It is locked.' }] });
    expect((await state())?.status).toBe('succeeded');
  });

  it('has an unknown outcome when nobody knows what a call did', async () => {
    const { state } = await working({
      turns: [wants({}), says('Never.')],
      called: async () => ({
        kind: 'failed',
        reason: 'connection',
        message: 'It was cut.',
        mayHaveHappened: true,
      }),
    });
    expect(await state()).toMatchObject({ status: 'attention', usage: { tokens: 10, toolCalls: 1 } });
  });

  it('takes at most so many turns', async () => {
    const { asked, state } = await working({ turns: [wants({})], agent: { maxTurns: 3 } });
    expect(asked).toHaveLength(3);
    expect((await state())?.reason).toBe(
      '"draft" failed: the agent has taken its 3 turns without coming to an end (maxTurns in its file).',
    );
  });

  it('calls at most so many tools, and is told to end', async () => {
    const { asked, calls } = await working({
      turns: [wants({ id: 'a' }, { id: 'b' }, { id: 'c' }), says('Done.')],
      agent: { toolCalls: 2 },
    });
    expect(calls).toHaveLength(2);
    expect(heard(asked[1])[2]).toContain('No more tools can be called');
  });

  it('has no tools to answer a prompt with', async () => {
    const { asked } = await working({
      turns: [says('Hello.')],
      flow: { steps: { draft: { type: 'llm', preset: 'writer', prompt: 'Hello?' } } },
    });
    expect(asked).toMatchObject([{ kind: 'prompt', tools: [] }]);
  });
});

describe('a tool that is set to ask', () => {
  const write = wants({ id: 'call_1', name: 'files__write', arguments: { path: 'a' } });

  it('is not called before people allow it, and then once, also after a restart', async () => {
    const stage = await working({ turns: [write, says('Done.')] });
    expect(stage.calls).toEqual([]);
    expect(await stage.state()).toMatchObject({
      status: 'waiting',
      questions: { [`${stage.run}.1`]: { kind: 'tool' } },
    });
    await stage.restart();
    expect(stage.asked).toHaveLength(1);
    await stage.answer('allow');
    expect(stage.calls).toMatchObject([{ tool: 'write', arguments: { path: 'a' } }]);
    expect(stage.asked).toHaveLength(2);
    expect(stage.asked[1]?.prompt).toBe(stage.asked[0]?.prompt);
    expect(await stage.state()).toMatchObject({
      status: 'succeeded',
      agentSteps: 1,
      usage: { turns: 2, toolCalls: 1 },
    });
  });

  it('is not called when people deny it; the model hears who and why', async () => {
    const stage = await working({ turns: [write, says('As you like.')] });
    await stage.answer('deny', 'Not that file.');
    expect(stage.calls).toEqual([]);
    expect(heard(stage.asked[1])[0]).toContain('Not that file.');
    expect((await stage.journal()).find(({ type }) => type === 'agent.turned')).toMatchObject({
      calls: [{ tool: 'write', outcome: 'denied' }],
    });
  });

  it('is asked about again when the model gives another call the same number', async () => {
    const again = wants({ id: 'call_1', name: 'files__write', arguments: { path: 'secrets' } });
    const stage = await working({ turns: [write, again, says('Done.')] });
    await stage.answer('allow');
    expect(stage.calls).toHaveLength(1);
    expect((await stage.state())?.status).toBe('waiting');
    await stage.answer('deny');
    expect(stage.calls).toHaveLength(1);
  });

  it('of several in one turn, each is asked about in turn, and what came before is not called again', async () => {
    const turn = wants(
      { id: 'a' },
      { id: 'b', name: 'files__write', arguments: { path: 'b' } },
      { id: 'c', name: 'files__write', arguments: { path: 'c' } },
    );
    const stage = await working({ turns: [turn, says('Done.')] });
    await stage.answer('allow');
    await stage.answer('deny');
    expect(stage.calls.map((call) => [call.tool, call.arguments])).toEqual([
      ['read', {}],
      ['write', { path: 'b' }],
    ]);
    expect(heard(stage.asked[1])).toHaveLength(3);
    expect(await stage.state()).toMatchObject({ status: 'succeeded', usage: { turns: 2, toolCalls: 2 } });
  });

  it('is not called when its file does not allow it any more', async () => {
    const stage = await working({ turns: [write, says('Done.')] });
    stage.edit({ access: { files: { tools: { read: 'allow', write: 'deny' } } } });
    await stage.answer('allow');
    expect(stage.calls).toEqual([]);
    expect((await stage.state())?.status).toBe('succeeded');
  });

  it('does not count the time that people take', async () => {
    const stage = await working({ turns: [write, says('Done.')], agent: { timeLimit: '1m' } });
    await stage.now().pass(3_600_000);
    await stage.answer('allow');
    expect(stage.asked[1]?.timeoutMs).toBe(60_000);
    expect((await stage.state())?.status).toBe('succeeded');
  });
});

describe('the budget of a run', () => {
  it('lets the turn in flight end, asks, and goes on where it was', async () => {
    const stage = await working({ turns: [wants({}), says('Done.')], flow: { budget: { tokens: 10 } } });
    expect(stage.calls).toHaveLength(1);
    expect(stage.asked).toHaveLength(1);
    expect(await stage.state()).toMatchObject({ status: 'waiting', steps: { draft: { status: 'ready' } } });
    await stage.restart();
    await stage.answer('more');
    expect(stage.asked).toHaveLength(2);
    expect(heard(stage.asked[1])).toHaveLength(1);
    expect((await stage.state())?.status).toBe('succeeded');
  });
});

describe('files that an agent changes', () => {
  const coder = { runtime: 'scripted', workspace: 'git' };
  const flow = { workspace: 'git' };

  /** Workspaces whose state is a number that the agent raises. */
  function counting() {
    let files = 0;
    const restored: string[] = [];
    const workspaces: Workspaces = {
      ...createFakeWorkspaces(),
      snapshot: async () => `v${files}`,
      changes: async (_path, before, after) => ({
        files: 1,
        summary: '1 file changed.',
        diff: `${before} -> ${after}`,
      }),
      async restore(_path, before, after) {
        if (after !== `v${files}`) return false;
        restored.push(before);
        files = Number(before.slice(1));
        return true;
      },
    };
    const change = (outcome: TurnOutcome) => () => {
      files += 1;
      return outcome;
    };
    const edit = (): void => {
      files += 1;
    };
    return { workspaces, restored, change, edit };
  }

  it('stay without a word where its file says so', async () => {
    const { workspaces, change } = counting();
    const stage = await working({ turns: [change(says('Done.'))], agent: coder, flow, workspaces });
    expect((await stage.state())?.status).toBe('succeeded');
  });

  test.each([
    ['keep', 'succeeded', []],
    ['discard', 'failed', ['v0']],
  ])('are asked about: %s', async (action, status, undone) => {
    const { workspaces, change, restored } = counting();
    const stage = await working({
      turns: [change(says('Done.'))],
      agent: { ...coder, changes: 'ask' },
      flow,
      workspaces,
    });
    expect(await stage.state()).toMatchObject({
      status: 'waiting',
      questions: { [`${stage.run}.1`]: { kind: 'changes', ask: { show: [{ text: 'v0 -> v1' }] } } },
    });
    await stage.restart();
    await stage.answer(action, action === 'discard' ? 'Too much.' : '');
    expect(restored).toEqual(undone);
    expect(stage.asked).toHaveLength(1);
    expect((await stage.state())?.status).toBe(status);
    if (status === 'failed')
      expect((await stage.state())?.reason).toBe('"draft" failed: Bo did not want its changes: Too much.');
  });

  it('stay when somebody has changed the workspace since, and that is said', async () => {
    const { workspaces, change, restored, edit } = counting();
    const agent = { ...coder, changes: 'ask' };
    const stage = await working({ turns: [change(says('Done.'))], agent, flow, workspaces });
    edit();
    await stage.answer('discard');
    expect(restored).toEqual([]);
    expect((await stage.state())?.reason).toContain('could not be undone');
  });

  it('are undone where they may not be', async () => {
    const { workspaces, change, restored } = counting();
    const agent = { ...coder, changes: 'deny' };
    const stage = await working({ turns: [change(says('Done.'))], agent, flow, workspaces });
    expect(restored).toEqual(['v0']);
    expect((await stage.state())?.reason).toContain('changes: deny');
  });

  it('are undone when the attempt has failed', async () => {
    const { workspaces, change, restored } = counting();
    const failed: TurnOutcome = {
      kind: 'failed',
      code: 'x',
      message: 'it broke.',
      retry: 'never',
      usage: used,
    };
    const agent = { ...coder, changes: 'ask' };
    await working({ turns: [change(failed)], agent, flow, workspaces });
    expect(restored).toEqual(['v0']);
  });
});
