import Database from 'better-sqlite3';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';

const MEND = 'Give FLOWBOT_DB another file, or put a backup in its place.';

/** Opens a database for the store, with its tables up to date. Throws when a newer Flowbot wrote it or it is no database. */
export function openDatabase(file: string): Database.Database {
  // The wait, in milliseconds, stops the whole process; the write queue tries again in later turns.
  const db = new Database(file, { timeout: 100 });
  try {
    const mode = db.pragma('journal_mode = wal', { simple: true });
    if (mode !== 'wal') {
      throw new Error(`${file} can't be used as the database: its file system lacks shared memory. ${MEND}`);
    }
    // A resolved commit must survive a power cut: better-sqlite3's own default for WAL would not.
    db.pragma('synchronous = full');
    db.pragma('foreign_keys = on');
    db.pragma('wal_autocheckpoint = 1000');
    // A long read by another program makes the log grow; afterwards it shrinks to 8 MiB again.
    db.pragma('journal_size_limit = 8388608');
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new Error(`${file} can't be used as the database: ${error.message}. ${MEND}`, { cause: error });
  }
}
