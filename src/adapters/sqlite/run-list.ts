import type Database from 'better-sqlite3';
import type { RunStatus } from '../../engine/run/state.ts';
import type { RunFilter, RunRow } from '../../ports/store.ts';
import { address, type RunColumns, runColumns, toRunRow } from './columns.ts';

type Listed = RunColumns & { readonly n: number };

/** Lists runs, newest first, without touching their states. */
export function prepareRunList(db: Database.Database): (filter: RunFilter) => readonly RunRow[] {
  const statements = new Map<string, Database.Statement<(string | number)[], Listed>>();

  return (filter) => {
    // One look-up a status, merged: each walks an index in the order of the list and stops at the limit,
    // where one look-up for all would sort every run that has one of them.
    const lists =
      filter.statuses === undefined
        ? [list(filter, undefined)]
        : [...new Set(filter.statuses)].map((status) => list(filter, status));
    return lists
      .flat()
      .toSorted((a, b) => b.n - a.n)
      .slice(0, filter.limit)
      .map(({ n: _, ...columns }) => toRunRow(columns));
  };

  function list(
    { flow, startedBy, home, schedule, limit }: RunFilter,
    status: RunStatus | undefined,
  ): Listed[] {
    const wanted: [condition: string, value: string | undefined][] = [
      ['n in (select run from scheduled_runs where schedule = ?)', schedule],
      ['flow = ?', flow],
      ['status = ?', status],
      ['starter = ?', startedBy && address(startedBy.platform, startedBy.id)],
      ['home = ?', home && address(home.platform, home.conversation)],
    ];
    const set = wanted.filter((pair): pair is [string, string] => pair[1] !== undefined);
    const where = set.map(([condition]) => condition).join(' and ') || 'true';
    return statement(where).all(...set.map(([, value]) => value), limit);
  }

  function statement(where: string): Database.Statement<(string | number)[], Listed> {
    const known = statements.get(where);
    if (known !== undefined) return known;
    const made = db.prepare<(string | number)[], Listed>(
      `select n, ${runColumns} from runs where ${where} order by n desc limit ?`,
    );
    statements.set(where, made);
    return made;
  }
}
