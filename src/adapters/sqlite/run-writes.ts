import type Database from 'better-sqlite3';
import type { RunStatus } from '../../engine/run/state.ts';
import type { Commit, CommitOutcome } from '../../ports/store.ts';
import { address } from './columns.ts';

type RunMove = NonNullable<Commit['run']>;

/** What became of a run's move, with the number of its row. */
type Placed = { readonly kind: 'placed'; readonly n: number } | Exclude<CommitOutcome, { kind: 'committed' }>;

/** Writes moves of runs. To be called inside a transaction; writes nothing unless it answers `committed`. */
export function prepareRunWrites(db: Database.Database): (move: RunMove) => CommitOutcome {
  const ofStartKey = db.prepare<[string], { id: string }>('select id from runs where start_key = ?');
  const ofId = db.prepare<[string]>('select 1 from runs where id = ?');
  const insert = db.prepare(
    `insert into runs (id, start_key, revision, flow, version, status, started_at, updated_at,
       starter, starter_name, home, home_thread, root, parent, state)
     values (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const putScheduled = db.prepare('insert into scheduled_runs (run, schedule) values (?, ?)');
  const update = db.prepare<(string | number)[], { n: number; status: RunStatus }>(
    `update runs set revision = revision + 1, updated_at = ?, state = ? where id = ? and revision = ?
     returning n, status`,
  );
  const setStatus = db.prepare('update runs set status = ? where n = ?');
  const putOutput = db.prepare('insert or replace into outputs (run, step, output) values (?, ?, ?)');
  const dropOutput = db.prepare('delete from outputs where run = ? and step = ?');
  const append = db.prepare('insert into journal (run, event) values (?, ?)');
  const putCall = db.prepare(
    `insert into calls (run, key, begun, effect) values (?, ?, 0, ?)
     on conflict (run, key) do update set begun = 0, effect = excluded.effect`,
  );
  const dropCall = db.prepare('delete from calls where run = ? and key = ?');
  const putTimer = db.prepare('insert or replace into timers (run, key, due) values (?, ?, ?)');
  const dropTimer = db.prepare('delete from timers where run = ? and key = ?');
  const openQuestion = db.prepare(
    `insert into questions (id, run, open, question) values (?, ?, 1, ?)
     on conflict (id) do update set open = 1, question = excluded.question`,
  );
  const closeQuestion = db.prepare("update questions set open = 0, question = '{}' where id = ?");

  return (move) => {
    const placed = move.expectedRevision === 0 ? placeNew(move) : placeKnown(move);
    if (placed.kind !== 'placed') return placed;
    writeDetails(placed.n, move);
    return { kind: 'committed', revision: move.expectedRevision + 1 };
  };

  function placeNew(move: RunMove): Placed {
    const { row, startKey, schedule } = move;
    const earlier = startKey === undefined ? undefined : ofStartKey.get(startKey);
    if (earlier !== undefined) return { kind: 'duplicate', run: earlier.id };
    if (ofId.get(row.id) !== undefined) return { kind: 'conflict' };
    const { lastInsertRowid } = insert.run(
      row.id,
      startKey ?? null,
      row.flow,
      row.version,
      row.status,
      row.startedAtMs,
      row.updatedAtMs,
      row.startedBy === undefined ? null : address(row.startedBy.platform, row.startedBy.id),
      row.startedBy === undefined ? null : JSON.stringify(row.startedBy.name),
      row.home === undefined ? null : address(row.home.platform, row.home.conversation),
      row.home?.thread ?? null,
      row.parent?.root ?? null,
      row.parent?.run ?? null,
      JSON.stringify(move.state),
    );
    if (schedule !== undefined) putScheduled.run(lastInsertRowid, schedule);
    return { kind: 'placed', n: Number(lastInsertRowid) };
  }

  function placeKnown(move: RunMove): Placed {
    const { row, expectedRevision, state } = move;
    const run = update.get(row.updatedAtMs, JSON.stringify(state), row.id, expectedRevision);
    if (run === undefined) return { kind: 'conflict' };
    // Apart, because naming an indexed column rewrites its index even when nothing changed.
    if (run.status !== row.status) setStatus.run(row.status, run.n);
    return { kind: 'placed', n: run.n };
  }

  function writeDetails(n: number, move: RunMove): void {
    for (const [step, output] of move.outputs) {
      if (output === null) dropOutput.run(n, step);
      else putOutput.run(n, step, JSON.stringify(output));
    }
    for (const event of move.events) append.run(n, JSON.stringify(event));
    for (const key of move.ended) {
      if (dropCall.run(n, key).changes === 0) dropTimer.run(n, key);
    }
    for (const call of move.calls) putCall.run(n, call.key, JSON.stringify(call));
    for (const timer of move.timers) putTimer.run(n, timer.key, timer.dueMs);
    for (const id of move.questions.closed) closeQuestion.run(id);
    for (const { id, run: _, ...question } of move.questions.open) {
      openQuestion.run(id, n, JSON.stringify(question));
    }
  }
}
