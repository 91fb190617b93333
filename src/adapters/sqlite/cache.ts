import type Database from 'better-sqlite3';
import type { Output } from '../../engine/steps/step-type.ts';
import { CACHED_MAX, CACHED_MAX_CHARS } from '../../ports/store.ts';
import { parse } from './columns.ts';

/** Outputs kept to be used again. `use` and `keep` are to be called inside a transaction. */
export interface Cache {
  find(key: string): { readonly output: Output; readonly usedMs: number } | undefined;
  /** Notes a use, unless a later one was noted. */
  use(key: string, nowMs: number): void;
  keep(key: string, output: Output, nowMs: number): void;
}

/** Prepares the statements. */
export function prepareCache(db: Database.Database): Cache {
  const find = db.prepare<[string], { output: string; usedMs: number }>(
    'select output, used_at as usedMs from cached_outputs where key = ?',
  );
  const use = db.prepare('update cached_outputs set used_at = max(used_at, ?) where key = ?');
  const keep = db.prepare(
    `insert into cached_outputs (key, used_at, output) values (?, ?, ?)
     on conflict (key) do update set used_at = max(used_at, excluded.used_at), output = excluded.output`,
  );
  const count = db.prepare<[], { kept: number }>('select count(*) as kept from cached_outputs');
  const drop = db.prepare(
    'delete from cached_outputs where n in (select n from cached_outputs order by used_at, n limit ?)',
  );

  return {
    find(key) {
      const found = find.get(key);
      return found && { output: parse<Output>(found.output), usedMs: found.usedMs };
    },
    use: (key, nowMs) => void use.run(nowMs, key),
    keep(key, output, nowMs) {
      const text = JSON.stringify(output);
      if (text.length > CACHED_MAX_CHARS) return;
      keep.run(key, nowMs, text);
      const surplus = (count.get()?.kept ?? 0) - CACHED_MAX;
      if (surplus > 0) drop.run(surplus);
    },
  };
}
