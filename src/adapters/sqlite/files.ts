import type Database from 'better-sqlite3';
import type { StoredFile } from '../../ports/store.ts';
import { parse } from './columns.ts';

/** Files that are kept with runs. `keepFile` is to be called inside a transaction. */
export interface Files {
  keepFile(file: StoredFile): void;
  file(id: string): StoredFile | undefined;
}

/** Prepares the statements. */
export function prepareFiles(db: Database.Database): Files {
  const keep = db.prepare(
    'insert or ignore into files (id, run, name, media_type, data) values (?, ?, ?, ?, ?)',
  );
  const find = db.prepare<[string], Omit<StoredFile, 'data'> & { readonly data: Buffer }>(
    'select id, run, name, media_type as mediaType, data from files where id = ?',
  );
  return {
    keepFile({ id, run, name, mediaType, data }) {
      keep.run(id, run, JSON.stringify(name), mediaType, data);
    },
    file(id) {
      const found = find.get(id);
      return found && { ...found, name: parse<string>(found.name), data: new Uint8Array(found.data) };
    },
  };
}
