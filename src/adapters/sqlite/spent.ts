import type Database from 'better-sqlite3';
import type { Usage } from '../../engine/agents/usage.ts';
import type { SpentOn } from '../../ports/store.ts';

/** Adds to what runs have used up on a day. To be called inside a transaction. */
export function prepareSpending(db: Database.Database): (spent: SpentOn) => void {
  const add = db.prepare(
    `insert into spent (day, flow, root, agent, tokens, tool_calls, turns, cost_usd, unpriced, worked_ms)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (day, flow, root, agent) do update set
       tokens = tokens + excluded.tokens,
       tool_calls = tool_calls + excluded.tool_calls,
       turns = turns + excluded.turns,
       cost_usd = cost_usd + excluded.cost_usd,
       unpriced = unpriced + excluded.unpriced,
       worked_ms = worked_ms + excluded.worked_ms`,
  );
  return ({
    day,
    flow,
    root,
    agent = '',
    usage: { tokens, toolCalls, turns, costUsd, unpriced, workedMs = 0 },
  }) => void add.run(day, flow, root, agent, tokens, toolCalls, turns, costUsd, unpriced, workedMs);
}

/** Reads what they have used up. */
export function prepareSpent(db: Database.Database): (fromDay: string, toDay: string) => readonly SpentOn[] {
  const list = db.prepare<[string, string], Required<Omit<SpentOn, 'usage'>> & Required<Usage>>(
    `select day, flow, root, agent, tokens, tool_calls as toolCalls, turns, cost_usd as costUsd, unpriced,
       worked_ms as workedMs
     from spent where day between ? and ? order by day, flow, root, agent`,
  );
  return (fromDay, toDay) =>
    list.all(fromDay, toDay).map(({ day, flow, root, agent, workedMs, ...usage }) => ({
      day,
      flow,
      root,
      ...(agent !== '' && { agent }),
      usage: { ...usage, ...(workedMs > 0 && { workedMs }) },
    }));
}
