import { type AuditHead, type AuditLink, EMPTY_HEAD, linkText } from './chain.ts';

/** Whether the audit is what was written. */
export type AuditVerdict =
  /** `noted`: the entry whose hash was noted elsewhere. */
  | { readonly kind: 'sound'; readonly head: AuditHead; readonly noted?: number }
  /** Everything before `n` is as it was written. `why`: a sentence. */
  | { readonly kind: 'broken'; readonly n: number; readonly why: string };

/** A stretch of the chain, and its head as it was kept no later than the stretch was read. */
export interface Stretch {
  readonly head: AuditHead | undefined;
  readonly links: readonly AuditLink[];
}

/**
 * Looks through the whole chain, in stretches that may grow meanwhile.
 * @param read gives what follows an entry, at first all there is; no links = that was the last
 * @param noted a hash that somebody noted when it was the head's
 */
export async function verifyAudit(
  read: (afterN?: number) => Promise<Stretch>,
  sha256: (text: string) => string,
  noted?: string,
): Promise<AuditVerdict> {
  let end = EMPTY_HEAD;
  let notedAt: number | undefined;
  for (;;) {
    const { head, links } = await read(end === EMPTY_HEAD ? undefined : end.count);
    if (links.length === 0) return judgeEnd(end, head, noted, notedAt);
    for (const { n, hash, text } of links) {
      const expected = end.count + 1;
      if (n !== expected) return broken(expected, `Where entry ${expected} belongs, there is entry ${n}.`);
      if (hash !== sha256(linkText(end.hash, n, text))) {
        return broken(n, `Entry ${n}, or the hash of one before it, was changed.`);
      }
      if (hash === noted) notedAt = n;
      end = { count: n, hash };
    }
  }
}

function judgeEnd(
  end: AuditHead,
  head: AuditHead | undefined,
  noted: string | undefined,
  notedAt: number | undefined,
): AuditVerdict {
  const next = end.count + 1;
  if (!head) return broken(next, 'The record of the last entry is missing.');
  if (head.count > end.count) {
    return broken(next, `The chain ends after ${end.count} of ${head.count} entries: the rest was cut off.`);
  }
  if (head.count < end.count) {
    return broken(head.count + 1, `There are ${end.count} entries, but only ${head.count} were recorded.`);
  }
  if (head.hash !== end.hash) {
    return broken(next, 'The record of the last entry does not have its hash.');
  }
  if (noted === undefined) return { kind: 'sound', head: end };
  if (notedAt === undefined) {
    return broken(1, 'No entry has the hash that was noted: the chain was written anew, or is another one.');
  }
  return { kind: 'sound', head: end, noted: notedAt };
}

function broken(n: number, why: string): AuditVerdict {
  return { kind: 'broken', n, why };
}
