import Database from 'better-sqlite3';
import type { Ids } from '../../ports/ids.ts';
import { isBusy } from '../sqlite/errors.ts';
import { ensurePrivateFile } from '../sqlite/file.ts';

/** The playground's own file: it stands for a platform outside of Flowbot, so it shares nothing with the store. */
export interface WorkspaceFile {
  readonly db: Database.Database;
  /** Tells this workspace's ids from those of a deleted one: the bot may remember the old ones. */
  readonly tag: string;
}

const schemaVersion = 4;

const schema = `
  CREATE TABLE workspace (tag TEXT NOT NULL, version INTEGER NOT NULL) STRICT;
  CREATE TABLE channels (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    version INTEGER NOT NULL,       -- of the workspace, when the message last changed
    conversation TEXT NOT NULL,
    thread INTEGER,                 -- seq of the root
    author TEXT NOT NULL,
    body TEXT NOT NULL,
    marker TEXT,                    -- the key the bot posted it with
    at_ms INTEGER NOT NULL,
    edited_ms INTEGER,
    deleted_ms INTEGER
  ) STRICT;
  CREATE INDEX messages_version ON messages (version);
  CREATE INDEX messages_place ON messages (conversation, thread, seq);
  CREATE INDEX messages_marker ON messages (marker) WHERE marker IS NOT NULL;
  CREATE TABLE privates (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    version INTEGER NOT NULL,
    person TEXT NOT NULL,
    conversation TEXT NOT NULL,
    thread INTEGER,
    body TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    dismissed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX privates_version ON privates (version);
  CREATE TABLE notifications (
    message INTEGER NOT NULL,
    person TEXT NOT NULL,
    PRIMARY KEY (message, person)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    event TEXT NOT NULL,
    delivered INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX events_waiting ON events (seq) WHERE delivered = 0;
`;

/** The bytes of posted files, apart from the messages, which are read often. Since version 2. */
const filesSchema = `
  CREATE TABLE files (
    message INTEGER PRIMARY KEY,    -- seq
    bytes BLOB NOT NULL
  ) STRICT;
`;

/** What people have uploaded for forms. Since version 3. */
const uploadsSchema = `
  CREATE TABLE uploads (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
`;

/** The bytes of pictures that only one person is shown. Since version 4. */
const privateFilesSchema = `
  CREATE TABLE private_files (
    private INTEGER PRIMARY KEY,    -- seq
    bytes BLOB NOT NULL
  ) STRICT;
`;

/** How long a process that is just ending may take to let go of the file, in milliseconds. */
const releaseMs = 250;

/**
 * Opens the file, or makes it, for nobody but this process. Throws a sentence when another one has it open, or when
 * it was written by a newer Flowbot.
 */
export function openFile(file: string, ids: Ids): WorkspaceFile {
  if (file !== ':memory:') ensurePrivateFile(file);
  const db = new Database(file, { timeout: releaseMs });
  try {
    return prepare(db, file, ids);
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new Error(`${file} is in use by another program: stop it first, or give FLOWBOT_DB another file.`, {
      cause: error,
    });
  }
}

function prepare(db: Database.Database, file: string, ids: Ids): WorkspaceFile {
  db.pragma('locking_mode = EXCLUSIVE');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const found = db.pragma('user_version', { simple: true });
  if (found === 0) {
    db.transaction(() => {
      db.exec(schema);
      db.exec(filesSchema);
      db.exec(uploadsSchema);
      db.exec(privateFilesSchema);
      db.prepare('INSERT INTO workspace (tag, version) VALUES (?, 0)').run(ids.next());
      db.pragma(`user_version = ${schemaVersion}`);
    }).immediate();
  } else if (found === 1 || found === 2 || found === 3) {
    db.transaction(() => {
      if (found < 2) db.exec(filesSchema);
      if (found < 3) db.exec(uploadsSchema);
      db.exec(privateFilesSchema);
      db.pragma(`user_version = ${schemaVersion}`);
    }).immediate();
  } else if (found !== schemaVersion) {
    throw new Error(`${file} was written by a newer Flowbot: update Flowbot, or move the file away.`);
  }
  const tag = db.prepare<[], string>('SELECT tag FROM workspace').pluck().get() ?? '';
  return { db, tag };
}
