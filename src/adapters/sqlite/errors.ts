import Database from 'better-sqlite3';

/** Whether another connection holds what was needed: trying again later may help. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
