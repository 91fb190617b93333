import type Database from 'better-sqlite3';

/** A message as it is stored; `body` is the JSON of a `Body`, `notified` a JSON list of ids. */
export interface MessageRow {
  readonly seq: number;
  readonly version: number;
  readonly conversation: string;
  readonly thread: number | null;
  readonly author: string;
  readonly body: string;
  readonly at_ms: number;
  readonly edited_ms: number | null;
  readonly deleted_ms: number | null;
  readonly replies: number;
  readonly notified: string;
}

/** A private message as it is stored. */
export interface PrivateRow {
  readonly seq: number;
  readonly version: number;
  readonly person: string;
  readonly conversation: string;
  readonly thread: number | null;
  readonly body: string;
  readonly at_ms: number;
  readonly dismissed: number;
}

/** A file as somebody uploaded it. */
export interface UploadRow {
  readonly seq: number;
  readonly person: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** The SQL of the workspace, one function a statement; rules are in `workspace.ts`. */
export type Tables = ReturnType<typeof createTables>;

const messageColumns = `
  m.seq, m.version, m.conversation, m.thread, m.author, m.body, m.at_ms, m.edited_ms, m.deleted_ms,
  (SELECT count(*) FROM messages r
    WHERE r.conversation = m.conversation AND r.thread = m.seq AND r.deleted_ms IS NULL) AS replies,
  (SELECT json_group_array(n.person) FROM notifications n WHERE n.message = m.seq) AS notified`;

/** Prepares the statements. */
export function createTables(db: Database.Database) {
  const bump = db.prepare<[], number>('UPDATE workspace SET version = version + 1 RETURNING version').pluck();
  const version = db.prepare<[], number>('SELECT version FROM workspace').pluck();

  const addChannel = db.prepare<[string]>('INSERT OR IGNORE INTO channels (name) VALUES (?)');
  const channels = db.prepare<[], string>('SELECT name FROM channels ORDER BY name').pluck();

  const addMessage = db.prepare<[number, string, number | null, string, string, string | null, number]>(
    `INSERT INTO messages (version, conversation, thread, author, body, marker, at_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const setBody = db.prepare<[number, string, number, number]>(
    'UPDATE messages SET version = ?, body = ?, edited_ms = ? WHERE seq = ?',
  );
  const setDeleted = db.prepare<[number, string, number, number]>(
    'UPDATE messages SET version = ?, body = ?, deleted_ms = ? WHERE seq = ?',
  );
  const touchMessage = db.prepare<[number, number]>('UPDATE messages SET version = ? WHERE seq = ?');
  const addNotification = db.prepare<[number, string]>(
    'INSERT OR IGNORE INTO notifications (message, person) VALUES (?, ?)',
  );
  const message = db.prepare<[number], MessageRow>(
    `SELECT ${messageColumns} FROM messages m WHERE m.seq = ?`,
  );
  const marked = db
    .prepare<[string, string, string, number | null, number], number>(
      `SELECT seq FROM messages
        WHERE marker = ? AND author = ? AND conversation = ? AND thread IS ? AND at_ms >= ?
          AND deleted_ms IS NULL
        ORDER BY seq LIMIT 1`,
    )
    .pluck();
  const history = db.prepare<[string, number, number], MessageRow>(
    `SELECT ${messageColumns} FROM messages m
      WHERE m.conversation = ? AND m.thread IS NULL AND m.seq < ? AND m.deleted_ms IS NULL
      ORDER BY m.seq DESC LIMIT ?`,
  );
  const replies = db.prepare<[string, number], MessageRow>(
    `SELECT ${messageColumns} FROM messages m
      WHERE m.conversation = ? AND m.thread = ? AND m.deleted_ms IS NULL ORDER BY m.seq`,
  );

  const typed = db.prepare<[string, number, number, number], MessageRow>(
    `SELECT ${messageColumns} FROM messages m
      WHERE m.conversation = ? AND m.at_ms >= ? AND m.at_ms < ? AND m.deleted_ms IS NULL
        AND m.body ->> 'kind' = 'typed'
      ORDER BY m.seq DESC LIMIT ?`,
  );

  const addFile = db.prepare<[number, Uint8Array]>('INSERT INTO files (message, bytes) VALUES (?, ?)');
  const file = db.prepare<[number], Buffer>('SELECT bytes FROM files WHERE message = ?').pluck();
  const removeFile = db.prepare<[number]>('DELETE FROM files WHERE message = ?');

  const addPrivateFile = db.prepare<[number, Uint8Array]>(
    'INSERT INTO private_files (private, bytes) VALUES (?, ?)',
  );
  const privateFile = db
    .prepare<[number], Buffer>('SELECT bytes FROM private_files WHERE private = ?')
    .pluck();
  const removePrivateFile = db.prepare<[number]>('DELETE FROM private_files WHERE private = ?');
  const keepPrivateFiles = db.prepare<[number]>(
    `DELETE FROM private_files WHERE private <=
      (SELECT private FROM private_files ORDER BY private DESC LIMIT 1 OFFSET ?)`,
  );

  const addUpload = db.prepare<[string, string, string, Uint8Array]>(
    'INSERT INTO uploads (person, name, type, bytes) VALUES (?, ?, ?, ?)',
  );
  const upload = db.prepare<[number], UploadRow>('SELECT * FROM uploads WHERE seq = ?');
  const removeUploads = db.prepare<[number]>('DELETE FROM uploads WHERE seq <= ?');

  const addPrivate = db.prepare<[number, string, string, number | null, string, number]>(
    `INSERT INTO privates (version, person, conversation, thread, body, at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const dismiss = db.prepare<[number, number]>(
    'UPDATE privates SET version = ?, dismissed = 1 WHERE seq = ?',
  );
  const privateRow = db.prepare<[number], PrivateRow>('SELECT * FROM privates WHERE seq = ?');
  const privates = db.prepare<[string, number], PrivateRow>(
    'SELECT * FROM privates WHERE person = ? AND dismissed = 0 ORDER BY seq DESC LIMIT ?',
  );

  const changes = db.prepare<
    { after: number; person: string; direct: string; limit: number },
    { version: number; kind: 'message' | 'private'; seq: number }
  >(
    `SELECT version, 'message' AS kind, seq FROM messages
        WHERE version > @after AND (conversation NOT LIKE '@%' OR conversation = @direct)
      UNION ALL
      SELECT version, 'private' AS kind, seq FROM privates WHERE version > @after AND person = @person
      ORDER BY version, seq LIMIT @limit`,
  );

  const addEvent = db.prepare<[string]>('INSERT INTO events (event) VALUES (?)');
  const oldestEvent = db.prepare<[], { seq: number; event: string }>(
    'SELECT seq, event FROM events WHERE delivered = 0 ORDER BY seq LIMIT 1',
  );
  const settleEvent = db.prepare<[number]>('UPDATE events SET delivered = 1 WHERE seq = ?');

  /** Every changed row gets a version of its own, so that a reader can go on after any of them. */
  const next = () => bump.get() ?? 0;

  return {
    /** Runs the changes as one durable transaction. */
    atomic: <T>(change: () => T): T => db.transaction(change).immediate(),
    version: () => version.get() ?? 0,
    addChannel: (name: string) => addChannel.run(name),
    channels: () => channels.all(),
    addMessage: (
      row: Pick<MessageRow, 'conversation' | 'thread' | 'author' | 'body' | 'at_ms'>,
      marker: string | null,
    ) =>
      Number(
        addMessage.run(next(), row.conversation, row.thread, row.author, row.body, marker, row.at_ms)
          .lastInsertRowid,
      ),
    setBody: (seq: number, body: string, atMs: number) => setBody.run(next(), body, atMs, seq),
    setDeleted: (seq: number, body: string, atMs: number) => setDeleted.run(next(), body, atMs, seq),
    /** Tells people about the message again: its count of replies has changed. */
    touchMessage: (seq: number) => touchMessage.run(next(), seq),
    addNotification: (seq: number, person: string) => addNotification.run(seq, person),
    message: (seq: number) => message.get(seq),
    /** Seq of the first message with this marker. */
    marked: (marker: string, author: string, conversation: string, thread: number | null, sinceMs: number) =>
      marked.get(marker, author, conversation, thread, sinceMs),
    /** Newest first. */
    history: (conversation: string, before: number, limit: number) =>
      history.all(conversation, before, limit),
    replies: (conversation: string, thread: number) => replies.all(conversation, thread),
    /** Messages that were typed from one time on and before another, newest first. */
    typed: (conversation: string, sinceMs: number, untilMs: number, limit: number) =>
      typed.all(conversation, sinceMs, untilMs, limit),
    addFile: (seq: number, bytes: Uint8Array) => addFile.run(seq, bytes),
    /** The bytes of the file that a message shows. */
    file: (seq: number) => file.get(seq),
    removeFile: (seq: number) => removeFile.run(seq),
    addUpload: ({
      person,
      name,
      type,
      bytes,
    }: Omit<UploadRow, 'seq' | 'bytes'> & { readonly bytes: Uint8Array }) =>
      Number(addUpload.run(person, name, type, bytes).lastInsertRowid),
    upload: (seq: number) => upload.get(seq),
    /** Removes what was uploaded up to that one. */
    removeUploads: (lastSeq: number) => removeUploads.run(lastSeq),
    addPrivate: (row: Omit<PrivateRow, 'seq' | 'version' | 'dismissed'>) =>
      Number(
        addPrivate.run(next(), row.person, row.conversation, row.thread, row.body, row.at_ms).lastInsertRowid,
      ),
    addPrivateFile: (seq: number, bytes: Uint8Array) => addPrivateFile.run(seq, bytes),
    /** The bytes of the picture that a private message shows. */
    privateFile: (seq: number) => privateFile.get(seq),
    removePrivateFile: (seq: number) => removePrivateFile.run(seq),
    /** Removes all but the newest. */
    keepPrivateFiles: (count: number) => keepPrivateFiles.run(count),
    dismiss: (seq: number) => dismiss.run(next(), seq),
    private: (seq: number) => privateRow.get(seq),
    /** Newest first. */
    privates: (person: string, limit: number) => privates.all(person, limit),
    changes: (person: string, after: number, limit: number) =>
      changes.all({ after, person, direct: `@${person}`, limit }),
    addEvent: (event: string) => Number(addEvent.run(event).lastInsertRowid),
    oldestEvent: () => oldestEvent.get(),
    settleEvent: (seq: number) => settleEvent.run(seq),
  };
}
