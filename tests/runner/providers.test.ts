import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/engine/agents/agent.ts';
import type { AgentRequest, TurnOutcome } from '../../src/ports/agents.ts';
import { createProviders } from '../../src/runner/agents/providers.ts';
import { agentCalled } from '../fakes/agent.ts';
import { createHandClock } from '../fakes/clock.ts';
import { createKeptLog } from '../fakes/log.ts';

const never = new AbortController().signal;
const replied: TurnOutcome = { kind: 'replied', text: 'Hello.' };
const down: TurnOutcome = {
  kind: 'failed',
  code: 'overloaded',
  message: 'it has too much to do.',
  retry: 'allowed',
  unavailable: {},
};
const refused: TurnOutcome = { kind: 'failed', code: 'request-refused', message: 'no.', retry: 'never' };
const writer = agentCalled('writer', { runtime: 'openai', model: 'big', instructions: 'Be short.' });
const spare = agentCalled('spare', {
  runtime: 'anthropic',
  model: 'other',
  price: { inputUsd: 1, outputUsd: 2 },
  instructions: 'Be long.',
});

/** Providers whose models say what the test says, by the model's name. */
function stage(answer: (request: AgentRequest) => TurnOutcome | Promise<TurnOutcome>) {
  const clock = createHandClock();
  const log = createKeptLog();
  const sent: { model: string | undefined; atMs: number; request: AgentRequest }[] = [];
  const beganMs = clock.now();
  const runtime = {
    async turn(request: AgentRequest) {
      sent.push({ model: request.agent.model, atMs: clock.now() - beganMs, request });
      return answer(request);
    },
    close: async () => {},
  };
  const agents = new Map([
    ['openai', runtime],
    ['anthropic', runtime],
  ]);
  const providers = createProviders({ agents, clock, log });
  return {
    clock,
    log,
    sent,
    providers,
    turn(more: Partial<AgentRequest> = {}, fallback?: Agent) {
      const request: AgentRequest = {
        agent: writer,
        kind: 'task',
        prompt: 'Write.',
        turns: [],
        tools: [],
        timeoutMs: 600_000,
        key: 'k',
        at: { flow: 'f', run: 'r', step: 's', round: 1, attempt: 1, askedAgain: 0 },
        ...more,
      };
      return providers.turn(request, fallback, never);
    },
    /** Lets time pass, and what follows from it happen. */
    async pass(ms: number) {
      const untilMs = clock.now() + ms;
      for (let next = clock.nextMs(); next !== undefined && next <= untilMs; next = clock.nextMs()) {
        clock.pass(Math.max(0, next - clock.now()));
        await setImmediate();
      }
      clock.pass(untilMs - clock.now());
      await setImmediate();
    },
  };
}

