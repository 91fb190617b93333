import { expect } from 'vitest';
import type { PlanStep } from '../../../src/engine/flow/plan.ts';
import { HTTP_REQUESTS_PER_RUN } from '../../../src/engine/limits.ts';
import { isDraining, openDraft } from '../../../src/engine/run/draft.ts';
import { timersOf } from '../../../src/engine/run/question-timers.ts';
import { runTimer } from '../../../src/engine/run/settle.ts';
import { isFinal } from '../../../src/engine/run/state.ts';
import type { Driven } from './drive.ts';

/** Fails when a run breaks one of the promises that hold after every event. */
export function keepsItsPromises(run: Driven): void {
  everythingOpenIsKnown(run);
  slotsAreUsed(run);
  nothingIsForgotten(run);
  nothingBeginsEarly(run);
  limitsHold(run);
  theStatusIsTrue(run);
}

/** What the outside has to wait for is exactly what the state says. */
function everythingOpenIsKnown(run: Driven): void {
  const steps = Object.values(run.state.steps);
  const running = steps.flatMap((step) => (step.status === 'running' ? [step.call] : []));
  expect([...run.calls.values()].map((call) => call.key).sort()).toEqual(running.sort());

  const { activeSinceMs } = run.state;
  const limit =
    run.plan.timeoutMs !== undefined && activeSinceMs !== undefined ? [runTimer(activeSinceMs)] : [];
  const waiting = steps.flatMap((step) =>
    step.status === 'retrying' || step.status === 'sleeping' ? [step.timer] : [],
  );
  const asking = steps.flatMap((step) => (step.status === 'asking' ? [step.question] : []));
  const questions = Object.values(run.state.questions);
  const open = questions.filter(({ state }) => state.status === 'open');
  expect(open.map(({ id }) => id).sort()).toEqual(asking.sort());
  const ofQuestions = open.flatMap(timersOf).map(({ key }) => key);
  expect([...run.timers.keys()].sort()).toEqual([...limit, ...waiting, ...ofQuestions].sort());
  const looks = questions.flatMap(({ look }) => (look?.key === undefined ? [] : [look.key]));
  expect([...run.checks.values()].map(({ key }) => key).sort()).toEqual(looks.sort());
  for (const { id, state, actions, to, place } of questions) {
    const card = run.cards.get(`question/${id}`);
    // A conversation of its own has to be found before anything is posted.
    if (to !== undefined && !place) expect(card).toBeUndefined();
    else expect(card?.buttons).toHaveLength(state.status === 'open' ? actions.length : 0);
  }
}

function slotsAreUsed(run: Driven): void {
  expect(run.calls.size).toBeLessThanOrEqual(run.plan.maxParallel);
  const ready = Object.values(run.state.steps).filter((step) => step.status === 'ready');
  if (ready.length > 0) expect(run.calls.size).toBe(run.plan.maxParallel);
  if (run.state.stopping) expect(ready).toEqual([]);
}

/** A step whose edges have all ended has had its turn, and the counts of the others are right. */
function nothingIsForgotten(run: Driven): void {
  const draft = openDraft(run.plan, run.state, 0);
  for (const [id, step] of run.plan.steps) {
    const state = run.state.steps[id];
    if (state?.status !== 'pending' || run.state.stopping || isDraining(draft, id)) continue;
    const fates = fatesOf(run, step);
    for (const fate of ['live', 'dead', 'tainted'] as const) {
      expect(state[fate]).toBe(fates.filter((one) => one === fate).length);
    }
    expect(fates).toContain(undefined);
  }
}

function nothingBeginsEarly(run: Driven): void {
  for (const [id, step] of run.plan.steps) {
    if (run.state.steps[id]?.status !== 'pending') expect(fatesOf(run, step)).not.toContain(undefined);
  }
}

function fatesOf(run: Driven, step: PlanStep) {
  return step.incoming.map((edge) => run.state.fates[edge]);
}

function limitsHold(run: Driven): void {
  expect(new Set(run.callKeys).size).toBe(run.callKeys.length);
  expect(run.state.httpRequests).toBeLessThanOrEqual(HTTP_REQUESTS_PER_RUN);
  let rounds = 1;
  for (const [position, edge] of run.plan.edges.entries()) {
    const times = run.state.sentBack[position]?.times ?? 0;
    expect(times).toBeLessThanOrEqual(edge.sendBack?.maxRounds ?? 0);
    rounds += times;
  }
  const wanted = run.journal.flatMap((event) =>
    event.type === 'question.answered' && event.action === 'again'
      ? [run.state.questions[event.question]]
      : [],
  );
  for (const [id, step] of run.plan.steps) {
    const state = run.state.steps[id];
    expect(state?.round).toBeLessThanOrEqual(rounds);
    if (!state || !('attempt' in state)) continue;
    const more = wanted.filter((one) => one?.step === id && one.round === state.round).length;
    expect(state.attempt).toBeLessThanOrEqual(step.attempts + more);
  }
}

function theStatusIsTrue(run: Driven): void {
  const { status, steps, stopping, draining, endedAtMs } = run.state;
  const all = Object.values(steps);
  const waits = run.calls.size + run.timers.size + all.filter((step) => step.status === 'asking').length;
  expect(isFinal(status)).toBe(waits === 0);
  expect(endedAtMs !== undefined).toBe(isFinal(status));
  switch (status) {
    case 'queued':
      throw new Error('A run that has begun is not queued.');
    case 'succeeded':
      expect(stopping).toBeUndefined();
      expect(all.every((step) => step.status !== 'pending')).toBe(true);
      break;
    case 'failed':
      expect(run.state.reason).toMatch(/ failed: |^The run took longer/);
      break;
    case 'rejected':
    case 'cancelled':
      expect(stopping?.status).toBe(status);
      break;
    case 'attention':
    case 'waiting':
    case 'running':
  }
  if (draining.length > 0) expect(run.calls.size).toBeGreaterThan(0);
}
