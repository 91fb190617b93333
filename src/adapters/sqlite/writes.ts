import type Database from 'better-sqlite3';
import type { Json } from '../../engine/json.ts';
import type {
  Commit,
  CommitOutcome,
  PostProgress,
  StoredDelivery,
  StoredSchedule,
} from '../../ports/store.ts';
import { prepareAudit } from './audit.ts';
import { prepareRunWrites } from './run-writes.ts';
import { prepareSpending } from './spent.ts';

/** All writes of the store. To be called inside a transaction. */
export interface Writes {
  commit(commit: Commit): CommitOutcome;
  receive(delivery: StoredDelivery): boolean;
  saveVersion(hash: string, definition: Json): void;
  setSwitch(flow: string, enabled: boolean): void;
  setNote(key: string, value: Json): void;
  saveSchedules(changed: readonly StoredSchedule[], gone: readonly string[]): void;
}

export function prepareWrites(db: Database.Database): Writes {
  const moveRun = prepareRunWrites(db);
  const appendAudit = prepareAudit(db);
  const spend = prepareSpending(db);
  const begin = db.prepare(
    'update calls set begun = 1 where run = (select n from runs where id = ?) and key = ?',
  );
  const putConversation = db.prepare(
    'insert or replace into conversations (run, key, conversation) select n, ?, ? from runs where id = ?',
  );
  const putPost = db.prepare(
    `insert into posts (key, run, target, content, revision, shown) values (?, ?, ?, ?, 1, 0)
     on conflict (key) do update set content = excluded.content, revision = revision + 1, failed = null
     where content <> excluded.content`,
  );
  const putPart = db.prepare(
    'insert or replace into post_parts (post, position, part) select n, ?, ? from posts where key = ?',
  );
  const setShown = db.prepare('update posts set shown = ? where key = ?');
  const setFailed = db.prepare('update posts set failed = ? where key = ?');
  const deliver = db.prepare('update deliveries set done = 1 where id = ?');
  const receive = db.prepare(
    'insert or ignore into deliveries (id, received_at, done, event) values (?, ?, 0, ?)',
  );
  const saveVersion = db.prepare('insert or ignore into versions (hash, definition) values (?, ?)');
  const setSwitch = db.prepare('insert or replace into switches (flow, enabled) values (?, ?)');
  const putSchedule = db.prepare('insert or replace into schedules (id, schedule) values (?, ?)');
  const dropSchedule = db.prepare('delete from schedules where id = ?');
  const setNote = db.prepare('insert or replace into notes (key, value) values (?, ?)');

  return {
    commit(commit) {
      const outcome: CommitOutcome =
        commit.run === undefined ? { kind: 'committed', revision: 0 } : moveRun(commit.run);
      if (outcome.kind === 'committed') writeAround(commit);
      return outcome;
    },
    receive({ id, receivedAtMs, event }) {
      return receive.run(id, receivedAtMs, JSON.stringify(event)).changes === 1;
    },
    saveVersion(hash, definition) {
      saveVersion.run(hash, JSON.stringify(definition));
    },
    setSwitch(flow, enabled) {
      setSwitch.run(flow, enabled ? 1 : 0);
    },
    setNote(key, value) {
      setNote.run(key, JSON.stringify(value));
    },
    saveSchedules(changed, gone) {
      for (const id of gone) dropSchedule.run(id);
      for (const { id, ...schedule } of changed) putSchedule.run(id, JSON.stringify(schedule));
    },
  };

  /** What a commit says beside the move of its run. */
  function writeAround(commit: Commit): void {
    if (commit.spent) spend(commit.spent);
    for (const { run, key, conversation } of commit.conversations ?? []) {
      putConversation.run(key, JSON.stringify(conversation), run);
    }
    for (const { run, key } of commit.begin ?? []) begin.run(run, key);
    for (const { key, run, target, content } of commit.posts ?? []) {
      putPost.run(key, run ?? null, JSON.stringify(target), JSON.stringify(content));
    }
    for (const progress of commit.posted ?? []) writeProgress(progress);
    for (const id of commit.delivered ?? []) deliver.run(id);
    appendAudit(commit.audit ?? []);
  }

  function writeProgress({ key, parts, shown, failed }: PostProgress): void {
    for (const { index, ...part } of parts ?? []) putPart.run(index, JSON.stringify(part), key);
    if (shown !== undefined) setShown.run(shown, key);
    if (failed !== undefined) setFailed.run(JSON.stringify(failed), key);
  }
}
