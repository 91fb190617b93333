import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFile } from '../../../src/adapters/playground/database.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'playground-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file keeps its tag; writes survive a power cut', () => {
  const file = join(folder, 'playground.db');
  const first = openFile(file, { next: () => 'one' });
  expect(first.db.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(first.db.pragma('synchronous', { simple: true })).toBe(2);
  first.db.close();
  const again = openFile(file, { next: () => 'two' });
  expect([first.tag, again.tag]).toEqual(['one', 'one']);
  again.db.close();
});

test('a file in use is refused with what to do, and free again after that', () => {
  const file = join(folder, 'playground.db');
  const open = () => openFile(file, { next: () => 'one' });
  for (const _ of ['new', 'known']) {
    const first = open();
    expect(open).toThrow(
      `${file} is in use by another program: stop it first, or give FLOWBOT_DB another file.`,
    );
    first.db.close();
  }
});

test('a file of a newer Flowbot is refused with what to do', () => {
  const file = join(folder, 'playground.db');
  const db = new Database(file);
  db.pragma('user_version = 7');
  db.close();
  expect(() => openFile(file, { next: () => 'x' })).toThrow(
    'was written by a newer Flowbot: update Flowbot, or move the file away.',
  );
});

test.each([
  [1, 'DROP TABLE files;'],
  [2, ''],
  [3, ''],
])('a file of an older Flowbot (%i) gets room for files and keeps its channels', (version, more) => {
  const file = join(folder, 'playground.db');
  const first = openFile(file, { next: () => 'one' });
  first.db.exec(`
    DROP TABLE private_files;
    ${version < 3 ? 'DROP TABLE uploads;' : ''}
    ${more}
    INSERT INTO channels (name) VALUES ('kept');
    PRAGMA user_version = ${version};
  `);
  first.db.close();
  for (const _ of ['older', 'known']) {
    const { db } = openFile(file, { next: () => 'two' });
    expect(db.prepare('SELECT count(*) FROM files').pluck().get()).toBe(0);
    expect(db.prepare('SELECT count(*) FROM uploads').pluck().get()).toBe(0);
    expect(db.prepare('SELECT count(*) FROM private_files').pluck().get()).toBe(0);
    expect(db.prepare('SELECT name FROM channels').pluck().all()).toEqual(['kept']);
    db.close();
  }
});
