import { hash } from 'node:crypto';

/** The SHA-256 of a text in UTF-8, 64 hex digits. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
