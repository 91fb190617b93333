import type { Plan } from '../engine/flow/plan.ts';
import { isJsonObject } from '../engine/json.ts';
import { asText } from '../engine/prose.ts';
import { resultEvent } from '../engine/run/attempt-result.ts';
import type { CallEffect, Effect } from '../engine/run/effect.ts';
import type { LaneResult, RunEvent, RunStart } from '../engine/run/event.ts';
import type { Happened } from '../engine/run/happened.ts';
import {
  BY_ITS_STEP,
  laneInput,
  laneRef,
  laneResult,
  laneStart,
  laneUsage,
} from '../engine/run/lane-runs.ts';
import { isFinal, type RunState } from '../engine/run/state.ts';
import { begin, type Transition, transition } from '../engine/run/transition.ts';
import type { Agenda } from './agenda.ts';
import type { FakedCalls } from './calls.ts';
import type { Called, FakedEffect } from './fake-results.ts';
import type { Lanes } from './fits.ts';
import { TEST_PLATFORM } from './people.ts';
import type { SimulatedRun } from './simulated-run.ts';
import { createSlots } from './slots.ts';
import type { Fake } from './test-file.ts';

/** A run with all those that its steps start, moved by the engine; what leaves it is answered by fakes. */
export interface SimulatedTree {
  /** The first is the one at the top. */
  readonly runs: readonly SimulatedRun[];
  /** Names of steps in the order in which they ended. */
  readonly path: readonly string[];
  /** Names of steps about which people were asked, in order. */
  readonly asked: readonly string[];
  /** Flows that are run and are not there, in sentences. */
  readonly problems: readonly string[];
  /** Begins the run at the top. */
  start(plan: Plan, start: RunStart): void;
  apply(run: SimulatedRun, event: RunEvent): void;
  /** How many events there were. */
  readonly events: number;
}

type LaneEffect = Extract<CallEffect, { kind: 'lane' }>;

