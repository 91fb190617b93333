import type { Plan } from '../flow/plan.ts';
import type { RunEvent } from './event.ts';
import type { RunState } from './state.ts';
import { begin, type Transition, transition } from './transition.ts';

/** An event of a journal, and what it came to. One that did not fit any more has moved nothing. */
export interface Replayed {
  /** Its position in the journal that was given. */
  readonly index: number;
  readonly event: RunEvent;
  /** Absent = the run begins with it. */
  readonly before: RunState | undefined;
  readonly moved: Transition;
}

/** Goes through a journal once more. What comes before a beginning is passed over. @param from where the run was before it */
export function* replay(
  plan: Plan,
  run: string,
  journal: readonly RunEvent[],
  from?: RunState,
): Generator<Replayed> {
  let before = from;
  for (const [index, event] of journal.entries()) {
    const moved = moveOf(plan, run, before, event);
    if (!moved) continue;
    yield { index, event, before, moved };
    before = moved.state;
  }
}

function moveOf(
  plan: Plan,
  run: string,
  before: RunState | undefined,
  event: RunEvent,
): Transition | undefined {
  if (before) return transition(plan, before, event);
  return event.type === 'run.started' ? begin(plan, run, event) : undefined;
}
