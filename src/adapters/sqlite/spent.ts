import type Database from 'better-sqlite3';
import type { Usage } from '../../engine/agents/usage.ts';
import type { SpentOn } from '../../ports/store.ts';

/** Adds to what runs have used up on a day. To be called inside a transaction. */
export function prepareSpending(db: Database.Database): (spent: SpentOn) => void {
  const add = db.prepare(
    `insert into spent (day, flow, root, tokens, tool_calls, turns, cost_usd, unpriced)
     values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (day, flow, root) do update set
       tokens = tokens + excluded.tokens,
       tool_calls = tool_calls + excluded.tool_calls,
       turns = turns + excluded.turns,
       cost_usd = cost_usd + excluded.cost_usd,
       unpriced = unpriced + excluded.unpriced`,
  );
  return ({ day, flow, root, usage: { tokens, toolCalls, turns, costUsd, unpriced } }) =>
    void add.run(day, flow, root, tokens, toolCalls, turns, costUsd, unpriced);
}

/** Reads what they have used up. */
export function prepareSpent(db: Database.Database): (fromDay: string, toDay: string) => readonly SpentOn[] {
  const list = db.prepare<[string, string], Omit<SpentOn, 'usage'> & Usage>(
    `select day, flow, root, tokens, tool_calls as toolCalls, turns, cost_usd as costUsd, unpriced
     from spent where day between ? and ? order by day, flow, root`,
  );
  return (fromDay, toDay) =>
    list.all(fromDay, toDay).map(({ day, flow, root, ...usage }) => ({ day, flow, root, usage }));
}
