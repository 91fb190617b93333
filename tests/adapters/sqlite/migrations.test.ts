import { createHash } from 'node:crypto';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { prepareAuditReads } from '../../../src/adapters/sqlite/audit.ts';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { migrate } from '../../../src/adapters/sqlite/migrate.ts';
import { migrations } from '../../../src/adapters/sqlite/migrations/index.ts';
import { prepareReads } from '../../../src/adapters/sqlite/reads.ts';
import { sampleMove } from '../../contracts/store-samples.ts';
import { temporaryFile } from './folder.ts';

function emptyDatabase(): Database.Database {
  const db = new Database(':memory:');
  onTestFinished(() => void db.close());
  return db;
}

const versionOf = (db: Database.Database) => db.pragma('user_version', { simple: true });

test('a new file gets all migrations, and getting them again changes nothing', () => {
  const db = emptyDatabase();
  migrate(db, migrations);
  expect(versionOf(db)).toBe(migrations.length);
  migrate(db, migrations);
  expect(versionOf(db)).toBe(migrations.length);
});

test('an older file gets what it lacks', () => {
  const db = emptyDatabase();
  migrate(db, ['create table a (x)']);
  migrate(db, ['create table a (x)', 'create table b (x)']);
  expect(versionOf(db)).toBe(2);
});

test('a migration that fails leaves the file as it was before it', () => {
  const db = emptyDatabase();
  expect(() => migrate(db, ['create table a (x)', 'create table b (x); no sql'])).toThrow('syntax error');
  expect(versionOf(db)).toBe(1);
  migrate(db, ['create table a (x)', 'create table b (x)']);
  expect(versionOf(db)).toBe(2);
});

test('a file of a newer Flowbot is refused with a sentence', () => {
  const file = temporaryFile();
  const db = new Database(file);
  db.pragma('user_version = 1000');
  db.close();
  expect(() => openSqliteStore({ file })).toThrow(
    `${file} was written by a newer Flowbot (its format is 1000, this one knows up to ${migrations.length}). ` +
      'Start that version, or give FLOWBOT_DB another file.',
  );
});

test('a file that is no database is refused with a sentence, and left alone', () => {
  const file = temporaryFile();
  writeFileSync(file, 'Dear diary, '.repeat(100));
  expect(() => openSqliteStore({ file })).toThrow(
    `${file} can't be used as the database: file is not a database. ` +
      'Give FLOWBOT_DB another file, or put a backup in its place.',
  );
  expect(statSync(file).size).toBe(1_200);
});

test('published migrations are never edited', () => {
  const hashes = migrations.map((sql) => createHash('sha256').update(sql).digest('hex').slice(0, 16));
  expect(hashes).toEqual(['f8a014e703e4cd6d', '188e6546b4d862bf', '6380f49cd975016c', '5203ff965e965bec']);
});

test('the file, its folder and its companions are for nobody else', async () => {
  const file = join(dirname(temporaryFile()), 'new', 'folder', 'flowbot.db');
  const store = openSqliteStore({ file });
  await store.setSwitch('release', true);
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect(mode(dirname(file))).toBe('700');
  for (const companion of ['', '-wal', '-shm', '.lock']) expect(mode(file + companion)).toBe('600');
  await store.close();
});

test('another name of the same file is the same file', async () => {
  const file = temporaryFile();
  const alias = join(dirname(file), 'alias.db');
  const store = openSqliteStore({ file });
  symlinkSync(file, alias);
  expect(() => openSqliteStore({ file: alias })).toThrow('is in use by Flowbot');
  await store.close();
});

test('a folder in the place of the file is refused', () => {
  const file = temporaryFile();
  mkdirSync(file);
  expect(() => openSqliteStore({ file })).toThrow();
});

test('commits are flushed to the disk: the write-ahead log with full synchronisation', () => {
  const db = openDatabase(temporaryFile());
  onTestFinished(() => void db.close());
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(db.pragma('synchronous', { simple: true })).toBe(2);
  expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
});

test('no look-up passes rows it does not return', () => {
  const db = openDatabase(temporaryFile());
  onTestFinished(() => void db.close());
  const prepare = vi.spyOn(db, 'prepare');
  const reads = prepareReads(db);
  prepareAuditReads(db);
  const person = { platform: 'slack', id: 'U1' };
  reads.runs({ limit: 1 });
  reads.runs({ flow: 'release', limit: 1 });
  reads.runs({ statuses: ['running'], limit: 1 });
  reads.runs({ startedBy: person, limit: 1 });
  reads.runs({ home: { platform: 'slack', conversation: 'C1' }, limit: 1 });
  const sources = prepare.mock.calls.map(([source]) => source);
  const steps = sources.flatMap((source) => {
    const inputs = [...source.matchAll(/\?/g)].map(() => null);
    return db.prepare<null[], { detail: string }>(`explain query plan ${source}`).all(...inputs);
  });
  const details = steps.map(({ detail }) => detail);
  expect(details.filter((detail) => detail.includes('audit_run'))).toHaveLength(2);
  expect(details.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
  // Whole tables are walked only by lists of everything in them, the newest runs from the end until the limit.
  expect(new Set(details.filter((detail) => /^SCAN \w+$/.test(detail)))).toEqual(
    new Set(['SCAN calls', 'SCAN switches', 'SCAN schedules', 'SCAN runs']),
  );
});

test('data of a file survives the next start', async () => {
  const file = temporaryFile();
  const store = openSqliteStore({ file });
  await store.commit({ run: sampleMove('r1', 0) });
  await store.close();
  const next = openSqliteStore({ file });
  expect((await next.run('r1'))?.revision).toBe(1);
  await next.close();
});
