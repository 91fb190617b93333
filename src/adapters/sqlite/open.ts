import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { openDatabase } from './database.ts';
import { ensurePrivateFile } from './file.ts';
import { acquireLock } from './lock.ts';
import { createStore } from './store.ts';

/** Where the store lives. */
export interface SqliteOptions {
  /** Path of the database; the file and its folder are made when missing, readable by nobody else. */
  readonly file: string;
  /** Tells since when this process holds the file. Default: the system's time. */
  readonly clock?: Pick<Clock, 'now'>;
}

/**
 * Opens the store in one SQLite file, which is then this process's alone until `close`.
 * Throws `LockHeldError` when another Flowbot uses it; also when a newer Flowbot wrote it, or it is no database.
 */
export function openSqliteStore(options: SqliteOptions): Store {
  makeFile(options.file);
  // Two names of one file must meet at one lock.
  const file = realpathSync(options.file);
  const sinceMs = options.clock?.now() ?? Date.now();
  const lock = acquireLock(file, { pid: process.pid, host: hostname(), sinceMs });
  try {
    return createStore(openDatabase(file), () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

function makeFile(file: string): void {
  try {
    ensurePrivateFile(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} can't be used as the database: ${why}. Give FLOWBOT_DB another file.`, {
      cause: error,
    });
  }
}
