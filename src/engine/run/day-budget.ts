import { addUsage, NO_USAGE, type Usage } from '../agents/usage.ts';
import type { Named } from '../named.ts';
import { literal, md, type Prose } from '../prose.ts';
import { inUnits } from './budget-words.ts';
import type { Parked } from './parked.ts';
import type { Ceiling } from './state.ts';

/** The ceilings of a day. Time is none of them: runs take it side by side. */
export type DayCeiling = Exclude<Ceiling, 'wallTime'>;

/** What may be used up on a day: tokens, tool calls, US dollars, turns. */
export type PerDay = Readonly<Partial<Record<DayCeiling, number>>>;

/** What all flows together may use up on a day, and at which parts of it admins are told, from 0 to 1. */
export interface HostBudget {
  readonly perDay: PerDay;
  readonly alerts: readonly number[];
}

/** A budget of a day, and what is used up of it. */
export interface DayBudget {
  /** What it is of, and which day: `flow/release/2026-11-30`, `host/2026-11-30`. */
  readonly key: string;
  /** Of UTC: `2026-11-30`. */
  readonly day: string;
  /** Name of its flow; absent = it is for all flows together. */
  readonly flow?: string;
  readonly perDay: PerDay;
  /** Parts of it at which a person is told, from 0 to 1. */
  readonly alerts: readonly number[];
  readonly spent: Usage;
  /** Who may let a run go on over it; absent = who may start its flow. */
  readonly approvers?: Named;
}

/** What is told at a part of a budget. */
export interface DayAlert {
  /** The same for the same part of the same ceiling and day: told once. */
  readonly post: string;
  readonly prose: Prose;
}

const DAY_MS = 86_400_000;

/** The day of an instant in UTC: `2026-11-30`. @param atMs epoch ms */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** The day so many days before another. */
export function daysBefore(day: string, count: number): string {
  return dayOf(Date.parse(day) - count * DAY_MS);
}

/** What some runs have used up together. */
export function usedUp(spent: readonly { readonly usage: Usage }[]): Usage {
  return spent.map(({ usage }) => usage).reduce(addUsage, NO_USAGE);
}

/** Whether what was used up counts for a flow: by runs of it, or by runs below one of it at the top. */
export function countsFor(flow: string, spent: { readonly flow: string; readonly root: string }): boolean {
  return spent.flow === flow || spent.root === flow;
}

/** Why nothing may begin under a budget, if a ceiling is reached, or work of unknown cost was done under one of cost. */
export function overDay(budget: DayBudget): Extract<Parked, { kind: 'day' }> | undefined {
  const { key, day, flow, perDay, spent, approvers } = budget;
  const reached = ceilingsOf(budget)
    .filter(({ amount, limit }) => amount >= limit)
    .map(({ ceiling, amount, limit }) => `${inUnits(ceiling, amount)} of ${inUnits(ceiling, limit)}`);
  const isUnknown = perDay.costUsd !== undefined && spent.unpriced > 0;
  if (reached.length === 0 && !isUnknown) return undefined;
  const whose = flow ?? 'All flows together';
  const why = [
    ...(reached.length > 0 ? [`${whose}: ${listed(reached)} are used up on ${day} (UTC).`] : []),
    ...(isUnknown
      ? [
          `${whose}: nobody knows what ${calls(spent.unpriced)} on ${day} (UTC) cost, and the cost is limited.`,
        ]
      : []),
  ].join(' ');
  return {
    kind: 'day',
    budget: key,
    why,
    untilMs: Date.parse(day) + DAY_MS,
    ...(approvers && { approvers }),
  };
}

/** The alerts that are due: of several of one ceiling the highest, which says it all. */
export function dayAlerts(budget: DayBudget): readonly DayAlert[] {
  return ceilingsOf(budget).flatMap(({ ceiling, amount, limit }) => {
    const due = budget.alerts.filter((part) => amount / limit >= part);
    if (due.length === 0) return [];
    const part = Math.max(...due);
    return [
      { post: `budget/day/${budget.key}/${ceiling}/${part}`, prose: told(budget, ceiling, amount, limit) },
    ];
  });
}

function told({ flow, day }: DayBudget, ceiling: DayCeiling, amount: number, limit: number): Prose {
  const percent = Math.floor((amount / limit) * 100);
  const of = `${inUnits(ceiling, amount)} of ${inUnits(ceiling, limit)} on ${day} (UTC).`;
  if (flow === undefined) {
    return [md(`📊 All flows together have used up ${percent} % of their budget of the day: ${of}`)];
  }
  return [md('📊 **'), literal(flow), md(`** has used up ${percent} % of its budget of the day: ${of}`)];
}

const CEILINGS = ['tokens', 'toolCalls', 'costUsd', 'maxTurns'] as const;

function ceilingsOf({ perDay, spent }: DayBudget): readonly {
  readonly ceiling: DayCeiling;
  readonly amount: number;
  readonly limit: number;
}[] {
  const { tokens, toolCalls, costUsd, turns } = spent;
  const amounts = { tokens, toolCalls, costUsd, maxTurns: turns };
  return CEILINGS.flatMap((ceiling) => {
    const limit = perDay[ceiling];
    return limit === undefined ? [] : [{ ceiling, amount: amounts[ceiling], limit }];
  });
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function calls(count: number): string {
  return count === 1 ? 'a call of a model' : `${count.toLocaleString('en')} calls of models`;
}
