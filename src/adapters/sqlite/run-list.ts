import type Database from 'better-sqlite3';
import { FINAL_STATUSES, OPEN_STATUSES, type RunStatus } from '../../engine/run/state.ts';
import type { RunFilter, RunRow } from '../../ports/store.ts';
import { address, type RunColumns, runColumns, toRunRow } from './columns.ts';

type Listed = RunColumns & { readonly n: number };

const ALL_STATUSES = [...OPEN_STATUSES, ...FINAL_STATUSES];

/** Lists runs, newest first, without touching their states. */
export function prepareRunList(db: Database.Database): (filter: RunFilter) => readonly RunRow[] {
  const statements = new Map<string, Database.Statement<(string | number)[], Listed>>();

  return (filter) => {
    // One look-up a status, merged: each walks an index in the order of the list and stops at the limit,
    // where one look-up for all would sort every run that has one of them.
    const statuses = filter.statuses ?? (isOpenEnded(filter) ? ALL_STATUSES : undefined);
    const lists =
      statuses === undefined
        ? [list(filter, undefined)]
        : [...new Set(statuses)].map((status) => list(filter, status));
    return lists
      .flat()
      .toSorted((a, b) => b.n - a.n)
      .slice(0, filter.limit)
      .map(({ n: _, ...columns }) => toRunRow(columns));
  };

  function list(
    { flow, startedBy, home, schedule, lanes, root, parent, before, limit }: RunFilter,
    status: RunStatus | undefined,
  ): Listed[] {
    const wanted: [condition: string, value: string | undefined][] = [
      ['n in (select run from scheduled_runs where schedule = ?)', schedule],
      ['flow = ?', flow],
      // `+`: the lanes of a run are few, those in a state are not, and SQLite would take the index of states.
      [root === undefined && parent === undefined ? 'status = ?' : '+status = ?', status],
      ['starter = ?', startedBy && address(startedBy.platform, startedBy.id)],
      ['home = ?', home && address(home.platform, home.conversation)],
      ['root = ?', root],
      ['parent = ?', parent],
      ['n < (select n from runs where id = ?)', before],
    ];
    const set = wanted.filter((pair): pair is [string, string] => pair[1] !== undefined);
    const areLanes = lanes === true || root !== undefined || parent !== undefined;
    // The indexes are of the lanes or of the others, and this is what tells SQLite which of them to use.
    const where = [
      areLanes ? 'root is not null' : 'root is null',
      ...set.map(([condition]) => condition),
    ].join(' and ');
    return statement(where).all(...set.map(([, value]) => value), limit ?? -1);
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

/** Only the indexes of states have all runs at the top, or all lanes; one more would make each start dearer. */
function isOpenEnded({ flow, startedBy, home, schedule, root, parent }: RunFilter): boolean {
  return [flow, startedBy, home, schedule, root, parent].every((narrower) => narrower === undefined);
}
