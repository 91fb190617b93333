import { hash } from 'node:crypto';
import { type AuditHead, type AuditLink, EMPTY_HEAD, linkText } from '../../engine/audit/chain.ts';
import type { Store, StoredAudit } from '../../ports/store.ts';

/** Entries on one page. */
const LISTED = 100;
/** Entries of one run that can be paged through, the newest. */
export const OF_RUN_MAX = 1_000;

/** Which entries are wanted: without anything, the newest. */
export interface AuditWish {
  /** Only those of this run. */
  readonly run?: string | undefined;
  /** Only those before this place in the chain. */
  readonly before?: number | undefined;
}

/** A part of the audit, and whether it is what was written. */
export interface AuditPart {
  readonly head: AuditHead | undefined;
  /** Oldest first. */
  readonly links: readonly CheckedLink[];
  /** `AuditWish.before` of what is older; absent = nothing is, or nothing that can be paged to. */
  readonly older?: number;
  /** What is wrong with what comes behind these, a sentence. Of a run nobody can tell. */
  readonly fault?: string;
}

/** An entry, and whether it is what was written. */
export interface CheckedLink extends StoredAudit {
  /** What is wrong, a sentence; absent = its hash follows from its text and the hash before it. */
  readonly fault?: string;
}

/** Reads entries, and checks each of them against the one before it, whether that is one of them or not. */
export async function readPart(
  store: Pick<Store, 'audit' | 'auditHead'>,
  wish: AuditWish,
): Promise<AuditPart> {
  // The head first: the chain may grow, but never ends before it.
  const head = await store.auditHead();
  const { links, older, first } = await find(store, wish);
  const known = new Map(links.map((link) => [link.n, link]));
  const checked = await Promise.all(
    links.map(async (link): Promise<CheckedLink> => {
      const fault = faultOf(link, await hashBefore(store, link.n, known), head);
      return { ...link, ...(fault !== undefined && { fault }) };
    }),
  );
  const last = links.at(-1)?.n;
  const fault =
    wish.run === undefined
      ? (faultBehind(last ?? first - 1, head, wish) ?? faultOfCount(last ?? 0, await store.auditHead()))
      : undefined;
  return {
    head,
    links: checked,
    ...(older !== undefined && { older }),
    ...(fault !== undefined && { fault }),
  };
}

interface Found {
  readonly links: readonly StoredAudit[];
  readonly older: number | undefined;
  /** From which place in the chain they were looked for. */
  readonly first: number;
}

async function find(store: Pick<Store, 'audit'>, { run, before }: AuditWish): Promise<Found> {
  if (run !== undefined) {
    const ofRun = await store.audit({ run, limit: OF_RUN_MAX, newest: true });
    const earlier = before === undefined ? ofRun : ofRun.filter(({ n }) => n < before);
    const links = earlier.slice(-LISTED);
    return { links, older: links.length < earlier.length ? links[0]?.n : undefined, first: 1 };
  }
  if (before === undefined) {
    const links = await store.audit({ limit: LISTED, newest: true });
    return { links, older: olderThan(links[0]?.n ?? 1), first: 1 };
  }
  // By their numbers, not by how many there are: some may have been removed.
  const first = Math.max(1, before - LISTED);
  const links = await store.audit({ afterN: first - 1, limit: LISTED });
  return { links: links.filter(({ n }) => n < before), older: olderThan(first), first };
}

function olderThan(n: number): number | undefined {
  return n > 1 ? n : undefined;
}

/** Undefined = the entry before is missing. */
async function hashBefore(
  store: Pick<Store, 'audit'>,
  n: number,
  known: ReadonlyMap<number, AuditLink>,
): Promise<string | undefined> {
  if (n === 1) return EMPTY_HEAD.hash;
  const before = known.get(n - 1) ?? (await store.audit({ afterN: n - 2, limit: 1 }))[0];
  return before?.n === n - 1 ? before.hash : undefined;
}

function faultOf(
  link: AuditLink,
  before: string | undefined,
  head: AuditHead | undefined,
): string | undefined {
  const { n } = link;
  if (before === undefined) return `Entry ${n - 1}, which belongs before it, is missing.`;
  if (link.hash !== hash('sha256', linkText(before, n, link.text), 'hex')) {
    return `Entry ${n}, or the hash of the one before it, was changed.`;
  }
  if (n === head?.count && link.hash !== head.hash) return 'It does not have the hash that was recorded.';
  return undefined;
}

/** @param last the last one that is there */
function faultBehind(last: number, head: AuditHead | undefined, { before }: AuditWish): string | undefined {
  if (!head) return 'The record of the last entry is missing.';
  const expected = before === undefined ? head.count : Math.min(before - 1, head.count);
  if (last >= expected) return undefined;
  return before === undefined
    ? `The chain ends after ${last} of ${head.count} entries: the rest was cut off.`
    : `Entries ${last + 1} to ${expected} are missing.`;
}

/** @param head read after the last one: by then it was recorded */
function faultOfCount(last: number, head: AuditHead | undefined): string | undefined {
  if (!head || last <= head.count) return undefined;
  return `There are ${last} entries, but only ${head.count} were recorded.`;
}
