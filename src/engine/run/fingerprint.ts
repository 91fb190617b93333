import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Ask } from '../steps/step-type.ts';

/** Digits of a fingerprint that people see. */
const SHOWN_DIGITS = 8;
/** Digits that travel with a button: enough that nobody makes another content with the same ones, short enough for every platform. */
const CARRIED_DIGITS = 16;

/** The fingerprint of what a question asks about, 64 hex digits of SHA-256: the same only for the very same content. */
export function fingerprintOf({ title, notes, show, actions, form }: Ask): string {
  const shown = notes.map(({ kind, text }) => [kind, text]);
  const offered = actions.map(({ id, label }) => [id, label]);
  const exact = JSON.stringify([
    title,
    shown,
    show.map(({ name, text }) => [name, text]),
    offered,
    form ?? null,
  ]);
  return bytesToHex(sha256(utf8ToBytes(exact)));
}

/** How people see a fingerprint. */
export function shortFingerprint(covers: string): string {
  return covers.slice(0, SHOWN_DIGITS);
}

/** How a button carries it. */
export function carriedFingerprint(covers: string): string {
  return covers.slice(0, CARRIED_DIGITS);
}

/** Whether an answer names this content. @param carried as `carriedFingerprint` makes it */
export function isOf(covers: string, carried: string): boolean {
  return carriedFingerprint(covers) === carried;
}
