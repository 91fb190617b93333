import { expect } from 'vitest';
import { addUsage, NO_USAGE } from '../../../src/engine/agents/usage.ts';
import type { PlanStep } from '../../../src/engine/flow/plan.ts';
import { AGENT_STEPS_PER_RUN, HTTP_REQUESTS_PER_RUN } from '../../../src/engine/limits.ts';
import { isDraining, openDraft } from '../../../src/engine/run/draft.ts';
import { laneKey } from '../../../src/engine/run/lane-runs.ts';
import { timersOf } from '../../../src/engine/run/question-timers.ts';
import { own } from '../../../src/engine/run/record.ts';
import { runTimer } from '../../../src/engine/run/settle.ts';
import { isOverBudget, usageOf } from '../../../src/engine/run/spending.ts';
import { isFinal } from '../../../src/engine/run/state.ts';
import type { Driven } from './drive.ts';

/** Fails when a run breaks one of the promises that hold after every event. */
export function keepsItsPromises(run: Driven): void {
  everythingOpenIsKnown(run);
  slotsAreUsed(run);
  nothingIsForgotten(run);
  nothingBeginsEarly(run);
  limitsHold(run);
  lanesAreInOrder(run);
  onlyWhatIsPickedRuns(run);
  everythingUsedCounts(run);
  theStatusIsTrue(run);
}

/** What the outside has to wait for is exactly what the state says. */
function everythingOpenIsKnown(run: Driven): void {
  const steps = Object.values(run.state.steps);
  const running = steps.flatMap((step) => (step.status === 'running' ? [step.call] : []));
  expect([...run.calls.values()].map((call) => call.key).sort()).toEqual(running.sort());

  const lanes = Object.entries(run.state.steps).flatMap(([id, step]) =>
    step.status === 'nested'
      ? Object.keys(step.open).map((index) => laneKey({ ...step, step: id }, Number(index)))
      : [],
  );
  expect([...run.lanes.keys()].sort()).toEqual(lanes.sort());

  const { activeSinceMs } = run.state;
  const limit =
    run.plan.timeoutMs !== undefined && activeSinceMs !== undefined ? [runTimer(activeSinceMs)] : [];
  const waiting = steps.flatMap((step) => {
    if (step.status === 'retrying' || step.status === 'sleeping') return [step.timer];
    return 'deadline' in step && step.deadline !== undefined ? [step.deadline] : [];
  });
  const { question: ofBudget } = run.state.budget ?? {};
  const asking = [
    ...steps.flatMap((step) => (step.status === 'asking' ? [step.question] : [])),
    ...(ofBudget === undefined ? [] : [ofBudget]),
  ];
  const questions = Object.values(run.state.questions);
  const open = questions.filter(({ state }) => state.status === 'open');
  expect(open.map(({ id }) => id).sort()).toEqual(asking.sort());
  const ofQuestions = open.flatMap(timersOf).map(({ key }) => key);
  const marks = [...run.timers.keys()].filter((key) => key.startsWith('run/budget/'));
  if (activeSinceMs === undefined) expect(marks).toEqual([]);
  expect([...run.timers.keys()].sort()).toEqual([...limit, ...marks, ...waiting, ...ofQuestions].sort());
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
  const isHeldUp = isOverBudget(run.plan, run.state, run.atMs);
  const ready = Object.entries(run.state.steps).flatMap(([id, { status }]) =>
    status === 'ready' && !(isHeldUp && isWork(run, id)) ? [id] : [],
  );
  if (ready.length > 0) expect(run.calls.size).toBe(run.plan.maxParallel);
  if (run.state.stopping) expect(Object.values(run.steps)).not.toContain('ready');
}

/** Whether a step waits when the budget is used up. */
function isWork(run: Driven, id: string): boolean {
  const step = run.plan.steps.get(id);
  if (step?.type === 'message') return false;
  return step?.stepType.calls === true || step?.stepType.uses?.(step.config) !== undefined;
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
  expect(run.state.agentSteps).toBeLessThanOrEqual(AGENT_STEPS_PER_RUN);
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

/** Runs of lanes begin in the order of their inputs, and each is open, or has ended once. */
function lanesAreInOrder(run: Driven): void {
  for (const step of Object.values(run.state.steps)) {
    if (step.status !== 'nested') continue;
    const open = Object.keys(step.open).map(Number);
    expect(step.begun).toBeLessThanOrEqual(step.total);
    for (const index of [...open, ...step.failed]) expect(index).toBeLessThan(step.begun);
    expect(new Set([...open, ...step.failed]).size).toBe(open.length + step.failed.length);
  }
}

/** Of the steps that an agent picks among, those run that it has picked, and no more and no fewer than it had to. */
function onlyWhatIsPickedRuns(run: Driven): void {
  for (const [position, { from, to, chosen }] of run.plan.edges.entries()) {
    const output = own(run.state.outputs, from);
    if (!chosen || !output || run.state.fates[position] === undefined) continue;
    const hasLeft = run.state.steps[from]?.status === 'done';
    const isPicked = Array.isArray(output.json.choice) && output.json.choice.includes(to);
    expect(run.state.fates[position] === 'live').toBe(hasLeft && isPicked);
  }
}

/** What the run has used up is what its journal tells, whatever became of the work. */
function everythingUsedCounts(run: Driven): void {
  const own = run.journal.flatMap((event) =>
    'usage' in event && event.type !== 'lane.moved' && event.type !== 'lane.ended'
      ? [event.usage ?? NO_USAGE]
      : [],
  );
  // Of a lane the latest that was told counts.
  const below = new Map(
    run.journal.flatMap((event) =>
      (event.type === 'lane.moved' || event.type === 'lane.ended') && event.usage
        ? [[laneKey(event, event.index), event.usage] as const]
        : [],
    ),
  );
  expect(usageOf(run.state)).toEqual([...own, ...below.values()].reduce(addUsage, NO_USAGE));
}

function theStatusIsTrue(run: Driven): void {
  const { status, steps, stopping, draining, endedAtMs } = run.state;
  const all = Object.values(steps);
  const open = Object.values(run.state.questions).filter(({ state }) => state.status === 'open');
  const waits = run.calls.size + run.lanes.size + run.timers.size + open.length;
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
