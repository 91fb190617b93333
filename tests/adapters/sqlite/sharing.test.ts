import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import type { Store } from '../../../src/ports/store.ts';
import { sampleMove, sampleRow } from '../../contracts/store-samples.ts';
import { startChild } from './child.ts';
import { temporaryFile } from './folder.ts';

function openStore(): { readonly store: Store; readonly file: string } {
  const file = temporaryFile();
  const store = openSqliteStore({ file });
  onTestFinished(() => store.close());
  return { store, file };
}

/** Some commits, one after the other, of `bytes` each. */
async function write(store: Store, run: string, count: number, bytes = 100): Promise<void> {
  const output = { text: 'x'.repeat(bytes), json: {} };
  for (let revision = 0; revision < count; revision += 1) {
    await store.commit({ run: sampleMove(run, revision, { outputs: [[`step${revision}`, output]] }) });
  }
}

const countRuns = (db: Database.Database) =>
  db.prepare<[], { n: number }>('select count(*) as n from runs').get()?.n;

describe('C65: the file is shared with other programs', () => {
  test('runs can be gone through while they are changed', async () => {
    const { store } = openStore();
    for (const id of ['r1', 'r2', 'r3']) await write(store, id, 1);
    for (const { id } of await store.runs({ limit: 10 })) {
      const row = sampleRow(id, { status: 'cancelled' });
      expect((await store.commit({ run: sampleMove(id, 1, { row }) })).kind).toBe('committed');
    }
    expect(await store.runs({ statuses: ['cancelled'], limit: 10 })).toHaveLength(3);
  });

  test('a commit waits for an exclusive transaction of another process, and reads go on', async () => {
    const { store, file } = openStore();
    await write(store, 'r1', 1);
    const child = startChild('hold-write-lock.ts', file);
    expect(await child.line()).toBe('locked');
    const commit = store.commit({ run: sampleMove('r1', 1) });
    expect((await store.run('r1'))?.revision).toBe(1);
    await child.end();
    expect(await commit).toEqual({ kind: 'committed', revision: 2 });
  });

  test('a long reader sees its moment and hinders nobody', async () => {
    const { store, file } = openStore();
    await write(store, 'r1', 1);
    const reader = new Database(file, { readonly: true });
    onTestFinished(() => void reader.close());
    reader.exec('begin');
    expect(countRuns(reader)).toBe(1);
    await write(store, 'r2', 50);
    expect(countRuns(reader)).toBe(1);
    reader.exec('commit');
    expect(countRuns(reader)).toBe(2);
  });

  test('the log that grew under a long reader shrinks when it has gone', async () => {
    const { store, file } = openStore();
    const logBytes = () => statSync(`${file}-wal`).size;
    const mebibyte = 1024 * 1024;
    await write(store, 'r1', 1);
    const reader = new Database(file, { readonly: true });
    onTestFinished(() => void reader.close());
    reader.exec('begin');
    countRuns(reader);
    await write(store, 'r2', 24, mebibyte);
    expect(logBytes()).toBeGreaterThan(20 * mebibyte);
    reader.exec('commit');
    await write(store, 'r3', 3);
    expect(logBytes()).toBeLessThan(9 * mebibyte);
  });

  test.each([
    ['the online backup', (db: Database.Database, target: string) => db.backup(target)],
    [
      'VACUUM INTO',
      async (db: Database.Database, target: string) => void db.prepare('vacuum into ?').run(target),
    ],
  ])('a copy by %s, taken while commits go on, is whole', async (_, copyTo) => {
    const { store, file } = openStore();
    await write(store, 'r1', 20, 50_000);
    const tool = new Database(file, { readonly: true });
    const copied = `${file}.backup`;
    await Promise.all([copyTo(tool, copied), write(store, 'r2', 50), write(store, 'r3', 50)]);
    tool.close();
    const copy = openSqliteStore({ file: copied });
    expect((await copy.run('r1'))?.revision).toBe(20);
    for (const id of ['r2', 'r3']) {
      const run = await copy.run(id);
      expect(Object.keys(run?.state.outputs ?? {})).toHaveLength(run?.revision ?? 0);
    }
    await copy.close();
    expect((await store.run('r3'))?.revision).toBe(50);
  });
});
