import Database from 'better-sqlite3';
import { isBusy } from './errors.ts';
import { ensurePrivateFile } from './file.ts';

/** The process that uses a database file. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
}

/** Held until it is released or the process ends, however it ends. */
export interface Lock {
  /** May be called twice. */
  release(): void;
}

/** Another process uses the file. The message names it and says what to do. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  /** Absent when that process was only just starting. */
  readonly holder: Holder | undefined;

  constructor(file: string, holder: Holder | undefined) {
    const who =
      holder === undefined
        ? 'another Flowbot that is just starting'
        : `Flowbot (pid ${holder.pid} on host ${holder.host}, since ${new Date(holder.sinceMs).toISOString()})`;
    super(`${file} is in use by ${who}. Stop it first, or give FLOWBOT_DB another file.`);
    this.holder = holder;
  }
}

/** How long a process that has the lock may take to write its name, in milliseconds. */
const NAMING_MS = 250;

/**
 * Makes this process the only Flowbot on a database file. Throws `LockHeldError` when another one is.
 *
 * The lock is a write transaction, held open on a small database beside the file: the operating system frees it
 * with the process, so it can't go stale, and others can still read the holder's name. The file itself stays free
 * for backup tools.
 */
export function acquireLock(file: string, holder: Holder): Lock {
  const lockFile = `${file}.lock`;
  ensurePrivateFile(lockFile);
  const db = new Database(lockFile, { timeout: NAMING_MS });
  try {
    hold(db, file, holder);
  } catch (error) {
    db.close();
    throw error;
  }
  // Closing rolls the empty transaction back. The file stays: deleting it could delete a successor's lock.
  return { release: () => void db.close() };
}

/** Ends inside the transaction that is the lock, with our name committed before it. */
function hold(db: Database.Database, file: string, holder: Holder): void {
  for (;;) {
    try {
      db.exec('begin immediate');
    } catch (error) {
      if (!isBusy(error)) throw error;
      const other = holderOf(db);
      throw new LockHeldError(file, isSame(other, holder) ? undefined : other);
    }
    if (isSame(holderOf(db), holder)) return;
    // The name can be read by others only when it is committed, which lets go of the lock for a moment:
    // whoever gets in between has put its own name there, and the next round sees it.
    db.exec(
      'create table if not exists holder (one integer primary key, pid integer, host text, since real)',
    );
    db.prepare('insert or replace into holder values (1, ?, ?, ?)').run(
      holder.pid,
      holder.host,
      holder.sinceMs,
    );
    db.exec('commit');
  }
}

function holderOf(db: Database.Database): Holder | undefined {
  const named = db.prepare("select 1 from sqlite_schema where name = 'holder'").get();
  if (named === undefined) return undefined;
  return db.prepare<[], Holder>('select pid, host, since as sinceMs from holder').get();
}

function isSame(a: Holder | undefined, b: Holder): boolean {
  return a?.pid === b.pid && a.host === b.host && a.sinceMs === b.sinceMs;
}
