import type Database from 'better-sqlite3';
import type { Json } from '../../engine/json.ts';
import { parse } from './columns.ts';

/** What is kept for a while. `keep` and `drop` are to be called inside a transaction. */
export interface Passing {
  find(key: string, nowMs: number): Json | undefined;
  /** Keeps it, and drops what is over. */
  keep(key: string, value: Json, untilMs: number, nowMs: number): void;
  drop(key: string): void;
}

/** Prepares the statements. */
export function preparePassing(db: Database.Database): Passing {
  const find = db.prepare<[string, number], { value: string }>(
    'select value from passing where key = ? and until > ?',
  );
  const keep = db.prepare('insert or replace into passing (key, until, value) values (?, ?, ?)');
  const sweep = db.prepare('delete from passing where until <= ?');
  const drop = db.prepare('delete from passing where key = ?');

  return {
    find(key, nowMs) {
      const found = find.get(key, nowMs);
      return found === undefined ? undefined : parse<Json>(found.value);
    },
    keep(key, value, untilMs, nowMs) {
      sweep.run(nowMs);
      keep.run(key, untilMs, JSON.stringify(value));
    },
    drop: (key) => void drop.run(key),
  };
}
