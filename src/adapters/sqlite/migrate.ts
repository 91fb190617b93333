import type Database from 'better-sqlite3';

/**
 * Brings the tables of an open file up to date, each change in a transaction of its own.
 * Throws when the file was written by a newer Flowbot.
 */
export function migrate(db: Database.Database, migrations: readonly string[]): void {
  const found = Number(db.pragma('user_version', { simple: true }));
  if (found > migrations.length) {
    throw new Error(
      `${db.name} was written by a newer Flowbot (its format is ${found}, this one knows up to ${migrations.length}). ` +
        'Start that version, or give FLOWBOT_DB another file.',
    );
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < found) continue;
    const apply = db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${index + 1}`);
    });
    apply.immediate();
  }
}
