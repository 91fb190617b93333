import type { AuditEntry } from './entry.ts';

/**
 * The audit is a chain: each entry is stored with the SHA-256, in hex, of `linkText`, which holds the hash before it. So no
 * entry can be changed, removed or put in without changing all hashes after it, and a hash noted elsewhere vouches for
 * everything up to its entry.
 */

/** What the hash of an entry is made of. @param n position in the chain, from 1 @param text the entry exactly as stored */
export function linkText(before: string, n: number, text: string): string {
  return `${before}\n${n}\n${text}`;
}

/**
 * An entry as the text that is stored and hashed: one line of compact JSON, without characters that could move a cursor or
 * turn the direction of a line. Parsing it and calling this again gives the same text.
 */
export function entryText(entry: AuditEntry): string {
  return plainJson(entry);
}

/** Compact JSON in one line, without such characters. */
export function plainJson(data: AuditEntry | string): string {
  return JSON.stringify(data).replace(/[\x7f-\x9f\u2028\u2029\p{Cf}]/gu, escaped);
}

/** An entry from its text; undefined when that is no JSON object any more. */
export function readEntry(text: string): AuditEntry | undefined {
  try {
    const entry: AuditEntry = JSON.parse(text);
    return typeof entry === 'object' && entry !== null ? entry : undefined;
  } catch {
    return undefined;
  }
}

function escaped(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** An entry in its place in the chain. */
export interface AuditLink {
  /** From 1, without gaps. */
  readonly n: number;
  readonly hash: string;
  /** The entry exactly as it was hashed. */
  readonly text: string;
}

/** The end of the chain, kept apart from it, so that a cut-off tail is noticed. */
export interface AuditHead {
  /** How many entries there are. */
  readonly count: number;
  /** Hash of the last one. */
  readonly hash: string;
}

/** The head of an empty chain: a word stands in for the hash before the first entry. */
export const EMPTY_HEAD: AuditHead = { count: 0, hash: 'flowbot audit 1' };
