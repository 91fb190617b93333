import { sha256 } from '../adapters/system/sha256.ts';
import { type AuditLink, entryText, plainJson, readEntry } from '../engine/audit/chain.ts';
import { type AuditVerdict, type Stretch, verifyAudit } from '../engine/audit/verify.ts';
import { auditLine } from '../engine/audit/words.ts';
import type { Ask } from './ask.ts';
import { OTHER_VERSION, stretchSchema } from './protocol.ts';

/** Entries that are asked for at a time. */
const STRETCH = 500;

/**
 * Hands on the audit's entries in order, as many as there are.
 * @param run only those of this run @param take false = it wants no more
 * @returns how many there were
 */
export async function readAudit(
  ask: Ask,
  run: string | undefined,
  take: (link: AuditLink) => boolean,
): Promise<number> {
  let count = 0;
  let afterN: number | undefined;
  // A number that was made too large to be exact would come again and again.
  while (afterN === undefined || Number.isSafeInteger(afterN)) {
    const { links } = await askStretch(ask, { afterN, run });
    if (links.length === 0) break;
    for (const link of links) {
      count += 1;
      afterN = link.n;
      if (!take(link)) return count;
    }
  }
  return count;
}

/** Whether the audit is what was written. @param noted a hash of its head that was noted elsewhere */
export function verify(ask: Ask, noted: string | undefined): Promise<AuditVerdict> {
  return verifyAudit((afterN) => askStretch(ask, { afterN }), sha256, noted);
}

/** The verdict in sentences. */
export function verdictText(verdict: AuditVerdict): string {
  if (verdict.kind === 'broken') {
    const before = verdict.n - 1;
    return `The audit was changed: ${verdict.why} ${before === 0 ? 'Nothing is sound.' : `Sound: ${entries(before)}, up to ${before}.`}`;
  }
  const { head, noted } = verdict;
  if (head.count === 0) return 'The audit is empty.';
  const since = noted === undefined ? '' : ` The hash that was noted is that of entry ${noted}.`;
  return `The audit is sound: ${entries(head.count)}.${since}\nHead: ${head.hash}`;
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

/** An entry for people. */
export function readableLine({ n, text }: AuditLink): string {
  return auditLine({ n, entry: readEntry(text) });
}

/** An entry as a line of JSON; `entry` stands in it exactly as it was hashed, or else there is `text`, too. */
export function exportLine({ n, hash, text }: AuditLink): string {
  const entry = readEntry(text);
  const written = entry ? entryText(entry) : 'null';
  const other = written === text ? '' : `,"text":${plainJson(text)}`;
  return `{"n":${n},"hash":${JSON.stringify(hash)},"entry":${written}${other}}`;
}

async function askStretch(
  ask: Ask,
  { run, afterN }: { readonly run?: string | undefined; readonly afterN: number | undefined },
): Promise<Stretch> {
  const { ok, text, data } = await ask({
    kind: 'audit',
    limit: STRETCH,
    ...(run !== undefined && { run }),
    ...(afterN !== undefined && { afterN }),
  });
  if (!ok) throw new Error(text);
  const stretch = stretchSchema.safeParse(data);
  if (!stretch.success) throw new Error(OTHER_VERSION);
  const { head, links } = stretch.data;
  return { head: head ?? undefined, links };
}
