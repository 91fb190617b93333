import { describe, expect, it } from 'vitest';
import { createScriptedRuntime } from '../../../src/adapters/agents/scripted.ts';
import type { Turn } from '../../../src/engine/agents/conversation.ts';
import type { Json } from '../../../src/engine/json.ts';
import type { AgentRequest, WorkPlace } from '../../../src/ports/agents.ts';
import { agentCalled } from '../../fakes/agent.ts';
import { createHandClock } from '../../fakes/clock.ts';

const never = new AbortController().signal;

const said: Turn = { kind: 'said', text: '', uses: [] };

function ask(
  replies: Json,
  at: Partial<WorkPlace> = {},
  prompt = 'Write about tea.',
  turns: readonly Turn[] = [],
) {
  const request: AgentRequest = {
    agent: agentCalled('writer', { settings: { replies } }),
    kind: 'task',
    prompt,
    turns,
    tools: [],
    timeoutMs: 60_000,
    key: 'r1/draft.1.1/0',
    at: { flow: 'release', run: 'r1', step: 'draft', round: 1, attempt: 1, askedAgain: 0, ...at },
  };
  const clock = createHandClock();
  const runtime = createScriptedRuntime({ clock });
  return { clock, run: (signal: AbortSignal = never) => runtime.turn(request, signal) };
}

describe('a scripted agent', () => {
  it.each<[Json, object]>([
    [{ reply: 'Hello.' }, { kind: 'replied', text: 'Hello.' }],
    [{ json: { a: 1 } }, { kind: 'replied', text: '{"a":1}', structured: { a: 1 } }],
    [
      { failure: 'It rains.' },
      { kind: 'failed', code: 'scripted-failure', message: 'It rains.', retry: 'allowed' },
    ],
    [
      { failure: { message: 'The login is lost.', code: 'login-lost', retry: 'never' } },
      { kind: 'failed', code: 'login-lost', message: 'The login is lost.', retry: 'never' },
    ],
    [{ timeout: true }, { kind: 'timeout' }],
    [{ unknown: 'The line went dead.' }, { kind: 'unknown', message: 'The line went dead.' }],
    [
      { reply: 'x', usage: { inputTokens: 5 } },
      { kind: 'replied', text: 'x', usage: { inputTokens: 5, outputTokens: 0, toolCalls: 0, turns: 1 } },
    ],
  ])('says what stands in %j', async (reply, outcome) => {
    expect(await ask([reply]).run()).toEqual(outcome);
  });

  it.each<[Partial<WorkPlace>, string]>([
    [{}, 'one'],
    [{ attempt: 2 }, 'two'],
    [{ round: 2 }, 'two'],
    [{ round: 2, attempt: 2 }, 'three'],
    [{ round: 9 }, 'three'],
  ])('goes on with each round and attempt: %j', async (at, text) => {
    const replies = [{ reply: 'one' }, { reply: 'two' }, { reply: 'three' }];
    expect(await ask(replies, at).run()).toEqual({ kind: 'replied', text });
  });

  it.each<[readonly Turn[], object]>([
    [[], { kind: 'uses', text: '', uses: [{ id: '0.1', name: 'files__read', arguments: { path: 'a' } }] }],
    [
      [said, { kind: 'used', results: [{ id: '0.1', text: 'b', isError: false }] }],
      { kind: 'replied', text: 'b' },
    ],
    [[said, { kind: 'told', text: 'Again.' }], { kind: 'replied', text: 'b' }],
  ])('wants tools, and goes on with what follows: %j', async (turns, outcome) => {
    const uses = [{ server: 'files', tool: 'read', arguments: { path: 'a' } }];
    expect(await ask([{ uses }, { reply: 'b' }], {}, '', turns).run()).toEqual(outcome);
  });

  it.each<[Partial<WorkPlace>, string, string]>([
    [{ flow: 'other' }, 'x', 'for the other flow'],
    [{ step: 'check' }, 'x', 'for the check'],
    [{ step: 'check', round: 2 }, 'x', 'for all'],
    [{}, 'about coffee', 'for coffee'],
    [{}, 'about tea', 'for all'],
  ])('says what is for this call: %j, %s', async (at, prompt, text) => {
    const replies = [
      { when: { flow: 'other' }, reply: 'for the other flow' },
      { when: { step: 'check' }, reply: 'for the check' },
      { when: { step: 'draft', contains: 'coffee' }, reply: 'for coffee' },
      { reply: 'for all' },
    ];
    expect(await ask(replies, at, prompt).run()).toEqual({ kind: 'replied', text });
  });

  it('takes its time', async () => {
    const { clock, run } = ask([{ reply: 'Done.', delay: '5s' }]);
    let outcome: unknown;
    const done = run().then((result) => {
      outcome = result;
    });
    clock.pass(4_999);
    await Promise.resolve();
    expect(outcome).toBeUndefined();
    clock.pass(1);
    await done;
    expect(outcome).toEqual({ kind: 'replied', text: 'Done.' });
  });

  it('ends when it is told to', async () => {
    const { clock, run } = ask([{ reply: 'Done.', delay: '5s' }]);
    const controller = new AbortController();
    const done = run(controller.signal);
    controller.abort();
    expect(await done).toEqual({ kind: 'timeout' });
    expect(clock.nextMs()).toBeUndefined();
    expect(await run(AbortSignal.abort())).toEqual({ kind: 'timeout' });
  });

  it.each<[Json]>([[[{ when: { step: 'other' }, reply: 'x' }]], ['broken']])(
    'fails without a reply: %j',
    async (replies) => {
      expect(await ask(replies).run()).toEqual({
        kind: 'failed',
        code: 'no-scripted-reply',
        message: 'the scripted agent "writer" has no reply for the step "draft": add one to its replies.',
        retry: 'never',
      });
    },
  );
});
