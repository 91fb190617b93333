import type Database from 'better-sqlite3';
import type { Usage } from '../../engine/agents/usage.ts';
import type { SpentOn } from '../../ports/store.ts';

/** Adds to what runs have used up on a day. To be called inside a transaction. */
export function prepareSpending(db: Database.Database): (spent: SpentOn) => void {
  const add = db.prepare(
    `insert into spent (day, flow, root, tokens, tool_calls, turns, cost_usd, unpriced, worked_ms)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (day, flow, root) do update set
       tokens = tokens + excluded.tokens,
       tool_calls = tool_calls + excluded.tool_calls,
       turns = turns + excluded.turns,
       cost_usd = cost_usd + excluded.cost_usd,
       unpriced = unpriced + excluded.unpriced,
       worked_ms = worked_ms + excluded.worked_ms`,
  );
  return ({ day, flow, root, usage: { tokens, toolCalls, turns, costUsd, unpriced, workedMs = 0 } }) =>
    void add.run(day, flow, root, tokens, toolCalls, turns, costUsd, unpriced, workedMs);
}

/** Reads what they have used up. */
export function prepareSpent(db: Database.Database): (fromDay: string, toDay: string) => readonly SpentOn[] {
  const list = db.prepare<[string, string], Omit<SpentOn, 'usage'> & Required<Usage>>(
    `select day, flow, root, tokens, tool_calls as toolCalls, turns, cost_usd as costUsd, unpriced,
       worked_ms as workedMs
     from spent where day between ? and ? order by day, flow, root`,
  );
  return (fromDay, toDay) =>
    list.all(fromDay, toDay).map(({ day, flow, root, workedMs, ...usage }) => ({
      day,
      flow,
      root,
      usage: { ...usage, ...(workedMs > 0 && { workedMs }) },
    }));
}
