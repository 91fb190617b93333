import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { acquireLock, LockHeldError, openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { startChild } from './child.ts';
import { temporaryFile } from './folder.ts';

const holder = { pid: 123, host: 'attic', sinceMs: Date.UTC(2026, 0, 2, 3, 4, 5) };

test('a second holder hears who has the file, since when, and what to do', () => {
  const file = temporaryFile();
  const lock = acquireLock(file, holder);
  expect(() => acquireLock(file, { ...holder, pid: 456 })).toThrow(
    `${file} is in use by Flowbot (pid 123 on host attic, since 2026-01-02T03:04:05.000Z). ` +
      'Stop it first, or give FLOWBOT_DB another file.',
  );
  lock.release();
});

test('a released lock is free at once, and may be released again', () => {
  const file = temporaryFile();
  for (const pid of [1, 2, 3]) {
    const lock = acquireLock(file, { ...holder, pid });
    expect(() => acquireLock(file, holder)).toThrow(LockHeldError);
    lock.release();
    lock.release();
  }
});

test('two files are two locks', () => {
  const first = acquireLock(temporaryFile(), holder);
  const second = acquireLock(temporaryFile(), holder);
  first.release();
  second.release();
});

test('another process is refused while the store is open, and let in when it is closed', async () => {
  const file = temporaryFile();
  const store = openSqliteStore({ file, clock: { now: () => holder.sinceMs } });
  expect(await startChild('hold-store.ts', file).line()).toBe(
    `${file} is in use by Flowbot (pid ${process.pid} on host ${hostname()}, since 2026-01-02T03:04:05.000Z). ` +
      'Stop it first, or give FLOWBOT_DB another file.',
  );
  await store.close();
  const next = startChild('hold-store.ts', file);
  expect(await next.line()).toBe('open');
  expect(() => openSqliteStore({ file })).toThrow(`(pid ${next.pid} on host`);
  await next.end();
  await openSqliteStore({ file }).close();
});

test('a refused process does not free the lock of the one that has it', async () => {
  const file = temporaryFile();
  const store = openSqliteStore({ file });
  expect(() => openSqliteStore({ file })).toThrow(LockHeldError);
  expect(await startChild('hold-store.ts', file).line()).toContain(`(pid ${process.pid} `);
  await store.close();
});

test('kill -9 of the holder frees the file at once', async () => {
  const file = temporaryFile();
  const child = startChild('hold-store.ts', file);
  expect(await child.line()).toBe('open');
  await child.kill();
  await openSqliteStore({ file }).close();
});

test('of processes that start at once, exactly one gets the file', async () => {
  const file = temporaryFile();
  const children = [1, 2, 3, 4].map(() => startChild('hold-store.ts', file));
  const lines = await Promise.all(children.map((child) => child.line()));
  expect(lines.filter((line) => line === 'open')).toHaveLength(1);
  expect(lines.filter((line) => line?.includes('is in use by'))).toHaveLength(3);
});

test('a store that can not be opened leaves no lock behind', async () => {
  const file = temporaryFile();
  await openSqliteStore({ file }).close();
  const db = new Database(file);
  const version = db.pragma('user_version', { simple: true });
  db.pragma('user_version = 1000');
  expect(() => openSqliteStore({ file })).toThrow('newer Flowbot');
  db.pragma(`user_version = ${version}`);
  db.close();
  await openSqliteStore({ file }).close();
});

test('the database itself stays readable for others', async () => {
  const file = temporaryFile();
  const store = openSqliteStore({ file });
  await store.setSwitch('release', false);
  const other = new Database(file, { readonly: true });
  expect(other.prepare('select flow, enabled from switches').all()).toEqual([
    { flow: 'release', enabled: 0 },
  ]);
  other.close();
  await store.close();
  expect(readFileSync(file).subarray(0, 15).toString()).toBe('SQLite format 3');
});
