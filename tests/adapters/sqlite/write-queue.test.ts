import Database from 'better-sqlite3';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { WriteQueue } from '../../../src/adapters/sqlite/write-queue.ts';
import { temporaryFile } from './folder.ts';

let db: Database.Database;
let queue: WriteQueue;
let file: string;
beforeEach(() => {
  file = temporaryFile();
  db = open();
  db.pragma('journal_mode = wal');
  db.pragma('foreign_keys = on');
  db.exec(`create table parents (id integer primary key);
    create table words (word text unique, parent integer references parents deferrable initially deferred)`);
  queue = new WriteQueue(db);
});

function open(): Database.Database {
  const opened = new Database(file, { timeout: 0 });
  onTestFinished(() => void opened.close());
  return opened;
}

const put = (word: string, parent: number | null = null) =>
  queue.add(() => {
    db.prepare('insert into words (word, parent) values (?, ?)').run(word, parent);
    return word.toUpperCase();
  });
const words = () =>
  db
    .prepare<[], { word: string }>('select word from words order by word')
    .all()
    .map(({ word }) => word);
const statuses = async (asked: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(asked)).map(({ status }) => status);

test('what is asked for in one turn is stored in one transaction', async () => {
  const reader = open();
  const seen = () => reader.prepare('select count(*) as n from words').get();
  const first = queue.add(() => seen());
  const second = put('a');
  const third = queue.add(() => seen());
  expect(await Promise.all([first, second, third])).toEqual([{ n: 0 }, 'A', { n: 0 }]);
  expect(seen()).toEqual({ n: 1 });
});

test('a write that fails, fails alone', async () => {
  await put('b');
  expect(await statuses([put('a'), put('b'), put('c')])).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(words()).toEqual(['a', 'b', 'c']);
});

test('when the transaction can not end, all of its writes are refused, and the next ones work', async () => {
  // A deferred constraint makes COMMIT itself fail, as a broken disk would.
  expect(await statuses([put('a'), put('b', 99), put('c')])).toEqual(['rejected', 'rejected', 'rejected']);
  expect(words()).toEqual([]);
  expect(await put('d')).toBe('D');
  expect(words()).toEqual(['d']);
});

test('a locked file is waited for', async () => {
  const other = open();
  other.exec('begin immediate');
  const waiting = put('a');
  await new Promise((resolve) => setImmediate(resolve));
  const joining = put('b');
  other.exec('commit');
  expect(await Promise.all([waiting, joining])).toEqual(['A', 'B']);
});

test('a file that stays locked is not waited for without end', async () => {
  const other = open();
  other.exec('begin immediate');
  await expect(put('a')).rejects.toThrow(`${file} stayed locked by another program, so nothing was stored.`);
  other.exec('commit');
  expect(await put('b')).toBe('B');
  expect(words()).toEqual(['b']);
});

test('drain waits for everything that was asked for', async () => {
  const done: string[] = [];
  void put('a').then((word) => done.push(word));
  await queue.drain();
  expect(words()).toEqual(['a']);
  expect(done).toEqual(['A']);
});
