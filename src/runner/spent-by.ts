import type { Plan } from '../engine/flow/plan.ts';
import { dayOf } from '../engine/run/day-budget.ts';
import type { RunEvent, RunStart } from '../engine/run/event.ts';
import type { RunRow, SpentOn } from '../ports/store.ts';

/** What an event has used up; undefined = nothing. What the runs of lanes have used up is told by their own events. */
export function spentBy(
  { flow }: Pick<RunRow, 'flow'>,
  { parent }: Pick<RunStart, 'parent'>,
  event: RunEvent,
  { steps }: Pick<Plan, 'steps'>,
): SpentOn | undefined {
  switch (event.type) {
    case 'step.done':
    case 'step.failed':
    case 'step.unknown':
    case 'step.parked':
    case 'agent.turned': {
      const { atMs, usage } = event;
      if (!usage) return undefined;
      const step = steps.get(event.step);
      const agent = step?.stepType.agents?.(step.config)[0]?.name;
      return {
        day: dayOf(atMs),
        flow,
        root: parent?.rootFlow ?? flow,
        ...(agent !== undefined && { agent }),
        usage,
      };
    }
    default:
      return undefined;
  }
}
