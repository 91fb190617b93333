import { randomBytes } from 'node:crypto';
import type { Ids } from '../../ports/ids.ts';

/** 32 characters that can't be mistaken for each other; a byte maps to one without bias. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Ids of 10 characters, 50 random bits. */
export const randomIds: Ids = {
  next: () => Array.from(randomBytes(10), (byte) => ALPHABET[byte % ALPHABET.length] ?? '0').join(''),
};
