import { BUDGET_REFUSED } from '../engine/run/budget.ts';
import { type BudgetStanding, overLimit, standingOf, takesSlot, worstOf } from '../engine/run/tree.ts';
import type { Failure } from '../engine/steps/step-type.ts';
import type { FakedEffect } from './fake-results.ts';
import type { SimulatedRun } from './simulated-run.ts';

/**
 * What runs share that started each other: the slots of the one at the top, what they may send and ask, and the budgets of
 * all above. Of the one at the top the engine itself sees to that.
 */
export interface Slots {
  /** Lets a call begin when there is a slot for it, or with the failure that it may never. */
  enter(run: SimulatedRun, effect: FakedEffect, begin: (failure?: Failure) => void): void;
  /** A call has ended, or is not wanted any more. */
  leave(run: SimulatedRun, key: string): void;
  /** Something has changed: calls that had to wait may begin. */
  look(): void;
}

interface Waiting {
  readonly run: SimulatedRun;
  readonly name: string;
  readonly begin: (failure?: Failure) => void;
}

/** Makes them. @param runs all runs, also those that come later @param nowMs epoch ms */
export function createSlots(runs: readonly SimulatedRun[], nowMs: () => number): Slots {
  const taken = new Set<string>();
  let waiting: readonly Waiting[] = [];

  /** How the runs above a run stand to their budgets. */
  function standingAbove({ state: { start } }: SimulatedRun): BudgetStanding {
    const above = runs.find(({ id }) => id === start.parent?.run);
    if (!above) return 'free';
    return worstOf([standingOf(above.plan, above.state, nowMs()), standingAbove(above)]);
  }

  function look(): void {
    for (const one of waiting) {
      const standing = standingAbove(one.run);
      const slots = one.run.state.start.parent?.slots ?? Number.POSITIVE_INFINITY;
      if (standing === 'asked' || (standing === 'free' && taken.size >= slots)) continue;
      waiting = waiting.filter((other) => other !== one);
      if (standing === 'free') taken.add(one.name);
      one.begin(standing === 'refused' ? BUDGET_REFUSED : undefined);
    }
  }

  return {
    enter(run, effect, begin) {
      if (!takesSlot(effect)) {
        begin();
        return;
      }
      const states = runs.map(({ state }) => state);
      const failure = overLimit(states, effect);
      if (failure) {
        begin(failure);
        return;
      }
      waiting = [...waiting, { run, name: nameOf(run, effect.key), begin }];
      look();
    },
    leave(run, key) {
      const name = nameOf(run, key);
      taken.delete(name);
      waiting = waiting.filter((one) => one.name !== name);
    },
    look,
  };
}

function nameOf({ id }: SimulatedRun, key: string): string {
  return `${id} ${key}`;
}