/** Makes one. @param lanes the flows that steps can run */
export function createTree({
  agenda,
  calls,
  lanes,
}: {
  readonly agenda: Agenda;
  readonly calls: FakedCalls;
  readonly lanes: Lanes;
}): SimulatedTree {
  const runs: SimulatedRun[] = [];
  const path: string[] = [];
  const asked: string[] = [];
  const problems: string[] = [];
  const slots = createSlots(runs, () => agenda.nowMs);
  let events = 0;

  function open(id: string, plan: Plan, prefix: string, start: RunStart): void {
    const event = { type: 'run.started', atMs: agenda.nowMs, start } as const;
    const next = begin(plan, id, event);
    const run: SimulatedRun = { id, plan, prefix, state: next.state };
    runs.push(run);
    follow(run, undefined, next);
  }

  function apply(run: SimulatedRun, event: RunEvent): void {
    events += 1;
    const before = run.state;
    const next = transition(run.plan, before, event);
    if (next.state === before) return;
    run.state = next.state;
    follow(run, before, next);
  }

  function follow(
    run: SimulatedRun,
    before: RunState | undefined,
    { state, effects, happened }: Transition,
  ): void {
    path.push(...endedSteps(happened).map((step) => run.prefix + step));
    const known = before?.questions ?? {};
    const fresh = Object.values(state.questions).filter(({ id }) => !Object.hasOwn(known, id));
    asked.push(...fresh.map(({ step }) => run.prefix + step));
    // First: what has been used up may hold up what is to begin.
    tellParent(run, before);
    for (const effect of effects) perform(run, effect);
    slots.look();
  }

  function perform(run: SimulatedRun, effect: Effect): void {
    switch (effect.kind) {
      case 'timer': {
        const { key, dueMs } = effect;
        const happen = () => apply(run, { type: 'timer.fired', atMs: agenda.nowMs, timer: key });
        agenda.add({ atMs: dueMs, drives: isDriving(run, key), key: `${run.id} ${key}`, happen });
        break;
      }
      case 'abandon':
        abandon(run, effect.key);
        break;
      case 'card':
      case 'alert':
        break;
      case 'lane':
        soon(run, effect.key, () => startLane(run, effect));
        break;
      case 'check': {
        const { question, key, to } = effect;
        const place = to === undefined ? {} : { place: { platform: TEST_PLATFORM, conversation: to } };
        const missing: readonly string[] = [];
        soon(run, key, () =>
          apply(run, {
            type: 'question.checked',
            atMs: agenda.nowMs,
            question,
            check: key,
            missing,
            ...place,
          }),
        );
        break;
      }
      default:
        call(run, effect);
    }
  }

  /** Lets something happen once all has been done that follows from the same event. */
  function soon(run: SimulatedRun, key: string, happen: () => void, afterMs = 0): void {
    agenda.add({ atMs: agenda.nowMs + afterMs, drives: true, key: `${run.id} ${key}`, happen });
  }

  function abandon(run: SimulatedRun, key: string): void {
    agenda.drop(`${run.id} ${key}`);
    slots.leave(run, key);
    const lane = runs.find(
      ({ state: { start } }) => start.parent?.run === run.id && start.parent.call === key,
    );
    if (lane) apply(lane, { type: 'run.cancelled', atMs: agenda.nowMs, by: BY_ITS_STEP });
  }

  function call(run: SimulatedRun, effect: FakedEffect): void {
    const { key } = effect;
    slots.enter(run, effect, (failure) => {
      const called: Called = failure
        ? { result: { kind: 'failed', failure }, delayMs: 0 }
        : calls.make(run, effect);
      const happen = () => {
        slots.leave(run, key);
        apply(run, resultEvent(effect, called.result, agenda.nowMs));
        calls.ended(run, effect, called);
      };
      soon(run, key, happen, called.delayMs);
    });
  }

  function startLane(run: SimulatedRun, effect: LaneEffect): void {
    const { step, round, attempt, index, key, uses, input } = effect;
    const isItem = run.plan.steps.get(step)?.type === 'map';
    const name = `${run.prefix}${step}${isItem ? `#${index + 1}` : ''}`;
    const ended = (result: LaneResult, afterMs = 0) => {
      const at = { step, round, attempt, index, run: '' };
      soon(run, key, () => apply(run, { type: 'lane.ended', atMs: agenda.nowMs, ...at, result }), afterMs);
    };
    const fake = calls.take(name);
    if (fake) {
      ended(fakedLane(fake), fake.delay);
      return;
    }
    const lane = lanes.get(uses);
    if (!lane) {
      problems.push(`${name} runs the flow ${uses}, which is not there or can't be loaded.`);
      ended({ status: 'failed', reason: `there is no flow ${uses}.` });
      return;
    }
    const read = laneInput(lane, input);
    if (!read.ok) {
      ended(read.result);
      return;
    }
    open(`${runs[0]?.id}-${runs.length}`, lane, `${name}/`, laneStart(run, lane, effect, read.input));
  }

  /** A step hears what becomes of the run that it has started. */
  function tellParent({ id, state }: SimulatedRun, before: RunState | undefined): void {
    const { parent } = state.start;
    const above = runs.find((run) => run.id === parent?.run);
    const at = parent && laneRef(parent.call);
    if (!above || !at) return;
    const spent = laneUsage(state);
    if (isFinal(state.status)) {
      const result = laneResult(state);
      soon(above, parent.call, () =>
        apply(above, { type: 'lane.ended', atMs: agenda.nowMs, ...at, run: id, result, ...spent }),
      );
      return;
    }
    const { status } = state;
    const isKnown = before
      ? before.status === status && JSON.stringify(laneUsage(before)) === JSON.stringify(spent)
      : status === 'running';
    if (isKnown) return;
    apply(above, { type: 'lane.moved', atMs: agenda.nowMs, ...at, status, ...spent });
  }

  return {
    runs,
    path,
    asked,
    problems,
    start: (plan, start) => open('test', plan, '', start),
    apply,
    get events() {
      return events;
    },
  };
}

/** Whether time goes by of itself until a timer: where a step waits, or is tried again. All others only end what takes too long. */
function isDriving({ state }: SimulatedRun, timer: string): boolean {
  return Object.values(state.steps).some((step) => 'timer' in step && step.timer === timer);
}

function fakedLane({ failure, output, text, json }: Fake): LaneResult {
  if (failure !== undefined) return { status: 'failed', reason: failure };
  if (output === undefined) return { status: 'succeeded', output: { text: text ?? '', json: json ?? {} } };
  const data = isJsonObject(output) ? output : { value: output };
  return { status: 'succeeded', output: { text: asText(output), json: data }, value: output };
}

/** Steps that have ended for good, in order. */
function endedSteps(happened: readonly Happened[]): readonly string[] {
  return happened.flatMap((one, index) => {
    const goesOn = happened[index + 1]?.kind === 'retries';
    return one.kind === 'done' || (one.kind === 'failed' && !goesOn) ? [one.step] : [];
  });
}
