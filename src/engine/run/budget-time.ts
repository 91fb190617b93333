import { abandon, type Draft, setTimer } from './draft.ts';
import { ceilings } from './spending.ts';

/** Sets a timer for each part of the wall time at which something is to be done, when the time begins to count. */
export function setTimeMarks(draft: Draft, sinceMs: number): void {
  for (const markMs of timeMarks(draft)) {
    const leftMs = markMs - draft.state.spentMs;
    if (leftMs > 0) setTimer(draft, markTimer(sinceMs, markMs), sinceMs + leftMs);
  }
}

/** Lets go of them, when the time counts no more. */
export function dropTimeMarks(draft: Draft, sinceMs: number): void {
  for (const markMs of timeMarks(draft)) abandon(draft, markTimer(sinceMs, markMs));
}

/** Whether a timer is one of those. */
export function isTimeMark({ state }: Draft, timer: string): boolean {
  return state.activeSinceMs !== undefined && timer.startsWith(`run/budget/${state.activeSinceMs}/`);
}

function markTimer(sinceMs: number, markMs: number): string {
  return `run/budget/${sinceMs}/${markMs}`;
}

function timeMarks({ plan, state }: Draft): readonly number[] {
  const time = ceilings(plan, state).find(({ ceiling }) => ceiling === 'wallTime');
  if (!time) return [];
  return [...new Set([...plan.alerts, 1].map((part) => Math.ceil(time.limit * part)))];
}
