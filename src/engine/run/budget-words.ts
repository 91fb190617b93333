import { dollars } from '../agents/usage-words.ts';
import { formatDuration } from '../data/duration.ts';
import type { Plan } from '../flow/plan.ts';
import type { PostContent } from '../post.ts';
import { literal, md } from '../prose.ts';
import type { Draft } from './draft.ts';
import { ceilings, hasUnpriced, spentOf, usageOf } from './spending.ts';
import type { Ceiling, RunState } from './state.ts';

export function alertContent(
  { plan, state: { id, start } }: Draft,
  ceiling: Ceiling,
  spent: number,
  limit: number,
): PostContent {
  const percent = Math.floor((spent / limit) * 100);
  return {
    prose: [
      md('📊 **'),
      literal(plan.name),
      md(
        `** has used up ${percent} % of its budget: ${inUnits(ceiling, spent)} of ${inUnits(ceiling, limit)}`,
      ),
      md(` (run \`${id}\`).`),
    ],
    buttons: [],
    notify: start.person && start.person.platform === start.home?.platform ? [start.person.id] : [],
  };
}

/** Why people are asked, in sentences. */
export function overrun(plan: Plan, state: RunState, nowMs: number): string {
  const spent = spentOf(state, nowMs);
  const reached = ceilings(plan, state)
    .filter(({ ceiling, limit }) => spent[ceiling] >= limit)
    .map(
      ({ ceiling, limit }) =>
        `${inUnits(ceiling, spent[ceiling])} of ${inUnits(ceiling, limit)} are used up.`,
    );
  const { unpriced } = usageOf(state);
  const unknown = hasUnpriced(plan, state)
    ? [`Nobody knows what ${unpriced} of its agent calls cost, and its cost is limited.`]
    : [];
  return [...reached, ...unknown, 'Nothing new starts until somebody decides.'].join(' ');
}

/** An amount with its unit: `1,200 tokens`, `$0.25`. */
export function inUnits(ceiling: Ceiling, amount: number): string {
  switch (ceiling) {
    case 'tokens':
      return `${amount.toLocaleString('en')} tokens`;
    case 'toolCalls':
      return `${amount.toLocaleString('en')} tool calls`;
    case 'maxTurns':
      return `${amount.toLocaleString('en')} turns`;
    case 'costUsd':
      return dollars(amount);
    case 'wallTime':
      return formatDuration(amount);
  }
}
