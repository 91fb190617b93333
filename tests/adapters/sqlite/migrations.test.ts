import { createHash } from 'node:crypto';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { prepareAuditReads } from '../../../src/adapters/sqlite/audit.ts';
import { prepareCache } from '../../../src/adapters/sqlite/cache.ts';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { migrate } from '../../../src/adapters/sqlite/migrate.ts';
import { migrations } from '../../../src/adapters/sqlite/migrations/index.ts';
import { prepareReads } from '../../../src/adapters/sqlite/reads.ts';
import type { RunFilter } from '../../../src/ports/store.ts';
import { sampleMove, sampleRow, sampleState, stateWith } from '../../contracts/store-samples.ts';
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
  expect(hashes).toEqual([
    'f8a014e703e4cd6d',
    '188e6546b4d862bf',
    '6380f49cd975016c',
    '5203ff965e965bec',
    'b642e307eff6db89',
    '2e90bc45986b85c4',
    '8f8b1ac2e4c4843a',
    'efdb00dbc523877c',
  ]);
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
  reads.runs({ schedule: 'digest', limit: 1 });
  reads.runs({ lanes: true, limit: 1 });
  reads.runs({ root: 'r1', limit: 1 });
  reads.runs({ parent: 'r1', limit: 1 });
  reads.runs({ root: 'r1', statuses: ['succeeded'], limit: 1 });
  reads.runs({ parent: 'r1', statuses: ['succeeded'], limit: 1 });
  prepareCache(db);
  const sources = prepare.mock.calls.map(([source]) => source);
  const steps = sources.flatMap((source) => {
    const inputs = [...source.matchAll(/\?/g)].map(() => null);
    return db.prepare<null[], { detail: string }>(`explain query plan ${source}`).all(...inputs);
  });
  const details = steps.map(({ detail }) => detail);
  expect(details.filter((detail) => detail.includes('audit_run'))).toHaveLength(2);
  expect(details.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
  // Whole tables are walked only by lists of everything in them.
  expect(new Set(details.filter((detail) => /^SCAN \w+$/.test(detail)))).toEqual(
    new Set(['SCAN calls', 'SCAN switches', 'SCAN schedules']),
  );
});

test('runs of a file from before there were lanes are listed as before, and can have lanes', async () => {
  const file = temporaryFile();
  const db = new Database(file);
  migrate(db, migrations.slice(0, 4));
  const insert = db.prepare(
    `insert into runs (id, start_key, revision, flow, version, status, started_at, updated_at,
       starter, starter_name, home, home_thread, state)
     values (?, null, 3, 'release', 'v1', ?, 1000, 1000, 'slack:U1', '"Ana"', 'slack:C1', null, ?)`,
  );
  insert.run('r1', 'waiting', JSON.stringify(sampleState('r1')));
  insert.run('r2', 'succeeded', JSON.stringify(sampleState('r2')));
  db.close();

  const store = openSqliteStore({ file });
  onTestFinished(() => store.close());
  const ana = { platform: 'slack', id: 'U1', name: 'Ana' };
  const home = { platform: 'slack', conversation: 'C1' };
  const old = sampleRow('r1', { status: 'waiting', startedBy: ana, home });
  expect(await store.run('r1')).toEqual({ row: old, revision: 3, state: stateWith(sampleState('r1')) });
  const parent = { run: 'r1', root: 'r1' };
  await store.commit({ run: sampleMove('l1', 0, { row: { ...old, id: 'l1', parent } }) });
  await store.commit({ run: sampleMove('r1', 3, { row: old }) });
  const idsOf = async (filter: Omit<RunFilter, 'limit'>) =>
    (await store.runs({ ...filter, limit: 10 })).map(({ id }) => id);
  for (const filter of [{}, { flow: 'release' }, { startedBy: ana }, { home }]) {
    expect(await idsOf(filter)).toEqual(['r2', 'r1']);
  }
  expect(await idsOf({ statuses: ['waiting'] })).toEqual(['r1']);
  expect(await idsOf({ parent: 'r1' })).toEqual(['l1']);
  expect(await store.cached('a', 1_000)).toBeUndefined();
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

test('what was used up before agents were kept apart stays, as of none', async () => {
  const file = temporaryFile();
  const db = new Database(file);
  migrate(db, migrations.slice(0, 7));
  db.exec("insert into spent values ('2026-11-30', 'a', 'b', 5, 1, 2, 0.5, 0, 100)");
  db.close();
  const store = openSqliteStore({ file });
  onTestFinished(() => store.close());
  expect(await store.spent('2026-11-30', '2026-11-30')).toEqual([
    {
      day: '2026-11-30',
      flow: 'a',
      root: 'b',
      usage: { tokens: 5, toolCalls: 1, turns: 2, costUsd: 0.5, unpriced: 0, workedMs: 100 },
    },
  ]);
});
