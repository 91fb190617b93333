import type { Usage } from '../agents/usage.ts';
import { checkInput } from '../data/input.ts';
import type { Plan } from '../flow/plan.ts';
import type { JsonObject } from '../json.ts';
import type { Person } from '../people.ts';
import type { AttemptRef, LaneResult, RunStart } from './event.ts';
import { usageOf } from './spending.ts';
import type { RunState } from './state.ts';

/** The place of a run among those that a step starts. */
export interface LaneRef extends AttemptRef {
  readonly index: number;
}

/** Key of the call that is a run of a lane. */
export function laneKey({ step, round, attempt }: AttemptRef, index: number): string {
  return `${step}/${round}/${attempt}/${index}`;
}

/** What such a key stands for; undefined = it is the key of something else. */
export function laneRef(key: string): LaneRef | undefined {
  const [, step, round, attempt, index] = /^([^/]+)\/(\d+)\/(\d+)\/(\d+)$/.exec(key) ?? [];
  if (step === undefined) return undefined;
  return { step, round: Number(round), attempt: Number(attempt), index: Number(index) };
}

/** The input of a run of a lane, with its defaults; or why it does not fit, as the step hears it. */
export function laneInput(
  lane: Plan,
  input: JsonObject,
): { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly result: LaneResult } {
  const checked = lane.input ? checkInput(lane.input, input) : { ok: true as const, input };
  if (checked.ok) return checked;
  const problems = checked.problems.map(({ message }) => message).join('; ');
  return {
    ok: false,
    result: { status: 'failed', reason: `the input of ${lane.name} does not fit: ${problems}.` },
  };
}

/**
 * How a run of a lane begins: on behalf of the same people, in the same conversation.
 * @param above the run whose step starts it, and its plan @param lane the plan of the new run @param call that of the step
 */
export function laneStart(
  { state: { id, start }, plan }: { readonly state: RunState; readonly plan: Plan },
  lane: Plan,
  { key }: { readonly key: string },
  input: RunStart['input'],
): RunStart {
  const { person, requesters, home, homeName, parent } = start;
  const workspace = parent?.workspace ?? (plan.workspace === 'none' ? undefined : id);
  return {
    trigger: 'flow',
    text: '',
    prompt: '',
    input,
    files: [],
    ...(person && { person }),
    ...(requesters && { requesters }),
    ...(home && { home }),
    ...(homeName !== undefined && { homeName }),
    parent: {
      run: id,
      call: key,
      root: parent?.root ?? id,
      rootFlow: parent?.rootFlow ?? plan.id,
      slots: parent?.slots ?? plan.maxParallel,
      depth: (parent?.depth ?? 0) + 1,
      ...(workspace !== undefined && lane.workspace !== 'none' && { workspace }),
    },
  };
}

/** Who cancels a run that its step does not want any more. */
export const BY_ITS_STEP: Person = {
  platform: 'flowbot',
  id: 'parent',
  name: 'the run whose step started it',
};

/** What the step hears of what a run, with those below it, has used up so far; empty = nothing. */
export function laneUsage(state: RunState): { readonly usage?: Usage } {
  const usage = usageOf(state);
  return Object.values(usage).some((amount) => amount > 0) ? { usage } : {};
}

/** What the step hears of a run that has ended. */
export function laneResult(state: RunState): LaneResult {
  const { status, reason } = state;
  switch (status) {
    case 'succeeded':
      return {
        status,
        output: state.result ?? { text: '', json: {} },
        ...(state.output !== undefined && { value: state.output }),
      };
    case 'failed':
    case 'rejected':
    case 'cancelled':
      return { status, reason: reason ?? 'it did not succeed.' };
    case 'queued':
    case 'running':
    case 'waiting':
    case 'attention':
      throw new Error(`A run that is ${status} has no result.`);
  }
}
