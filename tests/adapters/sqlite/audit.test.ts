import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { migrate } from '../../../src/adapters/sqlite/migrate.ts';
import { migrations } from '../../../src/adapters/sqlite/migrations/index.ts';
import { createStore } from '../../../src/adapters/sqlite/store.ts';
import { type AuditLink, entryText } from '../../../src/engine/audit/chain.ts';
import type { AuditEntry } from '../../../src/engine/audit/entry.ts';
import type { Store } from '../../../src/ports/store.ts';
import { verifyStored } from '../../contracts/verify-stored.ts';
import { temporaryFile } from './folder.ts';

const changed = (flow: string): AuditEntry => ({ type: 'flow.changed', atMs: 1, flow, version: 'v1' });

const verify = (store: Store, noted?: string, limit = 3) => verifyStored(store, noted, limit);

/** A chain with an entry for each flow, in a store on a database that can be changed behind its back. */
async function chainOf(flows: readonly string[]) {
  const db = openDatabase(temporaryFile());
  const store = createStore(db, () => {});
  onTestFinished(() => store.close());
  await store.commit({ audit: flows.map(changed) });
  return { db, store };
}

const run = (sql: string) => (db: Database.Database) => void db.exec(sql);

test.each([
  ['an edited entry', run(`update audit set entry = replace(entry, 'b', 'x') where n = 2`), 2],
  ['an entry with one more space', run("update audit set entry = entry || ' ' where n = 2"), 2],
  ['an entry that is no JSON any more', run("update audit set entry = 'gone' where n = 3"), 3],
  ['an edited hash', run("update audit set hash = 'x' where n = 2"), 2],
  ['an entry removed from the beginning', run('delete from audit where n = 1'), 1],
  ['an entry removed from the middle', run('delete from audit where n = 2'), 2],
  [
    'removed from the middle, the rest renumbered',
    run('delete from audit where n = 2; update audit set n = n - 1 where n > 2'),
    2,
  ],
  ['an entry removed from the end', run('delete from audit where n = 4'), 4],
  ['everything removed', run('delete from audit'), 1],
  ['an entry put in before the first', run("insert into audit values (0, 'x', '{}')"), 1],
  ['an entry put in at the end', run("insert into audit values (5, 'x', '{}')"), 5],
  ['an entry put in far behind', run("insert into audit values (9223372036854775807, 'x', '{}')"), 5],
  ['two entries that changed places', run('update audit set n = -n; update audit set n = 5 + n'), 1],
  ['an edited count', run('update audit_head set count = 3'), 4],
  ['an edited count beyond the end', run('update audit_head set count = 7'), 5],
  ['an edited hash of the head', run("update audit_head set hash = 'x'"), 5],
  ['a removed head', run('delete from audit_head'), 5],
])('verifying finds %s', async (_, tamper, n) => {
  const { db, store } = await chainOf(['a', 'b', 'c', 'd']);
  expect(await verify(store)).toMatchObject({ kind: 'sound', head: { count: 4 } });
  tamper(db);
  expect(await verify(store)).toMatchObject({ kind: 'broken', n });
});

test('whoever writes the whole chain anew is found by a hash that was noted elsewhere', async () => {
  const first = await chainOf(['a', 'b', 'c']);
  const noted = (await first.store.auditHead())?.hash;
  const forged = await chainOf(['a', 'x', 'c']);
  expect(await verify(forged.store)).toMatchObject({ kind: 'sound' });
  expect(await verify(forged.store, noted)).toMatchObject({
    kind: 'broken',
    why: 'No entry has the hash that was noted: the chain was written anew, or is another one.',
  });
  await first.store.commit({ audit: [changed('d')] });
  expect(await verify(first.store, noted)).toMatchObject({ kind: 'sound', noted: 3 });
});

test('a changed chain does not stop Flowbot, and stays changed', async () => {
  const { db, store } = await chainOf(['a', 'b', 'c']);
  db.exec("delete from audit where n = 3; update audit_head set count = 1, hash = 'x'");
  expect(await store.commit({ audit: [changed('d')] })).toMatchObject({ kind: 'committed' });
  db.exec('delete from audit_head');
  expect(await store.commit({ audit: [changed('e')] })).toMatchObject({ kind: 'committed' });
  expect(await verify(store)).toMatchObject({ kind: 'broken', n: 3 });
});

const text = fc.string({ unit: 'binary', maxLength: 6 });

/** Does something to the rows of the chain; the same rows = it did nothing. */
const tampering = fc.oneof(
  fc.record({
    kind: fc.constant('edit' as const),
    at: fc.nat(),
    field: fc.constantFrom('hash', 'text'),
    text,
  }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), flow: text, hash: text }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), with: fc.nat() }),
  fc.record({ kind: fc.constant('copy' as const), at: fc.nat(), to: fc.nat() }),
);
type Tampering = typeof tampering extends fc.Arbitrary<infer T> ? T : never;

function tampered(rows: readonly Omit<AuditLink, 'n'>[], change: Tampering): Omit<AuditLink, 'n'>[] {
  const made = [...rows];
  const at = change.at % rows.length;
  const row = rows[at];
  if (!row) return made;
  switch (change.kind) {
    case 'edit':
      made[at] = { ...row, [change.field]: change.text.toWellFormed() };
      break;
    case 'remove':
      made.splice(at, change.count);
      break;
    case 'insert':
      made.splice(at, 0, { hash: change.hash.toWellFormed(), text: entryText(changed(change.flow)) });
      break;
    case 'swap':
      made[at] = rows[change.with % rows.length] ?? row;
      made[change.with % rows.length] = row;
      break;
    case 'copy':
      made[change.to % rows.length] = row;
  }
  return made;
}

/** Puts other rows in the place of the chain. */
function rewrite(db: Database.Database, rows: readonly AuditLink[]): void {
  const insert = db.prepare('insert into audit (n, hash, entry) values (?, ?, ?)');
  db.transaction(() => {
    db.exec('delete from audit');
    for (const { n, hash, text: entry } of rows) insert.run(n, hash, entry);
  })();
}

test('verifying finds the first change of any chain, and nothing where there is none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 8 }),
      fc.array(tampering, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 4 }),
      async (flows, changes, limit) => {
        const db = new Database(':memory:');
        migrate(db, migrations);
        const store = createStore(db, () => {});
        try {
          await store.commit({ audit: flows.map(changed) });
          const before = await store.audit({ limit: 100 });
          let rows: Omit<AuditLink, 'n'>[] = before.map(({ hash, text: entry }) => ({ hash, text: entry }));
          for (const change of changes) rows = tampered(rows, change);
          rewrite(
            db,
            rows.map((row, index) => ({ ...row, n: index + 1 })),
          );
          const first = rows.findIndex(
            ({ hash, text: entry }, index) => hash !== before[index]?.hash || entry !== before[index]?.text,
          );
          const isSame = first < 0 && rows.length === before.length;
          const verdict = await verify(store, undefined, limit);
          if (isSame) expect(verdict).toMatchObject({ kind: 'sound' });
          else expect(verdict).toMatchObject({ kind: 'broken', n: first < 0 ? rows.length + 1 : first + 1 });
        } finally {
          await store.close();
        }
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);
