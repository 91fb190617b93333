import type Database from 'better-sqlite3';
import {
  type AuditHead,
  type AuditLink,
  EMPTY_HEAD,
  entryText,
  linkText,
  readEntry,
} from '../../engine/audit/chain.ts';
import type { AuditEntry } from '../../engine/audit/entry.ts';
import type { AuditFilter, StoredAudit } from '../../ports/store.ts';
import { sha256 } from '../system/sha256.ts';

/** Where the chain ends, and where its head says that it ends. */
interface End {
  readonly last: number | null;
  readonly count: number | null;
  readonly hash: string | null;
}

/** Appends to the audit. To be called inside a transaction. */
export function prepareAudit(db: Database.Database): (entries: readonly AuditEntry[]) => void {
  const readEnd = db.prepare<[], End>(
    `select max(n) as last, (select count from audit_head where one = 1) as count,
       (select hash from audit_head where one = 1) as hash from audit`,
  );
  const insert = db.prepare('insert into audit (n, hash, entry) values (?, ?, ?)');
  const setHead = db.prepare(
    `insert into audit_head (one, count, hash) values (1, ?, ?)
     on conflict (one) do update set count = excluded.count, hash = excluded.hash`,
  );

  return (entries) => {
    if (entries.length === 0) return;
    // Read each time: a head in memory would be wrong after a rollback.
    const end = readEnd.get();
    // What is missing or differs was changed by somebody. That must not stop Flowbot, and verifying still tells it.
    let n = Math.max(end?.count ?? 0, end?.last ?? 0);
    let hash = end?.hash ?? EMPTY_HEAD.hash;
    for (const entry of entries) {
      const text = entryText(entry);
      n += 1;
      hash = sha256(linkText(hash, n, text));
      insert.run(n, hash, text);
    }
    setHead.run(n, hash);
  };
}

/** Reads of the audit. */
export interface AuditReads {
  audit(filter: AuditFilter): readonly StoredAudit[];
  auditHead(): AuditHead | undefined;
}

/** Prepares the statements. */
export function prepareAuditReads(db: Database.Database): AuditReads {
  const isOfRun = "case when json_valid(entry) then entry ->> '$.run' end = ?";
  const select = (where: string, order: string) =>
    db.prepare<(string | number)[], AuditLink>(
      `select n, hash, entry as text from audit where ${where}n > ? order by n ${order} limit ?`,
    );
  const lists = {
    all: { oldest: select('', ''), newest: select('', 'desc') },
    ofRun: { oldest: select(`${isOfRun} and `, ''), newest: select(`${isOfRun} and `, 'desc') },
  };
  const head = db.prepare<[], AuditHead>('select count, hash from audit_head where one = 1');

  return {
    audit({ run, afterN = Number.NEGATIVE_INFINITY, limit, newest }) {
      const ordered = run === undefined ? lists.all : lists.ofRun;
      const list = newest ? ordered.newest : ordered.oldest;
      const found = list.all(...(run === undefined ? [] : [run]), afterN, limit);
      const links = newest ? found.toReversed() : found;
      return links.map((link) => ({ ...link, entry: readEntry(link.text) }));
    },
    auditHead: () => head.get(),
  };
}
