import type { Plan } from '../engine/flow/plan.ts';
import type { RunState } from '../engine/run/state.ts';

/** A run of a test. */
export interface SimulatedRun {
  readonly id: string;
  readonly plan: Plan;
  /** What stands in front of the names of its steps: `""`, or `deploy/`, or `each#2/` for an item. */
  readonly prefix: string;
  state: RunState;
}

/** The name of a step that stands for it in all items of a list: `each/build` for `each#2/build`. */
export function nameInAllItems(name: string): string {
  return name.replaceAll(/#\d+/g, '');
}
