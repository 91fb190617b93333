import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/engine/agents/usage.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { AGENT_STEPS_PER_RUN, HTTP_REQUESTS_PER_RUN } from '../../../src/engine/limits.ts';
import { overLimit, standingOf, takesSlot, worstOf } from '../../../src/engine/run/tree.ts';
import { bo, type Driven, drive } from './drive.ts';

describe('the limits of a run', () => {
  const spent = (httpRequests: number, agentSteps: number) => ({ httpRequests, agentSteps });

  it.each([
    ['http', spent(HTTP_REQUESTS_PER_RUN, 0), undefined],
    ['http', spent(HTTP_REQUESTS_PER_RUN + 1, 0), 'http-limit'],
    ['agent', spent(0, AGENT_STEPS_PER_RUN), undefined],
    ['agent', spent(0, AGENT_STEPS_PER_RUN + 1), 'agent-limit'],
    ['script', spent(HTTP_REQUESTS_PER_RUN + 1, AGENT_STEPS_PER_RUN + 1), undefined],
  ] as const)('%s: %o of the run gives %s', (kind, one, code) => {
    expect(overLimit([one], { kind })?.code).toBe(code);
  });

  it('count for all runs that share them together', () => {
    const runs = [spent(HTTP_REQUESTS_PER_RUN, 0), spent(1, 0)];
    expect(overLimit(runs, { kind: 'http' })?.code).toBe('http-limit');
  });
});

it.each([
  ['http', true],
  ['agent', true],
  ['script', true],
  ['message', false],
  ['check', false],
  ['lane', false],
] as const)('a call of the kind %s takes a slot: %s', (kind, takes) => {
  expect(takesSlot({ kind })).toBe(takes);
});

describe('how a run stands to its budget', () => {
  const work: JsonObject = { type: 'tool', server: 's', tool: 't' };
  const standing = ({ plan, state }: Driven) => standingOf(plan, state, state.startedAtMs);

  function overBudget(): Driven {
    const run = drive({ budget: { tokens: 10 }, steps: { a: work, b: work } });
    expect(standing(run)).toBe('free');
    run.done('a', 'ok', { ...NO_USAGE, tokens: 10 });
    return run;
  }

  function decide(run: Driven, action: 'more' | 'stop'): void {
    const verdict = run.judge(run.state.budget?.question ?? '', action, { by: bo });
    if (verdict.kind === 'counts') run.send(verdict.event);
  }

  it('waits for people at a ceiling, and goes on when they give it more', () => {
    const run = overBudget();
    expect(standing(run)).toBe('asked');
    decide(run, 'more');
    expect(standing(run)).toBe('free');
  });

  it('holds nothing up any more once it is over', () => {
    const run = overBudget();
    decide(run, 'stop');
    expect([run.state.status, standing(run)]).toEqual(['failed', 'free']);
  });

  it.each([
    [[], 'free'],
    [['free', 'free'], 'free'],
    [['free', 'asked'], 'asked'],
    [['asked', 'refused', 'free'], 'refused'],
  ] as const)('of %j the worst counts: %s', (standings, worst) => {
    expect(worstOf(standings)).toBe(worst);
  });
});
