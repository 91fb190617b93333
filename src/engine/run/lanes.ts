import { addUsage, NO_USAGE, type Usage } from '../agents/usage.ts';
import type { Json, JsonObject } from '../json.ts';
import { LANE_DEPTH_MAX } from '../limits.ts';
import type { Failure, LaneCall, Output } from '../steps/step-type.ts';
import { finishAttempt } from './attempts.ts';
import { BUDGET_REFUSED, isHeld, isRefused } from './budget.ts';
import { abandon, type Draft, planStep } from './draft.ts';
import { failStep } from './edges.ts';
import type { AttemptRef, LaneResult, RunEvent } from './event.ts';
import { type LaneRef, laneKey } from './lane-runs.ts';
import { own } from './record.ts';
import type { OpenLane, RunState, StepState } from './state.ts';

type Nested = Extract<StepState, { status: 'nested' }>;

/** A step starts runs of its lane: as many as may be at work at once, the others as these end. @param deadline key of the timer of its time limit */
export function openLanes(draft: Draft, at: AttemptRef, call: LaneCall, deadline?: string): void {
  const depth = (draft.state.start.parent?.depth ?? 0) + 1;
  if (depth > LANE_DEPTH_MAX) {
    const message = `flows can run each other ${LANE_DEPTH_MAX} levels deep, and this would be one more.`;
    failStep(draft, at.step, at.attempt, { code: 'too-deep', message, retry: 'never' });
    return;
  }
  const { round, attempt } = at;
  const total = call.inputs.length;
  draft.state.steps[at.step] = {
    status: 'nested',
    round,
    attempt,
    total,
    begun: 0,
    open: {},
    failed: [],
    ...(deadline !== undefined && { deadline }),
  };
  goOn(draft, at, call);
}

/** A run of a lane has ended. */
export function endLane(
  draft: Draft,
  event: Extract<RunEvent, { type: 'lane.ended' }>,
  call: LaneCall,
): void {
  const { step, index, result } = event;
  const nested = nestedStep(draft, event);
  if (!nested) return;
  const { [index]: ended, ...open } = nested.open;
  spendBelow(draft, event.usage ?? ended?.usage);
  const hasFailed = result.status !== 'succeeded';
  const isMap = planStep(draft.plan, step).type === 'map';
  draft.state.outputs[keptOutput(step, index)] = isMap ? itemOf(event.run, result) : outputOf(result);
  draft.state.steps[step] = {
    ...nested,
    open,
    failed: hasFailed ? [...nested.failed, index] : nested.failed,
  };
  if (hasFailed && call.onFailure === 'stop') {
    dropLanes(draft, step);
    failStep(draft, step, event.attempt, failureOf(draft, event, nested.total));
    return;
  }
  goOn(draft, event, call);
}

/** The step's own state, when it waits for this run. */
export function nestedStep(
  { state: { steps } }: { readonly state: Pick<RunState, 'steps'> },
  { step, round, attempt, index }: LaneRef,
): Nested | undefined {
  const state = steps[step];
  const fits =
    state?.status === 'nested' &&
    state.round === round &&
    state.attempt === attempt &&
    Object.hasOwn(state.open, index);
  return fits ? state : undefined;
}

/** A run of a lane goes on or waits, other than before; false = that is known, or the step does not wait for it. */
export function moveLane(draft: Draft, event: Extract<RunEvent, { type: 'lane.moved' }>): boolean {
  const nested = nestedStep(draft, event);
  if (!nested) return false;
  const { status, usage = nested.open[event.index]?.usage } = event;
  const lane: OpenLane = { status, ...(usage && { usage }) };
  if (JSON.stringify(lane) === JSON.stringify(nested.open[event.index])) return false;
  draft.state.steps[event.step] = { ...nested, open: { ...nested.open, [event.index]: lane } };
  return true;
}

/** Lets go of the runs of a step's lane: they are cancelled, and what others have made is of no use. */
export function dropLanes(draft: Draft, step: string): void {
  const nested = draft.state.steps[step];
  if (nested?.status !== 'nested') return;
  for (const [index, lane] of Object.entries(nested.open)) {
    abandon(draft, laneKey({ ...nested, step }, Number(index)));
    spendBelow(draft, lane.usage);
  }
  forgetOutputs(draft, step, nested.begun);
}