describe('a provider that can’t answer', () => {
  it('is asked again after 1 s and 2 s, three times at most', async () => {
    const { turn, sent, pass } = stage(() => down);
    const taken = turn();
    await setImmediate();
    await pass(10_000);
    expect(await taken).toEqual({ outcome: down, by: writer });
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 1_000, 3_000]);
  });

  it('is left alone for as long as it says, by everybody', async () => {
    let isDown = true;
    const limited: TurnOutcome = { ...down, unavailable: { retryAfterMs: 7_000 } };
    const { turn, sent, pass } = stage(() => (isDown ? limited : replied));
    const first = turn();
    await setImmediate();
    isDown = false;
    const second = turn();
    await pass(7_000);
    expect((await first).outcome).toEqual(replied);
    expect((await second).outcome).toEqual(replied);
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 7_000, 7_000]);
  });

  it('is not waited for beyond the time of the turn', async () => {
    const late: TurnOutcome = { ...down, unavailable: { retryAfterMs: 3_600_000 } };
    const { turn } = stage(() => late);
    expect((await turn({ timeoutMs: 60_000 })).outcome).toEqual(late);
  });

  it('is not asked again when it has refused', async () => {
    const { turn, sent } = stage(() => refused);
    expect((await turn()).outcome).toEqual(refused);
    expect(sent).toHaveLength(1);
  });

  it('is left alone after five failures in a row: then one turn looks whether it is back', async () => {
    let isDown = true;
    const { turn, sent, pass, log, providers } = stage(() => (isDown ? down : replied));
    const lost = [turn(), turn()];
    await setImmediate();
    await pass(20_000);
    for (const one of lost) expect((await one).outcome).toEqual(down);
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    const count = sent.length;
    isDown = false;
    let isReady = false;
    void providers.ready(writer, undefined, never).then(() => {
      isReady = true;
    });
    await pass(1_000);
    expect(isReady).toBe(false);
    const waiting = [turn(), turn(), turn()];
    await setImmediate();
    expect(sent).toHaveLength(count);
    await pass(60_000);
    expect(isReady).toBe(true);
    for (const one of waiting) expect((await one).outcome).toEqual(replied);
  });

  it('hands over to the fallback, which lends nothing but its model', async () => {
    const { turn, sent, pass, log } = stage(({ agent }) => (agent.model === 'big' ? down : replied));
    const taken = turn({}, spare);
    await setImmediate();
    await pass(10_000);
    const { outcome, by } = await taken;
    expect(outcome).toEqual(replied);
    expect(by).toMatchObject({
      name: 'writer',
      model: 'other',
      price: spare.price,
      instructions: 'Be short.',
    });
    expect(sent.at(-1)?.request.agent).toEqual(by);
    // Once it is known to be down, nobody waits for it.
    const again = turn({}, spare);
    await setImmediate();
    await pass(10_000);
    expect((await again).outcome).toEqual(replied);
    expect(log.lines.filter(({ message }) => message.includes('fallback'))).toHaveLength(1);
  });

  it.each([
    ['tools', { tools: [{ name: 't', description: '', parameters: {} }] }],
    ['an answer to a prompt', { kind: 'prompt' as const }],
  ])('does not hand over to one that has no %s', async (_, more) => {
    const program = agentCalled('spare', { runtime: 'program' });
    const { turn, pass } = stage(() => down);
    const taken = turn(more, program);
    await setImmediate();
    await pass(10_000);
    expect((await taken).by).toBe(writer);
  });
});

describe('a rate limit', () => {
  it('is kept over all runs, in any window', async () => {
    const limits = fc.record({
      requests: fc.integer({ min: 1, max: 4 }),
      perMs: fc.integer({ min: 1, max: 5_000 }),
    });
    const gaps = fc.array(fc.nat(3_000), { maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(limits, gaps, async (rateLimit, waits) => {
        const { turn, sent, pass } = stage(() => replied);
        const taken: Promise<unknown>[] = [];
        for (const wait of waits) {
          taken.push(turn({ agent: { ...writer, rateLimit } }));
          await setImmediate();
          await pass(wait);
        }
        await pass(100_000);
        await Promise.all(taken);
        const times = sent.map(({ atMs }) => atMs);
        expect(times).toHaveLength(waits.length);
        for (const [index, atMs] of times.entries()) {
          const earlier = times[index - rateLimit.requests];
          if (earlier !== undefined) expect(atMs - earlier).toBeGreaterThanOrEqual(rateLimit.perMs);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('whatever providers do', () => {
  it('a turn that waits is let through in the end', async () => {
    const outcomes = fc.array(fc.constantFrom(down, replied, refused, { kind: 'timeout' } as const), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(outcomes, async (said) => {
        let at = 0;
        const { turn, pass } = stage(() => said[at++] ?? replied);
        const taken = said.map(() => turn({ timeoutMs: 3_600_000 }));
        await setImmediate();
        await pass(3_600_000);
        await Promise.all(taken);
      }),
      { numRuns: 40 },
    );
  });

  it('one turn at a time looks whether a provider is back, also when late ones end meanwhile', async () => {
    const late = Promise.withResolvers<TurnOutcome>();
    const probe = Promise.withResolvers<TurnOutcome>();
    const answers: (TurnOutcome | Promise<TurnOutcome>)[] = [
      late.promise,
      down,
      down,
      down,
      down,
      down,
      probe.promise,
    ];
    const { turn, pass, sent } = stage(() => answers.shift() ?? replied);
    const turns = [turn(), turn(), turn(), turn(), turn(), turn()];
    await setImmediate();
    await pass(1_000);
    const before = sent.length;
    const waiting = [turn(), turn(), turn()];
    await pass(40_000);
    expect(sent).toHaveLength(before + 1);
    late.resolve({ kind: 'timeout' });
    await pass(10_000);
    expect(sent).toHaveLength(before + 1);
    probe.resolve(replied);
    await pass(10_000);
    await Promise.all([...turns, ...waiting]);
  });
});
