import { type Cron, cronTimes } from './cron.ts';
import { instantOf, type Zone } from './zone.ts';

/** When a schedule is due. */
export type Rule =
  | { readonly kind: 'cron'; readonly cron: Cron; readonly zone: Zone }
  /** At multiples of a length of time since midnight of Monday, 1 January 2001, in the zone. */
  | { readonly kind: 'every'; readonly everyMs: number; readonly zone: Zone }
  /** Once, at an instant (epoch ms). */
  | { readonly kind: 'at'; readonly atMs: number };

/** When a rule is due after an instant (epoch ms), ascending. */
export function* timesAfter(rule: Rule, afterMs: number): Generator<number> {
  switch (rule.kind) {
    case 'cron':
      yield* cronTimes(rule.cron, rule.zone, afterMs);
      return;
    case 'every':
      yield* multiplesAfter(rule.everyMs, rule.zone, afterMs);
      return;
    case 'at':
      if (rule.atMs > afterMs) yield rule.atMs;
  }
}

/** The first of them. */
export function nextTime(rule: Rule, afterMs: number): number | undefined {
  for (const dueMs of timesAfter(rule, afterMs)) return dueMs;
  return undefined;
}

function* multiplesAfter(everyMs: number, zone: Zone, afterMs: number): Generator<number> {
  const originMs = instantOf(zone, Date.UTC(2001, 0, 1));
  for (let nth = Math.floor((afterMs - originMs) / everyMs) + 1; ; nth += 1) yield originMs + nth * everyMs;
}