/** Starts as many runs as may be at work at once, and ends the step when none is left. */
export function goOn(draft: Draft, at: AttemptRef, call: LaneCall): void {
  const nested = draft.state.steps[at.step];
  if (nested?.status !== 'nested') return;
  const step = planStep(draft.plan, at.step);
  const open: Record<number, OpenLane> = { ...nested.open };
  let { begun } = nested;
  if (begun < nested.total && isRefused(draft, step)) {
    // Those at work end by themselves.
    if (Object.keys(open).length > 0) return;
    forgetOutputs(draft, at.step, begun);
    failStep(draft, at.step, at.attempt, BUDGET_REFUSED);
    return;
  }
  const isHeldUp = isHeld(draft, step);
  while (!isHeldUp && begun < nested.total && Object.keys(open).length < call.maxParallel) {
    const { round, attempt } = at;
    draft.effects.push({
      kind: 'lane',
      key: laneKey(at, begun),
      uses: call.uses,
      index: begun,
      input: call.inputs[begun] ?? {},
      step: at.step,
      round,
      attempt,
    });
    open[begun] = { status: 'running' };
    begun += 1;
  }
  draft.state.steps[at.step] = { ...nested, open, begun };
  if (begun === nested.total && Object.keys(open).length === 0) finish(draft, at, nested);
}

/** What a lane has used up counts whatever became of it. */
function spendBelow(draft: Draft, usage: Usage | undefined): void {
  if (usage) draft.state.usageBelow = addUsage(draft.state.usageBelow ?? NO_USAGE, usage);
}

function finish(draft: Draft, at: AttemptRef, { total, failed }: Nested): void {
  const isMap = planStep(draft.plan, at.step).type === 'map';
  const outputs = Array.from({ length: total }, (_, index) => ({
    index,
    output: own(draft.state.outputs, keptOutput(at.step, index)) ?? { text: '', json: {} },
  }));
  forgetOutputs(draft, at.step, total);
  const [only] = outputs;
  finishAttempt(draft, at, isMap || !only ? mapOutput(outputs, failed) : only.output);
}

function mapOutput(
  outputs: readonly { readonly index: number; readonly output: Output }[],
  failed: readonly number[],
): Output {
  const lost = new Set(failed);
  const items = outputs.map(
    ({ index, output }): Json => (lost.has(index) ? null : (output.json.value ?? null)),
  );
  const failures = outputs
    .filter(({ index }) => lost.has(index))
    .map(({ index, output }): JsonObject => ({ index, ...output.json }));
  return {
    text: `${items.length - lost.size} of ${items.length} succeeded.`,
    json: { items, failed: failures },
  };
}

function outputOf(result: LaneResult): Output {
  return result.status === 'succeeded' ? result.output : { text: result.reason, json: {} };
}

/** What one item came to: what its flow's `output` made, or else its data, or else its text; or why there is nothing. */
function itemOf(run: string, result: LaneResult): Output {
  if (result.status !== 'succeeded') {
    return { text: result.reason, json: { error: result.reason, status: result.status, run } };
  }
  const { text, json } = result.output;
  return { text, json: { value: result.value ?? (Object.keys(json).length > 0 ? json : text) } };
}

function failureOf(
  draft: Draft,
  { step, index, result }: Extract<RunEvent, { type: 'lane.ended' }>,
  total: number,
): Failure {
  const reason = result.status === 'succeeded' ? '' : result.reason;
  const which = planStep(draft.plan, step).type === 'map' ? `item ${index + 1} of ${total}: ` : '';
  return { code: `lane-${result.status}`, message: `${which}${reason}`, retry: 'never' };
}

function forgetOutputs(draft: Draft, step: string, total: number): void {
  for (let index = 0; index < total; index += 1) delete draft.state.outputs[keptOutput(step, index)];
}

/** Where the output of one run of a lane is kept until all have ended; no step has such an id. */
function keptOutput(step: string, index: number): string {
  return `${step}#${index}`;
}
