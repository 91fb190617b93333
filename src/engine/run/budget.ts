import type { Plan, PlanStep } from '../flow/plan.ts';
import { dropTimeMarks, setTimeMarks } from './budget-time.ts';
import { alertContent, overrun } from './budget-words.ts';
import { type Draft, showCard } from './draft.ts';
import { closeQuestion, openBudgetQuestion } from './questions.ts';
import { ceilings, ceilingsReached, hasUnpriced, isOverBudget, spentOf } from './spending.ts';
import type { BudgetState, Ceiling, RunState } from './state.ts';

/** How a run stands to its budget at first. */
export const FRESH_BUDGET: BudgetState = { raised: {}, takesUnpriced: false, alerted: [] };

/** Whether a step has to wait because the budget is used up; with one that was stopped nothing waits any more. */
export function isHeld({ plan, state, atMs }: Draft, step: PlanStep): boolean {
  if (!plan.budget || state.budget?.stopped) return false;
  return isWork(step) && isOverBudget(plan, state, atMs);
}

/** Whether nothing that works may start any more, because people have refused more budget. */
export function isRefused({ state }: Draft, step: PlanStep): boolean {
  return state.budget?.stopped === true && isWork(step);
}

/** Gives the alerts that are due, and asks for more at a ceiling when something waits for it. */
export function watchBudget(draft: Draft): void {
  const { plan, state, atMs } = draft;
  if (!plan.budget || state.stopping || state.budget?.stopped) return;
  giveAlerts(draft);
  const question = state.budget?.question;
  const isOver = isOverBudget(plan, state, atMs);
  const waiting = isOver ? waitingStep(draft) : undefined;
  if (question !== undefined && waiting === undefined) {
    closeBudgetQuestion(draft, 'Nothing needs more of the budget now.');
  } else if (question === undefined && waiting !== undefined) {
    const id = openBudgetQuestion(draft, waiting, overrun(plan, state, atMs));
    state.budget = { ...(state.budget ?? FRESH_BUDGET), question: id };
  }
}

/** Whether there is anything to be told or asked about the budget now. */
export function hasBudgetNews(draft: Draft): boolean {
  const { plan, state, atMs } = draft;
  const spent = spentOf(state, atMs);
  const isDue = ceilings(plan, state).some(
    ({ ceiling, limit }) => dueAlerts(plan, state, ceiling, spent[ceiling] / limit).length > 0,
  );
  const isUnasked = state.budget?.question === undefined && isOverBudget(plan, state, atMs);
  return isDue || (isUnasked && waitingStep(draft) !== undefined);
}

/** Closes the question about the budget, if one is open. */
export function closeBudgetQuestion(draft: Draft, why: string): void {
  const { budget } = draft.state;
  if (budget?.question === undefined) return;
  closeQuestion(draft, budget.question, { status: 'superseded', why });
  forgetQuestion(draft);
}

/** People have let the run go on: each ceiling that is reached is raised by as much again. */
export function raiseBudget(draft: Draft): void {
  const { plan, state, atMs } = draft;
  const { raised, alerted } = state.budget ?? FRESH_BUDGET;
  const more = { ...raised };
  const reached = ceilingsReached(plan, state, atMs);
  const spent = spentOf(state, atMs);
  for (const ceiling of reached) {
    const step = plan.budget?.[ceiling] ?? 0;
    // What was in flight may have gone far beyond it.
    const times = Math.floor((spent[ceiling] - step - (more[ceiling] ?? 0)) / step) + 1;
    more[ceiling] = (more[ceiling] ?? 0) + step * Math.max(1, times);
  }
  // Of a ceiling that is raised people are told anew.
  const kept = alerted.filter((alert) => !reached.some((ceiling) => alert.startsWith(`${ceiling} `)));
  const hadUnpriced = hasUnpriced(plan, state);
  const sinceMs = reached.includes('wallTime') ? state.activeSinceMs : undefined;
  // Those of the old ceiling that have not rung yet.
  if (sinceMs !== undefined) dropTimeMarks(draft, sinceMs);
  forgetQuestion(draft);
  const before = state.budget ?? FRESH_BUDGET;
  state.budget = {
    ...before,
    raised: more,
    alerted: kept,
    takesUnpriced: before.takesUnpriced || hadUnpriced,
  };
  if (sinceMs !== undefined) setTimeMarks(draft, sinceMs);
}

/** People have refused more. */
export function stopBudget(draft: Draft): void {
  forgetQuestion(draft);
  draft.state.budget = { ...(draft.state.budget ?? FRESH_BUDGET), stopped: true };
}

function forgetQuestion({ state }: Draft): void {
  const { question: _, ...budget } = state.budget ?? FRESH_BUDGET;
  state.budget = budget;
}

/** What the budget says when people have refused more: a failure that is never retried. */
export const BUDGET_REFUSED = {
  code: 'budget',
  message: 'the budget of this run is used up, and more was refused.',
  retry: 'never',
} as const;

/** Whether a step calls something outside, or runs a flow that may. What people are told costs nothing. */
function isWork({ type, stepType, config }: PlanStep): boolean {
  if (type === 'message') return false;
  return stepType.calls === true || stepType.uses?.(config) !== undefined;
}

/** A step that can't go on without more: one whose turn has come, or one whose lanes may want to. */
function waitingStep({ plan, state }: Draft): string | undefined {
  const ids = [...plan.steps.values()].filter(isWork).map(({ id }) => id);
  return (
    ids.find((id) => state.steps[id]?.status === 'ready') ??
    ids.find((id) => state.steps[id]?.status === 'nested')
  );
}

function giveAlerts(draft: Draft): void {
  const { plan, state, atMs } = draft;
  const spent = spentOf(state, atMs);
  for (const { ceiling, limit } of ceilings(plan, state)) {
    const due = dueAlerts(plan, state, ceiling, spent[ceiling] / limit);
    if (due.length === 0) continue;
    const budget = state.budget ?? FRESH_BUDGET;
    state.budget = { ...budget, alerted: [...budget.alerted, ...due] };
    // Of several that are due at once the highest says it all.
    const post = `budget/${state.id}/${due.at(-1)?.replace(' ', '/')}/${limit}`;
    showCard(draft, post, alertContent(draft, ceiling, spent[ceiling], limit));
  }
}

/** Alerts about a ceiling that are due and were not given. @param part how much of it is used up, from 0 */
function dueAlerts(
  { alerts }: Plan,
  { budget }: RunState,
  ceiling: Ceiling,
  part: number,
): readonly string[] {
  return alerts
    .filter((alert) => part >= alert)
    .map((alert) => `${ceiling} ${alert}`)
    .filter((alert) => !budget?.alerted.includes(alert));
}
