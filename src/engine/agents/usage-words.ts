import type { Usage } from './usage.ts';

/** What was used up, for people: `1,200 tokens, 3 turns, 1 tool call, 12 s of work, $0.02`; `nothing` where nothing was. */
export function usageWords(usage: Usage): string {
  const { tokens, turns, toolCalls, costUsd, unpriced, workedMs = 0 } = usage;
  const counts = [counted(tokens, 'token'), counted(turns, 'turn'), counted(toolCalls, 'tool call')].flat();
  if (counts.length === 0 && costUsd === 0 && unpriced === 0) return 'nothing';
  const seconds = workedMs < 1_000 ? [] : [`${Math.round(workedMs / 1_000).toLocaleString('en')} s of work`];
  return [...counts, ...seconds, costWords(usage)].join(', ');
}

/** What it cost: what is unknown is said to be so, and is never nothing. */
function costWords({ costUsd, unpriced }: Pick<Usage, 'costUsd' | 'unpriced'>): string {
  if (unpriced === 0) return dollars(costUsd);
  const unknown = `cost unknown for ${unpriced.toLocaleString('en')} ${unpriced === 1 ? 'call' : 'calls'}`;
  return costUsd === 0 ? unknown : `${dollars(costUsd)} and ${unknown}`;
}

/** US dollars: `$12.50`; of less than one as much as there is to see: `$0.0012`. */
export function dollars(amount: number): string {
  const most = amount < 1 ? 4 : 2;
  const shown = amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: most });
  return amount > 0 && Number(shown) === 0 ? 'less than $0.0001' : `$${shown}`;
}

function counted(count: number, unit: string): readonly string[] {
  return count === 0 ? [] : [`${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`];
}
